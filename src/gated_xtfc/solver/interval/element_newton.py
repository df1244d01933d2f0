"""Newton's method on elements, by the compiled core, or where there is none or texts ask for more by its NumPy twin.

A step that would change a field by more than half of its range is cut there. Steps shrink like squares: where the next
one is expected to be short enough, it is taken with a certificate, which then counts that step among the errors. One
look is taken early: a layout that is too coarse by far is not worth more steps than its error is.
"""

import math
import time
from dataclasses import replace

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.solver.damping import LONGEST, NEAR
from gated_xtfc.solver.discretisation import Certificate, Convergence, Iterate
from gated_xtfc.solver.interval.element_fit import (
    ElementFit,
    as_certificate,
    fit_elements,
    packed_tables,
    quicker_in_core,
    relative_to,
)
from gated_xtfc.solver.interval.element_layout import ElementLayout
from gated_xtfc.solver.interval.tied_layout import TiedLayout
from gated_xtfc.solver.newton import DIVERGED, MOST_STEPS, STALLED
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array

SHORT = 0.1  # of the tolerance: relative length of the last step
STEPS = 2.0  # of its length: what Newton's method may still be off by, where rounding moves a thin layer
SHRINKING = 0.3  # of the step before
MOST_HALVED = 12
ROUGH = 1e-2  # a step expected to be shorter than this shows what the layout is worth ...
BESIDE = 0.1  # ... and is short enough beside an error so many times as large
CONVERGED, NOT_FINITE = 0, 3  # how it ended, as core/newton.h counts


def converged_on(
    operator: Operator,
    layout: ElementLayout,
    start: Iterate,
    tol: float,
    most: int,
    tolerance: Tolerance | None = None,
    until: float = math.inf,
) -> Convergence[ElementFit]:
    """Steps until a full one is short beside the tolerance, the last one with a certificate; at most `most`."""
    most = min(most, MOST_STEPS)
    if compiled.newton is not None:
        found = _by_core(operator, layout, start, SHORT * tol, most, tolerance)
        if found is not None:
            return found
    return by_steps(operator, layout, start, SHORT * tol, most, tolerance, until)


def _by_core(
    operator: Operator, layout: ElementLayout, start: Iterate, goal: float, most: int, tolerance: Tolerance | None
) -> Convergence[ElementFit] | None:
    """None where the core is not made for the equations, or cannot begin."""
    if isinstance(layout, TiedLayout) or not quicker_in_core(layout):
        return None
    programs = operator.programs
    if programs is None or compiled.newton is None:
        return None
    fields, count = len(layout.orders), layout.count
    shapes, figures = np.empty((count, fields, layout.degree + 1)), np.empty(4 + 2 * fields)
    share, jets = np.empty(count), _jets(start)
    left, right = layout.ends
    outcome, steps, length = compiled.newton(
        layout.orders,
        layout.degree,
        count,
        left.free,
        right.free,
        goal,
        most,
        tuple((code.codes, code.numbers, values) for code, values in programs),
        *packed_tables(layout.degree, layout.orders),
        layout.x,
        layout.elements.length,
        left.basis,
        right.basis,
        left.particular,
        right.particular,
        *relative_to(fields, tolerance),
        shapes,
        figures,
        share,
        jets,
    )
    if outcome == NOT_FINITE:
        return None
    if outcome != CONVERGED:
        return Convergence(None, steps, False)
    numbers = figures.tolist()
    certificate = counted(as_certificate(numbers, share), length, goal)
    return Convergence(ElementFit(layout, shapes, tuple(numbers[4 : 4 + fields]), certificate, jets), steps, True)


def _jets(start: Iterate) -> Array:
    """All fields and derivatives in one array, to be written over."""
    if start.packed is not None:
        return start.packed.copy()
    return np.stack([values for own in start.jets for values in own.values()])


def by_steps(
    operator: Operator,
    layout: ElementLayout,
    start: Iterate,
    goal: float,
    most: int,
    tolerance: Tolerance | None,
    until: float = math.inf,
) -> Convergence[ElementFit]:
    """The same in NumPy."""
    here, linear = start, linearised(operator, layout, start)
    if not linear.finite:
        return Convergence(None, 0, False)
    units = [float(np.abs(u).max()) for u in start.values]
    constant_units = np.where(start.constants == 0.0, 1.0, np.abs(start.constants))
    before = expected = np.inf
    looked = False
    for steps in range(1, most + 1):
        certify = expected <= goal or (not looked and expected <= ROUGH)
        looked = looked or certify
        found = fit_elements(layout, linear, tolerance, certify)
        there = found.iterate
        moved = [float(np.abs(new - old).max()) for old, new in zip(here.values, there.values, strict=True)]
        units = [unit or 2.0 * length for unit, length in zip(units, moved, strict=True)]
        if not all(length <= DIVERGED * unit for length, unit in zip(moved, units, strict=True)):
            return Convergence(None, steps, False)
        relative = max(length / size for length, size in zip(moved, found.sizes, strict=True))
        constants_moved = np.abs(there.constants - here.constants) / np.maximum(np.abs(there.constants), constant_units)
        relative = max(relative, float(constants_moved.max(initial=0.0)))
        settled = relative <= goal or (relative <= STALLED and relative > SHRINKING * before)
        if found.certificate is not None and (settled or relative <= BESIDE * found.certificate.error):
            scales = found.certificate.scales
            length = max([a / b for a, b in zip(moved, scales, strict=True)] + constants_moved.tolist())
            return Convergence(replace(found, certificate=counted(found.certificate, length, goal)), steps, True)
        sizes = [max(unit, float(np.abs(old).max())) or 1.0 for unit, old in zip(units, here.values, strict=True)]
        part = 1.0
        if max(length / size for length, size in zip(moved, sizes, strict=True)) > NEAR:
            reaches = [LONGEST * max(unit, float(np.ptp(old))) for unit, old in zip(units, here.values, strict=True)]
            part = min(min(1.0, reach / length) for reach, length in zip(reaches, moved, strict=True) if length > 0.0)
        for _ in range(MOST_HALVED):
            iterate = here.toward(there, part)
            linear = linearised(operator, layout, iterate)
            if linear.finite:
                break
            part *= 0.5
        else:
            return Convergence(None, steps, False)
        here, full = iterate, part == 1.0
        shrunk = relative if np.isinf(before) else relative * (relative / before) ** 2
        expected = (0.0 if settled else relative * relative if np.isinf(before) else shrunk) if full else np.inf
        before = relative if full else np.inf
        if time.perf_counter() > until:
            break
    return Convergence(None, most, False)


def linearised(operator: Operator, layout: ElementLayout, iterate: Iterate) -> Linearisation:
    """The equations, and conditions that are not linear, about an iterate."""
    linear, sight = operator.at(layout.points, iterate.jets, iterate.constants.tolist()), iterate.sight
    ends, named = operator.problem.free_ends, dict(zip(operator.problem.unknown, iterate.constants, strict=True))
    if ends is not None and ends.length(named) <= 0.0:
        return replace(linear, source=[np.full_like(one, np.nan) for one in linear.source])  # no domain at all
    if sight is None:
        return linear
    return replace(linear, conditions=tuple(one.about(sight) for one in operator.problem.nonlinear_conditions))


def counted(certificate: Certificate, length: float, goal: float) -> Certificate:
    """With the last step among the errors: what its linear equations left out is of the order of its square."""
    step = STEPS * length
    stalled = goal < length <= STALLED and length > BESIDE * certificate.error
    rounding = certificate.rounding + (step if stalled else 0.0)
    return replace(certificate, error=certificate.error + step, rounding=rounding)
