"""Fields without a derivative in time: the equation that each follows from, and what they are at the start.

Equations without any derivative, g(x, t, u, v) = 0, are plain: they hold place by place, so that v_x is -g_v^-1 g_u u_x
and lower terms: where orders and the factors of the highest derivatives matter, fields like v are inserted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, unknown, value_of
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import Equation
from gated_xtfc.types import Array, Index, Mask

if TYPE_CHECKING:
    from gated_xtfc.problem.evolution import Evolution, Leads

NOWHERE = 1e6  # what it costs to give a field an equation in which it does not occur
STARTS = (0.0, 1.0, -1.0, 0.1, 10.0, -0.1, -10.0)  # of Newton's method where no value at the start is given
ITERATIONS = 60
FOUND, STALLED = 1e-13, 1e-9  # of the largest value: steps of Newton's method that end it, at once or where they halt
PROBES, SINGULAR = 17, 1e-12
SHARP = (1e3, 1e5, 1e7)  # waves over the domain, by which growth is looked for
FASTER = 30.0  # times as fast, from one to the next


@dataclass(frozen=True)
class Following:
    """Which equation is every field's own, and which fields follow from one without derivatives."""

    own: tuple[int, ...]  # number of the equation, by field
    plain: tuple[bool, ...]
    orders: tuple[int, ...]  # in space, of what is left once plain fields are inserted

    @classmethod
    def of(
        cls,
        equations: Sequence[Equation],
        fields: Sequence[str],
        orders: Sequence[int],
        evolving: Sequence[bool],
        time: int,
        axes: Sequence[Axis],
    ) -> "Following":
        """For orders in space and whether it evolves, by field."""
        unit = (1, 0) if time == 0 else (0, 1)
        timed = [any(o == unit for _, o in one.derivatives) for one in equations]
        own = _given_to(equations, fields, evolving, timed, axes[time].name)
        plain = tuple(
            not evolves and not any(sum(o) for _, o in equations[e].derivatives)
            for evolves, e in zip(evolving, own, strict=True)
        )
        reduced = [0 if is_plain else order for order, is_plain in zip(orders, plain, strict=True)]
        for f in np.flatnonzero(plain).tolist():
            for g in reached(f, equations, fields, own, plain):
                reduced[g] = max(reduced[g], orders[f])
        reduced = _without_slopes(reduced, equations, fields, own, plain, evolving)
        return cls(own, plain, tuple(_spread_once(reduced, equations, fields, own, evolving, time)))


def is_slope(f: int, equations: Sequence[Equation], fields: Sequence[str], own: Sequence[int]) -> bool:
    """Whether a field without a derivative in time follows from slopes of others, as q in u_t = q_x, q = u_x does."""
    orders = equations[own[f]].orders
    return orders.get(fields[f]) == 0 and max(orders.values()) == 1


def _without_slopes(
    orders: list[int],
    equations: Sequence[Equation],
    fields: Sequence[str],
    own: Sequence[int],
    plain: Sequence[bool],
    evolving: Sequence[bool],
) -> list[int]:
    """Orders once fields that are slopes are inserted: they take no conditions, what they are slopes of takes more."""
    found = list(orders)
    for f, order in enumerate(orders):
        if evolving[f] or plain[f] or order != 1 or not is_slope(f, equations, fields, own):
            continue
        found[f] = 0
        for name, along in equations[own[f]].derivatives:
            g = fields.index(name)
            behind = reached(g, equations, fields, own, plain) if plain[g] else {g}
            for h in behind - {f}:
                found[h] = max(found[h], 1 + sum(along))
    return found


def _given_to(
    equations: Sequence[Equation], fields: Sequence[str], evolving: Sequence[bool], timed: Sequence[bool], time: str
) -> tuple[int, ...]:
    """Those with a derivative in time in their order; each of the others to a field in it, of the highest order."""
    own = dict(zip(np.flatnonzero(evolving).tolist(), np.flatnonzero(timed).tolist(), strict=True))
    rest, free = np.flatnonzero(~np.array(evolving)), np.flatnonzero(~np.array(timed))
    if rest.size:
        from scipy.optimize import linear_sum_assignment  # most problems have no such fields

        highest = [equations[e].orders for e in free.tolist()]
        cost = np.array([[-one[fields[f]] if fields[f] in one else NOWHERE for f in rest.tolist()] for one in highest])
        for row, column in zip(*linear_sum_assignment(cost), strict=True):
            e, f = int(free[row]), int(rest[column])
            if cost[row, column] == NOWHERE:
                raise InputError(index_sentence([fields[f]], equations[e].text, time))
            own[f] = e
    return tuple(own[f] for f in range(len(fields)))


