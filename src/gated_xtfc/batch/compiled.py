"""A family of problems as a function of arrays of parameters, solved at once on whatever JAX has."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.batch.array_batch import ArrayBatch, Ends, Told
from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import ArrayFamily, Source
from gated_xtfc.batch.given import checked_values, names_of, require_known
from gated_xtfc.batch.hidden import hides_more
from gated_xtfc.batch.members import Members
from gated_xtfc.batch.partition import EXPONENTIAL, PartitionStructure
from gated_xtfc.batch.programs import Programs, sites_for
from gated_xtfc.batch.sight import ODD, covering, structure_of
from gated_xtfc.batch.stages import StagePlan, planned
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import RowStatus, Status
from gated_xtfc.solver.options import check
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

Range = tuple[float, float]
PILOTS = 64  # members of given ranges that are looked at before a function is made
WIDE = 100.0  # ends so far apart, as a factor, that magnitudes are what varies
THINNEST = 1e6  # room over thickness that a function is prepared for where no ranges say what comes
SOURCED = "the estimated error is above the tolerance, and a source that is a function is known to the batch alone"
DERIVATIVES = 2  # orders of derivatives with respect to parameters that a function has
UNFINISHED = "the estimated error is above the tolerance, and members were not to be solved one by one"


def compiled_batch(
    problem: Problem, over: Sequence[str] | Mapping[str, Range], tol: float, source: Source | None = None
) -> Batch:
    """What `compile` gives where there is JAX."""
    family = ArrayFamily.of(problem, names_of(over), source)
    check(problem, tol)
    ranges = {name: _range(name, over[name]) for name in over} if isinstance(over, Mapping) else {}
    return Batch(family, tol, ranges)


@dataclass(frozen=True, eq=False, repr=False)
class Batch(ArrayBatch):
    """A family of problems, ready to be solved for arrays of parameters: what `compile` gives.

    Attributes
    ----------
    family
        What its texts say, as functions of arrays.
    tol
        The estimated error asked for.
    ranges
        Those that `function` is made for, by name.
    function
        The family as a pure function of JAX.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> batch = gx.compile(layer, over=["nu"])
    >>> batch(nu=[1e-3, 1e-2], x=[1.0]).values.round(6).tolist()
    [[1.0], [1.0]]
    """

    family: ArrayFamily
    tol: float
    ranges: Mapping[str, Range]

    @property
    def problem(self) -> Problem:  # type: ignore[override]
        """Any member."""
        return self.family.problem

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parameters that vary."""
        return self.family.names

    @cached_property
    def _programs(self) -> Programs:
        return Programs(self.family, sites_for(self.tol, self.family))

    def _told(self, given: Mapping[str, Array], x: Array | None, one_by_one: bool) -> Told:
        with jax.enable_x64(True):
            programs = self._programs
            if not self.family.linear:
                self._planned(given)
            members = Members(programs, given, self.tol, x)
            if programs.plan is not None or not hides_more(programs, given):
                members.run()
        statuses: dict[int, str] = {}
        messages: dict[int, str] = {}
        solutions: dict[int, Solution] = {}
        for number in members.open.tolist():
            if not one_by_one or self.family.source is not None:
                told = UNFINISHED if self.family.source is None else SOURCED
                statuses[number], messages[number] = Status.RESOLUTION.value, told
                continue
            try:
                solution = solve(self.family.member({name: values[number] for name, values in given.items()}), self.tol)
            except InputError as refused:
                statuses[number], messages[number] = RowStatus.FAILED.value, str(refused)
                members.refuse(number)
                continue
            statuses[number], messages[number] = solution.status.value, solution.message
            members.refuse(number)
            members.error[number] = solution.error
            if x is None:
                solutions[number] = solution
            elif np.isfinite(solution.error):
                own = x if x.ndim == 1 else x[number]
                members.alone[number] = np.array([solution[name](own) for name in self.family.fields])
        return Told(members, members.error, statuses, messages, solutions)

    @cached_property
    def function(self) -> Callable[..., tuple[Numbers, Numbers]]:
        """The family as a pure function of JAX, for use under jit, vmap, grad, jvp and compositions of them.

        ``u, error = batch.function(x, nu=nu, b=b)``: parameters are numbers or arrays of one shape, to which that of x
        is appended in u, and before which a system has its fields; `error` is the estimate, relative to max|u|.
        Derivatives are those of the solution with the gates held, first and second ones. Nothing is refined and nothing
        solved one by one: look at `error`. Wants JAX in double precision
        (``jax.config.update("jax_enable_x64", True)``).
        """
        structure, family, programs = self._covering(), self.family, self._programs
        sites = programs.sites

        def function(x: Any, order: int = 0, **parameters: Any) -> tuple[Numbers, Numbers]:
            found: tuple[Numbers, Numbers] = jitted(x, order, **parameters)
            return found

        @partial(jax.jit, static_argnums=1)
        def jitted(x: Any, order: int, **parameters: Any) -> tuple[Numbers, Numbers]:
            if jnp.result_type(float) != jnp.float64:
                raise InputError('JAX must be in double precision: jax.config.update("jax_enable_x64", True)')
            for name in parameters:
                require_known(name, self.family.names)
            values = {name: jnp.asarray(value, dtype=float) for name, value in parameters.items()}
            inner = {name: self._inner(name) for name in values}
            shape = jnp.broadcast_shapes(*(value.shape[: value.ndim - inner[name]] for name, value in values.items()))
            count = int(np.prod(shape))
            flat = {}
            for name, value in values.items():
                own = value.shape[value.ndim - inner[name] :]
                flat[name] = jnp.moveaxis(jnp.broadcast_to(value, (*shape, *own)).reshape(count, *own), 0, -1)
            some = {name: value for name, value in flat.items() if name not in family.own}
            gates = programs.look(jax.lax.stop_gradient(some), count).gates
            solved = programs.solved(structure, sites, flat, gates, DERIVATIVES)
            at = jnp.asarray(x, dtype=float)
            found = jnp.moveaxis(solved.values(at.reshape(-1, 1), order), -1, 1)  # (F, B, n)
            found = found.reshape(len(family.fields), *shape, *at.shape)
            return (found if len(family.fields) > 1 else found[0]), solved.error.reshape(shape)

        return function

    def _covering(self) -> PartitionStructure:
        """The structure that members of the ranges need, or one that most members can be solved on."""
        base = self.family.problem.given
        random = np.random.default_rng(0)  # pilots are the same every time
        pilots = {}
        for name in (name for name in self.family.names if name in base):
            if name in self.family.problem.tables:
                own = np.zeros((PILOTS, len(base[name].y))) + np.array(base[name].y)
                pilots[name] = random.uniform(*self.ranges[name], own.shape) if name in self.ranges else own
                continue
            low, high = self.ranges.get(name, (base[name], base[name]))
            part = np.concatenate([[0.0, 1.0], random.uniform(0.0, 1.0, PILOTS - 2)])
            part[:2] = part[:2] if name == self.family.names[0] else random.permutation(part[:2])
            log = low > 0.0 and high >= WIDE * low
            pilots[name] = low * (high / low) ** part if log else low + (high - low) * part
        with jax.enable_x64(True), jax.ensure_compile_time_eval():
            if not self.family.linear:
                return self._planned(pilots).structure
            some = {name: jnp.asarray(np.moveaxis(values, 0, -1)) for name, values in pilots.items()}
            seen = self._programs.look(some, PILOTS)
            codes, ratios = np.asarray(seen.code), np.asarray(seen.ratio)
        widest = float(ratios.max()) if self.ranges else max(float(ratios.max()), THINNEST)
        found = [structure_of(self.family, int(one), widest) for one in np.unique(codes) if one != ODD]
        if not self.ranges:
            found.append(PartitionStructure(EXPONENTIAL, EXPONENTIAL))
        if not found:
            raise InputError("the members of this family are not for a function: solve them by calling the batch")
        return covering(found)

    def _planned(self, parameters: Mapping[str, Array]) -> StagePlan:
        """How nonlinear members are solved; what was seen of members before holds for those after them as well."""
        programs = self._programs
        if programs.plan is None or programs.plan.falls_short(self.family, parameters):
            plan = planned(self.family, parameters)
            programs.plan = plan if programs.plan is None else programs.plan.joined(plan)
            programs.made.clear()
        return programs.plan

    def _inner(self, name: str) -> int:
        """Dimensions that one member's value has."""
        return int(name in self.family.lists)

    def _checked(self, parameters: Mapping[str, ArrayLike]) -> dict[str, Array]:
        given = checked_values(self.names, parameters, self._inner)
        for name, table in self.family.problem.tables.items():
            if name in given and given[name].shape[1] != len(table.x):
                raise InputError(
                    f"the table '{name}' has {len(table.x)} knots, and {given[name].shape[1]} values of it are given: "
                    "give one for each knot"
                )
        return given

    def _ends(self, given: Mapping[str, Array]) -> Ends:
        moving, own = self.family.moving_ends, self.family.own
        with jax.enable_x64(True):
            some = {name: jnp.asarray(values) for name, values in given.items() if moving and name not in own}
            left, right = self.family.interval(some)
        return np.asarray(left), np.asarray(right)


def _range(name: str, given: Any) -> Range:
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        raise InputError(
            f"the range of {name} must be two numbers like (1e-8, 1e-1), not {quoted(str(given))}"
        ) from None
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise InputError(f"the range of {name} must be two finite numbers, the smaller first, not {quoted(str(given))}")
    return low, high
