"""What is said of a solution: a status, and one sentence on it."""

from gated_xtfc.gates.coordinate import layers_of
from gated_xtfc.gates.prediction import thinnest
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.adapt import SINGULAR, Adapted
from gated_xtfc.solver.discretisation import F

NUMBERS = 1.01  # a gate this much above the thinnest that numbers can tell apart has been cut off there


def verdict(adapted: Adapted[F], tol: float, translation: Translation) -> tuple[Status, str]:
    """Status and one sentence on it."""
    found, certificate = adapted.found, adapted.certificate
    if found is None or certificate is None:
        return (
            Status.NOT_FOUND,
            "Newton's method found no solution: give another guess, or a parameter to follow by continuation",
        )
    reached = f"estimated error {certificate.error:.1e}"
    missed = f"{reached}, tolerance {tol:.1e}"
    thin = [
        (k, layer) for k, layer in layers_of(found.coordinates) if layer.thickness <= NUMBERS * thinnest(layer.location)
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
    sound = adapted.steady and not found.unsettled
    if certificate.error <= tol and certificate.stability <= SINGULAR and sound:
        return Status.CONVERGED, f"{reached} is within the tolerance {tol:.1e}"
    # a solution that rounding has blown up hides the amplification by its own size
    if certificate.stability * max(certificate.scales) > SINGULAR or not adapted.steady:
        return (
            Status.NEARLY_SINGULAR,
            f"the equation with these conditions is nearly singular: rounding alone decides the solution ({missed})",
        )
    if found.unsettled:
        return Status.ITERATION, f"{found.unsettled} ({missed})"
    if certificate.rounding > 0.3 * certificate.error:
        return Status.ROUNDING, f"double precision gives no more for this problem ({missed})"
    if adapted.stopped is not None:
        what = "neurons" if adapted.stopped == Status.MAX_NEURONS else "memory"
        return adapted.stopped, f"a finer solution would need more {what} than {adapted.stopped} allows ({missed})"
    rounds = len(adapted.history)
    return Status.RESOLUTION, f"the solution is not fully resolved after {rounds} rounds of refinement ({missed})"
