"""solve: predict the gates, fit, certify, refine where the error comes from, until the tolerance is met."""

import math
import time
from collections.abc import Iterable

from gated_xtfc.certificate import Certificate, certify
from gated_xtfc.coordinate import Coordinate
from gated_xtfc.errors import InputError
from gated_xtfc.fit import Fit, fit
from gated_xtfc.gates import Layer
from gated_xtfc.linearise import Operator
from gated_xtfc.predict import predict, thinnest
from gated_xtfc.problem import Problem
from gated_xtfc.refine import refine
from gated_xtfc.solution import Round, Solution

SINGULAR = 1e11  # amplification of the residual beyond which the operator counts as nearly singular


def solve(
    problem: Problem,
    tol: float = 1e-8,
    *,
    gates: Iterable[Layer] | None = None,
    max_neurons: int = 50_000,
    max_rounds: int = 14,
) -> Solution:
    """The solution with an estimated error of at most `tol`, relative to max(1, max|u|), or the best found and why."""
    begun = time.perf_counter()
    _check(tol, max_neurons, max_rounds)
    operator = Operator.of(problem)
    density = kernel_density(tol)
    coordinates = within(predict(operator, gates), density, max_neurons)
    history: list[Round] = []
    best: tuple[Fit, Certificate] | None = None
    idle = 0
    while True:
        found = fit(operator, coordinates, density)
        certificate = certify(found)
        neurons = found.trial.free.size
        history.append(Round(neurons, certificate.error, certificate.rounding))
        idle = idle + 1 if best is not None and certificate.error > 0.5 * best[1].error else 0
        if best is None or certificate.error < best[1].error:
            best = found, certificate
        if certificate.error <= tol or certificate.rounding > 0.5 * certificate.error or idle >= 2:
            break
        if len(history) >= max_rounds:
            break
        coordinates = refine(found, certificate, tol)
        if size(coordinates, density) > max_neurons:
            break
    status, message = verdict(*best, tol, len(history), size(coordinates, density) > max_neurons)
    return Solution.of(problem, *best, tol, status, message, tuple(history), time.perf_counter() - begun)


def verdict(found: Fit, certificate: Certificate, tol: float, rounds: int, full: bool) -> tuple[str, str]:
    """Status and one sentence on it."""
    reached = f"estimated error {certificate.error:.1e}"
    if certificate.error <= tol and certificate.stability <= SINGULAR:
        return "converged", f"{reached} is within the tolerance {tol:.1e}"
    missed = f"{reached}, tolerance {tol:.1e}"
    thin = [layer for basis in found.pieces.bases for layer in basis.coordinate.layers if beyond_numbers(layer)]
    if thin:
        return (
            "rounding",
            f"the layer at {thin[0].location:.6g} is thinner than the spacing of floating-point numbers there "
            f"({missed}): shift the coordinate so that the layer stands at zero",
        )
    if certificate.stability > SINGULAR or certificate.scale > SINGULAR:
        return (
            "nearly singular",
            f"the equation with these conditions is nearly singular: rounding alone decides the solution ({missed})",
        )
    if certificate.rounding > 0.3 * certificate.error:
        return "rounding", f"double precision gives no more for this problem ({missed})"
    if full:
        return "max_neurons", f"a finer solution would need more neurons than max_neurons allows ({missed})"
    return "resolution", f"the solution is not fully resolved after {rounds} rounds of refinement ({missed})"


def beyond_numbers(layer: Layer) -> bool:
    return layer.thickness <= 1.01 * thinnest(layer.location)


def kernel_density(tol: float) -> float:
    """Kernels a width: what a tolerance needs, and no more, for conditioning pays for every one."""
    return 1.5 if tol >= 1e-9 else 1.75 if tol >= 1e-11 else 2.0


def size(coordinates: tuple[Coordinate, ...], density: float) -> float:
    return density * sum(coordinate.length + 10.0 for coordinate in coordinates)


def within(coordinates: tuple[Coordinate, ...], density: float, limit: int) -> tuple[Coordinate, ...]:
    """Coarser where a prediction asks for more neurons than allowed."""
    excess = size(coordinates, density) / limit
    return coordinates if excess <= 1.0 else tuple(c.refined(0.9 / excess) for c in coordinates)


def _check(tol: float, max_neurons: int, max_rounds: int) -> None:
    if not (isinstance(tol, float | int) and math.isfinite(tol) and tol > 0):
        raise InputError(f"tol is {tol!r}: give a positive number such as 1e-8")
    if not (isinstance(max_neurons, int) and max_neurons >= 50):
        raise InputError(f"max_neurons is {max_neurons!r}: give a whole number of at least 50")
    if not (isinstance(max_rounds, int) and max_rounds >= 1):
        raise InputError(f"max_rounds is {max_rounds!r}: give a whole number of at least 1")
