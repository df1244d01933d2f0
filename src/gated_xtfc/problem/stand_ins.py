"""Fields that stand in for derivatives where equations evolve: u_t of u_tt = u_xx, u_xx of u_t = -u_xxxx.

    u_tt = F      (u)_t = u_t,    (u_t)_t = F
    u_xxxx        (u)_xx = u_xx,  the second derivative of that field

With them everything is of first order in time, and of second order in space at most. A second derivative in space goes
to its field wherever it stands, so that what spreads, or would grow, is judged by the highest one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.language.program import ADD, FIELD, MULTIPLY, NUMBER, SUBTRACT, Program
from gated_xtfc.problem.domain import Axis, derivative_name
from gated_xtfc.problem.equation import Equation, FunctionEquation, TextEquation
from gated_xtfc.problem.statement import free_name
from gated_xtfc.types import Derivative, Orders

TIME = "t"  # the name by which a coordinate is time where the orders of derivatives leave it open
STEP = 2  # derivatives in space between one field and the next
MOST = 4  # of them: what rounding makes of higher ones beside an end leaves too little
PROBED = (0.21, 0.47, 0.83)  # of both axes: where factors are looked at


@dataclass(frozen=True)
class StandIns:
    """Which field stands for which derivative.

    Attributes
    ----------
    made
        {(field as stated, derivatives in time, pairs of them in space): name}, the fields themselves among them.
    time
        The number of the coordinate that is time.
    orders
        The highest derivative in space of every field as stated.
    copies
        By a field that stands for a second derivative in space another one that is the same inside, and at the ends
        too, where that may not be: see `clamped`.
    """

    made: Mapping[tuple[str, int, int], str] = field(default_factory=dict)
    time: int = 1
    orders: Mapping[str, int] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, equations: Sequence[Equation], axes: Sequence[Axis], given: Iterable[str]) -> "StandIns":
        """As many as the equations ask for; none where they do not evolve. `given` are names that are taken."""
        keys = [key for equation in equations for key in equation.derivatives]
        time = _time(equations, keys, axes)
        if time is None:
            return cls()
        for equation in equations:
            _check_orders(equation, keys, time, axes)
        fields = tuple(dict.fromkeys(name for name, _ in keys))
        taken = {*given, *fields, *(axis.name for axis in axes)}
        made: dict[tuple[str, int, int], str] = {}
        highest = {}
        for name in fields:
            own = [orders for key, orders in keys if key == name]
            most = max(max(orders[time] for orders in own) - 1, 0)
            highest[name] = max(orders[1 - time] for orders in own)
            for k in range(most + 1):
                along = max((orders[1 - time] for orders in own if min(orders[time], most) == k), default=0)
                for j in range(max(along - 1, 0) // STEP + 1):
                    called = derivative_name(name, _orders(time, j * STEP, k), axes)
                    made[name, k, j] = free_name(called, taken) if k or j else name
        return cls(made, time, highest) if len(made) > len(fields) else cls()

    def __bool__(self) -> bool:
        return bool(self.made)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of the fields that were made."""
        return (*(name for (_, k, j), name in self.made.items() if k or j), *self.copies.values())

    @cached_property
    def of_field(self) -> Mapping[str, str]:
        """The field as stated, by that itself and by those that stand for its derivatives."""
        return {name: stated for name, (stated, _) in self.chains.items()}

    @cached_property
    def chains(self) -> Mapping[str, tuple[str, int]]:
        """The field as stated and the number of derivatives in time, by the same names."""
        found = {name: (stated, k) for (stated, k, _), name in self.made.items()}
        return {**found, **{copy: found[name] for name, copy in self.copies.items()}}

    def with_copies(self, fields: Collection[str]) -> "StandIns":
        """With copies of what stands for the second derivatives of these fields as stated."""
        own = {name: f"{name}_" for (stated, _, j), name in self.made.items() if j == 1 and stated in fields}
        return replace(self, copies=own)

    def clamped(self, program: Program, name: str, weight: float) -> Program:
        """A condition on a field and its slope as one for the field that stands for its second derivative.

            w = u_xx - weight*(left - right),    u_xx as differences have it

        As w is continuous, left = right; a condition without w would leave it open what w is at the end.
        """
        value, copy = ((FIELD, (one, (0, 0))) for one in (name, self.copies[name]))
        weighed = *program.instructions, (NUMBER, weight), (MULTIPLY, None)
        return Program(program.text, (value, copy, (SUBTRACT, None), *weighed, (ADD, None)))

    def below(self, name: str) -> str | None:
        """The field whose second derivative in space another one stands for."""
        found = (self.made[stated, k, j - 1] for (stated, k, j), one in self.made.items() if one == name and j)
        return next(found, None)

    def height(self, program: Program) -> int:
        """The highest derivative in space in a condition, in terms of the fields as stated."""
        pairs = {name: j for (_, _, j), name in self.made.items()}
        if not pairs:
            return 0
        heights = (STEP * pairs.get(name, 0) + orders[1 - self.time] for name, orders in program.derivatives)
        return max(heights, default=0)

    def stated(self, fields: Iterable[str]) -> tuple[str, ...]:
        """Without those that were made."""
        return tuple(name for name in fields if name not in self.names)

    def key(self, key: Derivative) -> Derivative:
        """Which derivative of which field a derivative is."""
        name, orders = key
        if (name, 0, 0) not in self.made:
            return key
        k, j = orders[self.time], orders[1 - self.time] // STEP
        while (name, k, 0) not in self.made:
            k -= 1
        while (name, k, j) not in self.made:
            j -= 1
        return self.made[name, k, j], _orders(self.time, orders[1 - self.time] - STEP * j, orders[self.time] - k)

    def program(self, program: Program) -> Program:
        """The same with fields in the place of derivatives."""
        if not self:
            return program
        instructions = tuple((code, self.key(one) if code == FIELD else one) for code, one in program.instructions)
        return Program(program.text, instructions, tuple(map(self.program, program.fluxes)))

    def equations(self, equations: Sequence[Equation], coordinates: tuple[str, ...]) -> tuple[Equation, ...]:
        """The equations as stated, in these fields, and behind them what the fields stand for."""
        if not self:
            return tuple(equations)
        lowered: list[Equation] = []
        for one in equations:
            if isinstance(one, TextEquation):
                lowered.append(one.rewritten(self.program))
            else:
                assert isinstance(one, FunctionEquation)
                lowered.append(one.renamed(self.key))
        return *lowered, *(TextEquation(program, coordinates, {}) for program in self._links(coordinates))

    def _links(self, coordinates: tuple[str, ...]) -> Iterable[Program]:
        for (stated, k, j), name in self.made.items():
            below = self.made.get((stated, k, j - 1) if j else (stated, k - 1, 0))
            orders = _orders(self.time, STEP, 0) if j else _orders(self.time, 0, 1)
            suffix = "".join(c * order for c, order in zip(coordinates, orders, strict=True))
            for own in (name, self.copies.get(name)):
                if below is not None and own is not None:
                    code = ((FIELD, (below, orders)), (FIELD, (own, (0, 0))), (SUBTRACT, None))
                    yield Program(f"({below})_{suffix} = {own}", code)


