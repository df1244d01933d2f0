"""The equations at sites that move: du_i/dt = F_i + u_x dx_i/dt, with what holds at the two ends.

A value at an end is asked for through u_t = F - tau (u - g), tau = 4 nu/d^2 + 2 v/d with the distance d to the next
site, the diffusion nu and the speed v of inflow: a value given where the flow leaves, with a layer that nobody resolved
yet, does no harm so. Slopes, and all else at an end, replace the equation there. Where fields of first order carry one
another, conditions correct the waves that come in, and no others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.moving.coordinate import Frame
from gated_xtfc.discretise.moving.sites import Sites, sites
from gated_xtfc.gates.text import Feature
from gated_xtfc.language.dual import Dual, unknown, value_of
from gated_xtfc.problem.end_conditions import incoming
from gated_xtfc.problem.evolution import EndCondition
from gated_xtfc.solver.moving.breaks import given_values
from gated_xtfc.solver.moving.compiled_system import Packed, packed_system
from gated_xtfc.solver.moving.equations import Equations, Jets, Partials
from gated_xtfc.solver.moving.packing import Packing
from gated_xtfc.types import Array, Mask

DIFFUSED, CARRIED = 4.0, 2.0  # factors of nu/d^2 and of v/d in tau
HELD = 4e3  # that of nu/d^2 where diffusion rules between two sites: an end is held as the condition says
REMEMBERED = 64  # conditions at times that are kept
ENDS = ((0, 0, 1), (1, -1, -2))  # number of the end, its site, and the next one
DIGITS = 8.0  # of the last digit of places: how far sites stand at least from the break between them
APART = 1e-13  # and of the coordinate


@dataclass(frozen=True, eq=False)
class MovingSystem:
    """The equations of a problem on the sites of one layout."""

    equations: Equations
    sites: Sites
    weak: tuple[tuple[bool, ...], tuple[bool, ...]]  # by end and field: a value asked for through tau
    anchors: tuple[float, ...] = ()  # where equations switch: gates that stay, so that no site goes across
    needles: tuple[Feature, ...] = ()  # of the equations' texts: sites stay there, whatever the solution does

    @property
    def fields(self) -> int:
        return self.equations.count

    def on(self, intervals: int, order: int, places: Array, slopes: Array) -> "MovingSystem":
        """With other sites; breaks have these places in eta, and slopes of it."""
        space = self.equations.evolution.space
        cuts: tuple[tuple[float, float], ...] = ()
        if self.anchors and self.equations.hosts is not None:
            digit = float(np.spacing(max(abs(space.left), abs(space.right))))
            apart = np.maximum(APART, DIGITS * digit * slopes)
            cuts = tuple(zip((places - apart).tolist(), (places + apart).tolist(), strict=True))
        return replace(self, sites=sites(intervals, order, cuts))

    @cached_property
    def joins(self) -> tuple[tuple[int, int, bool], ...]:
        """A site at each side of a break, the one across it, and whether it is the left one."""
        pairs = [(int(left), int(left) + 1) for left in self.sites.joints]
        return tuple(one for left, right in pairs for one in ((left, right, True), (right, left, False)))

    @cached_property
    def packing(self) -> Packing:
        return Packing(self.sites, self.fields, any(self.equations.evolution.periodic))

    @cached_property
    def core(self) -> Packed | None:
        """As the compiled core reads it; None where NumPy serves."""
        return packed_system(self)

    @cached_property
    def mass(self) -> Array:
        """One where a derivative in time stands, zero where a value follows at once, (m, n)."""
        evolution = self.equations.evolution
        mass = np.repeat(np.array(evolution.evolving, dtype=float)[:, None], self.sites.size, axis=1)
        for end, site, _ in ENDS:
            for f in range(self.fields):
                replaced = evolution.ends[end][f] is not None and not self.weak[end][f]
                if replaced or (evolution.periodic[f] and evolution.orders[f] == 2):
                    mass[f, site] = 0.0
        for site, _, _ in self.joins:
            assert self.equations.hosts is not None
            mass[self.equations.hosts[self.equations.hosts >= 0], site] = 0.0
        return mass

    @cached_property
    def counted(self) -> Array:
        """Where what differences are off by counts as an error, (m, n): also where slopes meet at a break.

        Fields that follow at once spread what is wrong in a condition over all of space in no time.
        """
        counted = np.ones_like(self.mass) if self.at_once.any() else self.mass.copy()
        for site, _, left in self.joins:
            assert self.equations.hosts is not None
            if not left:
                counted[self.equations.hosts[self.equations.hosts >= 0], site] = 1.0
        return counted

    @cached_property
    def packed_mass(self) -> Array:
        found: Array = self.packing.packed(self.mass[None])[0]
        return found

    @cached_property
    def at_once(self) -> Mask:
        """Fields without a derivative in time, (m,)."""
        found: Mask = ~np.array(self.equations.evolution.evolving)
        return found

    def jets(self, frame: Frame, values: Array, checking: bool = False) -> Jets:
        """u, u_x, u_xx of values (s, m, n), as (m, s, n)."""
        first, second = self.sites.derivatives(values, checking)
        slope, bend = frame.slope[:, None], frame.bend[:, None]
        parts = values, slope * first, slope**2 * second + bend * first
        u, u_x, u_xx = (part.transpose(1, 0, 2) for part in parts)
        return u, u_x, u_xx

    @cached_property
    def coupled(self) -> bool:
        """Whether penalties are not those of every field alone: NumPy finds them, also for the compiled core."""
        evolution = self.equations.evolution
        return bool(evolution.waves) or any(evolution.plain)

    def penalties(self, frame: Frame, t: float, values: Array) -> Array:
        """tau by end, field and condition, divided by what the field is multiplied with in its condition; then by site
        at a break, (2 + 2k, m, m).
        """
        evolution, found = self.equations.evolution, np.zeros((2 + len(self.joins), self.fields, self.fields))
        if self.core is not None and compiled.moving_sides is not None and not self.coupled:
            own = np.ascontiguousarray(values)
            at = frame.x[0], frame.slope[0], frame.bend[0], own
            compiled.moving_sides(self.core, t, *at, None, None, False, (found,), None)
            return found
        wanted = [[f for f in range(self.fields) if self.weak[end][f] or self._carried_over(f)] for end in (0, 1)]
        carried = [f for f in range(self.fields) if self.joins and evolution.orders[f] == 1]
        if not any(wanted) and not carried:
            return found
        places = [0, -1, *(site for site, _, _ in self.joins)]
        u, u_x, u_xx = (part[:, 0, places] for part in self.jets(frame, values[None]))
        partials = self.equations.partials(frame.x[0, places], t, (u, u_x, u_xx))
        follows = self.equations.follows(partials)
        _, first, second = self.equations.inserted(partials)
        for k, (site, _, left) in enumerate(self.joins, 2):
            gap = float(self.sites.eta[site - 1 if left else site + 1] - self.sites.eta[site]) / frame.slope[0, site]
            for f in carried:  # a field flows in from the other side of a break
                found[k, f, f] = penalty(0.0, float(first[f, f, k]) / -gap)
        for end, site, following in ENDS:
            gap = abs(float(self.sites.eta[following] - self.sites.eta[site])) / float(frame.slope[0, site])
            inwards = first[:, :, end] * (-1.0 if end == 0 else 1.0)
            by = np.eye(self.fields)
            for f in wanted[end]:
                condition = evolution.ends[end][f]
                if condition is not None:
                    by[f] = self._end_partials(condition, t, u[:, end], u_x[:, end])[0] @ follows[:, :, end]
            for group in evolution.waves:
                given = [f for f in group if f in wanted[end]]
                if given:
                    joined = evolution.periodic[given[0]]
                    own = coming_in(inwards[np.ix_(group, group)], by[np.ix_(given, group)], joined)
                    found[end][np.ix_(group, given)] = CARRIED / gap * own
            for f in wanted[end]:
                if any(f in group for group in evolution.waves):
                    continue
                tau = penalty(float(second[f, f, end]) / gap**2, float(inwards[f, f]) / gap)
                found[end, f, f] = tau / by[f, f] if by[f, f] else 0.0
        return found

    def _at_ends(self, frame: Frame, t: float, values: Array) -> tuple[Array, Array, Partials]:
        """Values, slopes, and the derivatives of F at both ends."""
        u, u_x, u_xx = (part[:, 0, [0, -1]] for part in self.jets(frame, values[None]))
        return u, u_x, self.equations.partials(frame.x[0, [0, -1]], t, (u, u_x, u_xx))

    def follows_at_ends(self, frame: Frame, t: float, values: Array) -> Array:
        """By how much fields change with others at once, at both ends, (m, m, 2)."""
        if not any(self.equations.evolution.plain):
            return np.repeat(np.eye(self.fields)[:, :, None], 2, axis=2)
        return self.equations.follows(self._at_ends(frame, t, values)[2])

    def _carried_over(self, f: int) -> bool:
        """Whether a field enters at one end as it leaves at the other, with no second derivative."""
        return self.equations.evolution.periodic[f] and self.equations.evolution.orders[f] == 1

    def right_side(
        self, frame: Frame, t: Array, values: Array, velocity: Array | None, penalties: Array, checking: bool = False
    ) -> tuple[Array, Array]:
        """f of mass du/dt = f at stages t (s,), values (s, m, n), and u_x; `velocity` (s, n) is that of the sites."""
        if self.core is not None and compiled.moving_sides is not None and len(values) == 1:
            found = np.empty(values.shape), np.empty(values.shape)
            moved = None if velocity is None else velocity[0]
            self._sides(frame, float(t[0]), values[0], moved, penalties, checking, found)
            return found
        jets = self.jets(frame, values, checking)
        right = self.equations(frame.x, t[:, None], jets).transpose(1, 0, 2)
        slopes = jets[1].transpose(1, 0, 2)
        if velocity is not None:
            right = right + self.mass * slopes * velocity[:, None]
        self._impose(right, frame, t, values, slopes, penalties)
        return right, slopes

    def _sides(
        self, frame: Frame, t: float, values: Array, velocity: Array | None, penalties: Array, checking: bool,
        found: tuple[Array, Array], jacobian: Array | None = None,
    ) -> None:  # fmt: skip
        """By the compiled core, at one stage."""
        assert compiled.moving_sides is not None
        assert self.core is not None
        at = frame.x[0], frame.slope[0], frame.bend[0], np.ascontiguousarray(values)
        own = None if velocity is None else np.ascontiguousarray(velocity)
        compiled.moving_sides(self.core, t, *at, own, penalties, checking, found, jacobian)

    def _impose(self, right: Array, frame: Frame, t: Array, values: Array, slopes: Array, penalties: Array) -> None:
        evolution = self.equations.evolution
        for end, site, _ in ENDS:
            for f in range(self.fields):
                condition = evolution.ends[end][f]
                if condition is not None:
                    found = self._missed(condition, t, values[:, :, site], slopes[:, :, site])
                    if self.weak[end][f]:
                        right[:, :, site] -= np.multiply.outer(found, penalties[end, :, f])
                    else:
                        right[:, f, site] = found
                elif evolution.periodic[f]:
                    if evolution.orders[f] == 1:
                        gap = values[:, f, site] - values[:, f, -1 - site]
                        right[:, :, site] -= np.multiply.outer(gap, penalties[end, :, f])
                    elif end == 0:
                        right[:, f, 0] = values[:, f, 0] - values[:, f, -1]
                    else:
                        right[:, f, -1] = (slopes[:, f, 0] - slopes[:, f, -1]) / frame.slope[:, 0]
        for k, (site, across, left) in enumerate(self.joins, 2):
            assert self.equations.hosts is not None
            for f, host in enumerate(self.equations.hosts):
                if evolution.orders[f] == 1:
                    right[:, f, site] -= penalties[k, f, f] * (values[:, f, site] - values[:, f, across])
                elif host >= 0 and left:
                    right[:, host, site] = values[:, f, site] - values[:, f, across]
                elif host >= 0 and self.equations.fluxes[f] is not None:
                    two = (self._flux(f, frame, one) for one in (across, site))
                    there, here = (
                        value_of(flux.run(t, self._at_end(flux, values[:, :, one], slopes[:, :, one])))
                        for flux, one in zip(two, (across, site), strict=True)
                    )
                    right[:, host, site] = there - here
                elif host >= 0:
                    right[:, host, site] = (slopes[:, f, across] - slopes[:, f, site]) / frame.slope[:, across]

    def _flux(self, f: int, frame: Frame, site: int) -> EndCondition:
        """What goes over from one side of a break to the other, at one of its two sites."""
        flux, evolution = self.equations.fluxes[f], self.equations.evolution
        assert flux is not None
        return flux.at(float(frame.x[0, site]), (evolution.space.name, evolution.time.name))

    def _missed(self, condition: EndCondition, t: Array, values: Array, slopes: Array) -> Any:
        """left - right of a condition at times (s,), values and slopes (s, m); a linear one is read once a time."""
        key = id(condition), t.tobytes()
        if t.size == 1:
            return value_of(condition.run(t, self._at_end(condition, values, slopes)))
        if key not in self._linear:
            if len(self._linear) > REMEMBERED:
                self._linear.clear()
            names = self.equations.problem.fields
            state = {(name, k): unknown((name, k), np.zeros(t.size)) for name in condition.fields for k in (0, 1)}
            one = condition.run(t, state)
            self._linear[key] = None
            if isinstance(one, Dual) and not one.nonlinear:
                partials: dict[Any, Any] = {**one.partials}
                factors = [(names.index(name), order, part) for (name, order), part in partials.items()]
                self._linear[key] = one.value, factors
        linear = self._linear[key]
        if linear is None:
            return value_of(condition.run(t, self._at_end(condition, values, slopes)))
        found = linear[0]
        for f, order, part in linear[1]:
            found = found + part * (slopes if order else values)[:, f]
        return found

    @cached_property
    def _linear(self) -> dict[Any, Any]:
        """Conditions at some times, as constants and factors; None for those that are not linear."""
        return {}

    def _at_end(self, condition: EndCondition, values: Any, slopes: Any) -> dict[Any, Any]:
        """Fields at an end, values and slopes (s, m), by name and order."""
        names = self.equations.problem.fields
        state = {(name, 0): values[:, names.index(name)] for name in condition.fields}
        return state | {(name, 1): slopes[:, names.index(name)] for name in condition.fields}

    def _end_partials(self, condition: EndCondition, t: float, values: Array, slopes: Array) -> tuple[Array, Array]:
        """Derivatives of a condition by the values (m,) and by the slopes (m,) of the fields."""
        names = self.equations.problem.fields
        state: dict[Any, Any] = {}
        for name in condition.fields:
            f = names.index(name)
            state |= {(name, 0): unknown((name, 0), float(values[f])), (name, 1): unknown((name, 1), float(slopes[f]))}
        found = condition.run(t, state)
        partials: dict[Any, Any] = {**found.partials} if isinstance(found, Dual) else {}
        by_value, by_slope = (np.array([float(partials.get((name, k), 0.0)) for name in names]) for k in (0, 1))
        return by_value, by_slope

    def jacobian(self, frame: Frame, t: float, values: Array, velocity: Array | None, penalties: Array) -> Array:
        """df/du in the band storage of LAPACK with room for fill-in, (3 band + 1, m n), at one stage; values (m, n)."""
        evolution, packing, m = self.equations.evolution, self.packing, self.fields
        if self.core is not None and compiled.moving_sides is not None:
            matrix = np.empty((3 * packing.band + 1, packing.size))
            found = np.empty(values.shape), np.empty(values.shape)
            self._sides(frame, t, values, velocity, penalties, False, found, matrix)
            return matrix
        u, u_x, u_xx = (part[:, 0] for part in self.jets(frame, values[None]))
        slope, bend = frame.slope[0], frame.bend[0]
        by_value, by_first, by_second = self.equations.partials(frame.x[0], t, (u, u_x, u_xx))
        if velocity is not None:
            by_first = by_first + np.eye(m)[:, :, None] * self.mass * velocity
        first, second = by_first * slope + by_second * bend, by_second * slope**2
        joints: list[tuple[int, int, int, int, float]] = []
        for end, site, _ in ENDS:
            for f in range(m):
                condition = evolution.ends[end][f]
                if condition is not None:
                    values_by, slopes_by = self._end_partials(condition, t, u[:, site], u_x[:, site])
                    if self.weak[end][f]:
                        by_value[:, :, site] -= np.outer(penalties[end, :, f], values_by)
                        continue
                    by_value[f, :, site], first[f, :, site] = values_by, slopes_by * slope[site]
                    second[f, :, site] = 0.0
                elif evolution.periodic[f] and evolution.orders[f] == 1:
                    by_value[:, f, site] -= penalties[end, :, f]
                    joints += [(g, f, site, -1 - site, penalties[end, g, f]) for g in range(m)]
                elif evolution.periodic[f]:
                    by_value[f, :, site] = first[f, :, site] = second[f, :, site] = 0.0
                    if end == 0:
                        by_value[f, f, 0] = 1.0
                        joints.append((f, f, 0, -1, -1.0))
                    else:
                        first[f, f, -1] = -slope[-1] / slope[0]
        across_joint: list[tuple[int, int, int, int, float, float]] = []  # by value and by slope in eta
        for k, (site, across, left) in enumerate(self.joins, 2):
            assert self.equations.hosts is not None
            for f, host in enumerate(self.equations.hosts):
                if evolution.orders[f] == 1:
                    by_value[f, f, site] -= penalties[k, f, f]
                    joints.append((f, f, site, across, penalties[k, f, f]))
                elif host >= 0:
                    by_value[host, :, site] = first[host, :, site] = second[host, :, site] = 0.0
                    if left:
                        by_value[host, f, site] = 1.0
                        across_joint.append((host, f, site, across, -1.0, 0.0))
                    elif self.equations.fluxes[f] is None:
                        first[host, f, site] = -slope[site] / slope[across]
                        across_joint.append((host, f, site, across, 0.0, 1.0))
                    else:
                        here, there = (
                            self._end_partials(self._flux(f, frame, one), t, u[:, one], u_x[:, one])
                            for one in (site, across)
                        )
                        by_value[host, :, site], first[host, :, site] = -here[0], -here[1] * slope[site]
                        across_joint += [
                            (host, a, site, across, float(there[0][a]), float(there[1][a] * slope[across]))
                            for a in range(m)
                        ]
        band = np.zeros((3 * packing.band + 1) * packing.size)
        one, two = self.sites.weights
        band[packing.by_stencil] = first[..., None] * one + second[..., None] * two
        band[packing.by_site] += by_value
        self._join(band, joints)
        for host, f, site, across, value, by_slope in across_joint:
            near = self.sites.stencils[across]
            band[packing.places(np.array(site), np.array(across))[host, f]] += value
            band[packing.places(np.full(near.shape, site), near)[host, f]] += by_slope * one[across]
        return band.reshape(3 * packing.band + 1, packing.size)

    def _join(self, band: Array, joints: Sequence[tuple[int, int, int, int, float]]) -> None:
        """Entries between the two ends, and the slope at the left end in the equation at the right one."""
        if not joints:
            return
        n, evolution = self.sites.size, self.equations.evolution
        for g, f, row, column, entry in joints:
            band[self.packing.places(np.array(row % n), np.array(column % n))[g, f]] += entry
        near, weights = self.sites.stencils[0], self.sites.weights[0][0]
        for f in range(self.fields):
            if evolution.periodic[f] and evolution.orders[f] == 2:
                band[self.packing.places(np.full(near.shape, n - 1), near)[f, f]] += weights


def penalty(spread: float, carried: float) -> float:
    """tau from nu/d^2 and v/d, inwards, at an end whose first two sites are d apart.

    Where what is carried out is not resolved, an end that is held makes values alternate from site to site, and grow.
    """
    held = HELD * spread**3 / (spread**2 + carried**2) if spread > 0.0 else 0.0
    return max(DIFFUSED * spread + held + CARRIED * max(carried, 0.0), 0.0)


def coming_in(speeds: Array, by: Array, joined: bool) -> Array:
    """What waves that come in are to be corrected by, from as many conditions, (k, p): speeds inwards (k, k), and what
    the conditions are multiplied with, (p, k).

    Waves that come in span Q with speeds T: Q T (B Q)^-1 leaves those that go out as they are.
    """
    if joined:  # every field is given, as it leaves at the other end: what goes out takes no notice
        values, vectors = np.linalg.eig(speeds)
        return np.asarray((vectors * np.maximum(values.real, 0.0) @ np.linalg.inv(vectors)).real)
    basis, triangle = incoming(speeds, len(by))
    own = np.diag_indices(len(by))
    triangle[own] = np.maximum(triangle[own], 0.0)
    return np.asarray(basis @ triangle @ np.linalg.pinv(by @ basis))


def weak_values(equations: Equations, diffused: Sequence[bool]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Which conditions give a value and can be asked for through tau, by end and field.

    A field that neither spreads by itself nor is carried, such as u in u_t = v, v_t = u_xx, has no tau; nor has one
    where the factor of its derivative in time vanishes, as in x*u_t = u_xx.
    """
    evolution = equations.evolution
    ends = np.array([evolution.space.left, evolution.space.right])
    first, second = (np.full((equations.count, 2), 0.5 + 0.1 * k) for k in (1, 2))
    rates = equations(ends, np.asarray(evolution.time.left), (given_values(equations)(ends), first, second))
    found = []
    for end in (0, 1):
        own = []
        for f, condition in enumerate(evolution.ends[end]):
            plain = condition is not None and not any(sum(orders) for _, orders in condition.program.derivatives)
            free = evolution.evolving[f] and bool(np.isfinite(rates[f, end]))
            own.append(plain and free and (evolution.orders[f] == 1 or diffused[f]))
        found.append(tuple(own))
    return found[0], found[1]
