"""Nonlinear members: from an easy value of a parameter down to the one asked for, all members side by side.

A fixed number of stages, each so many steps of Newton's on gates that the last solution shows: where it is steepest,
and over what distance it is so. Layers become thinner on the way; the last solution, narrowed beside its gates as these
are, is the start of the next stage. Members that have arrived stay where they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.condensed_newton import CondensedSetting
from gated_xtfc.batch.family import ArrayFamily, Parameters
from gated_xtfc.batch.least_squares import factorised, solve_with
from gated_xtfc.batch.partition import BARE, EXPONENTIAL, STEEP, Gates, Mesh, PartitionStructure
from gated_xtfc.batch.pilots import pilots_of
from gated_xtfc.batch.shapes import SeriesFields, state_shapes
from gated_xtfc.batch.sight import covering
from gated_xtfc.batch.solver import Solved, partition_of
from gated_xtfc.batch.systems import RESOLVED, Setting
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.continuation import small_parameter
from gated_xtfc.solver.solve import solve
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.types import Array

Iteration = Setting | CondensedSetting
Start = Callable[[Mesh, Numbers], list[Numbers]]  # jets at offsets (n, K, B) of a partition
FIRST = 0.1  # the value of a small parameter with which stages begin, and of the inverse of a large one
RATIO = 3.0  # from one stage to the next; with four one member in a hundred is lost
STEPS = 4  # of Newton's in a stage
LOOKED_AT, PILOTS = 9, 3  # members; of these the ones with the smallest parameter are solved alone, to see their gates
PILOT_TOL = 1e-4
PILOT_VALUE = 2e-3  # of the parameter that is followed: it shows what layers there are, and is soon solved
AT_END = 0.02  # of the domain: layers as close as that to an end belong to it
BESIDE = 8.0  # thicknesses of an end's layer within which no step is looked for
REACH = 4.0  # thicknesses over which a start is narrowed
WIDEST, THINNEST = 0.1, 1e-13  # of the domain: gates
ACROSS = 0.4  # of what a field spans over its steepest slope: the thickness of a step, a half if it were all it spans
LAYER = 0.9  # of that width: what is thinner is a layer
POWERS = 0.4, 1.05  # of the parameter, that thicknesses follow: a half for reaction layers, one for shocks
BEND = 0.01  # of a start that is as straight as conditions allow
OUTER = 2


@dataclass(frozen=True)
class StagePlan:
    """What the nonlinear members of a family have in common: the parameter that is followed, and the structure."""

    name: str | None
    count: int  # stages
    structure: PartitionStructure

    def falls_short(self, family: ArrayFamily, parameters: Mapping[str, Array]) -> bool:
        """Whether there are members with the parameter further on than its stages lead."""
        if self.name is None:
            return False
        values = np.abs(np.atleast_1d(parameters.get(self.name, family.problem.parameters[self.name])))
        least = float(np.minimum(values, 1.0 / np.maximum(values, 1e-300)).min())
        return stages_to(least) > self.count

    def joined(self, other: "StagePlan") -> "StagePlan":
        """One that serves both."""
        name = self.name if self.name is not None else other.name
        return StagePlan(name, max(self.count, other.count), covering([self.structure, other.structure]))


class Seen(NamedTuple):
    """Gates that a solution shows, with the powers of the parameter that their thicknesses follow, (gates, B)."""

    gates: Gates
    powers: Numbers


def planned(family: ArrayFamily, parameters: Mapping[str, Array]) -> StagePlan:
    """From a few members that are solved alone."""
    parameters = {name: column for name, column in parameters.items() if name not in family.own}
    pilots = [
        family.member({name: column[number] for name, column in parameters.items()})
        for number in (pilots_of(parameters, LOOKED_AT) if parameters else (0,))
    ]
    name = small_parameter(space_of(pilots[0], PILOT_TOL))
    size = {id(one): _smallness(one.parameters.get(name or "", 1.0)) for one in pilots}
    pilots = sorted(pilots, key=lambda one: size[id(one)])[:PILOTS]
    least = size[id(pilots[0])]
    left, right, inside = BARE, BARE, 0
    for pilot in pilots:
        value = pilot.parameters.get(name or "", 1.0)
        if name is not None and size[id(pilot)] < PILOT_VALUE:
            pilot = pilot(**{name: float(np.copysign(PILOT_VALUE if abs(value) < 1.0 else 1.0 / PILOT_VALUE, value))})
        ends = _layers(pilot)
        left, right = max(left, ends[0]), max(right, ends[1])
        inside = max(inside, ends[2])
    return StagePlan(name, stages_to(least), PartitionStructure(left, right, min(inside, 1), 2, OUTER, 0, STEEP))


def stages_to(least: float) -> int:
    """How many lead to that value: an even number, for each is a program of its own."""
    return int(2 * np.ceil(0.5 * np.log(FIRST / least) / np.log(RATIO))) if 0.0 < least < FIRST else 0


def _smallness(value: float) -> float:
    return min(abs(value), 1.0 / abs(value)) if value else 1.0


def _layers(pilot: Problem) -> tuple[int, int, int]:
    """Kinds of gates at both ends, and whether there are any inside."""
    try:
        found = solve(pilot, PILOT_TOL)
    except InputError:
        return BARE, BARE, 0
    (axis,) = pilot.axes
    layers = [one for piece in found.charts[0].coordinates for one in piece.layers]
    thin = [(one.location - axis.left) / axis.length for one in layers if one.thickness < WIDEST * axis.length]
    inside = any(AT_END < place < 1.0 - AT_END for place in thin)
    near = [any(place <= AT_END for place in thin), any(place >= 1.0 - AT_END for place in thin)]
    return EXPONENTIAL * near[0], EXPONENTIAL * near[1], int(inside)


def solve_nonlinear(
    family: ArrayFamily,
    plan: StagePlan,
    structure: PartitionStructure,
    degree: int,
    parameters: Parameters,
    members: int,
    derivatives: int = 0,
) -> Solved:
    """All members by stages; gates and derivatives as for linear ones."""
    held = jax.lax.stop_gradient(dict(parameters))
    target = None
    if plan.name is not None:
        target = jnp.broadcast_to(jnp.asarray(family.env(held)[plan.name], dtype=float), (members,))
    left, right = (jnp.broadcast_to(end, (members,)) for end in family.interval(held))
    length = right - left

    def setting(value: Numbers | None, gates: Gates, start: Start) -> Iteration:
        own = held if plan.name is None else {**held, plan.name: value}
        mesh = partition_of(family, structure, own, gates)
        if family.condensed:
            middle = start(mesh, mesh.offset[None] + 0.5 * mesh.length[None])
            return CondensedSetting.about(family, own, mesh, degree, [one[0] for one in middle])
        return Setting(family, own, mesh, state_shapes(family.orders, degree))

    def stage(carry: Any, new: Numbers | None) -> Any:
        value, fields, seen = carry
        where: Any
        where, start = onto(value, new, fields, seen)
        found = where.newton(start(where.mesh, where.offset), STEPS)
        return (new, where.series(found), look(where, found, seen, value, new)), None

    def onto(value: Any, new: Any, fields: SeriesFields, seen: Seen) -> tuple[Iteration, Start]:
        """A partition for the new value, and the last solution on it, narrowed beside the gates."""
        change = 1.0 if value is None else jnp.minimum(jnp.abs(new / value), jnp.abs(value / new))
        gates = seen.gates
        inside = gates.thicknesses.shape[0]
        thick = jnp.concatenate([gates.left[None], gates.thicknesses, gates.right[None]])
        # what is as wide as a gate may be is no layer yet
        narrower = jnp.where(thick < LAYER * WIDEST * length, change**seen.powers, 1.0)  # (gates, B)
        centres = jnp.concatenate([left[None], gates.locations, right[None]])

        def start(mesh: Mesh, offset: Numbers) -> list[Numbers]:
            x = mesh.anchor + offset
            shift, slope = jnp.zeros_like(x), jnp.ones_like(x)
            for place, d, factor in zip(centres, thick, narrower, strict=True):  # no more than one at a place
                z = (mesh.anchor - place) + offset
                part = (1.0 / factor - 1.0) * jnp.exp(-((z / (REACH * d)) ** 2))
                shift, slope = shift + part * z, slope + part * (1.0 - 2.0 * (z / (REACH * d)) ** 2)
            at = jnp.clip(x + shift, left, right).reshape(-1, members)
            return [fields(at, j, f).reshape(x.shape) * slope**j for f, j in family.jets]

        narrowed = gates._replace(
            left=gates.left * narrower[0],
            right=gates.right * narrower[-1],
            thicknesses=gates.thicknesses * narrower[1 : 1 + inside],
        )
        return setting(new, narrowed, start), start

    def look(where: Iteration, found: Any, before: Seen, value: Any, new: Any) -> Seen:
        gates = shown(where, where.jets(found), structure, left, right)
        if value is None:
            return Seen(gates, before.powers)
        ratio = jnp.log(jnp.minimum(jnp.abs(new / value), jnp.abs(value / new)))
        old, thin = (jnp.concatenate([g.left[None], g.thicknesses, g.right[None]]) for g in (before.gates, gates))
        known = (ratio < -0.1) & (old < LAYER * WIDEST * length)
        power = jnp.clip(jnp.log(thin / old) / jnp.where(known, ratio, -1.0), *POWERS)
        return Seen(gates, jnp.where(known, power, before.powers))

    wide = jnp.full(members, WIDEST) * length
    middle = jnp.full((structure.inside, members), 0.5)
    gates = Gates(wide, wide, left + length * middle, wide * jnp.ones_like(middle))
    values = None
    if target is not None:
        # the first value twice, for Newton's steps have furthest to go there
        falls = RATIO ** -jnp.maximum(jnp.arange(plan.count + 2) - 1.0, 0.0)[:, None]
        down, up = _nearer(target, FIRST * falls), _nearer(target, 1.0 / (FIRST * falls), False)
        values = jnp.where(jnp.abs(target) < 1.0, down, up)
    first = None if values is None else values[0]
    own = held if plan.name is None else {**held, plan.name: first}
    # powers are not known before two values have been seen: one, that of shocks
    seen = Seen(gates, jnp.ones((2 + structure.inside, members)))
    begin = first, straight(family, own, structure, gates, degree), seen
    count = None if values is not None else 2
    (value, fields, seen), _ = jax.lax.scan(stage, begin, values, length=count)
    last: Any
    last, start = onto(value, target, fields, seen)
    found = last.newton(start(last.mesh, last.offset), 1)
    live = last._replace(parameters=dict(parameters))
    if family.moving_ends:
        live = live._replace(mesh=partition_of(family, structure, parameters, seen.gates))
    whole: Solved = last.finished(jax.lax.stop_gradient(found), live, derivatives)
    return whole


def _nearer(target: Numbers, value: Any, downward: bool = True) -> Numbers:
    """A value with the sign of the target, that does not pass it."""
    size, value = jnp.abs(target), jnp.abs(value)
    return jnp.sign(target) * (jnp.maximum(size, value) if downward else jnp.minimum(size, value))


def straight(
    family: ArrayFamily, parameters: Parameters, structure: PartitionStructure, gates: Gates, degree: int
) -> SeriesFields:
    """What meets the conditions with as little bending as these allow."""
    mesh = partition_of(family, structure, parameters, gates)
    shapes = state_shapes(family.orders, 2 * max(family.orders) + 2)
    where = Setting(family, parameters, mesh, shapes)
    like = jnp.zeros_like(where.offset)
    whole = mesh.length.sum(0)
    partials = []
    for f, order in enumerate(shapes.orders):
        for j in range(order + 1):
            own = 1.0 if j == order else BEND * (-1.0) ** (order // 2) / whole**order if j == 0 else 0.0
            partials.append([like + (own if e == f else 0.0) for e in range(len(shapes.orders))])
    powers = [(RESOLVED / mesh.length) ** order for order in shapes.orders]
    scaled = [[a / size for a, size in zip(own, powers, strict=True)] for own in partials]
    weights, values = where.conditions()
    sites = jnp.zeros((len(shapes.orders) * like.shape[0], *like.shape[1:]))
    fields = where.fields(solve_with(factorised(shapes.rows(scaled, mesh), weights), sites, values))

    # as many coefficients as those of the steps that follow
    size = degree + 2 if family.condensed else degree + 1
    series = tuple(jnp.concatenate([own, jnp.zeros((size - own.shape[0], *own.shape[1:]))]) for own in fields.series)
    return SeriesFields(mesh, series)


def shown(
    where: Iteration, jets: Sequence[Numbers], structure: PartitionStructure, left: Numbers, right: Numbers
) -> Gates:
    """Where a solution is steep, and over what distance."""
    mesh, length = where.mesh, right - left
    steep = jnp.zeros(())
    number = 0
    for order in where.family.orders:
        value, slope = jets[number], jets[number + 1]
        spread = value.max((0, 1)) - value.min((0, 1))
        steep = jnp.maximum(steep, jnp.abs(slope) / jnp.where(spread > 0.0, spread, 1.0))
        number += order + 1
    x = mesh.anchor + where.offset
    ends = []
    for from_end in (x - left, right - x):
        at = jnp.where(from_end == from_end.min((0, 1)), steep, 0.0).max((0, 1))
        fallen = jnp.where(steep < at / np.e, from_end, jnp.inf).min((0, 1))
        ends.append(jnp.clip(fallen, THINNEST * length, WIDEST * length))
    empty = jnp.zeros((0, where.members))
    if not structure.inside:
        return Gates(ends[0], ends[1], empty, empty)
    # the ends' own layers are not steps inside
    clear = jnp.ones_like(steep, dtype=bool)
    if structure.left:
        clear &= x - left > BESIDE * ends[0]
    if structure.right:
        clear &= right - x > BESIDE * ends[1]
    own = jnp.where(clear, steep, 0.0)
    most = own.max((0, 1))
    peaked = (own / jnp.where(most > 0.0, most, 1.0)) ** 4 * mesh.length * jnp.asarray(where.weights)[:, None, None]
    place = (peaked * x).sum((0, 1)) / peaked.sum((0, 1))
    place = jnp.clip(place, left + AT_END * length, right - AT_END * length)
    thick = jnp.clip(ACROSS / jnp.where(most > 0.0, most, 1.0), THINNEST * length, WIDEST * length)
    return Gates(ends[0], ends[1], place[None], thick[None])
