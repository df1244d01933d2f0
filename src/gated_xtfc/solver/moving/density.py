"""Where sites are wanted, and the gates that put them there.

The remainder E of interpolation at the sites says by which factor they are too far apart, (E / aim)^(1/q). A few gates
whose densities 1/sqrt(d_j^2 + b_j^2 (x - x_j)^2) add up to cover what is wanted are found greedily.
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import maximum_filter1d

from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.solver.moving.layout import ORDER, State
from gated_xtfc.solver.moving.needles import wanted_at
from gated_xtfc.types import Array

GRADINGS = (0.5, 0.35, 0.25)  # how fast sites spread away from a gate; the slower, the more of them
AIM = 0.1  # of the tolerance: the remainder that a layout is made for
SLACK = 1.2  # how far the density may stay below what is wanted
LEVELS = (1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0, 10.0, 1e9)  # lack of density down to which one gate is stretched
MOST = 16  # gates
THINNER = 10.0  # by which one at a place where an equation switches is made thinner at once
ZOOMED, GRID = 0.02, 17  # of the thickness wanted: how well a place is searched for, on grids of so many points
ANCHORED = 0.1  # of the distance to what is next to it: thickness of a gate where an equation switches
BESIDE = 3.0  # thicknesses: what is as near to such a place is resolved by the gate that stands there
COARSEST, FINEST = 6.0, 400.0  # units of the coordinate over the domain, far from all gates


def density_for(tol: float) -> float:
    """Sites per unit of the coordinate."""
    found: float = 2.5 * (tol / 1e-6) ** (-1.0 / ORDER)
    return found


def remainder(state: State, values: Array, size: Array) -> Array:
    """What interpolation may be off by at the sites, relative to the fields, (n,); values (m, n)."""
    found: Array = np.abs(state.layout.sites.remainder(values) / size[:, None]).max(axis=0)
    return found


def wanted(state: State, remainders: Array, tol: float, density: float, hardest: float = 3.0) -> Array:
    """The slope of the coordinate that the solution asks for at the sites, (n,)."""
    factor = (maximum_filter1d(remainders, 5) / (AIM * tol) + 1e-30) ** (1.0 / ORDER)
    now: Array = state.frame.slope[0] * state.layout.sites.intervals / density
    found: Array = np.maximum(now * np.clip(factor, 0.25, hardest), wanted_at(state.x, state.layout.system.needles))
    return found


@dataclass(frozen=True)
class Choice:
    """A coordinate and its gates (2, g)."""

    coordinate: MovingCoordinate
    gates: Array

    @property
    def length(self) -> float:
        return self.coordinate.length(self.gates)

    def same_as(self, state: State) -> bool:
        """Whether it is what the state has already, but for a little."""
        old = state.layout.coordinate
        return (
            self.gates.shape == state.gates.shape
            and bool(np.allclose(self.gates, state.gates, rtol=1e-3))
            and abs(self.coordinate.width / old.width - 1.0) < 0.02
        )


@dataclass(eq=False)
class _Gate:
    place: float
    square: float  # of the thickness
    grading: float

    def density(self, x: Array) -> Array:
        return 1.0 / np.sqrt(self.square + self.grading**2 * (x - self.place) ** 2)


def chosen(x: Array, density: Array, ends: tuple[float, float], old: Array, anchors: tuple[float, ...] = ()) -> Choice:
    """Gates whose density covers what is wanted at sites x (n,); old gates (2, g) that agree keep their place."""
    left, right = ends
    gaps = np.gradient(x)
    order = np.argsort(density)
    share = np.cumsum(gaps[order]) / gaps.sum()
    common = density[order][min(int(np.searchsorted(share, 0.6)), x.size - 1)]
    background = float(np.clip(common, COARSEST / (right - left), FINEST / (right - left)))
    have = np.full_like(x, background)
    held = [_Gate(place, thickness**2, GRADINGS[0]) for place, thickness in anchored(anchors, ends)]
    gates: list[_Gate] = list(held)
    for gate in held:
        have = have + gate.density(x)
    for _ in range(MOST):
        lack = density / have
        worst = int(np.argmax(lack))
        if lack[worst] <= 1.1 * SLACK:
            break
        gate = _placed(x, density, lack, worst, background, ends)
        near = [one for one in held if abs(one.place - gate.place) < BESIDE * gate.square**0.5]
        if near and near[0].square > 1.5 * gate.square:
            have = have - near[0].density(x)
            near[0].square = max(gate.square, near[0].square / THINNER**2)
            have = have + near[0].density(x)
            continue
        gates.append(gate)
        have = have + gate.density(x)
    for gate in [gate for gate in gates if gate not in held]:
        rest = have - gate.density(x)
        if (density / rest).max() <= 1.1 * SLACK:
            gates.remove(gate)
            have = rest
    for gate in [gate for gate in gates if gate not in held]:
        for place, thickness in old.T:
            ratio = gate.square / thickness**2
            if left < gate.place < right and abs(place - gate.place) < 0.5 * gate.square**0.5 and 0.36 < ratio < 2.9:
                gate.place = float(place)
                gate.square = float(thickness**2) if 0.64 < ratio < 1.56 else gate.square
    gates.sort(key=lambda gate: gate.place)
    numbers = np.array([[gate.place for gate in gates], [gate.square**0.5 for gate in gates]]).reshape(2, -1)
    grading = np.array([gate.grading for gate in gates])
    return Choice(MovingCoordinate(left, right, 1.0 / background, grading), numbers)


def anchored(anchors: tuple[float, ...], ends: tuple[float, float]) -> list[tuple[float, float]]:
    """Places where equations switch, with the thickness of a gate there where nothing asks for a thinner one."""
    gaps = np.diff([ends[0], *anchors, ends[1]])
    return list(zip(anchors, (ANCHORED * np.minimum(gaps[1:], gaps[:-1])).tolist(), strict=True))


def _placed(x: Array, density: Array, lack: Array, worst: int, background: float, ends: tuple[float, float]) -> _Gate:
    """One gate for the place that lacks most, stretched over its neighbourhood as far as one gate can cover it."""
    last = x.size - 1
    for level in LEVELS:
        low = high = worst
        while low > 0 and lack[low - 1] > level:
            low -= 1
        while high < last and lack[high + 1] > level:
            high += 1
        asked = 1.0 / np.maximum(density[low : high + 1] / SLACK - 0.5 * background, 1e-300) ** 2
        for grading in GRADINGS:
            if low == 0 and high < last:
                place = ends[0]
            elif high == last and low > 0:
                place = ends[1]
            else:
                place = _best_place(x[low : high + 1], asked, grading, ZOOMED / float(density[worst]))
            square = float((asked - grading**2 * (x[low : high + 1] - place) ** 2).min())
            if square > (0.4 / density[worst]) ** 2:
                return _Gate(place, square, grading)
    return _Gate(float(x[worst]), float((SLACK / density[worst]) ** 2), GRADINGS[0])


def _best_place(x: Array, asked: Array, grading: float, near: float) -> float:
    """Where a gate can be thickest: the least of what is asked is concave in the place, so a grid can zoom in on it.

    The neighbourhood may be 1e8 times as wide as the layer in it: it is zoomed in until the place is known to `near`.
    """
    low, high = float(x[0]), float(x[-1])
    near = max(near, 4.0 * float(np.spacing(max(abs(low), abs(high)))))
    while high - low > near:
        places = np.linspace(low, high, GRID)
        ahead = (asked - grading**2 * (x - places[:, None]) ** 2).min(axis=1)
        best = int(np.argmax(ahead))
        low, high = float(places[max(best - 1, 0)]), float(places[min(best + 1, GRID - 1)])
    return 0.5 * (low + high)
