"""One equation at one set of parameters: fit (or Newton), certify, refine, until the tolerance is met or cannot be."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.gaussian import MARGIN
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Layer
from gated_xtfc.gates.bends import SHARP, peaks
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.predict import predict
from gated_xtfc.operator.linearise import About, Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round
from gated_xtfc.solver.interval.certificate import SINGULAR, Certificate, certify
from gated_xtfc.solver.interval.fit import Fit, Layout, fit
from gated_xtfc.solver.interval.guess import plain
from gated_xtfc.solver.newton import newton
from gated_xtfc.solver.refine import refine
from gated_xtfc.types import Array

COARSE = 1e-3  # above this error the solution itself is the better guide to the gates
# Kernels that resolve a mode to 1e-10 cannot show an amplification above 1e10: a large one is believed only when a
# finer layout finds it again.
DOUBTFUL = 1e8
MOST_STEPS = 25  # of Newton's method on one layout


@dataclass(frozen=True)
class Start:
    """Where Newton's method begins."""

    about: About
    constants: tuple[float, ...] = ()

    def moved(self, origin: float) -> "Start":
        """The same in the coordinate x - origin."""
        about = self.about
        return Start(lambda f, x, order: about(f, x + origin, order), self.constants)

    @classmethod
    def at(cls, found: Fit) -> "Start":
        pieces, count = found.pieces, found.rows.fields
        parts = [(found.free[f::count].copy(), found.switch[f::count].copy()) for f in range(count)]

        def about(f: int, x: Array, order: int) -> Array:
            return pieces.evaluate(x, order, *parts[f])

        return cls(about, tuple(found.constants.tolist()))


@dataclass(frozen=True)
class Limits:
    neurons: int
    rounds: int  # of refinement, for each member
    steps: int  # of Newton's method, in all


@dataclass(frozen=True)
class Settled:
    found: Fit | None  # the best fit; None when Newton's method did not converge even once
    certificate: Certificate | None
    history: tuple[Round, ...]
    full: bool  # whether more neurons were wanted than allowed
    steps: int  # of Newton's method, failed ones too
    steady: bool  # whether the amplification of the residual was found again on a finer layout, if it is large

    @property
    def error(self) -> float:
        return math.inf if self.certificate is None else self.certificate.error


def settle(
    problem: Problem,
    coordinates: tuple[Coordinate, ...],
    start: Start | None,
    tol: float,
    density: float,
    limits: Limits,
    report: Callable[[Round], None] | None = None,
) -> Settled:
    """`start` is where Newton's method begins; a linear equation needs none."""
    operator = Operator(problem)
    coordinates = within(coordinates, density, limits.neurons / len(problem.fields))
    history: list[Round] = []
    best: tuple[Fit, Certificate] | None = None
    idle, guided, full, spent, steady, before = 0, 0, False, 0, True, 0.0
    while len(history) < limits.rounds and spent < limits.steps:
        layout = Layout.on(operator, coordinates, density)
        steps = 1
        if start is None:
            found = fit(layout, operator(layout.points))
        else:
            points, orders = layout.points, operator.orders
            jets = [[start.about(f, points, j) for j in range(order + 1)] for f, order in enumerate(orders)]
            outcome = newton(operator, layout, jets, start.constants, 0.01 * tol, min(MOST_STEPS, limits.steps - spent))
            steps = outcome.steps
            spent += steps
            if not outcome.converged or outcome.found is None:
                if best is None or guided >= 3:
                    break
                start, guided = Start.at(best[0]), guided + 1
                coordinates = guide(problem, best[0]) or refine(*best, tol)
                continue
            found = outcome.found
            start = Start.at(found)
        certificate = certify(found)
        if not np.isfinite(certificate.error):
            break
        # rows are scaled by the kernel width to the order of the equations: finer ones amplify more by that alone
        steady = certificate.stability <= max(DOUBTFUL, 2.0 ** (1 + max(operator.orders)) * before)
        before = certificate.stability
        if not steady:
            # neither this estimate nor those of coarser layouts can be believed
            certificate, best = replace(certificate, error=max(1.0, certificate.error)), None
        history.append(Round(found.neurons, certificate.error, certificate.rounding, steps))
        if report is not None:
            report(history[-1])
        idle = idle + 1 if best is not None and certificate.error > 0.5 * best[1].error else 0
        if best is None or certificate.error < best[1].error:
            best = found, certificate
        done = certificate.error <= tol or certificate.rounding > 0.5 * certificate.error
        if steady and (done or idle >= 2 or certificate.stability > SINGULAR):
            break
        if not steady:
            coordinates = tuple(basis.coordinate.refined(1.5) for basis in found.pieces.bases)
        elif start is not None and guided < 3 and (certificate.error > COARSE or idle):
            # gates that bring nothing new would bring the same solution again
            fresh = guide(problem, found)
            new = fresh is not None and size(fresh, density) > 1.1 * size(coordinates, density)
            coordinates = fresh if fresh is not None and new else refine(found, certificate, tol)
            guided += 1
        else:
            coordinates = refine(found, certificate, tol)
        full = size(coordinates, density) * len(problem.fields) > limits.neurons
        if full:
            break
    if best is None:
        return Settled(None, None, tuple(history), full, spent, True)
    return Settled(*best, tuple(history), full, spent, steady)


def begin(problem: Problem, guess: Start | None = None) -> tuple[tuple[Coordinate, ...], Start]:
    """The first coordinates of a nonlinear problem, and where Newton's method starts."""
    start = guess or Start(plain(problem), (1.0,) * len(problem.unknown))
    try:
        return predict(Operator(problem, start.about, start.constants)), start
    except InputError as error:
        raise InputError(
            f"Newton's method cannot start, for at the first guess {error}, or give another guess"
        ) from None


def guide(problem: Problem, found: Fit) -> tuple[Coordinate, ...] | None:
    """Gates anew: from the equations linearised about this solution, and from where the solution itself bends.

    None where the linearisation is not finite, as it may be about a poor solution.
    """
    start = Start.at(found)
    layers: list[Layer] = []
    for jets in found.jets():
        slope = np.gradient(jets[1], found.layout.points) if len(jets) == 2 else jets[2]
        layers += [Layer(place, SHARP * width, 0.25) for place, width in peaks(found.layout.points, slope)]
    try:
        return predict(Operator(problem, start.about, start.constants), seen=layers)
    except InputError:
        return None


def size(coordinates: Sequence[Coordinate], density: float) -> float:
    """Neurons of one field, at most."""
    return sum(density * (coordinate.length + 2.0 * MARGIN) + 4.0 for coordinate in coordinates)


def within(coordinates: tuple[Coordinate, ...], density: float, limit: float) -> tuple[Coordinate, ...]:
    """Coarser where a prediction asks for more neurons than allowed."""
    if size(coordinates, density) <= limit:
        return coordinates
    length = sum(coordinate.length for coordinate in coordinates)
    fixed = size(coordinates, density) - density * length
    factor = (limit - fixed) / (density * length)
    if factor * min(coordinate.length for coordinate in coordinates) < 1.0:
        least = int(np.ceil(fixed + density * len(coordinates)))
        raise InputError(f"max_neurons is too small for this problem: give at least {least} for each field")
    return tuple(coordinate.refined(factor) for coordinate in coordinates)