def _orders(time: int, space: int, rate: int) -> Orders:
    return (rate, space) if time == 0 else (space, rate)


def _check_orders(equation: Equation, keys: Sequence[Derivative], time: int, axes: Sequence[Axis]) -> None:
    """Refuses what no fields can stand in for."""
    names = axes[time].name, axes[1 - time].name
    for name, orders in equation.derivatives:
        shown = f"{derivative_name(name, orders, axes)} in {quoted(equation.text)}"
        if orders[1 - time] > MOST:
            raise InputError(
                f"{shown} is of order {orders[1 - time]} in {names[1]}: equations that evolve can have order {MOST}"
            )
        if orders[time] > 1 and orders[1 - time] and orders[time] == max(o[time] for one, o in keys if one == name):
            alone = derivative_name(name, _orders(time, 0, orders[time]), axes)
            raise InputError(
                f"{shown} is the highest derivative in {names[0]}, and one in {names[1]} too: only {alone} itself can "
                "stand in an equation of evolution"
            )


def _time(equations: Sequence[Equation], keys: Sequence[Derivative], axes: Sequence[Axis]) -> int | None:
    """Which coordinate is time where there is a higher derivative than equations that evolve can have; else None."""
    if len(axes) != 2:
        return None
    names = [axis.name for axis in axes]
    highest = [max((orders[k] for _, orders in keys), default=0) for k in (0, 1)]
    first = [k for k in (0, 1) if highest[k] == 1 and (highest[1 - k] > 1 or names[k] == TIME)]
    time = first[0] if first else names.index(TIME) if TIME in names else None
    if time is None or not highest[time]:
        return None
    if highest[time] == 1 or len(equations) > 1 or highest[1 - time] > STEP:
        return time
    return None if _elliptic(equations[0], axes) else time


def _elliptic(equation: Equation, axes: Sequence[Axis]) -> bool:
    """Whether conditions on all four sides are what one equation of second order asks for, somewhere."""
    at = [np.asarray(axis.at(np.array(PROBED))) for axis in axes]
    for value in (0.0, 1.7):
        found = equation.residual(at, {key: unknown(key, value) for key in equation.derivatives})
        if isinstance(found, Dual):
            name = equation.derivatives[0][0]
            a, b, c = (np.asarray(found.partials.get((name, o), 0.0)) for o in ((2, 0), (1, 1), (0, 2)))
            with np.errstate(all="ignore"):
                if np.any(a * c - 0.25 * b * b > 0.0):
                    return True
    return False
