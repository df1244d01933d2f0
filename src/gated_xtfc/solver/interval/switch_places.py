"""What the uncertainty of the places at which a text switches does to a solution.

`where(sin(20*pi*x) > 0.9, 1, 0)` breaks the domain where rounding puts the zeros of its argument: at x = p + d with
d = (what is left of the argument at p, and its rounding) / slope. Between the two places the equation is met with the
term of the other side. That is a source of d times the jump of the highest derivative there, and what it does to the
solution is found by solving for it. How the places err together is not known: sources of one sign, of signs that
alternate and of signs that do neither are tried.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gated_xtfc.gates.probe_lines import SWITCHES
from gated_xtfc.language.disc import Disc
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.discretisation import Certificate, Iterate, Start
from gated_xtfc.solver.interval.condensed import condense
from gated_xtfc.solver.interval.discretisation import probe_lines
from gated_xtfc.solver.interval.element_fit import ElementFit, fit_elements
from gated_xtfc.solver.interval.element_layout import ElementLayout
from gated_xtfc.solver.interval.fit import IntervalFit, fit
from gated_xtfc.types import Array

PESSIMISM = 8.0  # of the rounding that discs count, over half a unit in the last place of every operation
NEAR = 1e-9  # of the domain: a switch that is zero no nearer than this is not the one that a break belongs to
NEAR_ALONG = 1e-8  # the same along a solution; breaks farther away have been moved, or are there for another reason
TURNS = 0.1  # of the distance between two switches: where one moves by more, both may be gone
BEYOND = 8  # points of kernels to the right of a break over which its source is spread
PATTERNS = 6  # of signs
SAFETY = 2.0


def with_switches(
    problem: Problem, found: IntervalFit | ElementFit, certificate: Certificate, start: Start
) -> Certificate:
    """The certificate of a fit of this problem with the error from uncertain places, which no refinement removes.

    `start` is the fit itself, along which texts can be read.
    """
    (pieces,) = found.coordinates
    if len(pieces) < 2:
        return certificate
    breaks = np.array([piece.right for piece in pieces[:-1]])
    apart = uncertainties(problem, breaks)
    if not problem.linear:
        passes, unsure = along(problem, breaks, start, certificate.error * max(certificate.scales))
        apart = np.maximum(apart, passes)
    error = SAFETY * _moved(problem, found, breaks, apart, certificate.scales) if apart.any() else 0.0
    certificate = replace(certificate, error=certificate.error + error, rounding=certificate.rounding + error)
    return certificate if problem.linear else _followed(problem, found, breaks, unsure, certificate)


def _followed(
    problem: Problem, found: IntervalFit | ElementFit, breaks: Array, unsure: Array, certificate: Certificate
) -> Certificate:
    """With what the error of the solution does by moving the places at which it switches, and these each other.

    At break i it is e_i = 1 + sum_j s_ij e_j, in units of the estimate, with s_ij what an error at break j does there.
    """
    (which,) = np.nonzero(unsure)
    if not which.size:
        return certificate
    before = np.searchsorted(np.asarray(found.layout.points[0]), breaks[which]) - 1
    effects = []
    for j in which:
        alone = np.where(np.arange(breaks.size) == j, unsure, 0.0)
        effects.append(next(_changes(problem, found, breaks, alone, certificate.scales)) / certificate.error)
    spread = np.array(effects)  # (breaks, points)
    try:
        there = np.linalg.solve(np.eye(which.size) - spread[:, before].T, np.ones(which.size))
    except np.linalg.LinAlgError:  # any places keep each other there
        there = np.full(which.size, np.inf)
    # a negative one says that places drive each other away without end
    held = bool(((there > 0.0) & (there < np.inf)).all())
    total = 1.0 + float(there @ spread.max(axis=1)) if held else np.inf
    return replace(certificate, error=certificate.error * total, rounding=certificate.rounding * total)


def uncertainties(problem: Problem, breaks: Array) -> Array:
    """How far from each break the zero of the switch that made it may be."""
    (axis,) = problem.axes
    zero, found = np.zeros_like(breaks), np.full(breaks.shape, np.inf)
    at = Disc(breaks, (zero + 1.0,), zero, (zero,))
    with np.errstate(all="ignore"):
        for one in problem.equations:
            if isinstance(one, TextEquation) and one.free_text.switches:
                for switch in one.free_text.bounds({axis.name: at}).switches:
                    left = np.abs(switch.centre) + switch.rest / PESSIMISM
                    apart = np.broadcast_to(left / np.abs(switch.slopes[0]), breaks.shape)
                    found = np.fmin(found, np.where(np.isfinite(apart), apart, np.inf))
    return np.where(found <= NEAR * axis.length, found, 0.0)


def along(problem: Problem, breaks: Array, start: Start, error: float) -> tuple[Array, Array]:
    """How far from each break the solution passes the value at which it is switched by, as max(u, 0) is at u = 0.

    And how far that place moves where the solution is off by `error`.
    """
    (axis,) = problem.axes
    lines = probe_lines(Operator(problem, start.about, start.constants), along=True)
    found, moves = np.full(breaks.shape, np.inf), np.zeros_like(breaks)
    sides = np.concatenate([np.nextafter(breaks, -np.inf), breaks])
    with np.errstate(all="ignore"):
        for one in lines.arguments(sides, np.zeros(sides.size, dtype=np.int64)):
            if one.operation in SWITCHES and np.any(one.by_field):
                slope = np.abs(one.slope).reshape(2, -1).min(axis=0)  # the flatter side has it farther away
                lever = np.abs(one.by_field).reshape(2, -1).max(axis=0)
                apart = np.abs(one.value[breaks.size :]) / slope
                nearer = apart < found
                found, moves = np.where(nearer, apart, found), np.where(nearer, lever * error / slope, moves)
    near = found <= NEAR_ALONG * axis.length
    gaps = np.diff(breaks[near], prepend=-np.inf, append=np.inf)
    gap = np.minimum(gaps[:-1], gaps[1:])  # where an argument turns in between, by a quarter of it times the slope
    moves[near] = np.where(moves[near] > TURNS * gap, np.maximum(moves[near], gap), moves[near])
    return np.where(near, found, 0.0), np.where(near, moves, 0.0)


def _moved(
    problem: Problem, found: IntervalFit | ElementFit, breaks: Array, apart: Array, scales: tuple[float, ...]
) -> float:
    """The largest change of a field, relative to its scale, that sources at the breaks lead to."""
    return max(float(one.max()) for one in _changes(problem, found, breaks, apart, scales))


def _changes(
    problem: Problem, found: IntervalFit | ElementFit, breaks: Array, apart: Array, scales: tuple[float, ...]
) -> Iterator[Array]:
    """How fields change at all points by sources at the breaks, the largest of them, for each pattern of signs."""
    here, points = found.iterate, found.layout.points
    linear = Operator(problem).at(points, here.jets, here.constants.tolist())
    sizes = [_size(fields, source, here) for fields, source in zip(linear.by_order, linear.source, strict=True)]
    for added in _sources(found, linear, breaks, apart):
        changed = np.zeros(np.asarray(points[0]).size)
        # as large as the terms of the equations, for what is looked at is a difference of solutions
        most = max(float(np.abs(one).max()) / size if size else 0.0 for one, size in zip(added, sizes, strict=True))
        if most > 0.0:
            moved = [source + one / most for source, one in zip(linear.source, added, strict=True)]
            other = _fitted(found, replace(linear, source=moved))
            for a, b, scale in zip(other.jets, here.jets, scales, strict=True):
                changed = np.maximum(changed, np.abs(a[0,] - b[0,]) * (most / scale))
        yield changed


def _sources(found: IntervalFit | ElementFit, linear: Linearisation, breaks: Array, apart: Array) -> Iterator[Array]:
    """What the breaks add to the source of every equation, (equations, points), for each pattern of signs.

    It is spread over the element behind the break, or over some points between kernels.
    """
    points, here = np.asarray(found.layout.points[0]), found.iterate
    before = np.searchsorted(points, breaks) - 1
    reach = found.layout.x.shape[1] if isinstance(found, ElementFit) else BEYOND
    last = np.minimum(np.append(before[1:], points.size - 1), before + reach)
    jumps = np.zeros((len(linear.source), breaks.size))
    for total, fields in zip(jumps, linear.by_order, strict=True):
        for factors, jets in zip(fields, here.jets, strict=True):
            if len(factors) > 1:
                highest = jets[len(factors) - 1,]
                total += factors[-1][before + 1] * (highest[before + 1] - highest[before])
    strength = np.abs(jumps) * apart / (points[last] - breaks)
    for signs in _patterns(breaks.size):
        added = np.zeros((len(linear.source), points.size))
        for own, first, end in zip((signs * strength).T, before + 1, last + 1, strict=True):
            added[:, first:end] += own[:, None]
        yield added


def _size(fields: list[list[Array]], source: Array, here: Iterate) -> float:
    """How large the terms of an equation become."""
    terms = [
        np.abs(a * u).max()
        for own, jets in zip(fields, here.jets, strict=True)
        for a, u in zip(own, jets.values(), strict=False)
    ]
    return float(max(np.abs(source).max(), *terms))


def _patterns(count: int) -> Iterator[Array]:
    """Signs of sources: all alike, and those of Walsh's functions, the fastest of which alternates."""
    yield np.ones(count)
    for k in range(min(PATTERNS - 1, count.bit_length())):
        yield np.where((np.arange(count) >> k) & 1, -1.0, 1.0)


def _fitted(found: IntervalFit | ElementFit, linear: Linearisation) -> Iterate:
    """The solution for another source, on the same layout."""
    if isinstance(found, IntervalFit):
        return fit(found.layout, linear).iterate
    layout = found.layout
    if type(layout) is ElementLayout:
        return fit_elements(layout, linear, certify=False).iterate
    return ElementFit(layout, condense(layout, linear).shapes, found.sizes, None).iterate
