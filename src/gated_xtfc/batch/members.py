"""Arrays of members through the programs of a family: looked at, grouped, solved, and again where that was too coarse.

A program is compiled once for a structure and a number of members; arrays are filled up to that number. On a processor
members go through in chunks that stay in its cache.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import ArrayFamily, Parameters
from gated_xtfc.batch.grouping import PROGRAM, grouped
from gated_xtfc.batch.partition import Gates, PartitionStructure
from gated_xtfc.batch.sight import look
from gated_xtfc.batch.solver import Fields, Solved, solve_group
from gated_xtfc.batch.stages import StagePlan, solve_nonlinear
from gated_xtfc.batch.systems import solve_linear
from gated_xtfc.types import Array, Index

LEVELS = ((0, 0), (2, 1), (2, 2))  # more sites, and halvings of all elements: what is tried one after the other
CHUNK = 64  # members that fit into a processor's cache
LITTLE = 8  # ... where elements have larger matrices


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
        return cls(4096, 131_072, None, 100.0 * PROGRAM)

    def of(self, members: int) -> int:
        return self.small if members <= 4 * self.small else self.large


class Portion(NamedTuple):
    """Members solved together on one structure."""

    numbers: Index
    level: int
    fields: Fields  # of as many members as the program takes: those beyond the numbers fill it up


def sites_for(tol: float, family: ArrayFamily) -> int:
    """Sites an element, or the degree of its polynomials: what a tolerance needs, and a little more for a shock."""
    found = 8 if tol >= 1e-6 else 10 if tol >= 1e-8 else 12 if tol >= 1e-10 else 14
    return max(found if family.linear else found + 2, 2 * max(family.orders) + 4 if not family.condensed else 0)


class Look(NamedTuple):
    """A `GatesSeen` with what decides on grouping at a glance."""

    gates: Gates
    code: Numbers  # (B,)
    ratio: Numbers
    least: Numbers  # code
    most: Numbers
    widest: Numbers  # ratio


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
                return Look(Gates(none, none, empty, empty), code, none, code[0], code[0], none[0])
            sight = look(self.family.bare, some, size)
            return Look(*sight, sight.code.min(), sight.code.max(), sight.ratio.max())

        found: Look = self._made(("look", size), run)(parameters)
        return found

    def solve(
        self,
        structure: PartitionStructure,
        sites: int,
        chunk: int | None,
        given: tuple[Parameters, Gates],
        x: Numbers | None,
    ) -> tuple[Any, Numbers]:
        """Fields, or values at x (n, 1) or (n, B), and errors."""
        size = given[1].left.shape[0]

        def of_chunk(some: tuple[Parameters, Gates], at: Numbers | None) -> tuple[Any, Numbers]:
            solved = self.solved(structure, sites, *some)
            return (solved.fields if at is None else solved.values(at)), solved.error

        def run(some: tuple[Parameters, Gates], at: Numbers | None) -> tuple[Any, Numbers]:
            if chunk is None or size == chunk:
                return of_chunk(some, at)

            def cut(a: Numbers) -> Numbers:
                # counted, not -1: a family may have no gates inside, (0, B)
                return jnp.moveaxis(a.reshape(*a.shape[:-1], a.shape[-1] // chunk, chunk), -2, 0)

            shared = at is None or at.shape[1] == 1
            pieces = jax.tree.map(cut, some if shared else (some, at))
            found = jax.lax.map((lambda one: of_chunk(one, at)) if shared else (lambda one: of_chunk(*one)), pieces)
            return jax.tree.map(_joined, found)  # type: ignore[no-any-return]

        key = (structure, sites, size, None if x is None else x.shape)
        found: tuple[Any, Numbers] = self._made(key, run)(given, x)
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
            return solve_group(self.family, structure, sites, parameters, gates)
        if self.plan is not None:
            size = gates.left.shape[0]
            return solve_nonlinear(self.family, self.plan, structure, sites, parameters, size, derivatives)
        return solve_linear(self.family, structure, sites, parameters, gates, derivatives)

    def evaluate(self, fields: Fields, x: Numbers, order: int, number: int = 0) -> Numbers:
        return self._made(("values", order, number), lambda some, at: some(at, order, number))(fields, x)

    def _made(self, key: Any, run: Callable[..., Any]) -> Callable[..., Any]:
        if key not in self.made:
            self.made[key] = jax.jit(run)
        return self.made[key]


def _joined(chunks: Numbers) -> Numbers:
    """(chunks, ..., members of a chunk) as (..., members)."""
    return jnp.moveaxis(chunks, 0, -2).reshape(*chunks.shape[1:-1], -1)


@dataclass
class Members:
    """What has become of an array of members, each with its own parameters (B,)."""

    programs: Programs
    parameters: Mapping[str, Array]
    tol: float
    x: Array | None = None  # (n,) or (B, n): then only values there are kept
    portions: list[Portion] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.count = next(iter(self.parameters.values())).shape[0]
        self.error = np.full(self.count, np.inf)  # estimated, relative to max|u|
        self.level = np.full(self.count, -1)  # at which it was solved last; -1: not at all
        fields = len(self.programs.family.fields)
        self.values = None if self.x is None else np.full((fields, self.count, self.x.shape[-1]), np.nan)

    @property
    def open(self) -> Index:
        """Those that are not within the tolerance."""
        return np.flatnonzero(~(self.error <= self.tol))

    @property
    def orders(self) -> tuple[int, ...]:
        """That of every field."""
        return self.programs.family.orders

    def at(self, each: Array, order: int, field: int) -> Array:
        """A derivative of a field of every member, at places (B, n)."""
        found = np.full(each.shape, np.nan)
        with jax.enable_x64(True):
            for portion in self.portions:
                own = portion.numbers
                there = jnp.asarray(each[np.resize(own, portion.fields.members)].T)
                values = np.asarray(self.programs.evaluate(portion.fields, there, order, field)).T[: own.size]
                last = self.level[own] == portion.level
                found[own[last]] = values[last]
        return found

    def run(self) -> "Members":
        """All members on the structures that they ask for; what is left, of all blocks together, on finer ones."""
        sizes = ProgramSizes.here(self.programs.family)
        size = sizes.of(self.count)
        left: dict[PartitionStructure, list[tuple[Index, Gates]]] = {}
        for start in range(0, self.count, size):
            block = np.arange(start, min(start + size, self.count))
            filled = self._filled(block, size)
            seen = self.programs.look(filled, size)
            for structure, own in self._groups(seen, block.size, sizes):
                whole = own.size == block.size
                gates = seen.gates if whole else _taken(seen.gates, own)
                self._level(structure, 0, block[own], gates, sizes, filled if whole else None)
                open_ = own[~(self.error[block[own]] <= self.tol)]
                if open_.size:
                    left.setdefault(structure, []).append((block[open_], _taken(seen.gates, open_)))
        for structure, parts in left.items():
            own = np.concatenate([numbers for numbers, _ in parts])
            gates = Gates(*(np.concatenate(column, axis=-1) for column in zip(*(g for _, g in parts), strict=True)))
            for level in range(1, len(LEVELS)):
                self._level(structure, level, own, gates, sizes)
                open_ = np.flatnonzero(~(self.error[own] <= self.tol))
                own, gates = own[open_], _taken(gates, open_)
        return self

    def _groups(self, seen: Look, count: int, sizes: ProgramSizes) -> Iterator[tuple[PartitionStructure, Index]]:
        """Structures with the members of a block, by their places in it, that are solved on each."""
        least, every = int(seen.least), np.arange(count)
        if least == int(seen.most):
            codes = None
            counts, ratios = {least: count}, {least: float(seen.widest)}
        else:
            codes, wide = np.asarray(seen.code)[:count], np.asarray(seen.ratio)[:count]
            there, how_many = np.unique(codes, return_counts=True)
            counts = dict(zip(there.tolist(), how_many.tolist(), strict=True))
            ratios = {one: float(wide[codes == one].max()) for one in counts}
        programs = self.programs
        if programs.plan is not None:
            yield programs.plan.structure, every
            return
        for structure, some in grouped(programs.family, counts, ratios, programs.structures, sizes.program):
            yield structure, every if codes is None else every[np.isin(codes, some)]

    def _level(
        self,
        structure: PartitionStructure,
        level: int,
        own: Index,
        gates: Gates,
        sizes: ProgramSizes,
        filled: Parameters | None = None,
    ) -> None:
        """These members with more sites and shorter elements; `filled` has their parameters where they are at hand."""
        more, halvings = LEVELS[level]
        finer = replace(structure, halvings=halvings)
        size = sizes.of(own.size) if filled is None else gates.left.shape[0]
        for first in range(0, own.size, size):
            numbers = own[first : first + size]
            some = gates
            if filled is None:
                some = _taken(gates, np.resize(np.arange(first, first + numbers.size), size))
            given = (self._filled(numbers, size) if filled is None else filled), some
            x = None
            if self.x is not None:
                x = self.x[:, None] if self.x.ndim == 1 else self.x[np.resize(numbers, size)].T
            found, error = self.programs.solve(finer, self.programs.sites + more, sizes.chunk, given, x)
            self.error[numbers] = np.asarray(error)[: numbers.size]
            self.level[numbers] = level
            if self.values is None:
                self.portions.append(Portion(numbers, level, found))
            else:
                self.values[:, numbers] = np.moveaxis(np.asarray(found), -1, 1)[:, : numbers.size]

    def _filled(self, numbers: Index, size: int) -> dict[str, Numbers]:
        """Parameters of these members, repeated until there are enough."""
        whole = numbers.size == size and numbers[-1] - numbers[0] == size - 1
        some = slice(int(numbers[0]), int(numbers[-1]) + 1) if whole else np.resize(numbers, size)
        return {name: jnp.moveaxis(jnp.asarray(values[some]), 0, -1) for name, values in self.parameters.items()}


def _taken(gates: Gates, numbers: Index) -> Gates:
    """Those of some members."""
    return Gates(*(np.asarray(one)[..., numbers] for one in gates))
