"""solve: the gates are predicted, the equations fitted, the error certified and refined where it comes from.

A nonlinear problem is first tried as it stands, from the plainest guess; where Newton's method does not get there, the
solution is followed from an easier member of the family.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

import numpy as np

from gated_xtfc.advice import Advice, Adviser
from gated_xtfc.continuation import follow, small_parameter
from gated_xtfc.domain import Axis
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.fit import Fit, Layout, fit
from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.guess import constants, given
from gated_xtfc.linearise import Linear, Operator
from gated_xtfc.predict import predict, thinnest
from gated_xtfc.problem import Problem
from gated_xtfc.settle import Limits, Settled, Start, begin, settle
from gated_xtfc.shifted import Shifted
from gated_xtfc.solution import Round, Solution
from gated_xtfc.verdict import verdict

MOST_NEURONS = 50_000
MOST_ON_A_RECTANGLE = 1_000_000


class Method(Protocol):
    """Gates that bring a method of their own, as the published ones do."""

    def solve(self, problem: Problem) -> Any: ...


def solve(
    problem: Problem,
    tol: float = 1e-8,
    *,
    gates: Iterable[Gate] | Mapping[str, Iterable[Gate]] | Method | Adviser | None = None,
    guess: Any = None,
    continuation: str | None = None,
    max_neurons: int | None = None,
    max_rounds: int = 14,
    max_steps: int = 2_000,
    max_memory: float = 4e9,
    progress: Callable[[Round], None] | None = None,
) -> Solution:
    """The solution with an estimated error of at most `tol`, relative to max(1, max|u|), or the best found and why.

    `guess` starts Newton's method: a text, a function, a Solution, or these by field; `continuation` names the
    parameter to follow if it fails; `progress` is called with every member solved on the way. The budget is in
    `max_neurons` (50,000 unless given, on a rectangle a million), in rounds of refinement for each member, in steps of
    Newton's method in all and, on a rectangle, in bytes of `max_memory`. Gates on a rectangle are given by axis.
    """
    if gates is not None and hasattr(gates, "solve"):
        return cast(Solution, gates.solve(problem))  # evaluates like a Solution; it certifies nothing
    begun = time.perf_counter()
    plane = len(problem.domain.axes) == 2
    neurons = (MOST_ON_A_RECTANGLE if plane else MOST_NEURONS) if max_neurons is None else max_neurons
    check_options(problem, tol, continuation, neurons, max_rounds, max_steps)
    if plane:
        # on a line nobody should wait for it
        from gated_xtfc.plane.forward import solve_stated

        limits = neurons, max_rounds, max_steps, max_memory
        found = solve_stated(problem, tol, gates, checked, guess, continuation, limits, progress)
        return cast(Solution, found)  # evaluates like a Solution, in two coordinates
    how = How(tol, kernel_density(tol), Limits(neurons, max_rounds, max_steps), continuation, progress)
    start = None if guess is None else Start(given(guess, problem), constants(guess, problem))
    if gates is not None and hasattr(gates, "advise"):
        advice = gates.advise(problem) if start is None else None
        solution = None if advice is None else _advised(problem, advice, how)
        if solution is not None and solution.converged:
            return replace(solution, seconds=time.perf_counter() - begun)
        gates = None  # the way without advice is always open
    layers = None if gates is None else checked(gates, problem.axis)
    solution = _solution(problem, attempted(problem, layers, start, how), how)
    return replace(solution, seconds=time.perf_counter() - begun)


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


def _advised(problem: Problem, advice: Advice, how: How) -> Solution | None:
    """What comes of the advice; None where it cannot be followed."""
    coordinates = advice.begin(problem)
    if coordinates is None or not (problem.linear or advice.start is not None):
        return None
    settled = settle(problem, coordinates, advice.start, how.tol, how.density, how.limits, how.progress)
    attempt = Attempt(settled, [], None)
    return _solution(problem, attempt, how) if settled.found is not None and too_thin(attempt) is None else None


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


def checked(gates: Any, axis: Axis) -> tuple[Gate, ...]:
    """Gates of the user's: layers inside the domain, and blocks by their places in x."""
    if not isinstance(gates, Iterable):
        raise InputError(f"gates takes a list of Layer(location, thickness) objects, not {quoted(str(gates))}")
    found = []
    for gate in gates:
        if not isinstance(gate, Layer | Block):
            raise InputError(f"gates takes Layer(location, thickness) objects, not {quoted(str(gate))}")
        numbers = (
            (gate.location, gate.thickness, gate.grading) if isinstance(gate, Layer) else (gate.left_x, gate.right_x)
        )
        if not all(isinstance(number, float | int) and math.isfinite(number) for number in numbers):
            raise InputError(f"the gate {gate} has a value that is not a finite number")
        if isinstance(gate, Layer) and not (gate.thickness > 0 and gate.grading > 0):
            raise InputError(f"the gate {gate} must have a positive thickness and grading")
        places = numbers[:1] if isinstance(gate, Layer) else numbers
        if not all(axis.left <= place <= axis.right for place in places):
            raise InputError(f"the gate {gate} is outside the domain [{axis.left:.6g}, {axis.right:.6g}]")
        found.append(gate)
    return tuple(found)


