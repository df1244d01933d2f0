"""Where values at the start leap, bend or miss the conditions at the ends, and by how much."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.evolution import HIGHEST, EndCondition, Evolution, InitialValue, initial_gap, initial_jet
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.types import Array

Values = Callable[[Array], Array]  # of all fields at places (n,): (m, n)

BESIDE = 1e-9  # of the domain: where values left and right of a break are taken
NOTICED = 1e-2  # of the tolerance: leaps below, relative to the field, are none


@dataclass(frozen=True)
class Break:
    """A leap or a kink of one field at the start, or a condition at an end that it does not meet."""

    field: int
    place: float
    leap: float
    kink: float
    inside: bool
    joint: bool = False  # whether it is where the two ends of a periodic field meet, as each of them has it
    side: int = 0  # 1 or -1 where it is spread to the right or the left only, from a place where the equation breaks

    def amount(self) -> str:
        """How much it is: of a value, or of a slope."""
        return f"{abs(self.leap):.1e}" if self.leap else f"a slope of {abs(self.kink):.1e}"


def broken(problem: Problem, evolution: Evolution, places: tuple[float, ...], tol: float) -> list[Break]:
    """Leaps and kinks of the start at these places, and conditions at the ends that it does not meet."""
    space = evolution.space
    found: list[Break] = []
    x = np.linspace(space.left, space.right, 257)
    for f, initial in enumerate(evolution.initial):
        if initial is None or not evolution.evolving[f]:
            continue
        values = initial(x)
        size = max(float(np.ptp(values)), 1e-3 * float(np.abs(values).max()), 1e-300)
        for place in places:
            leap, kink = _across(initial, place, space)
            if abs(leap) > NOTICED * tol * size or abs(kink) * space.length > tol * size:
                found.append(Break(f, place, leap if abs(leap) > NOTICED * tol * size else 0.0, kink, True))
        if evolution.periodic[f]:
            values, slopes = initial_jet(initial, np.array([space.right, space.left]), space.name)
            leap, kink = float(values[1] - values[0]), float(slopes[1] - slopes[0]) * (evolution.orders[f] > 1)
            if abs(leap) > NOTICED * tol * size or abs(kink) * space.length > tol * size:
                found += [Break(f, place, leap, kink, True, True) for place in (space.left, space.right)]
        for own in evolution.ends:
            condition = own[f]
            if condition is not None:
                found += [
                    one
                    for one in _unmet(condition, f, problem, evolution)
                    if abs(one.leap) > NOTICED * tol * size or abs(one.kink) * space.length > tol * size
                ]
    return found


def broken_at_anchors(equations: Equations, places: tuple[float, ...], tol: float) -> list[Break]:
    """The same where the equations break as well: two bodies in contact, whose values or fluxes may not match.

    With u_t = D u_xx and the flux k u_x on each side the value between the two is their mean with weights
    e = k/sqrt(D), and a flux that is q larger on the right makes it grow like 2 q sqrt(t/pi)/(e_l + e_r).
    """
    evolution, found = equations.evolution, list[Break]()
    space = evolution.space
    for f, initial in enumerate(evolution.initial):
        if initial is None or evolution.orders[f] < HIGHEST:
            continue
        values = initial(np.linspace(space.left, space.right, 257))
        size = max(float(np.ptp(values)), 1e-3 * float(np.abs(values).max()), 1e-300)
        for place in places:
            far, near = (_contact(equations, f, place, part * BESIDE * space.length) for part in (1.0, 0.1))
            # what shrinks with the distance is a change, not a leap
            leap, flux = (b if abs(b) > 0.5 * abs(a) else 0.0 for a, b in zip(far[:2], near[:2], strict=True))
            diffusion, weight = near[2:]
            leap = leap if abs(leap) > NOTICED * tol * size else 0.0
            if not (diffusion > 0.0).all():
                found += [Break(f, place, leap, 0.0, True)] if leap else []
                continue
            kink = flux / (weight.sum() * np.sqrt(diffusion))
            if not leap and not float(np.abs(kink).max()) * space.length > tol * size:
                continue
            for own, other, inwards in ((0, 1, -1), (1, 0, 1)):
                to_mean = -inwards * float(weight[other]) * leap / float(weight.sum())
                found.append(Break(f, place, to_mean, -inwards * float(kink[own]), False, side=inwards))
    return found


def _contact(equations: Equations, f: int, place: float, distance: float) -> tuple[float, float, Array, Array]:
    """By how much value and flux of a field leap at the start, and D and k/sqrt(D) on both sides, (2,) each."""
    evolution, fields = equations.evolution, equations.problem.fields
    space = evolution.space
    away = distance * np.array([-1.0, 1.0])
    x, flux = place + away, equations.fluxes[f]
    zero = np.zeros(2)
    jets = [(zero, zero) if one is None else initial_jet(one, x, space.name) for one in evolution.initial]
    u, u_x = (np.stack([jet[k] for jet in jets]) for k in (0, 1))
    diffusion = equations.partials(x, evolution.time.left, (u, u_x, np.zeros_like(u))).second[f, f]
    factor, given = np.ones(2), u_x[f].copy()
    for side in (0, 1) if flux is not None else ():
        assert flux is not None
        state: dict[Any, Any] = {
            (other, k): unknown((other, k), float(part[g, side]))
            for g, other in enumerate(fields)
            for k, part in enumerate((u, u_x))
        }
        here = flux.at(float(x[side]), (space.name, evolution.time.name)).run(evolution.time.left, state)
        assert isinstance(here, Dual)
        partials: dict[Any, Any] = {**here.partials}
        given[side], factor[side] = float(here.value), float(partials.get((fields[f], 1), 0.0))
    left, right = u[f] - u_x[f] * away
    with np.errstate(all="ignore"):
        weight = np.asarray(factor / np.sqrt(diffusion), dtype=np.float64)
    return float(right - left), float(given[1] - given[0]), diffusion, weight


def _across(initial: InitialValue, place: float, space: Axis) -> tuple[float, float]:
    """By how much value and slope leap at a place where the text switches; zero where both sides go on smoothly."""
    found = []
    for distance in (BESIDE, 0.1 * BESIDE):
        values, slopes = initial_jet(initial, place + distance * space.length * np.array([-1.0, 1.0]), space.name)
        found.append((float(values[1] - values[0]), float(slopes[1] - slopes[0])))
    # what shrinks with the distance is a change, not a leap
    leap, kink = (near if abs(near) > 0.5 * abs(far) else 0.0 for far, near in zip(*found, strict=True))
    return leap, kink


def _unmet(condition: EndCondition, f: int, problem: Problem, evolution: Evolution) -> list[Break]:
    """The gap of a condition at the start, in the value or in the slope of its field."""
    fields = problem.fields
    gap = initial_gap(condition, evolution, fields)
    if gap is None or gap[0] == 0.0:
        return []
    jets = {}
    for name in condition.fields:
        initial = evolution.initial[fields.index(name)]
        assert initial is not None
        value, slope = initial_jet(initial, np.array([condition.place]), evolution.space.name)
        jets[name] = float(value[0]), float(slope[0])
    return gap_at_end(condition, f, fields, evolution.time.left, jets)


def gap_at_end(
    condition: EndCondition, f: int, fields: Sequence[str], t: float, jets: Mapping[str, tuple[float, float]],
    follows: Array | None = None,
) -> list[Break]:  # fmt: skip
    """By how much a condition is missed, in the value or in the slope of its field.

    `jets` are these by field; `follows` (m,) is by how much others change with it at once.
    """
    state: dict[Any, Any] = {}
    for name in condition.fields:
        value, slope = jets[name]
        state |= {(name, 0): unknown((name, 0), value), (name, 1): unknown((name, 1), slope)}
    linear = condition.run(t, state)
    assert isinstance(linear, Dual)
    partials: dict[Any, Any] = {**linear.partials}
    share = {name: float(name == fields[f]) if follows is None else float(follows[fields.index(name)]) for name in jets}
    by_value, by_slope = (sum(share[name] * float(partials.get((name, k), 0.0)) for name in share) for k in (0, 1))
    if by_slope:
        return [Break(f, condition.place, 0.0, -float(linear.value) / by_slope, False)]
    if by_value:
        return [Break(f, condition.place, -float(linear.value) / by_value, 0.0, False)]
    return []


def stated_values(evolution: Evolution) -> Values:
    """The values at the start as they are stated; zero where none are."""
    return lambda x: np.stack([np.zeros_like(x) if one is None else one(x) for one in evolution.initial])


def given_values(equations: Equations) -> Values:
    """The values at the start as they are given, or follow place by place from these; zero where neither."""
    stated, start = stated_values(equations.evolution), equations.evolution.time.left
    return lambda x: equations.completed(x, start, stated(x))
