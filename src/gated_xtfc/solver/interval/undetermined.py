"""Whether conditions leave a solution open at a singular point: x and sqrt(x) both vanish at zero.

Smooth kernels do not see sqrt(x), and would vouch for the other one. Kernels that become narrower towards the point see
it better and better: a homogeneous solution like x^r leaves a residual that falls like the power r of their width, and
the amplification of residuals grows alike. Where nothing is left open, it does not.
"""

from collections.abc import Callable

from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.operator.singular import exponents
from gated_xtfc.solver.refine import narrowed

DEEPER = (1e-3, 1e-6)  # of the kernel width at a singular point
WHOLE = 1e-3  # distance from a whole number that makes a power smooth
PART = 0.3  # of the growth that a power makes, which counts as one


def undetermined(
    operator: Operator, coordinates: AxisCoordinates, amplification: Callable[[AxisCoordinates], float]
) -> bool:
    """`amplification` gives that of a layout on other coordinates."""
    powers = [r for piece in coordinates for place in piece.singular for r in _open(operator, place)]
    if not powers:
        return False
    first, second = (
        amplification(tuple(narrowed(piece, piece.singular, part) for piece in coordinates)) for part in DEEPER
    )
    growth = (DEEPER[0] / DEEPER[1]) ** min(powers)
    return bool(second > max(1.5, PART * growth) * first)


def _open(operator: Operator, place: float) -> list[float]:
    """Powers with which bounded solutions that are not smooth vanish at a singular point."""
    (axis,) = operator.problem.axes
    side = 1 if place == axis.left else -1
    reach = (axis.right - place) if side > 0 else (place - axis.left)
    found = exponents(lambda x: operator.evaluate((x,)), place, side, reach) or ()
    return [r.real for r in found if r.real > WHOLE and max(abs(r.imag), abs(r.real - round(r.real))) > WHOLE]