def _moved(gates: tuple[Gate, ...] | None, origin: float) -> tuple[Gate, ...] | None:
    return None if gates is None else tuple(gate.moved(-origin) for gate in gates)


def _solution(problem: Problem, attempt: Attempt, how: How) -> Solution:
    settled, path, parameter, origin = attempt.settled, attempt.path, attempt.parameter, attempt.origin
    history = tuple(path[:-1]) + tuple(replace(entry, value=attempt.reached) for entry in settled.history)
    if settled.found is None or settled.certificate is None:
        found, scales, error = _as_guessed(problem, how.density), (1.0,) * len(problem.fields), math.inf
        status = "not found"
        message = "Newton's method found no solution: give another guess, or a parameter to follow by continuation"
    else:
        found, scales, error = settled.found, settled.certificate.scales, settled.certificate.error
        status, message = verdict(
            found, settled.certificate, how.tol, len(settled.history), settled.full, settled.steady, origin
        )
    if status == "nearly singular":
        error = max(1.0, error)  # an estimate through the inverse of an operator that has none
    if not attempt.arrived and parameter is not None and attempt.reached is not None:
        status, error = "stopped", math.inf
        message = (
            f"the solution could be followed to {parameter} = {attempt.reached:.6g} only, not to "
            f"{problem.parameters[parameter]:.6g}: what is attached is the solution at "
            f"{parameter} = {attempt.reached:.6g}"
        )
        problem = problem(**{parameter: attempt.reached})
    for weights in (found.free, found.switch):
        weights.setflags(write=False)
    return Solution(
        problem=problem,
        tol=how.tol,
        status=status,
        message=message,
        error=error,
        scales=scales,
        neurons=found.neurons,
        sites=found.rows.x.size,
        seconds=0.0,
        history=history,
        pieces=found.pieces,
        free=found.free,
        switch=found.switch,
        values=tuple(found.constants.tolist()),
        continuation=parameter,
        origin=origin,
    )


def _as_guessed(problem: Problem, density: float) -> Fit:
    """What is handed over when nothing was found: the guess itself, meeting the conditions."""
    coordinates, start = begin(problem)
    layout = Layout.on(Operator(problem), coordinates, density)
    one, zero = np.ones_like(layout.points), np.zeros_like(layout.points)
    orders = Operator(problem).orders
    rows = [
        [[one if e == f and j == 0 else zero for j in range(m + 1)] for f, m in enumerate(orders)]
        for e in range(len(orders))
    ]
    source = [start.about(f, layout.points, 0) for f in range(len(orders))]
    found = fit(layout, Linear(rows, source, [[] for _ in orders]))
    return replace(found, constants=np.array(start.constants))


def kernel_density(tol: float) -> float:
    """Kernels a width: what a tolerance needs, and no more, for conditioning pays for every one."""
    return 1.25 if tol >= 1e-4 else 1.5 if tol >= 1e-9 else 1.75 if tol >= 1e-11 else 2.0


def check_options(
    problem: Problem,
    tol: float,
    continuation: str | None = None,
    max_neurons: int = MOST_NEURONS,
    max_rounds: int = 14,
    max_steps: int = 2_000,
) -> None:
    if not (isinstance(tol, float | int) and math.isfinite(tol) and tol > 0):
        raise InputError(f"tol is {tol!r}: give a positive number such as 1e-8")
    if not (isinstance(max_neurons, int) and max_neurons >= 50):
        raise InputError(f"max_neurons is {max_neurons!r}: give a whole number of at least 50")
    if not (isinstance(max_rounds, int) and max_rounds >= 1):
        raise InputError(f"max_rounds is {max_rounds!r}: give a whole number of at least 1")
    if not (isinstance(max_steps, int) and max_steps >= 1):
        raise InputError(f"max_steps is {max_steps!r}: give a whole number of at least 1")
    if continuation is not None and continuation not in problem.parameters:
        known = ", ".join(problem.parameters) or "none at all"
        raise InputError(f"continuation in {quoted(str(continuation))} is not possible: the parameters are {known}")
