"""y' = f(x, y, p) + S y/(x - a), bc(y(a), y(b), p) = 0 as problems of the pipeline, one for each group of fields."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.language.dual import Dual, Key, value_of
from gated_xtfc.language.field import Field
from gated_xtfc.problem.problem import Problem
from gated_xtfc.scipy.jacobians import NOISE
from gated_xtfc.scipy.shared_slopes import Guess, SharedSlopes
from gated_xtfc.scipy.structure import FieldGroup, chains, groups
from gated_xtfc.scipy.system import System
from gated_xtfc.types import Array, Mask, Number

PROBED = 9  # points at which the structure is looked for
STATES = 3  # random states there
GLANCES = np.array([0.21, 0.47, 0.83])  # of the interval: where many fields are asked whether they see each other
FEW = 8  # fields that are taken together without looking whether they are


class Evaluation:
    """The slopes that the equations of one group ask for one after another: the last ones are kept."""

    def __init__(self, shared: SharedSlopes, group: FieldGroup) -> None:
        self.shared, self.system, self.group = shared, shared.system, group
        self._asked: tuple[Any, ...] = ()
        self._found: Any = None

    def __call__(self, x: Array, values: Sequence[Any]) -> tuple[Array, Array]:
        """f (n, m) and its derivatives (seeds, n, m) by the fields and the constants of the group."""
        asked = (x, *values)
        if len(asked) != len(self._asked) or any(a is not b for a, b in zip(asked, self._asked, strict=True)):
            self._asked, self._found = asked, self.shared(self.group, x, values)
        found: tuple[Array, Array] = self._found
        return found


class ChainEquation:
    """The last equation of a chain, as a function of the fields that the pipeline knows: heads of chains."""

    def __init__(self, evaluation: Evaluation, chain: tuple[int, ...]) -> None:
        self.evaluation, self.chain = evaluation, chain
        self.noise = 0.0 if evaluation.system.exact else NOISE
        self.__signature__ = _signature(("x",), evaluation.group)
        self.__name__ = f"fun[{chain[-1]}]"

    def __call__(self, **given: Any) -> Dual:
        group, system = self.evaluation.group, self.evaluation.system
        x = given["x"]
        state: dict[int, Dual] = {}
        for own in group.chains:
            head: Field = given[f"y{own[0]}"]
            state |= {member: head.dx(order) if order else head for order, member in enumerate(own)}
        duals: list[Dual] = [state[i] for i in group.fields] + [given[f"p{j}"] for j in group.constants]
        f, by_seed = self.evaluation(x, [dual.value for dual in duals])
        last = self.chain[-1]
        partials: dict[Key, Number] = {}
        for dual, slope in zip(duals, by_seed, strict=True):
            if slope[last].any():
                for key, p in dual.partials.items():
                    partials[key] = partials.get(key, 0.0) + slope[last] * p
        residual: Dual = given[f"y{self.chain[0]}"].dx(len(self.chain)) - Dual(f[last], partials)
        if system.singular is not None and system.singular[last].any():
            residual = (x - system.left) * residual
            for i, factor in enumerate(system.singular[last]):
                if factor:
                    residual = residual - factor * state[i]
        return residual


class ConditionFunction:
    """One component of bc as a function of the fields that the pipeline knows."""

    def __init__(self, system: System, group: FieldGroup, row: int, ya: Array, yb: Array, p: Array) -> None:
        self.system, self.group, self.row, self.elsewhere = system, group, row, (ya, yb, p)
        self.__signature__ = _signature((), group)
        self.__name__ = f"bc[{row}]"

    def __call__(self, **given: Any) -> Dual:
        ya, yb, p = (values.copy() for values in self.elsewhere)
        n = ya.size
        seeds: list[tuple[int, Any]] = []  # place among the derivatives of bc, and the value there
        for own in self.group.chains:
            head = given[f"y{own[0]}"]
            for order, member in enumerate(own):
                for values, place, at in ((ya, member, self.system.left), (yb, n + member, self.system.right)):
                    value = head.dx(order)(at)
                    values[member] = value_of(value)
                    seeds.append((place, value))
        for j in self.group.constants:
            p[j] = value_of(given[f"p{j}"])
            seeds.append((2 * n + j, given[f"p{j}"]))
        found, by_seed = self.system.ends(ya, yb, p)
        partials: dict[Key, Number] = {}
        for place, value in seeds:
            slope = float(by_seed[place, self.row])
            if slope and isinstance(value, Dual):
                for key, factor in value.partials.items():
                    partials[key] = partials.get(key, 0.0) + slope * factor
        return Dual(float(found[self.row]), partials, nonlinear=True)


def _signature(first: Sequence[str], group: FieldGroup) -> inspect.Signature:
    names = [*first, *(f"y{own[0]}" for own in group.chains), *(f"p{j}" for j in group.constants)]
    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])


@dataclass(frozen=True)
class Part:
    """The problem of one group."""

    group: FieldGroup
    problem: Problem


def parts(system: System, y: Array, p: Array, guess: Guess) -> tuple[Part, ...]:
    """The problems that the system falls into; y and p are the guess, along the mesh and as a function of x."""
    slope, constants, next_of = _dependence(system, y, p)
    ends = _conditions(system, y, p)
    if system.singular is not None:
        slope = slope | (system.singular != 0.0)
    found = []
    several = groups(slope, constants, ends.seen, chains(next_of))
    shared = SharedSlopes(system, several, guess, p)
    for group in several:
        evaluation = Evaluation(shared, group)
        equations = [ChainEquation(evaluation, chain) for chain in group.chains]
        conditions: list[Any] = [
            _text(system, group, ends.jacobian[i], ends.value[i])
            if ends.linear[i]
            else ConditionFunction(system, group, i, y[:, 0], y[:, -1], p)
            for i in group.conditions
        ]
        names = [f"p{j}" for j in group.constants]
        found.append(Part(group, Problem(equations, {"x": (system.left, system.right)}, conditions, unknown=names)))
    return tuple(found)


def between(mesh: Array, y: Array, x: Array) -> Array:
    """Straight lines through the columns of y at the nodes, at places inside of the mesh, (n, m)."""
    i = np.clip(np.searchsorted(mesh, x, side="right") - 1, 0, mesh.size - 2)
    part = (x - mesh[i]) / (mesh[i + 1] - mesh[i])
    found: Array = y[:, i] * (1.0 - part) + y[:, i + 1] * part
    return found


def groups_of(system: System, y: Array, p: Array) -> tuple[FieldGroup, ...] | None:
    """Fields that belong together; of few fields all do, and of many that do there are none."""
    n = len(y)
    if n <= FEW:
        return (FieldGroup(tuple((i,) for i in range(n)), tuple(range(p.size)), tuple(range(n + p.size))),)
    if system.singular is not None or system.is_complex:
        return None
    k, random, size = p.size, np.random.default_rng(0), 1.0 + np.abs(y).max(axis=1)
    x = system.left + (system.right - system.left) * GLANCES
    slope, ends = np.zeros((n, n + k), bool), np.zeros((n + k, 2 * n + k), bool)
    for _ in range(2):
        at = between(system.mesh, y, x) + size[:, None] * random.uniform(-1.0, 1.0, (n, x.size))
        values = p + (0.1 + 0.4 * np.abs(p)) * random.uniform(-1.0, 1.0, k)
        # what is not a number is not zero either
        slope |= (system.slope(x, at, values, range(n), range(k))[1] != 0.0).any(axis=2).T
        ends |= (system.ends(at[:, 0], at[:, -1], values)[1] != 0.0).T
    seen = np.concatenate([ends[:, :n] | ends[:, n : 2 * n], ends[:, 2 * n :]], axis=1)
    found = groups(slope[:, :n], slope[:, n:], seen, [(i,) for i in range(n)])
    return found if max(len(group.fields) for group in found) <= FEW else None


def _dependence(system: System, y: Array, p: Array) -> tuple[Mask, Mask, list[int | None]]:
    """Which slopes depend on which fields and constants; and for every field the one that its slope is, if one is."""
    n, k = y.shape[0], p.size
    random = np.random.default_rng(0)  # any states do, as long as they are no special ones
    size = 1.0 + np.abs(y).max(axis=1)
    x = np.linspace(system.left, system.right, PROBED + 2)[1:-1] + 0.01 * (system.right - system.left) / PROBED
    slope, constants, same = np.zeros((n, n), bool), np.zeros((n, k), bool), np.ones((n, n), bool)
    for state in range(STATES):
        spread = size[:, None] * random.uniform(-1.0, 1.0, (n, PROBED))
        at = between(system.mesh, y, x) + (spread if state else 0.1 * spread)
        values = p + (0.1 + 0.4 * np.abs(p)) * random.uniform(-1.0, 1.0, k)
        f, by_seed = system.slope(x, at, values, range(n), range(k))
        depends = np.any((by_seed != 0.0) | ~np.isfinite(by_seed), axis=2).T  # (n, seeds)
        slope, constants = slope | depends[:, :n], constants | depends[:, n:]
        same &= np.all(f[:, None, :] == at[None], axis=2)
    alone = slope.sum(axis=1) == 1
    free = alone if system.singular is None else alone & ~system.singular.any(axis=1)
    next_of: list[int | None] = [
        int(same[i].argmax()) if free[i] and (same[i] & slope[i]).any() and not constants[i].any() else None
        for i in range(n)
    ]
    return slope, constants, next_of


@dataclass(frozen=True)
class EndConditionsSeen:
    """The conditions, seen from a few states."""

    seen: Mask  # (n + k, n + k): which depend on which fields, at either end, and constants
    linear: Mask  # (n + k,)
    jacobian: Array  # (n + k, 2 n + k) of those that are linear
    value: Array  # (n + k,) of those, at zero


def _conditions(system: System, y: Array, p: Array) -> EndConditionsSeen:
    n = y.shape[0]
    random = np.random.default_rng(1)
    found = []
    for _ in range(STATES):
        ends = [(1.0 + np.abs(y).max(axis=1)) * random.uniform(-1.0, 1.0, n) for _ in range(2)]
        constants = p + (0.1 + 0.4 * np.abs(p)) * random.uniform(-1.0, 1.0, p.size)
        value, by_seed = system.ends(ends[0], ends[1], constants)
        found.append((np.concatenate([*ends, constants]), value, by_seed.T))
    jacobians = np.array([jacobian for *_, jacobian in found])
    depends = np.any((jacobians != 0.0) | ~np.isfinite(jacobians), axis=0)
    seen = np.concatenate([depends[:, :n] | depends[:, n : 2 * n], depends[:, 2 * n :]], axis=1)
    at, value, jacobian = found[0]
    exact = system.bc_jac is not None or system.conditions.exact
    slack = (1e-13 if exact else 1e-7) * np.abs(jacobian).max(axis=1, initial=0.0)
    linear = np.all(np.abs(jacobians - jacobian) <= slack[:, None], axis=(0, 2))
    for there, other, _ in found[1:]:
        gap = np.abs(value + jacobian @ (there - at) - other)
        linear &= gap <= 10.0 * slack + 1e-12 * (np.abs(value) + np.abs(jacobian) @ (np.abs(at) + np.abs(there)))
    # about zero, where there is no difference of large numbers to be taken
    start = system.ends(np.zeros(n), np.zeros(n), np.zeros(p.size))[0]
    return EndConditionsSeen(seen, linear & np.isfinite(start), jacobian, start)


def _text(system: System, group: FieldGroup, row: Array, value: float) -> str:
    """One linear condition as the pipeline reads it."""
    n = (row.size - system.constants) // 2
    terms = []
    for chain in group.chains:
        for order, member in enumerate(chain):
            name = f"y{chain[0]}{chr(39) * order}"
            for factor, end in ((row[member], system.left), (row[n + member], system.right)):
                if factor:
                    terms.append(f"({float(factor)!r})*{name}({float(end)!r})")
    terms += [f"({float(row[2 * n + j])!r})*p{j}" for j in group.constants if row[2 * n + j]]
    return f"{' + '.join(terms) or '0'} = {-float(value)!r}"