def index_sentence(names: Sequence[str], text: str, time: str, which: str = "") -> str:
    """What is said where a field is determined by a derivative of an equation only."""
    return (
        f"{', '.join(names)} cannot be found from the equations without {which or f'a derivative in {time}'}, such as "
        f"{quoted(text)}, at one {time} alone (the index of the system is above one): differentiate that equation in "
        f"{time} until {'it is' if len(names) == 1 else 'they are'} in it"
    )


def reached(
    f: int, equations: Sequence[Equation], fields: Sequence[str], own: Sequence[int], plain: Sequence[bool]
) -> set[int]:
    """The fields that a plain one follows from, through others like it."""
    found, seen, open_ = set[int](), {f}, [f]
    while open_:
        for name, _ in equations[own[open_.pop()]].derivatives:
            g = fields.index(name)
            if not plain[g]:
                found.add(g)
            elif g not in seen:
                seen.add(g)
                open_.append(g)
    return found


def _spread_once(
    orders: list[int],
    equations: Sequence[Equation],
    fields: Sequence[str],
    own: Sequence[int],
    evolving: Sequence[bool],
    time: int,
) -> list[int]:
    """Orders where a field that others make spread has none of its own, as s in u_t = v_xx, s_t = u, v = u + s."""
    second = {e for e, one in enumerate(equations) if any(o[1 - time] == 2 for _, o in one.derivatives)}
    spreading = [f for f, order in enumerate(orders) if order == 2]
    alone = [f for f in spreading if evolving[f] and own[f] not in second]
    through = [f for f in alone if _only_through(f, equations, fields, time)]
    for f in through[: max(len(spreading) - len(second), 0)]:
        orders[f] = 0
    return orders


def _only_through(f: int, equations: Sequence[Equation], fields: Sequence[str], time: int) -> bool:
    return not any(name == fields[f] and o[1 - time] for one in equations for name, o in one.derivatives)


def follows(leads: "Leads", evolution: "Evolution") -> Array:
    """By how much fields change with those that are not plain, (n, fields, fields); not finite where that is open."""
    gone = np.flatnonzero(evolution.plain)
    count = leads.value.shape[2]
    found = np.repeat(np.eye(count)[None], len(leads.value), axis=0)
    if not gone.size:
        return found
    kept, rows = np.setdiff1d(np.arange(count), gone), np.array(evolution.own)[gone]
    own = np.full((len(found), gone.size, kept.size), np.nan)
    with np.errstate(all="ignore"):
        block = leads.value[:, rows][:, :, gone]
        whole: Any = np.isfinite(block).all(axis=(1, 2))
        whole[whole] &= np.abs(np.linalg.det(block[whole])) > 0.0
        own[whole] = -np.linalg.solve(block[whole], leads.value[whole][:, rows][:, :, kept])
    found[:, gone] = 0.0
    found[:, gone[:, None], kept] = own
    return found


def inserted(leads: "Leads", evolution: "Evolution") -> tuple[Array, Array]:
    """The factors of first and second derivatives once plain fields are inserted, (n, equations, fields) each."""
    gone = np.flatnonzero(evolution.plain)
    if not gone.size:
        return leads.carried, leads.spread
    by = follows(leads, evolution)
    with np.errstate(all="ignore"):
        carried, spread = (part @ by if np.any(part[:, :, gone]) else part for part in (leads.carried, leads.spread))
    return carried, spread


