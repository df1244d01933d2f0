"""What is said of a solution on a rectangle: a status, and one sentence on it."""

from gated_xtfc.gates.predict import thinnest
from gated_xtfc.solver.rectangle.certificate import SINGULAR
from gated_xtfc.solver.rectangle.settle import Settled


def verdict(settled: Settled, tol: float, warnings: tuple[str, ...]) -> tuple[str, str]:
    status, message = _verdict(settled, tol)
    return status, "; ".join([message, *warnings])


def _verdict(settled: Settled, tol: float) -> tuple[str, str]:
    found, certificate = settled.found, settled.certificate
    if found is None or certificate is None:
        return "not found", "Newton's method found no solution: give another guess, or a parameter to follow"
    reached = f"estimated error {certificate.error:.1e}"
    missed = f"{reached}, tolerance {tol:.1e}"
    layers = [layer for line in (found.x, found.y) for c in line.coordinates for layer in c.layers]
    thin = [layer for layer in layers if layer.thickness <= 1.01 * thinnest(layer.location)]
    if thin:
        return (
            "rounding",
            f"the layer at {thin[0].location:.6g} is thinner than the spacing of floating-point numbers there "
            f"({missed}): move the origin of the coordinate there",
        )
    if certificate.stability * certificate.scale > SINGULAR:
        return (
            "nearly singular",
            f"the equation with these conditions is nearly singular: rounding alone decides the solution ({missed})",
        )
    if not found.settled:
        return (
            "iteration",
            f"the iteration for coefficients that vary along both axes did not settle within {found.steps} steps "
            f"({missed})",
        )
    if certificate.error <= tol:
        return "converged", f"{reached} is within the tolerance {tol:.1e}"
    if certificate.rounding > 0.3 * certificate.error:
        return "rounding", f"double precision gives no more for this problem ({missed})"
    if settled.stopped == "max_neurons":
        return "max_neurons", f"a finer solution would need more neurons than max_neurons allows ({missed})"
    if settled.stopped == "max_memory":
        return "max_memory", f"a finer solution would need more memory than max_memory allows ({missed})"
    return (
        "resolution",
        f"the solution is not fully resolved after {len(settled.history)} rounds of refinement ({missed})",
    )
