"""Layouts, finer and finer, until the eigenvalues asked for are known to the tolerance and found on two of them.

Each round has its gates from the operator at the eigenvalues found, and its shift beside them. What one layout shows
and a finer one does not is spurious; what is not resolved and might be in the way keeps the search going.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinates, refined
from gated_xtfc.gates.prediction import WAVE
from gated_xtfc.solver.interval.discretisation import (
    IntervalDiscretisation,
    kernel_density,
    predict,
    refined_by_shares,
)
from gated_xtfc.spectra.estimate import EigenCandidate, candidates, matched
from gated_xtfc.spectra.pencil import Pencil
from gated_xtfc.spectra.shifted import ShiftedPencil
from gated_xtfc.spectra.symbol_range import SymbolRange

RESOLVED = 0.02  # error of an eigenvalue, relative to its distance from the next one, and residual of its mode
DENSER = 1.2  # the layout that must find the eigenvalues again
MUCH_DENSER = 1.6  # where eigenvalues are missing
OFFSET = 0.0137  # of the distance between eigenvalues: a shift on one of them would make the operator singular
ROUNDS = 16
MOST_AT_ONCE = 3.0  # factor of neurons from one layout to the next
FIRST = 800  # neurons of the first layout, at the most
STALLED = 3  # rounds without gain after which a search ends
AMPLIFIED = 1e10  # relative movement of an eigenvalue for a relative change of the equations: far from normal
NON_NORMAL = (
    "the operator is so far from normal that rounding alone moves its eigenvalues further than the tolerance allows"
)


@dataclass(frozen=True)
class EigenTarget:
    """Which eigenvalues come first."""

    kind: str  # "near", "smallest" or "largest real"
    place: complex = 0.0

    def key(self, value: complex) -> float:
        """The smaller, the earlier."""
        if self.kind == "near":
            return abs(value - self.place)
        return value.real if self.kind == "smallest" else -value.real


@dataclass(frozen=True)
class SearchLimits:
    """What a search may take."""

    neurons: int
    until: float  # a time of `time.perf_counter`


@dataclass(frozen=True)
class Found:
    """What a search came to."""

    chosen: tuple[EigenCandidate, ...]
    earlier: tuple[EigenCandidate, ...]  # the same on the layout before
    met: bool
    reason: str  # why the tolerance is not met, in words
    rounds: int


def search(
    pencil: Pencil,
    symbol: SymbolRange,
    count: int,
    target: EigenTarget,
    tol: float,
    limits: SearchLimits,
    report: Callable[[int, int, float], None] | None = None,
) -> Found:
    """The first `count` eigenvalues in the order of the target."""
    space = IntervalDiscretisation(pencil.problem, kernel_density(tol))
    shift = _first_shift(symbol, target)
    coordinates = _predicted(pencil, [shift], count)
    if space.size(coordinates).neurons > FIRST:
        coordinates = space.coarsened_to(coordinates, FIRST) or coordinates  # refinement knows better than a far shift
    before: list[EigenCandidate] = []
    best = Found((), (), False, "no eigenvalue was resolved", 0)
    guided, stalled, least = 0, 0, math.inf
    for number in range(1, ROUNDS + 1):
        if space.size(coordinates).neurons > limits.neurons:
            return replace(best, reason="a finer layout would need more neurons than max_neurons allows")
        if number > 1 and time.perf_counter() > limits.until:
            return replace(best, reason="there was no more time")
        try:
            layout = pencil.lay_out(space, coordinates, complex(shift))
            shifted = ShiftedPencil.of(pencil, layout, complex(shift))
            every = candidates(shifted, count + max(4, count // 4))
        except np.linalg.LinAlgError:
            return replace(best, reason="the operator is beyond double precision")
        resolved = [one for one in every if is_resolved(one, every)]
        resolved.sort(key=lambda one: (round(target.key(one.value), 12), one.value.imag))
        chosen = resolved[:count]
        pairs = matched(chosen, before, tol)
        last = target.key(chosen[-1].value) if len(chosen) == count else math.inf
        hidden = [one for one in every if not is_resolved(one, every) and target.key(one.value) <= last]
        again = [(one, other) for one, other in zip(chosen, pairs, strict=True) if other is not None]
        missed = max((one.error / (tol * unit(one, every)) for one in chosen), default=math.inf)
        if report is not None:
            report(int(layout.trial.free.size), len(again), missed * tol)
        best = Found(tuple(a for a, _ in again), tuple(b for _, b in again), False, "", number)
        limited = all(one.error <= tol * unit(one, every) or one.rounding > 0.5 * one.error for one in chosen)
        whole = len(chosen) == count and len(again) == count and not hidden
        if whole and missed <= 1.0:
            return replace(best, met=True)
        if whole and limited:
            return replace(best, reason="double precision gives no more for these eigenvalues")
        stalled = 0 if missed < math.inf and missed <= 0.5 * least else stalled + 1
        least = min(least, missed)
        if stalled >= STALLED and every and far_from_normal(every[:count]):
            return replace(best, reason=NON_NORMAL)
        if stalled >= 2 * STALLED:
            return replace(best, reason="refinement no longer gains anything")
        before = resolved
        best = replace(best, reason=f"they are not fully resolved after {number} rounds of refinement")
        shift = _next_shift(target, symbol, resolved, shift)
        if len(chosen) < count or hidden:
            fresh = _predicted(pencil, [one.value for one in chosen] or [shift], count) if guided < 2 else coordinates
            guided += 1
            denser = refined(coordinates, MUCH_DENSER)
            usable = space.size(fresh).neurons <= MOST_AT_ONCE * space.size(coordinates).neurons
            coordinates = max(fresh, denser, key=lambda one: space.size(one).neurons) if usable else denser
        elif missed <= 1.0 or limited:
            coordinates = refined(coordinates, DENSER)
        elif not guided:
            guided = 1
            fresh = _predicted(pencil, [one.value for one in chosen], count)
            growth = space.size(fresh).neurons / space.size(coordinates).neurons
            new = 1.1 < growth <= MOST_AT_ONCE
            coordinates = fresh if new else _refined(chosen, every, tol)
        else:
            coordinates = _refined(chosen, every, tol)
    return best


def is_resolved(one: EigenCandidate, every: Sequence[EigenCandidate]) -> bool:
    """Whether an eigenvalue of a layout is one of the operator, as far as this layout can tell."""
    return one.roughness <= RESOLVED and one.error <= RESOLVED * unit(one, every)


def far_from_normal(every: Sequence[EigenCandidate]) -> bool:
    """Whether most eigenvalues move so far for a change of the last digits that double precision cannot tell them."""
    return float(np.median([one.condition / max(abs(one.value), 1e-300) for one in every])) > AMPLIFIED


def unit(one: EigenCandidate, every: Sequence[EigenCandidate]) -> float:
    """What the error of an eigenvalue is relative to: its size, or a tenth of the distance from the next one."""
    others = [abs(other.value - one.value) for other in every if other is not one]
    apart = min((gap for gap in others if gap > one.error), default=0.0)
    return max(abs(one.value), 0.1 * apart)


def _refined(chosen: Sequence[EigenCandidate], every: Sequence[EigenCandidate], tol: float) -> Coordinates:
    parts = [np.maximum(one.share / unit(one, every), one.rough) for one in chosen]
    share = np.max(parts, axis=0)
    own = chosen[0].layout
    return refined_by_shares(own.basis, own.x[own.site_indices], share, tol)


def _predicted(pencil: Pencil, values: Sequence[complex], count: int) -> Coordinates:
    """Gates for the operator at the first and the last of some eigenvalues; kernels enough for so many waves."""
    places: list[Any] = sorted(
        {*(value.real for value in values), *(abs(value) for value in values if value.imag != 0.0)}
    )
    if pencil.is_complex:
        places = sorted(set(values), key=abs)
    seen: list[Layer] = []
    try:
        for place in places[:-1][:: max(1, len(places) // 4)]:
            seen += [layer for piece in predict(pencil.operator(place)) for layer in piece.layers]
        coordinates: Coordinates = (predict(pencil.operator(places[-1]), None, seen),)
    except InputError as error:
        raise InputError(f"{error}, or leave that place out of the domain") from None
    length = sum(piece.length for piece in coordinates[0])
    needed = math.pi * (count + 2) / WAVE
    return refined(coordinates, needed / length) if length < needed else coordinates


def _first_shift(symbol: SymbolRange, target: EigenTarget) -> complex:
    if target.kind == "near":
        return target.place + OFFSET * symbol.unit
    margin = 0.1 * symbol.unit
    return symbol.low - margin if target.kind == "smallest" else symbol.high + margin


def _next_shift(target: EigenTarget, symbol: SymbolRange, found: Sequence[EigenCandidate], shift: complex) -> complex:
    """Beside the eigenvalues found, but on none of them."""
    if not found:
        return shift
    values = np.array([one.value for one in found])
    if target.kind == "near":
        distances = np.sort(np.abs(values - target.place))
        gap = float(distances[distances > 1e-6 * distances[-1]].min(initial=distances[-1])) or symbol.unit
        return target.place + (0.3 * gap if distances[0] < 0.1 * gap else 0.0)
    first = float(values[0].real)
    apart = np.abs(values.real - first)
    gap = float(apart[apart > 1e-6 * max(1e-300, float(apart.max()))].min(initial=max(abs(first), symbol.unit)))
    return first - gap if target.kind == "smallest" else first + gap