def grows_without_end(equations: Sequence[Equation], evolution: "Evolution", leads: "Leads", least: float) -> bool:
    """Whether the finest waves grow the fastest, with all fields without a derivative in time inserted as waves."""
    evolving = np.array(evolution.evolving)
    if len(evolving) == 1:  # the sign of its factor says it
        return False
    unit = evolution.along(0, 1)
    timed = np.array([any(o == unit for _, o in one.derivatives) for one in equations])
    fastest = []
    for waves in SHARP:
        k = 2.0 * np.pi * waves / evolution.space.length
        with np.errstate(all="ignore"):
            symbol = leads.value + 1j * k * leads.carried - k**2 * leads.spread
            whole: Any = np.isfinite(symbol).all(axis=(1, 2)) & np.isfinite(leads.mass).all(axis=(1, 2))
            block = symbol[:, ~timed][:, :, ~evolving]
            inner = leads.mass[:, timed][:, :, evolving]
            whole[whole] &= (np.abs(np.linalg.det(block[whole])) > 0.0) & (np.abs(np.linalg.det(inner[whole])) > 0.0)
            if not whole.any():
                return False
            rest = symbol[whole][:, timed][:, :, ~evolving] @ np.linalg.solve(
                block[whole], symbol[whole][:, ~timed][:, :, evolving]
            )
            rates = np.linalg.eigvals(-np.linalg.solve(inner[whole], symbol[whole][:, timed][:, :, evolving] - rest))
        fastest.append((float(rates.real.max()), float(np.abs(rates).max())))
    (first, _), (second, _), (third, size) = fastest
    return first > 0.0 and third > least * size and second > FASTER * first and third > FASTER * second


def check_determined(equations: Sequence[Equation], fields: Sequence[str], evolution: "Evolution") -> None:
    """Refuses equations without a derivative in time that do not determine the fields without one."""
    rest = np.flatnonzero(~np.array(evolution.evolving)).tolist()
    if not rest:
        return
    rows = [evolution.own[f] for f in rest]
    x, k = evolution.space.at(np.linspace(0.0, 1.0, PROBES) ** 1.1), 7.3 / evolution.space.length
    regular = decided = False
    for shade in (0.37, 0.81):
        state = {
            (name, orders): unknown((name, orders), shade + 0.23 * fields.index(name) + 0.11 * sum(orders) + 0.3 * x)
            for e in rows
            for name, orders in equations[e].derivatives
        }
        symbol: Any = np.zeros((x.size, len(rest), len(rest)), dtype=complex)
        for i, e in enumerate(rows):
            with np.errstate(all="ignore"):
                found = equations[e].residual(evolution.point(x, evolution.time.left), state)
            partials: Mapping[Any, Any] = found.partials if isinstance(found, Dual) else {}
            for (name, orders), part in partials.items():
                if name in fields and fields.index(name) in rest:
                    symbol[:, i, rest.index(fields.index(name))] += part * (1j * k) ** sum(orders)
        whole = symbol[np.isfinite(symbol).all(axis=(1, 2))]
        size = np.abs(whole).max(axis=2, keepdims=True)
        least = np.linalg.svd(whole / np.where(size > 0.0, size, 1.0))[1][:, -1]
        decided, regular = decided or bool(least.size), regular or bool((least > SINGULAR).any())
    if decided and not regular:
        names = [fields[f] for f in rest]
        raise InputError(index_sentence(names, equations[rows[0]].text, evolution.time.name))


def completed(
    equations: Sequence[Equation], fields: Sequence[str], evolution: "Evolution", x: Array, t: float, values: Array
) -> Array:
    """Values (m, n) at places in order with plain fields as the others ask for, from what they are as a first guess.

    Without one, several are tried; where equations have several solutions, the one of the neighbour is taken.
    """
    gone = np.flatnonzero(evolution.plain)
    if not gone.size:
        return values
    plain = _Plain(equations, fields, evolution, gone, x, t)
    given = [evolution.initial[f] is not None or bool(values[f].any()) for f in gone]
    best, open_ = values.copy(), np.ones(x.size, dtype=bool)
    for start in STARTS if not all(given) else (0.0,):
        guess = values.copy()
        for f, own in zip(gone.tolist(), given, strict=True):
            guess[f] = guess[f] if own else start
        found, solved = plain.solved(guess, open_)
        new = open_ & solved
        best[:, new] = found[:, new]
        open_ &= ~solved
        if not open_.any():
            break
    if open_.all():
        f, at = int(gone[0]), float(x[open_][0])
        named, time = fields[f], evolution.time.name
        raise InputError(
            f"no value of {named} was found that meets {quoted(equations[evolution.own[f]].text)} at {time} = {t:g}, "
            f"{evolution.space.name} = {at:.3g}: give a value near it, {named} at {time} = {evolution.time.left:g}"
        )
    return plain.on_one_branch(best, ~open_)


