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
NEAR_ALONG = 1e-4  # the same along a solution, which is known less well than a text
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
        apart = np.maximum(apart, along(problem, breaks, start))
    if not apart.any():
        return certificate
    error = SAFETY * _moved(problem, found, breaks, apart, certificate.scales)
    return replace(certificate, error=certificate.error + error, rounding=certificate.rounding + error)


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


def along(problem: Problem, breaks: Array, start: Start) -> Array:
    """How far from each break the solution passes the value at which it is switched by, as max(u, 0) is at u = 0."""
    (axis,) = problem.axes
    lines = probe_lines(Operator(problem, start.about, start.constants), along=True)
    found = np.full(breaks.shape, np.inf)
    with np.errstate(all="ignore"):
        for one in lines.arguments(breaks, np.zeros(breaks.size, dtype=np.int64)):
            if one.operation in SWITCHES:
                apart = np.abs(one.value) / np.abs(one.slope)
                found = np.fmin(found, np.where(np.isfinite(apart), apart, np.inf))
    return np.where(found <= NEAR_ALONG * axis.length, found, 0.0)


def _moved(
    problem: Problem, found: IntervalFit | ElementFit, breaks: Array, apart: Array, scales: tuple[float, ...]
) -> float:
    """The largest change of a field, relative to its scale, that sources at the breaks lead to."""
    here, points = found.iterate, found.layout.points
    linear = Operator(problem).at(points, here.jets, here.constants.tolist())
    sizes = [_size(fields, source, here) for fields, source in zip(linear.by_order, linear.source, strict=True)]
    largest = 0.0
    for added in _sources(found, linear, breaks, apart):
        # as large as the terms of the equations, for what is looked at is a difference of solutions
        most = max(float(np.abs(one).max()) / size if size else 0.0 for one, size in zip(added, sizes, strict=True))
        if most > 0.0:
            moved = [source + one / most for source, one in zip(linear.source, added, strict=True)]
            other = _fitted(found, replace(linear, source=moved))
            for a, b, scale in zip(other.values, here.values, scales, strict=True):
                largest = max(largest, float(np.abs(a - b).max()) * most / scale)
    return largest


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
