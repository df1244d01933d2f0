"""The equations solved for the derivatives in time: M u_t + r = 0 becomes u_t = F = -M^-1 r, by dual numbers.

Equations without a derivative in time are left as they are, 0 = F; each of them is given to a field that has none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.gates.probe_lines import FIELD, SWITCHES, argument_watch
from gated_xtfc.language.dual import Dual, Operand, unknown, value_of
from gated_xtfc.problem.algebraic import completed
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.evolution import HIGHEST, Evolution, Flux
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.moving.compiled_system import Code, compiled_programs
from gated_xtfc.types import Array, Index

PLACE = "place"  # by which texts can switch
Jets = tuple[Array, Array, Array]  # u, u_x, u_xx, each (m, ...)


class Partials(NamedTuple):
    """dF_a / d(u_b, u_bx, u_bxx), each (m, m, ...)."""

    value: Array
    first: Array
    second: Array


@dataclass(frozen=True, eq=False)
class Equations:
    """The right sides F of a problem that evolves."""

    problem: Problem

    @cached_property
    def evolution(self) -> Evolution:
        assert self.problem.evolution is not None
        return self.problem.evolution

    @property
    def count(self) -> int:
        return len(self.problem.fields)

    def completed(self, x: Array, t: float, values: Array) -> Array:
        """Values (m, n) at places in order, with plain fields as the others ask for."""
        return completed(self.problem.equations, self.problem.fields, self.evolution, x, t, values)

    def follows(self, partials: Partials) -> Array:
        """By how much values change with those that are not plain, (m, m, ...): plain fields follow at once."""
        shape = partials.value.shape[2:]
        found = np.zeros(partials.value.shape)
        found[np.arange(self.count), np.arange(self.count)] = 1.0
        gone = np.flatnonzero(self.evolution.plain)
        if gone.size:
            kept = np.setdiff1d(np.arange(self.count), gone)
            value = partials.value.reshape(self.count, self.count, -1)
            inner = np.moveaxis(value[np.ix_(gone, gone)], 2, 0)
            outer = np.moveaxis(value[np.ix_(gone, kept)], 2, 0)
            own = -np.linalg.solve(inner, outer)
            found[gone[:, None], gone] = 0.0
            found[np.ix_(gone, kept)] = np.moveaxis(own, 0, 2).reshape(gone.size, kept.size, *shape)
        return found

    @cached_property
    def _keys(self) -> list[list[tuple[str, tuple[int, ...]]]]:
        along = self.evolution.along
        return [[(name, along(k, 0)) for k in range(HIGHEST + 1)] for name in self.problem.fields]

    @cached_property
    def _rates(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(name, self.evolution.along(0, 1)) for name in self.problem.fields]

    @cached_property
    def timed(self) -> tuple[Index, Index]:
        """Numbers of the equations with a derivative in time, and of the fields with one."""
        unit = self.evolution.along(0, 1)
        rows = [any(orders == unit for _, orders in one.derivatives) for one in self.problem.equations]
        return np.flatnonzero(rows), np.flatnonzero(self.evolution.evolving)

    @cached_property
    def untimed(self) -> tuple[Index, Index]:
        """The others, every field with its equation."""
        fields = np.flatnonzero(~np.array(self.evolution.evolving))
        return np.array(self.evolution.own)[fields], fields

    @cached_property
    def hosts(self) -> Index | None:
        """Of fields with a second derivative the equations that give way to what joins them at a break, -1 of others.

        None where fields of first order are not carried by themselves: what joins these is not known.
        """
        evolution = self.evolution
        if evolution.waves:
            return None
        x = evolution.space.left + evolution.space.length * np.array([0.3, 0.7])
        u, u_x, u_xx = (np.full((self.count, 2), 0.5 + 0.1 * k) for k in range(3))
        first = self.inserted(self.partials(x, evolution.time.left, (u, u_x, u_xx))).first
        for f, order in enumerate(evolution.orders):
            if order == 1 and not (evolution.evolving[f] and first[f, f].any()):
                return None
        return np.array([f if order == 2 else -1 for f, order in enumerate(evolution.orders)])

    @cached_property
    def fluxes(self) -> tuple[Flux | None, ...]:
        """For every field what its equation has a derivative in space of, where the slope of the field is in it."""
        along, found = self.evolution.along, list[Flux | None]()
        for f, name in enumerate(self.problem.fields):
            own = sorted(self.problem.equations, key=lambda one: self._rates[f] not in one.derivatives)
            seen = [
                Flux(flux, one.parameters)
                for one in own
                if isinstance(one, TextEquation)
                for flux in one.program.fluxes
                if (name, along(1, 0)) in flux.derivatives
                and not any(o[along(0, 1).index(1)] for _, o in flux.derivatives)
            ]
            found.append(seen[0] if seen and self.evolution.orders[f] == 2 else None)
        return tuple(found)

    def _run(self, x: Array, t: Array, state: Mapping[Any, Operand]) -> list[Operand]:
        at = self.evolution.point(x, t)
        return [equation.residual(at, state) for equation in self.problem.equations]

    def _state(self, jets: Jets, seeded: bool = False) -> dict[Any, Operand]:
        state: dict[Any, Operand] = {}
        for f, keys in enumerate(self._keys):
            for key, values in zip(keys, jets, strict=True):
                state[key] = unknown(key, values[f]) if seeded else values[f]
        return state

    def inserted(self, partials: Partials) -> Partials:
        """The same once plain fields are inserted: what those that they follow from do through them."""
        if not any(self.evolution.plain):
            return partials
        follows = self.follows(partials)
        return Partials(*(np.einsum("fg...,gh...->fh...", one, follows) for one in partials))

    @cached_property
    def switches(self) -> bool:
        """Whether a text compares, or bends as abs(u) does."""
        return any(isinstance(one, TextEquation) and one.switches for one in self.problem.equations)

    def switched_by(self, x: Array, t: float, jets: Jets) -> list[Array]:
        """What texts switch by along a solution, each (n,)."""
        found: list[Array] = []

        def keep(operation: str, operand: Operand) -> None:
            if operation in SWITCHES and isinstance(operand, Dual):
                found.append(np.zeros_like(x) + operand.value)

        state = self._zero_rates()
        for f, keys in enumerate(self._keys):
            state |= {key: Dual(values[f], {FIELD: 1.0}) for key, values in zip(keys, jets, strict=True)}
        with np.errstate(all="ignore"):
            for equation in self.problem.equations:
                equation.residual(
                    self.evolution.point(Dual(x, {PLACE: 1.0}), np.asarray(t)), state, argument_watch(keep)
                )
        return found

    def _mass(self, found: list[Operand], shape: tuple[int, ...]) -> Array:
        """M, (m', m', ...), over equations and fields with a derivative in time."""
        rows, fields = self.timed
        mass = np.zeros((rows.size, fields.size, *shape))
        for i, e in enumerate(rows):
            one = found[e]
            partials: dict[Any, Any] = {**one.partials} if isinstance(one, Dual) else {}
            for j, f in enumerate(fields):
                mass[i, j] = partials.get(self._rates[f], 0.0)
        return mass

    @cached_property
    def _constant_mass(self) -> Array | None:
        """M where it is the same everywhere and always, (m', m')."""
        point = np.array([0.3, 0.7])
        x = self.evolution.space.left + self.evolution.space.length * point
        jets: Jets = tuple(np.full((self.count, 2), 0.5 + 0.1 * k) * (1 + point) for k in range(3))
        state = self._state(jets, seeded=True) | {key: unknown(key, 0.0) for key in self._rates}
        found = self._run(x, self.evolution.time.left + self.evolution.horizon * point, state)
        for e in self.timed[0]:
            one = found[e]
            if not isinstance(one, Dual) or any(np.ndim(one.partials.get(key, 0.0)) for key in self._rates):
                return None
        # a factor that holds a field is an array where the field is one, so what is left are numbers
        return self._mass(found, ())

    def _zero_rates(self) -> dict[Any, Operand]:
        return dict.fromkeys(self._rates, 0.0)

    def __call__(self, x: Array, t: Array, jets: Jets) -> Array:
        """F at places and times that broadcast with the jets (m, ...): (m, ...)."""
        shape, state = jets[0].shape[1:], self._state(jets)
        with np.errstate(all="ignore"):
            if self._constant_mass is not None:
                return self._solved(self._run(x, t, state | self._zero_rates()), self._constant_mass, shape)
            found = self._run(x, t, state | {key: unknown(key, 0.0) for key in self._rates})
            return self._solved(found, self._mass(found, shape), shape)

    def _solved(self, found: list[Operand], mass: Array, shape: tuple[int, ...]) -> Array:
        rows, fields = self.timed
        right = np.empty((self.count, *shape))
        for f, e in zip(self.untimed[1], self.untimed[0], strict=True):
            right[f] = -value_of(found[e])
        values = np.empty((rows.size, *shape))
        for i, e in enumerate(rows):
            values[i] = value_of(found[e])
        inverse = self.constant_inverse
        if inverse is not None and inverse.size == 1:
            right[fields] = -float(inverse[0, 0]) * values
        else:
            right[fields] = -(_solved(mass, values) if inverse is None else np.tensordot(inverse, values, 1))
        return right

    @cached_property
    def programs(self) -> tuple[tuple[Code, ...], list[int]] | None:
        """All texts as the compiled core reads them; None where it does not know what is in them."""
        return compiled_programs(self)

    @cached_property
    def constant_inverse(self) -> Array | None:
        mass = self._constant_mass
        return None if mass is None else np.asarray(np.linalg.inv(mass), dtype=np.float64)

    def partials(self, x: Array, t: float, jets: Jets) -> Partials:
        """The derivatives of F at places (n,) and one time."""
        shape = jets[0].shape[1:]
        with np.errstate(all="ignore"):
            if self._constant_mass is None:
                rates = self(x, np.asarray(t), jets)
                given: dict[Any, Operand] = {key: unknown(key, rates[f]) for f, key in enumerate(self._rates)}
            else:
                given = self._zero_rates()
            found = self._run(x, np.asarray(t), self._state(jets, seeded=True) | given)
            mass = self._mass(found, shape) if self._constant_mass is None else self._constant_mass
            parts = []
            for order in range(HIGHEST + 1):
                block = np.zeros((self.count, self.count, *shape))
                for e, one in enumerate(found):
                    own: dict[Any, Any] = {**one.partials} if isinstance(one, Dual) else {}
                    for f in range(self.count):
                        if (partial := own.get(self._keys[f][order])) is not None:
                            block[e, f] = partial
                rows, fields = self.timed
                solved = np.empty_like(block)
                solved[self.untimed[1]] = -block[self.untimed[0]]
                solved[fields] = -_solved(mass, block[rows])
                parts.append(solved)
        return Partials(*parts)


def _solved(mass: Array, values: Array) -> Array:
    """M^-1 values, M (k, k, ...) or (k, k), values (k, ...)."""
    if len(mass) == 1:
        return np.asarray(values / mass[0])
    if mass.ndim == 2:
        found: Array = np.tensordot(np.linalg.inv(mass), values, 1)
        return found
    inverse = np.linalg.inv(np.moveaxis(mass, (0, 1), (-2, -1)))
    extra = values.ndim - (mass.ndim - 2) - 1
    kept = np.moveaxis(values, 0, -1)  # (..., k), with `extra` leading axes
    solved = (
        np.einsum("...ij,...j->...i", inverse, kept) if extra == 0 else np.einsum("...ij,b...j->b...i", inverse, kept)
    )
    return np.moveaxis(solved, -1, 0)
