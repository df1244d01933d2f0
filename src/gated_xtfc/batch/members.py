"""Arrays of members through the programs of a family: looked at, grouped, solved, and again where that was too coarse.

Arrays are filled up to the number of members that a program takes. What is found stays where it was found until it is
asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import Parameters
from gated_xtfc.batch.grouping import grouped
from gated_xtfc.batch.partition import Gates, PartitionStructure
from gated_xtfc.batch.programs import Look, Programs, ProgramSizes
from gated_xtfc.batch.sight import ODD
from gated_xtfc.types import Array, Index

LEVELS = ((0, 0), (2, 1), (2, 2))  # more sites, and halvings of all elements: what is tried one after the other


class Portion(NamedTuple):
    """Members solved together on one structure, where they were solved: nothing is fetched until it is asked for."""

    numbers: Index
    level: int
    found: Any  # fields, or values (F, n, size) at given places: those beyond the numbers fill it up
    error: Numbers  # (size,)


@dataclass
class Members:
    """What has become of an array of members, each with its own parameters (B,)."""

    programs: Programs
    parameters: Mapping[str, Array]
    tol: float
    x: Array | None = None  # (n,) or (B, n): then only values there are kept
    portions: list[Portion] = field(default_factory=list)
    alone: dict[int, Array] = field(default_factory=dict)  # values (F, n) of members that were solved elsewhere

    def __post_init__(self) -> None:
        self.count = next(iter(self.parameters.values())).shape[0]
        self.error = np.full(self.count, np.inf)  # estimated, relative to max|u|
        self.level = np.full(self.count, -1, dtype=np.int8)  # at which it was solved last; -1: not at all

    @property
    def open(self) -> Index:
        """Those that are not within the tolerance."""
        return np.flatnonzero(~(self.error <= self.tol))

    def refuse(self, number: int) -> None:
        """Nothing that was found of a member holds."""
        self.error[number], self.level[number] = np.inf, -1

    @property
    def orders(self) -> tuple[int, ...]:
        """That of every field."""
        return self.programs.family.orders

    @cached_property
    def values(self) -> Array | None:
        """Of all fields at the places that were given, (F, B, n)."""
        if self.x is None:
            return None
        found = np.full((len(self.orders), self.count, self.x.shape[-1]), np.nan)
        for portion in self.portions:
            own = portion.numbers
            last = self.level[own] == portion.level
            found[:, own[last]] = np.moveaxis(np.asarray(portion.found), -1, 1)[:, : own.size][:, last]
        for number, values in self.alone.items():
            found[:, number] = values
        return found

    def at(self, each: Array, order: int, field: int) -> Array:
        """A derivative of a field of every member, at places (B, n)."""
        found = np.full(each.shape, np.nan)
        with jax.enable_x64(True):
            for portion in self.portions:
                own = portion.numbers
                there = jnp.asarray(each[np.resize(own, portion.found.members)].T)
                values = np.asarray(self.programs.evaluate(portion.found, there, order, field)).T[: own.size]
                last = self.level[own] == portion.level
                found[own[last]] = values[last]
        return found

    def run(self) -> "Members":
        """All members on the structures that they ask for; what is left, of all blocks together, on finer ones.

        A device works through what it was given while more is prepared: its answers are awaited when all was asked.
        """
        sizes = ProgramSizes.here(self.programs.family)
        size = sizes.of(self.count)
        blocks = [np.arange(first, min(first + size, self.count)) for first in range(0, self.count, size)]
        filled = [self._filled(block, size) for block in blocks]
        looks = [self.programs.look(some, size) for some in filled]
        left: list[tuple[PartitionStructure, Index, Gates]] = []
        whole, groups = self._groups(looks, sizes)
        if whole is not None:
            self._solve(whole, 0, zip(blocks, filled, (seen.gates for seen in looks), strict=True))
            if self.open.size:
                left.append((whole, np.arange(self.count), _joined_gates(looks, self.count)))
        else:
            gates = _joined_gates(looks, self.count)
            left = [(structure, own, _taken(gates, own)) for structure, own in groups]
        for structure, own, gates in left:
            for level in range(int(whole is not None), len(LEVELS)):
                open_ = np.flatnonzero(~(self.error[own] <= self.tol))
                own, gates = own[open_], _taken(gates, open_)
                self._level(structure, level, own, gates, sizes)
        return self

    def _groups(
        self, looks: list[Look], sizes: ProgramSizes
    ) -> tuple[PartitionStructure | None, list[tuple[PartitionStructure, Index]]]:
        """The structure of all members, or structures with the members that are solved on each."""
        programs = self.programs
        if programs.plan is not None:
            return programs.plan.structure, []
        least, most, widest = np.asarray([np.asarray(seen.glance) for seen in looks]).T
        alike = least.min() == most.max()
        if alike:
            counts, ratios = {int(least[0]): self.count}, {int(least[0]): float(widest.max())}
        else:
            codes = np.concatenate([np.asarray(seen.code) for seen in looks])[: self.count]
            wide = np.concatenate([np.asarray(seen.ratio) for seen in looks])[: self.count]
            often = np.bincount(codes - ODD)  # codes are small numbers: no need to sort them
            counts = {int(one) + ODD: int(often[one]) for one in np.flatnonzero(often)}
            ratios = {one: float(wide[codes == one].max()) for one in counts}
        found = grouped(programs.family, counts, ratios, programs.structures, sizes.program)
        if len(found) == 1 and len(found[0][1]) == len(counts):
            return found[0][0], []
        return None, [(structure, np.flatnonzero(np.isin(codes, some))) for structure, some in found]

    def _level(self, structure: PartitionStructure, level: int, own: Index, gates: Gates, sizes: ProgramSizes) -> None:
        """These members with more sites and shorter elements."""
        size = sizes.of(own.size)

        def blocks() -> Iterator[tuple[Index, Parameters, Gates]]:
            for first in range(0, own.size, size):
                numbers = own[first : first + size]
                some = _taken(gates, np.resize(np.arange(first, first + numbers.size), size))
                yield numbers, self._filled(numbers, size), some

        self._solve(structure, level, blocks())

    def _solve(
        self, structure: PartitionStructure, level: int, blocks: Iterable[tuple[Index, Parameters, Gates]]
    ) -> None:
        """Asks for the solutions of all blocks, then takes the errors."""
        more, halvings = LEVELS[level]
        finer, before = replace(structure, halvings=halvings), len(self.portions)
        for numbers, filled, gates in blocks:
            x = self.x
            if x is not None:
                x = x[:, None] if x.ndim == 1 else x[np.resize(numbers, gates.left.shape[0])].T
            found, error = self.programs.solve(finer, self.programs.sites + more, filled, gates, x)
            self.portions.append(Portion(numbers, level, found, error))
        for numbers, _, _, error in self.portions[before:]:
            self.error[numbers] = np.asarray(error)[: numbers.size]
            self.level[numbers] = level

    def _filled(self, numbers: Index, size: int) -> dict[str, Numbers]:
        """Parameters of these members, repeated until there are enough."""
        whole = numbers.size == size and numbers[-1] - numbers[0] == size - 1
        some = slice(int(numbers[0]), int(numbers[-1]) + 1) if whole else np.resize(numbers, size)
        return {name: jnp.asarray(np.moveaxis(values[some], 0, -1)) for name, values in self.parameters.items()}


def _taken(gates: Gates, numbers: Index) -> Gates:
    """Those of some members."""
    return Gates(*(np.asarray(one)[..., numbers] for one in gates))


def _joined_gates(looks: list[Look], count: int) -> Gates:
    """Those of all blocks, of so many members."""
    columns = zip(*(seen.gates for seen in looks), strict=True)
    return Gates(*(np.concatenate([np.asarray(one) for one in column], axis=-1)[..., :count] for column in columns))
