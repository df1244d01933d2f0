"""Singular points of the operator: modes that grow like one over the distance make no layer, but powers of it.

    x^m u^(m) + b_(m-1) x^(m-1) u^(m-1) + ... + b_0 u = ...        r (r-1) ... (r-m+1) + ... + b_1 r + b_0 = 0

Near x = 0, with b_j finite there, solutions are like x^r (Frobenius). Kernels are smooth and find those that are so
by themselves; what else the conditions ask for needs narrower ones towards the point.
"""

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import AxisCoefficients
from gated_xtfc.operator.symbol import LineOperator, is_singular, modes, resolvable
from gated_xtfc.types import Array

CLOSE = np.array([1e-4, 1e-6])  # parts of the reach at which the b_j are taken
GONE = 0.05  # of the interval: where the leading coefficient vanishes on so much, it is not a point
TOLD = 4  # decimals of a power: they are read off some way from the point
SAME = 0.2  # by which they may differ, beside the size of the largest


def zeros_of_lead(line: LineOperator, x: Array, coefficients: AxisCoefficients) -> list[float]:
    """Where the leading coefficient of one equation passes zero, or is zero, between the first and the last sample."""
    if len(coefficients) > 1:
        return []
    lead = coefficients[0][0][-1]
    _require_lead(x, lead)
    found = [float(x[i]) for i in (np.flatnonzero(lead[1:-1] == 0.0) + 1).tolist()]
    for i in np.flatnonzero(lead[:-1] * lead[1:] < 0.0).tolist():
        low, high, sign = float(x[i]), float(x[i + 1]), np.sign(lead[i])
        while np.nextafter(low, high) < high:
            at = np.linspace(low, high, 17)[1:-1]
            same = np.sign(line(at).by_order[0][0][-1]) == sign
            low, high = float(at[same][-1]) if same.any() else low, float(at[~same][0]) if (~same).any() else high
            if same.all() or not same.any():
                break
        found.append(high)
    return found


def _require_lead(x: Array, lead: Array) -> None:
    """Refuses an equation whose highest derivative is not there on a part of the interval."""
    gone = np.concatenate([[False], lead == 0.0, [False]])
    starts, stops = (np.flatnonzero(edge) for edge in (gone[1:] & ~gone[:-1], gone[:-1] & ~gone[1:]))
    for start, stop in zip(starts.tolist(), (stops - 1).tolist(), strict=True):
        if x[stop] - x[start] > GONE * (x[-1] - x[0]):
            raise InputError(
                f"the highest derivative has no factor between {x[start]:.6g} and {x[stop]:.6g}: there the equation is "
                "of lower order, so state each part as a problem of its own"
            )


def singular_inside(line: LineOperator, places: list[float], left: float, right: float) -> list[float]:
    """Those of the places at which the operator is singular, from one side at least."""
    found = []
    for place in places:
        reach = min(place - left, right - place)
        if resolvable(place, reach)[1].any() and any(
            is_singular(modes(line(_toward(place, s, reach)).by_order), place, reach) for s in (-1, 1)
        ):
            found.append(place)
    return found


def exponents(line: LineOperator, place: float, side: int, reach: float) -> tuple[complex, ...] | None:
    """The powers of the distance that solutions are like near a place; None where there are none, or in a system."""
    distance = np.maximum(CLOSE * reach, 1e4 * np.spacing(abs(place)))
    every = line(place + side * distance).by_order
    if len(every) > 1:
        return None
    jets = every[0][0]
    order = len(jets) - 1
    with np.errstate(all="ignore"):
        b = np.stack([a / jets[-1] * (side * distance) ** (order - j) for j, a in enumerate(jets)])
    if not np.isfinite(b).all() or np.abs(b[:, 0] - b[:, 1]).max() > SAME * np.abs(b).max():
        return None
    limit = b[:, 1] + (b[:, 1] - b[:, 0]) * (distance[1] / (distance[0] - distance[1]))  # of straight lines
    falling, indicial = np.poly1d([1.0]), np.poly1d([0.0])  # r (r-1) ... (r-j+1)
    for j in range(order + 1):
        indicial = indicial + float(limit[j]) * falling
        falling = falling * np.poly1d([1.0, -float(j)])
    return tuple(complex(r) for r in sorted(np.round(indicial.roots, 6) + 0.0, key=lambda r: (-r.real, r.imag)))


def like_powers(powers: tuple[complex, ...] | None) -> str:
    """What solutions are like near a singular point, in words."""
    if powers is None:
        return ""
    shown = [np.round(r, TOLD) + 0.0 for r in powers]
    listed = " and ".join(f"{r.real:.3g}" if r.imag == 0.0 else f"{r:.3g}" for r in shown)
    what = "power" if len(shown) == 1 else "powers"
    return (
        f", where its solutions are like the {what} {listed} of the distance, and conditions must leave a regular one"
    )


def _toward(place: float, side: int, reach: float) -> Array:
    distances, known = resolvable(place, reach)
    inside: Array = place + side * np.where(known, distances, distances[known].min())
    return inside
