"""One problem on a rectangle: fit (or Newton), certify, refine both axes, until the tolerance is met or cannot be."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.axis_grid import Line
from gated_xtfc.discretise.axis_patch import Span
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate, Layer
from gated_xtfc.gates.bends import SHARP, peaks
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.operator.plane_operator import Jets, PlaneOperator
from gated_xtfc.solution.interval import Round
from gated_xtfc.solver.rectangle.certificate import SINGULAR, PlaneCertificate, certify
from gated_xtfc.solver.rectangle.fit import Fit, fit
from gated_xtfc.solver.rectangle.guess import Start, plain
from gated_xtfc.solver.rectangle.memory import needed
from gated_xtfc.solver.rectangle.newton import newton
from gated_xtfc.solver.rectangle.predict import predict
from gated_xtfc.solver.rectangle.refine import refine
from gated_xtfc.solver.rectangle.sylvester import Separable
from gated_xtfc.types import Array

Both = tuple[tuple[Coordinate, ...], tuple[Coordinate, ...]]
COARSE = 1e-3  # above this error the solution itself is the better guide to the gates
MOST_STEPS = 25  # of Newton's method on one grid
GIGA = 1e9


@dataclass(frozen=True)
class Limits:
    neurons: int
    rounds: int
    steps: int  # of Newton's method, in all
    memory: float  # bytes


@dataclass(frozen=True)
class Settled:
    found: Fit | None  # the best fit; None when Newton's method did not converge even once
    certificate: PlaneCertificate | None
    history: tuple[Round, ...]
    stopped: str  # "max_neurons" or "max_memory" where a finer grid was not allowed
    steps: int

    @property
    def error(self) -> float:
        return math.inf if self.certificate is None else self.certificate.error


def settle(
    operator: PlaneOperator,
    coordinates: Both,
    start: Start | None,
    tol: float,
    limits: Limits,
    report: Callable[[Round], None] | None = None,
) -> Settled:
    """`start` is where Newton's method begins; a linear equation needs none."""
    separable = _separable(operator)
    coordinates = within(coordinates, limits.neurons)
    need = needed(sites(coordinates[0]), sites(coordinates[1]), separable)
    if need > limits.memory:
        raise InputError(
            f"the problem needs about {need / GIGA:.3g} GB of memory, more than the {limits.memory / GIGA:.3g} GB of "
            "max_memory: allow more, or a smaller max_neurons"
        )
    history: list[Round] = []
    best: tuple[Fit, PlaneCertificate] | None = None
    idle, guided, spent, stopped = 0, 0, 0, ""
    while len(history) < limits.rounds and spent < limits.steps:
        x, y = lines(operator, coordinates)
        steps = 1
        if start is None:
            points = x.sites[x.inner], y.sites[y.inner]
            linear = operator(*points)
            operator.require_finite(*points, linear)
            found = fit(x, y, operator.problem.sides, linear, 1e-3 * tol)
        else:
            begin = start(x.sites, y.sites)
            outcome = newton(operator, x, y, begin, 0.01 * tol, min(MOST_STEPS, limits.steps - spent))
            steps = outcome.steps
            spent += steps
            if outcome.found is None or not outcome.converged:
                break
            found = outcome.found
            start = carried(found)
        certificate = certify(found, operator)
        if not np.isfinite(certificate.error):
            break
        if not found.settled:
            # what the iteration left undone is part of the error, and no finer grid removes it
            certificate = replace(certificate, rounding=certificate.error)
        history.append(Round(found.neurons, certificate.error, certificate.rounding, steps))
        if report is not None:
            report(history[-1])
        idle = idle + 1 if best is not None and certificate.error > 0.5 * best[1].error else 0
        if best is None or certificate.error < best[1].error:
            best = found, certificate
        done = certificate.error <= tol or certificate.rounding > 0.5 * certificate.error
        if done or idle >= 2 or certificate.stability > SINGULAR:
            break
        if start is not None and guided < 3 and (certificate.error > COARSE or idle):
            guided += 1
            fresh = guide(operator, found, tol)
            # gates that bring nothing new would bring the same solution again
            new = sites(fresh[0]) * sites(fresh[1]) > 1.1 * found.x.size * found.y.size
            coordinates = fresh if new else refine(found, certificate, tol)
        else:
            coordinates = refine(found, certificate, tol)
        counts = [sites(part) for part in coordinates]
        if counts[0] * counts[1] > limits.neurons:
            stopped = "max_neurons"
        elif needed(counts[0], counts[1], separable) > limits.memory:
            stopped = "max_memory"
        if stopped:
            break
    fitted, certificate_of_best = best or (None, None)
    return Settled(fitted, certificate_of_best, tuple(history), stopped, spent)


