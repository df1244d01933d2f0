"""The operator's symbol: local modes exp(lambda x) with sum_j a_j lambda^j = 0, and the layers they can make.

From a place x0, a mode that decays away from it makes a layer of thickness d with |Re lambda(x0 + d)| d = 1.
One rule covers an outflow end (lambda = -1/eps: d = eps), a reaction layer (d = sqrt(eps)) and turning points
(lambda = -x/eps: d = sqrt(eps)).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gated_xtfc.operator.linearise import AxisCoefficients, Linearisation
from gated_xtfc.types import Array, Complex

LineOperator = Callable[[Array], Linearisation]  # the operator at points of a line

# Distances from a place at which the modes are computed, as parts of the piece. They go far below 1e-16, for next to
# x = 0 floating-point numbers do.
DISTANCES = np.concatenate([np.logspace(-1, -16, 31), np.logspace(-17, -60, 44)])
SAME = 1e-12  # of every number of a matrix: then its roots, of which a few digits count, are those of its neighbour
STEPS = 4  # of these, from which the growth of modes toward a place is taken
FLAT = 0.75  # power of the distance with which |lambda| d falls toward a place, below which the place is singular
BRACKETS = np.concatenate([-(10.0 ** -np.arange(1.0, 8.0)), [0.0], 10.0 ** -np.arange(1.0, 8.0)])  # about a root
DECAYED = 1.0 + 1e-9  # from the farthest distance to a place: more makes a layer, and no rounding decides on it
DAMPED = 0.3  # a mode with |Re| above this part of |Im| decays rather than oscillates


def modes(coefficients: AxisCoefficients) -> Complex:
    """Roots lambda of the symbol at each point, (n, order); a vanishing lead gives very large roots, not infinite."""
    if len(coefficients) > 1:
        return _system_modes(coefficients)
    jets = coefficients[0][0]
    order = len(jets) - 1
    lead = jets[-1]
    size = sum((np.abs(a) for a in jets), np.zeros_like(lead))
    floor = 1e-200 * np.where(size > 0, size, 1.0)
    lead = np.where(np.abs(lead) > floor, lead, floor)
    with np.errstate(all="ignore"):
        monic = [a / lead for a in jets[:-1]]
        if order == 1:
            roots = (-monic[0] + 0j)[:, None]
        elif order == 2:
            roots = _quadratic(monic[1], monic[0])
        else:
            companion = np.zeros((lead.size, order, order))
            companion[:, np.arange(1, order), np.arange(order - 1)] = 1.0
            companion[:, :, -1] = -np.stack(monic, axis=1)
            roots = _eigenvalues(companion)
    result: Complex = np.where(np.isfinite(roots), roots, 1e300)
    return result


def _system_modes(coefficients: AxisCoefficients) -> Complex:
    """Eigenvalues of the system written in first order: y holds each field and its derivatives below the highest."""
    fields = range(len(coefficients[0]))
    starts = np.cumsum([0, *(len(coefficients[0][f]) - 1 for f in fields)]).tolist()
    count, size = coefficients[0][0][0].size, starts[-1]
    lead = np.stack([np.stack([row[f][-1] for f in fields], axis=-1) for row in coefficients], axis=-2)
    rest = np.zeros((count, len(coefficients), size))
    matrix = np.zeros((count, size, size))
    for f in fields:
        order = len(coefficients[0][f]) - 1
        for j in range(order):
            if j < order - 1:
                matrix[:, starts[f] + j, starts[f] + j + 1] = 1.0
            for e, row in enumerate(coefficients):
                rest[:, e, starts[f] + j] = row[f][j]
    with np.errstate(all="ignore"):
        # pinv: an equation without a highest derivative adds no mode
        inverse = _once(np.linalg.pinv, np.where(np.isfinite(lead), lead, 0.0))
        solved = -inverse @ np.where(np.isfinite(rest), rest, 0.0)
    for f in fields:
        if starts[f + 1] > starts[f]:  # not what an algebraic equation gives
            matrix[:, starts[f + 1] - 1, :] = solved[:, f, :]
    return _eigenvalues(matrix)


def _eigenvalues(matrix: Array) -> Complex:
    bounded = np.where(np.isfinite(matrix), np.clip(matrix, -1e150, 1e150), 1e150)
    found: Complex = _once(np.linalg.eigvals, bounded).astype(np.complex128)
    return found


def _once(function: Callable[[Array], Any], matrices: Array) -> Any:
    """A function of every matrix, (n, k, k), computed once where neighbours are the same, as next to an end."""
    with np.errstate(all="ignore"):
        apart = np.abs(matrices[1:] - matrices[:-1]) > SAME * np.abs(matrices[1:])
    fresh = np.append(True, apart.any(axis=(1, 2)))
    return function(matrices[fresh])[np.cumsum(fresh) - 1]


def _quadratic(p: Array, q: Array) -> Complex:
    """Roots of z^2 + p z + q without cancellation."""
    root = np.sqrt((0.25 * p * p - q).astype(np.complex128))
    large = -0.5 * p - np.where(p >= 0, 1.0, -1.0) * root
    small = np.where(large != 0, q / np.where(large != 0, large, 1.0), 0.0)
    return np.stack([large, small], axis=1)


def approach(place: float, side: int, reach: float) -> Array:
    """Points from which `thickness` tells the layer at `place`: ever closer to it, on the side +1 or -1 of it."""
    return place + side * reach * DISTANCES


def resolvable(place: float, reach: float) -> tuple[Array, Array]:
    """The distances of `approach`, and which of them floating-point numbers around the place can tell apart."""
    distances = reach * DISTANCES
    return distances, distances >= 8.0 * np.spacing(abs(place))


def is_singular(roots: Complex, place: float, reach: float) -> bool:
    """Whether modes, taken at `approach`, grow toward the place so fast that it is a singular point of the operator.

    Where a layer is, |lambda| d falls with the distance d; at a singular point it does not, or hardly.
    """
    distances, known = resolvable(place, reach)
    if not known.any():  # between two breaks that numbers hardly tell apart
        return False
    last = int(np.flatnonzero(known)[-1])
    first = max(last - STEPS, 0)
    phase = np.abs(roots[[first, last]]).max(axis=1) * distances[[first, last]]
    if not phase.min() > 0.0 or first == last:
        return False
    return bool(np.log(phase[0] / phase[1]) < FLAT * np.log(distances[first] / distances[last]))


def decays(roots: Any, side: Any) -> Any:
    """Which modes decay toward the side +1 or -1; for arrays of NumPy and of JAX alike."""
    # a damped oscillation must be resolved at the scale of its modulus
    return (-side * roots.real > 0) & (abs(roots.imag) * DAMPED <= abs(roots.real))


def oscillates(roots: Any) -> Any:
    """Which modes are waves, hardly damped; for arrays of NumPy and of JAX alike."""
    return abs(roots.imag) * DAMPED > abs(roots.real)


def decay_rate(roots: Complex, side: int) -> Array:
    """The fastest decay at each point toward the side +1 or -1, (n,); zero where nothing decays."""
    result: Array = np.where(decays(roots, side), np.abs(roots), 0.0).max(axis=1)
    return result


def layer_thickness(roots: Complex, side: int, reach: float, place: float) -> tuple[float, bool]:
    """Thickness of the layer that these modes, taken at `approach`, can make; infinite when there is none.

    The second says whether the decay quickens with distance: then the layer is Gaussian-like rather than exponential.
    """
    rate = decay_rate(roots, side)
    distances = reach * DISTANCES
    phase = rate * distances  # grows with distance where there is a layer
    if not phase[0] > DECAYED:
        return np.inf, False
    below = np.flatnonzero(phase <= 1.0)
    if not (phase[resolvable(place, reach)[1]] <= 1.0).any() and is_singular(roots, place, reach):
        return np.inf, False
    if below.size == 0:
        return float(distances[-1]), False
    i = int(below[0])
    high, low = np.log(phase[i - 1]), np.log(max(float(phase[i]), 1e-300))
    part = min(1.0, high / (high - low)) if high > low else 0.0
    thin = float(distances[i - 1] * (distances[i] / distances[i - 1]) ** part)
    return thin, bool(rate[max(i - 2, 0)] > 2.0 * rate[i])


def layer_at(along: LineOperator, place: float, reach: float) -> float:
    """Thickness of the thinner of the layers on both sides of an interior place."""
    sides = [(side, modes(along(approach(place, side, reach)).by_order)) for side in (-1, 1)]
    return min(layer_thickness(roots, side, reach, place)[0] for side, roots in sides)


def turning_points(along: LineOperator, x: Array, coefficients: AxisCoefficients) -> list[float]:
    """Where a_(m-1)/a_m passes from - to +, so that fast modes decay away from the place on both sides."""
    if len(coefficients) > 1 or len(coefficients[0][0]) < 3:
        return []  # in a system the solution shows them
    drift = _drift(coefficients)
    zero = np.flatnonzero(drift[1:-1] == 0.0).tolist()
    found = [float(x[i + 1]) for i in zero if drift[i] < 0 < drift[i + 2]]
    for i in np.flatnonzero((drift[:-1] < 0) & (drift[1:] > 0)).tolist():
        found.append(_bisect(along, float(x[i]), float(x[i + 1])))
    return found


def _drift(coefficients: AxisCoefficients) -> Array:
    jets = coefficients[0][0]
    result: Array = jets[-2] * np.sign(jets[-1])
    return result


def _bisect(along: LineOperator, low: float, high: float) -> float:
    """Where the drift changes sign: seventeen points at a time, ever closer about where a straight line has it."""
    x = np.linspace(low, high, 17)
    for _ in range(13):
        drift = _drift(along(x).by_order)
        zero = np.flatnonzero(drift == 0.0)
        if zero.size:
            return float(x[zero[0]])
        i = int(np.flatnonzero((drift[:-1] < 0) & (drift[1:] > 0))[0])
        low, high = float(x[i]), float(x[i + 1])
        if np.nextafter(low, high) >= high:
            break
        if high - low < 1e3 * np.spacing(high):
            x = np.linspace(low, high, 17)
        else:
            between = low - float(drift[i]) * (high - low) / float(drift[i + 1] - drift[i])
            x = np.sort(np.clip(np.append(between + (high - low) * BRACKETS, [low, high]), low, high))
    return high


def wave_number(roots: Complex) -> Array:
    """The fastest undamped oscillation at each point, (n,)."""
    waves = np.where(oscillates(roots), np.abs(roots.imag), 0.0)
    result: Array = waves.max(axis=1)
    return result


def near_zeros_of_lead(along: LineOperator, x: Array, coefficients: AxisCoefficients) -> list[tuple[float, float]]:
    """Where the leading coefficient comes close to zero, with the distance sqrt(2 a / a'') of its complex zero."""
    if len(coefficients) > 1:
        return []
    lead = np.abs(coefficients[0][0][-1])
    lowest = np.flatnonzero((lead[1:-1] < lead[:-2]) & (lead[1:-1] < lead[2:])) + 1
    signs = np.sign(coefficients[0][0][-1])
    found = []
    for i in lowest.tolist():
        if signs[i - 1] * signs[i + 1] < 0.0 or signs[i] == 0.0:
            continue  # it is zero in between: a singular point
        low, high, distance = float(x[i - 1]), float(x[i + 1]), np.inf
        for _ in range(20):
            at = np.linspace(low, high, 17)
            size = np.abs(along(at).by_order[0][0][-1])
            j = int(np.clip(np.argmin(size), 1, 15))
            step = at[1] - at[0]
            if not step**2 > 0.0:
                break
            bend = float(size[j - 1] - 2.0 * size[j] + size[j + 1]) / step**2
            distance = float(np.sqrt(2.0 * size[j] / bend)) if bend > 0 else np.inf
            low, high = float(at[j - 1]), float(at[j + 1])
            if not high - low > 0.1 * distance:
                break
        if distance > 8.0 * np.spacing(abs(low)):
            found.append((0.5 * (low + high), distance))
    return found
