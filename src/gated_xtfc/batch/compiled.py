"""compile: a family of problems as a function of arrays of parameters, solved at once on whatever JAX has."""

from __future__ import annotations  # help() shows types as they are written here

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import BatchFamily
from gated_xtfc.batch.hidden import hides_more
from gated_xtfc.batch.members import Members, Programs, sites_for
from gated_xtfc.batch.partition import EXPONENTIAL, PartitionStructure
from gated_xtfc.batch.result import BatchSolutions, places
from gated_xtfc.batch.sight import ODD, covering, look, structure_of
from gated_xtfc.batch.solver import solve_group
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.options import check
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

Range = tuple[float, float]
PILOTS = 64  # members of given ranges that are looked at before a function is made
WIDE = 100.0  # ends so far apart, as a factor, that magnitudes are what varies
THINNEST = 1e6  # room over thickness that a function is prepared for where no ranges say what comes
UNFINISHED = "the estimated error is above the tolerance, and members were not to be solved one by one"


def compile(problem: Problem, over: Sequence[str] | Mapping[str, Range], tol: float = 1e-8) -> Batch:
    """Make a family of problems a function of arrays of parameters.

    Every member has gates of its own, an error estimate and a status. Needs JAX (the extra `jax`); double precision is
    used whatever JAX is set to.

    Parameters
    ----------
    problem
        Any member of the family: one linear equation of second order on an interval, as text.
    over
        The names of the parameters that vary; with the ranges they vary in, ``{"nu": (1e-8, 1e-1)}``, `Batch.function`
        is made for these.
    tol
        The estimated error asked for, relative to max|u|.

    Returns
    -------
    Batch

    Raises
    ------
    InputError
        Where the problem is of another kind, a name is no parameter of it, or JAX is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = b"], nu=1e-2, b=1)
    >>> batch = gx.compile(layer, over=["nu", "b"])
    >>> result = batch(nu=np.geomspace(1e-6, 1e-2, 5), b=2.0)
    >>> bool(result.converged.all()), result(1.0).round(6).tolist()
    (True, [2.0, 2.0, 2.0, 2.0, 2.0])
    """
    if isinstance(over, str):
        over = [over]
    family = BatchFamily.of(problem, _names(over))
    check(problem, tol)
    ranges = {name: _range(name, over[name]) for name in over} if isinstance(over, Mapping) else {}
    return Batch(family, tol, ranges)


