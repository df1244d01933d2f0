"""The verdict on what was found: a status, and one sentence on it."""

from gated_xtfc.gates.coordinate import layers_of
from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.adapt import NOT_FINITE, SINGULAR, Adapted
from gated_xtfc.solver.discretisation import F

WHAT = {Status.MAX_NEURONS: "neurons", Status.MAX_MEMORY: "memory", Status.MAX_SECONDS: "time"}
ROUNDED = 0.3  # part of an estimate that is rounding, above which nothing finer would help
NUMBERS = 1.01  # times the thinnest possible thickness: a layer up to here has been cut off, and is really thinner


def within(error: float, tol: float) -> str:
    """The sentence on a solution that has converged."""
    return f"estimated error {error:.1e} is within the tolerance {tol:.1e}"


def verdict(adapted: Adapted[F], tol: float, translation: Translation, linear: bool = False) -> tuple[Status, str]:
    """Status and one sentence on it."""
    found, certificate = adapted.found, adapted.certificate
    if (found is None or certificate is None) and adapted.stopped == Status.MAX_SECONDS:
        return Status.MAX_SECONDS, "no solution was found in the time that max_seconds allows"
    if found is None or certificate is None:
        if linear:
            return Status.NOT_FOUND, NOT_FINITE
        return (
            Status.NOT_FOUND,
            "Newton's method found no solution: give another guess, or a parameter to follow by continuation",
        )
    reached = f"estimated error {certificate.error:.1e}"
    missed = f"{reached}, tolerance {tol:.1e}"
    thin = [
        (k, layer)
        for k, layer in layers_of(found.coordinates)
        if layer.thickness <= NUMBERS * thinnest_resolvable(layer.location)
    ]
    if thin:
        axis, layer = thin[0]
        origin = translation.origins[axis]
        room = f"there is room for one such layer, and it went to {origin:.6g}" if origin else "stretch the coordinate"
        return (
            Status.ROUNDING,
            f"the layer at {layer.location + origin:.6g} is thinner than the spacing of floating-point numbers there "
            f"({missed}): {room}",
        )
    sound = adapted.confirmed and not found.unsettled
    if certificate.error <= tol and certificate.stability <= SINGULAR and sound:
        return Status.CONVERGED, within(certificate.error, tol)
    if found.unsettled and adapted.stopped == Status.MAX_SECONDS:  # before anything is read off what is half done
        return adapted.stopped, f"{found.unsettled}, and max_seconds allows no more time ({missed})"
    if certificate.stability > SINGULAR or not adapted.confirmed:
        anything = f"estimated error {max(1.0, certificate.error):.1e}, tolerance {tol:.1e}"  # no estimate holds
        return (
            Status.NEARLY_SINGULAR,
            "the equation with these conditions is nearly singular, or changes faster than numbers can follow: "
            f"rounding alone decides the solution ({anything})",
        )
    if found.unsettled:
        return Status.ITERATION, f"{found.unsettled} ({missed})"
    if certificate.rounding > ROUNDED * certificate.error:
        return Status.ROUNDING, f"double precision gives no more for this problem ({missed})"
    if adapted.stopped is not None:
        what = WHAT[adapted.stopped]
        return adapted.stopped, f"a finer solution would need more {what} than {adapted.stopped} allows ({missed})"
    rounds = len(adapted.history)
    return Status.RESOLUTION, f"the solution is not fully resolved after {rounds} rounds of refinement ({missed})"