@dataclass(frozen=True)
class _Plain:
    """Plain equations at places, solved place by place."""

    equations: Sequence[Equation]
    fields: Sequence[str]
    evolution: "Evolution"
    gone: Index  # numbers of the fields
    x: Array
    t: float

    def _run(self, values: Array, at: Index) -> tuple[Array, Array]:
        """Residuals (k, n) and their derivatives by the plain fields (k, k, n)."""
        names = [self.fields[f] for f in self.gone]
        state: dict[Any, Operand] = {
            (name, (0, 0)): unknown((name, (0, 0)), values[f]) if name in names else values[f]
            for f, name in enumerate(self.fields)
        }
        x = self.x[at]
        left, by = np.zeros((len(names), x.size)), np.zeros((len(names), len(names), x.size))
        with np.errstate(all="ignore"):
            for i, f in enumerate(self.gone):
                found = self.equations[self.evolution.own[f]].residual(self.evolution.point(x, self.t), state)
                left[i] = value_of(found)
                partials: Mapping[Any, Any] = found.partials if isinstance(found, Dual) else {}
                for j, name in enumerate(names):
                    by[i, j] = partials.get((name, (0, 0)), 0.0)
        return left, by

    def solved(self, guess: Array, where: Mask) -> tuple[Array, Mask]:
        """Newton's method, damped place by place; where it ended at a solution, (n,)."""
        at = np.flatnonzero(where)
        values, done = guess.copy(), np.zeros(self.x.size, dtype=bool)
        if not at.size:
            return values, done
        own = values[:, at]
        left, by = self._run(own, at)
        last = np.full(at.size, np.inf)
        for _ in range(ITERATIONS):
            step = _newton(by, left)
            size = np.abs(step).max(axis=0)
            level = np.abs(own[self.gone]).max() if np.isfinite(own[self.gone]).all() else 0.0
            ended = (size <= FOUND * level) | ((size <= STALLED * level) & (size > 0.5 * last)) | (size == 0.0)
            last = size
            done[at] = ended & np.isfinite(size)
            if ended.all():
                break
            part = np.ones(at.size)
            for _ in range(12):
                trial = own.copy()
                trial[self.gone] -= part * step
                ahead, ahead_by = self._run(trial, at)
                again = np.abs(_newton(by, ahead)).max(axis=0)
                good = (again <= (1.0 - 0.25 * part) * size) | ended
                if good.all():
                    break
                part = np.where(good, part, 0.5 * part)
            own, left, by = trial, ahead, ahead_by
        values[:, at] = own
        return values, done

    def on_one_branch(self, values: Array, known: Mask) -> Array:
        """The same without leaps from one solution to another between neighbours."""
        beside = values.copy()
        for f in self.gone:
            beside[f, 1:] = values[f, :-1]
        again, solved = self.solved(beside, known & np.append(False, known[:-1]))
        level = np.abs(values[self.gone][:, known]).max(axis=1, keepdims=True) + 1e-300
        other = solved & (np.abs((again - values)[self.gone]) > 1e-6 * level).any(axis=0)
        if known.all() and not other.any():
            return values
        first = int(np.argmax(known))
        for way in (range(first + 1, self.x.size), range(first - 1, -1, -1)):
            last = first
            for i in way:
                guess = values.copy()
                guess[self.gone, i] = values[self.gone, last]
                here = np.arange(self.x.size) == i
                found, right = self.solved(guess, here)
                if right[i]:
                    values[:, i] = found[:, i]
                last = i
        return values


def _newton(by: Array, left: Array) -> Array:
    """by^-1 left, place by place; not finite where there is none."""
    matrix = np.moveaxis(by, 2, 0)
    good: Any = np.isfinite(matrix).all(axis=(1, 2))
    with np.errstate(all="ignore"):
        good[good] &= np.abs(np.linalg.det(matrix[good])) > 0.0
        found = np.full(left.shape, np.nan)
        found[:, good] = np.linalg.solve(matrix[good], left.T[good][..., None])[..., 0].T
    return found