@dataclass(frozen=True, eq=False)
class Batch:
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

    family: BatchFamily
    tol: float
    ranges: Mapping[str, Range]

    def __repr__(self) -> str:
        return f"Batch({self.family.problem!r} over {', '.join(self.family.names)})"

    @cached_property
    def _programs(self) -> Programs:
        return Programs(self.family, sites_for(self.tol))

    def __call__(
        self, *, x: ArrayLike | None = None, one_by_one: bool = True, **parameters: ArrayLike
    ) -> BatchSolutions:
        """Solve all members.

        Parameters
        ----------
        x
            Places, (n,) or (B, n). Where they are given, values there are all that is kept.
        one_by_one
            Whether members whose estimate does not meet the tolerance go on to `solve`.
        **parameters
            An array (B,) or a number for each; those left out keep the value that the problem has.

        Returns
        -------
        BatchSolutions

        Raises
        ------
        InputError
            Where names or shapes do not fit, or a value is not finite.
        """
        begun = time.perf_counter()
        given = self._checked(parameters)
        count = next(iter(given.values())).size
        with jax.enable_x64(True):
            ends = self._ends(given, count)
            at = None if x is None else np.atleast_1d(places(x, ends, count))
            members = Members(self._programs, given, self.tol, at)
            if not hides_more(self._programs, given):
                members.run()
        status = np.full(count, Status.CONVERGED.value, dtype=_LONGEST)
        messages: dict[int, str] = {}
        solutions: dict[int, Solution] = {}
        for number in members.open.tolist():
            if not one_by_one:
                status[number], messages[number] = Status.RESOLUTION.value, UNFINISHED
                continue
            member = {name: float(values[number]) for name, values in given.items()}
            solution = solve(self.family.problem(**member), self.tol)
            status[number], messages[number] = solution.status.value, solution.message
            members.error[number] = solution.error
            members.level[number] = -1
            if members.values is None:
                solutions[number] = solution
            elif at is not None:
                members.values[number] = solution(at if at.ndim == 1 else at[number])
        seconds, family = time.perf_counter() - begun, self.family
        return BatchSolutions(
            given, members.error, status, messages, solutions, seconds, family.field, family.coordinate, members, ends
        )

    @cached_property
    def function(self) -> Callable[..., tuple[Numbers, Numbers]]:
        """The family as a pure function of JAX, for use under jit, vmap, grad, jvp and compositions of them.

        ``u, error = batch.function(x, nu=nu, b=b)``: parameters are numbers or arrays of one shape, to which that of x
        is appended in u; `error` is the estimate, relative to max|u|. Derivatives are those of the solution with the
        gates held. Nothing is refined and nothing solved one by one: look at `error`. Wants JAX in double precision
        (``jax.config.update("jax_enable_x64", True)``).
        """
        structure, family, sites = self._covering(), self.family, sites_for(self.tol)

        def function(x: Any, order: int = 0, **parameters: Any) -> tuple[Numbers, Numbers]:
            found: tuple[Numbers, Numbers] = jitted(x, order, **parameters)
            return found

        @partial(jax.jit, static_argnums=1)
        def jitted(x: Any, order: int, **parameters: Any) -> tuple[Numbers, Numbers]:
            if jnp.result_type(float) != jnp.float64:
                raise InputError('JAX must be in double precision: jax.config.update("jax_enable_x64", True)')
            for name in parameters:
                self._known(name)
            values = {name: jnp.asarray(value, dtype=float) for name, value in parameters.items()}
            shape = jnp.broadcast_shapes(*(value.shape for value in values.values())) if values else ()
            flat = {name: jnp.broadcast_to(value, shape).reshape(-1) for name, value in values.items()}
            count = int(np.prod(shape))
            gates = look(family, jax.lax.stop_gradient(flat), count).gates
            solved = solve_group(family, structure, sites, flat, gates)
            at = jnp.asarray(x, dtype=float)
            found = solved.fields(at.reshape(-1, 1), order)
            return found.T.reshape(*shape, *at.shape), solved.error.reshape(shape)

        return function

    def _covering(self) -> PartitionStructure:
        """The structure that members of the ranges need, or one that most members can be solved on."""
        base = self.family.problem.parameters
        random = np.random.default_rng(0)  # pilots are the same every time
        pilots = {}
        for name in self.family.names:
            low, high = self.ranges.get(name, (base[name], base[name]))
            part = np.concatenate([[0.0, 1.0], random.uniform(0.0, 1.0, PILOTS - 2)])
            part[:2] = part[:2] if name == self.family.names[0] else random.permutation(part[:2])
            log = low > 0.0 and high >= WIDE * low
            pilots[name] = low * (high / low) ** part if log else low + (high - low) * part
        with jax.enable_x64(True), jax.ensure_compile_time_eval():
            seen = self._programs.look({name: jnp.asarray(values) for name, values in pilots.items()})
            codes, ratios = np.asarray(seen.code), np.asarray(seen.ratio)
        widest = float(ratios.max()) if self.ranges else max(float(ratios.max()), THINNEST)
        found = [structure_of(self.family, int(one), widest) for one in np.unique(codes) if one != ODD]
        if not self.ranges:
            found.append(PartitionStructure(EXPONENTIAL, EXPONENTIAL))
        if not found:
            raise InputError("the members of this family are not for a function: solve them by calling the batch")
        return covering(found)

    def _checked(self, parameters: Mapping[str, ArrayLike]) -> dict[str, Array]:
        if not parameters:
            raise InputError(
                f"give values to {', '.join(self.family.names)}, as in batch({self.family.names[0]}=array)"
            )
        given: dict[str, Array] = {}
        for name, value in parameters.items():
            self._known(name)
            try:
                given[name] = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                raise InputError(f"the values of {name} must be numbers, not {quoted(str(value))}") from None
            if given[name].ndim > 1:
                raise InputError(f"the values of {name} have the shape {given[name].shape}: give one dimension")
            if not np.isfinite(given[name]).all():
                raise InputError(f"the values of {name} contain NaN or infinity: give finite numbers")
        count = {values.size for values in given.values() if values.ndim}
        if len(count) > 1 or 0 in count:
            told = ", ".join(f"{values.size} of {name}" for name, values in given.items() if values.ndim)
            raise InputError(f"there are {told}: give as many values of each, or one for all")
        number = count.pop() if count else 1
        return {name: np.ascontiguousarray(np.broadcast_to(values, (number,))) for name, values in given.items()}

    def _known(self, name: str) -> None:
        if name not in self.family.names:
            raise InputError(f"the batch varies {', '.join(self.family.names)}, not {quoted(name)}: name it in over")

    def _ends(self, given: Mapping[str, Array], count: int) -> tuple[Array, Array]:
        found = self.family.interval({name: jnp.asarray(values) for name, values in given.items()})
        left, right = (np.broadcast_to(np.asarray(end), (count,)) for end in found)
        return left, right


_LONGEST = f"<U{max(len(word.value) for word in Status)}"


def _names(over: object) -> tuple[str, ...]:
    if not isinstance(over, Sequence | Mapping) or not over or not all(isinstance(name, str) for name in over):
        raise InputError(f'a batch goes over parameters, named like over=["nu"], not over={over!r}')
    return tuple(over)


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
