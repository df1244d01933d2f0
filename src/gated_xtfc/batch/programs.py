"""The compiled programs of a family, one for a structure and a number of members.

On a processor members go through in chunks that stay in its cache.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import ArrayFamily, Parameters
from gated_xtfc.batch.grouping import PROGRAM
from gated_xtfc.batch.partition import Gates, PartitionStructure
from gated_xtfc.batch.sight import look
from gated_xtfc.batch.solver import Fields, Solved, solve_group
from gated_xtfc.batch.stages import StagePlan, solve_nonlinear
from gated_xtfc.batch.systems import solve_linear

CHUNK = 64  # members that fit into a processor's cache
LITTLE = 8  # ... where elements have larger matrices
SEEN = 4  # times as many are looked at
Found = TypeVar("Found")


@dataclass(frozen=True)
class ProgramSizes:
    """How many members go through a program at once."""

    small: int
    large: int
    chunk: int | None  # that are worked on at a time; None: all
    program: float  # elements that could be solved while a program is compiled

    @classmethod
    def here(cls, family: ArrayFamily) -> "ProgramSizes":
        if jax.default_backend() == "cpu":
            return cls(CHUNK, 64 * CHUNK, CHUNK if family.condensed else LITTLE, PROGRAM)
        # as many as hide what it costs to start its programs, and such that round numbers fill them
        return cls(4096, 102_400, None, 100.0 * PROGRAM)

    def of(self, members: int) -> int:
        return self.small if members <= 4 * self.small else self.large


def sites_for(tol: float, family: ArrayFamily) -> int:
    """Sites an element, or the degree of its polynomials: what a tolerance needs, and a little more for a shock."""
    found = 8 if tol >= 1e-6 else 10 if tol >= 1e-8 else 12 if tol >= 1e-10 else 14
    return max(found if family.linear else found + 2, 2 * max(family.orders) + 4 if not family.condensed else 0)


class Look(NamedTuple):
    """A `GatesSeen` with what decides on grouping at a glance."""

    gates: Gates
    code: Numbers  # (B,)
    ratio: Numbers
    glance: Numbers  # the least code, the largest one, and the largest ratio, (3,)


@dataclass
class Programs:
    """The compiled programs of a family."""

    family: ArrayFamily
    sites: int
    plan: StagePlan | None = None  # of a nonlinear family
    made: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    @property
    def structures(self) -> set[PartitionStructure]:
        return {key[0] for key in self.made if isinstance(key[0], PartitionStructure)}

    def look(self, parameters: Parameters, size: int) -> Look:
        """The gates of all members."""

        def run(some: Parameters) -> Look:
            if self.plan is not None:  # gates come from the solutions on the way
                none, empty = jnp.full(size, jnp.inf), jnp.zeros((0, size))
                code = jnp.zeros(size, dtype=int)
                return Look(Gates(none, none, empty, empty), code, none, jnp.zeros(3))
            bare, part = self.family.bare, self._part(size, SEEN) if some else size
            sight = in_parts(lambda own: look(bare, own, part), some, part)
            glance = sight.code.min(), sight.code.max(), sight.ratio.max()
            return Look(*sight, jnp.stack([jnp.asarray(one, dtype=float) for one in glance]))

        found: Look = self._made(("look", size), run)(parameters)
        return found

    def solve(
        self,
        structure: PartitionStructure,
        sites: int,
        parameters: Parameters,
        gates: Gates,
        x: Numbers | None,
    ) -> tuple[Any, Numbers]:
        """Fields, or values at x (n, 1) or (n, B), and errors."""
        size = gates.left.shape[0]
        part = self._part(size, 1)

        def of_part(some: tuple[Parameters, Gates], at: Numbers | None) -> tuple[Any, Numbers]:
            solved = self.solved(structure, sites, *some)
            return (solved.fields if at is None else solved.values(at)), solved.error

        def run(some: tuple[Parameters, Gates], at: Numbers | None) -> tuple[Any, Numbers]:
            if at is None or at.shape[1] == 1:  # places that all share are not cut
                return in_parts(lambda own: of_part(own, at), some, part)
            return in_parts(lambda own: of_part(*own), (some, at), part)

        key = (structure, sites, size, None if x is None else x.shape)
        found: tuple[Any, Numbers] = self._made(key, run)((parameters, gates), x)
        return found

    def solved(
        self,
        structure: PartitionStructure,
        sites: int,
        parameters: Parameters,
        gates: Gates,
        derivatives: int = 0,
    ) -> Solved:
        """A pure function of the parameters; `derivatives` says how many orders of derivatives in them are wanted."""
        if self.family.plain:
            return solve_group(self.family, structure, sites, parameters, gates, derivatives)
        if self.plan is not None:
            size = gates.left.shape[0]
            return solve_nonlinear(self.family, self.plan, structure, sites, parameters, size, derivatives)
        return solve_linear(self.family, structure, sites, parameters, gates, derivatives)

    def evaluate(self, fields: Fields, x: Numbers, order: int, number: int = 0) -> Numbers:
        return self._made(("values", order, number), lambda some, at: some(at, order, number))(fields, x)

    def _part(self, size: int, times: int) -> int:
        """How many members are worked on at a time: a processor does best with as many as its cache holds."""
        chunk = ProgramSizes.here(self.family).chunk
        return size if chunk is None else min(size, times * chunk)

    def _made(self, key: Any, run: Callable[..., Any]) -> Callable[..., Any]:
        if key not in self.made:
            self.made[key] = jax.jit(run)
        return self.made[key]


def in_parts(run: Callable[[Any], Found], whole: Any, part: int) -> Found:
    """A function of arrays (..., B), applied to so many members at a time."""
    leaves = jax.tree.leaves(whole)
    if not leaves or leaves[0].shape[-1] == part:
        return run(whole)
    size = leaves[0].shape[-1]

    def cut(a: Numbers) -> Numbers:
        # counted, not -1: a family may have no gates inside, (0, B)
        return jnp.moveaxis(a.reshape(*a.shape[:-1], size // part, part), -2, 0)

    def joined(parts: Numbers) -> Numbers:
        return jnp.moveaxis(parts, 0, -2).reshape(*parts.shape[1:-1], size)

    found: Found = jax.tree.map(joined, jax.lax.map(run, jax.tree.map(cut, whole)))
    return found
