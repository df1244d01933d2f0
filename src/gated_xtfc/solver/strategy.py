"""The way to a solution: as it stands, or along a parameter, or in the distance from a layer too thin for numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from gated_xtfc.gates import Gate
from gated_xtfc.gates.predict import predict, thinnest
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.translated import Shifted
from gated_xtfc.solution.interval import Round
from gated_xtfc.solver.adapt import Limits, Settled, Start, begin, settle
from gated_xtfc.solver.continuation import follow, small_parameter


@dataclass(frozen=True)
class How:
    """What holds for a whole solve."""

    tol: float
    density: float
    limits: Limits
    continuation: str | None
    progress: Callable[[Round], None] | None


@dataclass(frozen=True)
class Attempt:
    settled: Settled
    path: list[Round]  # members solved on the way, the last one being that of `settled`
    parameter: str | None  # the one followed
    arrived: bool = True  # whether the last member is the one asked for
    origin: float = 0.0  # the fit lives in x - origin

    @property
    def error(self) -> float:
        return self.settled.error if self.arrived else math.inf

    @property
    def reached(self) -> float | None:
        return self.path[-1].value if self.path else None


def attempted(problem: Problem, gates: tuple[Gate, ...] | None, start: Start | None, how: How) -> Attempt:
    """The solution as far as it was found, in x or in the distance from a layer too thin for the numbers around it."""
    attempt = _attempt(problem, gates, start, how)
    place = too_thin(attempt)
    if place is None:
        return attempt
    shifted = Shifted(problem, place)
    second = _attempt(shifted, _moved(gates, place), None if start is None else start.moved(place), how)
    return attempt if second.settled.found is None else replace(second, origin=place)


def _attempt(problem: Problem, gates: tuple[Gate, ...] | None, start: Start | None, how: How) -> Attempt:
    if problem.linear:
        coordinates = predict(Operator(problem), gates)
        settled = settle(problem, coordinates, None, how.tol, how.density, how.limits, how.progress)
        return Attempt(settled, [], None)
    settled = settle(problem, *begin(problem, start), how.tol, how.density, how.limits, how.progress)
    parameter = None if settled.error <= how.tol else how.continuation or small_parameter(problem)
    if parameter is not None:
        limits = replace(how.limits, steps=how.limits.steps - settled.steps)
        followed, path = follow(problem, parameter, how.tol, how.density, limits, start, how.progress)
        arrived = bool(path) and path[-1].value == problem.parameters[parameter]
        # a member that was not asked for is worth more than nothing, but not more than the one that was
        if followed is not None and (settled.found is None or (arrived and followed.error < settled.error)):
            return Attempt(followed, path, parameter, arrived)
    return Attempt(settled, [], None)


def too_thin(attempt: Attempt) -> float | None:
    """Where a layer is so thin that the numbers around it stand in the way; None when there is none."""
    found = attempt.settled.found
    layers = [] if found is None else [layer for b in found.pieces.bases for layer in b.coordinate.layers]
    margin = 1.01 if attempt.arrived else 1e3
    thin = [layer for layer in layers if layer.location and layer.thickness <= margin * thinnest(layer.location)]
    return min(thin, key=lambda layer: layer.thickness).location if thin else None


def _moved(gates: tuple[Gate, ...] | None, origin: float) -> tuple[Gate, ...] | None:
    return None if gates is None else tuple(gate.moved(-origin) for gate in gates)


def kernel_density(tol: float) -> float:
    """Kernels a width: what a tolerance needs, and no more, for conditioning pays for every one."""
    return 1.25 if tol >= 1e-4 else 1.5 if tol >= 1e-9 else 1.75 if tol >= 1e-11 else 2.0
