"""What is said of a solution: a status, and one sentence on it."""

from gated_xtfc.gates import Layer
from gated_xtfc.gates.predict import thinnest
from gated_xtfc.solver.interval.certificate import SINGULAR, Certificate
from gated_xtfc.solver.interval.fit import Fit


def verdict(
    found: Fit, certificate: Certificate, tol: float, rounds: int, full: bool, steady: bool, origin: float
) -> tuple[str, str]:
    """Status and one sentence on it."""
    reached = f"estimated error {certificate.error:.1e}"
    missed = f"{reached}, tolerance {tol:.1e}"
    thin = [layer for basis in found.pieces.bases for layer in basis.coordinate.layers if beyond_numbers(layer)]
    if thin:
        room = f"there is room for one such layer, and it went to {origin:.6g}" if origin else "stretch the coordinate"
        return (
            "rounding",
            f"the layer at {thin[0].location + origin:.6g} is thinner than the spacing of floating-point numbers there "
            f"({missed}): {room}",
        )
    if certificate.error <= tol and certificate.stability <= SINGULAR and steady:
        return "converged", f"{reached} is within the tolerance {tol:.1e}"
    # a solution that rounding has blown up hides the amplification by its own size
    if certificate.stability * max(certificate.scales) > SINGULAR or not steady:
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