def lines(operator: PlaneOperator, coordinates: Both) -> tuple[Line, Line]:
    weights = [side.weights for side in operator.problem.sides]
    x = Line.on(coordinates[0], (weights[0], weights[1]))
    alike = coordinates[0] == coordinates[1] and weights[:2] == weights[2:]
    return x, x if alike else Line.on(coordinates[1], (weights[2], weights[3]))


def begin(
    operator: PlaneOperator, tol: float, guess: Start | None, gates: tuple[tuple[Gate, ...] | None, ...] = (None, None)
) -> tuple[Both, Start]:
    """The first coordinates of a nonlinear problem, and where Newton's method starts."""
    first = predict(operator, tol, gates)
    x, y = lines(operator, first)
    values = plain(operator, x, y) if guess is None else guess(x.sites, y.sites)
    about = replace(operator, about=_about(x, y, values, operator))
    return predict(about, tol, gates), guess or _carried(x, y, values)


def guide(operator: PlaneOperator, found: Fit, tol: float) -> Both:
    """Gates anew: from the equation linearised about this solution, and from where the solution itself bends."""
    x, y, values = found.x, found.y, found.values
    seen = []
    for line, bend in ((x, x.derivatives[2] @ values), (y, (values @ y.derivatives[2].T).T)):
        strongest = np.abs(bend).max(axis=1)
        at, once = np.unique(line.sites, return_index=True)
        seen.append([Layer(place, SHARP * width, 0.25) for place, width in peaks(at, strongest[once])])
    return predict(replace(operator, about=_about(x, y, values, operator)), tol, seen=(seen[0], seen[1]))


def _about(x: Line, y: Line, values: Array, operator: PlaneOperator) -> Callable[[Array, Array], Jets]:
    return lambda at_x, at_y: {(i, j): x.rows(at_x, i) @ values @ y.rows(at_y, j).T for i, j in operator.asked}


def carried(found: Fit) -> Start:
    """The values of a fit on another grid."""
    return _carried(found.x, found.y, found.values)


def _carried(x: Line, y: Line, values: Array) -> Start:
    return lambda at_x, at_y: x.rows(at_x, 0) @ values @ y.rows(at_y, 0).T


def sites(coordinates: tuple[Coordinate, ...]) -> int:
    return sum(Span.count(coordinate) for coordinate in coordinates)


def within(coordinates: Both, limit: int) -> Both:
    """Coarser, both axes alike, where a prediction asks for more than allowed."""
    for _ in range(8):
        total = sites(coordinates[0]) * sites(coordinates[1])
        if total <= limit:
            return coordinates
        factor = 0.98 * math.sqrt(limit / total)
        x, y = (tuple(coordinate.refined(factor) for coordinate in part) for part in coordinates)
        coordinates = x, y
    least = math.ceil(1.1 * sites(coordinates[0]) * sites(coordinates[1]))
    raise InputError(f"max_neurons is too small for this problem: give at least {least}")


def _separable(operator: PlaneOperator) -> bool:
    if not operator.problem.linear:
        return False
    x, y = (axis.left + axis.length * np.array([0.31, 0.57, 0.83]) for axis in operator.problem.axes)
    return Separable.near(operator(x, y)).exact
