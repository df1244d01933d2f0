"""Equations as a linear operator: sum over fields f and derivatives D of a_(e f D) D u_f = source_e, by dual numbers.

A linear problem is its own linearisation, about zero; a nonlinear one is linearised about an iterate v, so that the
solution of its linearisation is the next iterate: a = dF/d(D u) at v, source = sum a D v - F(v).
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product
from typing import Any

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.errors import InputError
from gated_xtfc.language.bytecode import Bytecode, bytecode
from gated_xtfc.language.dual import Dual, Key, Operand
from gated_xtfc.language.program import Watch
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.domain import Axis, derivative_name
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array, Index, Number, Orders

Points = tuple[Array, ...]  # one array an axis: functions are asked for on the grid that they span
IterateFunction = Callable[
    [int, Points, Orders], Array
]  # an iterate: field number, points, derivative -> values on the grid
Jets = Sequence[Mapping[Orders, Number]]  # [field]{orders: values on the grid}
AxisCoefficients = list[list[list[Array]]]  # coefficients along one axis, [equation][field][order], each (n,)


FEW = 12  # fields: of more than these an equation is evaluated with those alone that it has
MOST_SINGULAR = 6  # points of an interval at which an equation may be singular
BESIDE = (1e-13, 1e-10, 1e-7)  # of the interval: how close to them


@dataclass(frozen=True)
class Linearisation:
    """Coefficients and sources of the linearised equations on a grid of points.

    On an interval every derivative up to the order of a field has a coefficient, one value for each point. On a
    rectangle only derivatives that occur have one, in its natural shape: (1, 1) for a number, (n, 1) where it varies
    along x alone, (1, m) along y alone, (n, m) along both. The shape decides how the system is solved.
    """

    coefficients: list[list[dict[Orders, Array]]]  # [equation][field]
    source: list[Array]  # [equation]
    constant_columns: list[list[Array]]  # [equation][unknown constant]: what multiplies the constant
    conditions: tuple[Condition, ...] = ()  # those that are not linear, linearised about the same iterate
    # coefficients, source and columns of every equation in one array, where they came in one
    packed: Array | None = field(default=None, init=False, repr=False)

    @classmethod
    def unpacked(cls, packed: Array, jets: Sequence[Sequence[Orders]], finite: bool) -> "Linearisation":
        """From (E, terms + 1 + constants, n), as the compiled core gives it."""
        coefficients, sources, border = [], [], []
        for rows in packed:
            own = iter(rows)
            coefficients.append([{orders: next(own) for orders in one} for one in jets])
            sources.append(next(own))
            border.append([*own])
        found = cls(coefficients, sources, border)
        found.__dict__.update(packed=packed, finite=finite)
        return found

    @property
    def stacked(self) -> Array:
        """On an interval: coefficients by field and order, source and columns of every equation in one array.

        (E, terms + 1 + constants, n)
        """
        if self.packed is not None:
            return self.packed
        equations = zip(self.by_order, self.source, self.constant_columns, strict=True)
        return np.stack([np.stack([*chain.from_iterable(row), source, *border]) for row, source, border in equations])

    @property
    def arrays(self) -> list[Array]:
        """All coefficients, sources and columns."""
        found = [a for fields in self.coefficients for factors in fields for a in factors.values()]
        return found + self.source + [a for row in self.constant_columns for a in row]

    @cached_property
    def finite(self) -> bool:
        """Whether all coefficients and sources are finite."""
        known = all(condition.finite for condition in self.conditions)
        return known and all(bool(np.isfinite(a).all()) for a in self.arrays)

    @cached_property
    def by_order(self) -> AxisCoefficients:
        """The coefficients along an interval or a line, by order of the derivative."""
        return [[list(factors.values()) for factors in fields] for fields in self.coefficients]


@dataclass(frozen=True)
class Operator:
    """The equations of a problem, to be linearised about an iterate."""

    problem: Problem
    about: IterateFunction | None = None  # the iterate; zero when there is none
    constants: tuple[float, ...] = ()  # values of the unknown constants in the iterate

    @property
    def orders(self) -> tuple[int, ...]:
        """The order of the equations in each field."""
        return tuple(self.problem.order.values())

    @cached_property
    def derivatives(self) -> tuple[tuple[Orders, ...], ...]:
        """Those of each field that have a coefficient."""
        if len(self.problem.axes) == 1:
            return tuple(tuple((j,) for j in range(order + 1)) for order in self.orders)
        value = (0,) * len(self.problem.axes)
        every = {key for equation in self.problem.equations for key in equation.derivatives}
        return tuple(tuple(sorted({value, *(o for n, o in every if n == name)})) for name in self.problem.fields)

    def __call__(self, points: Points) -> Linearisation:
        """The operator at the points; refuses values that are not finite."""
        linear = self.evaluate(points)
        self.require_finite(points, linear)
        return linear

    def evaluate(self, points: Points) -> Linearisation:
        """As a call, finite or not."""
        return self.at(points, self.jets(points), self.constants)

    def jets(self, points: Points) -> Jets:
        """The iterate and its derivatives."""
        about = self.about
        if about is None:
            return [dict.fromkeys(own, 0.0) for own in self.derivatives]
        return [{orders: about(f, points, orders) for orders in own} for f, own in enumerate(self.derivatives)]

    def at(self, points: Points, iterate: Jets, constants: Sequence[float] = ()) -> Linearisation:
        """As `evaluate`, about an iterate given by its values and derivatives at the points."""
        with np.errstate(all="ignore"):  # finite or not is for `require_finite` to say
            linear = self._at(points, iterate, constants)
            return linear if linear.finite or len(points) > 1 else self._beside(points[0], linear, iterate, constants)

    def _beside(self, x: Array, linear: Linearisation, iterate: Jets, constants: Sequence[float]) -> Linearisation:
        """With what is found right beside them in the place of what is not finite at a few single points.

        There an equation is singular, as u'' + 2/x*u' = 0 is at zero; rows are divided by the largest coefficient.
        """
        (axis,) = self.problem.axes
        bad = np.flatnonzero(~np.isfinite(np.stack(linear.arrays)).all(axis=0))
        if np.unique(x[bad]).size > MOST_SINGULAR:
            return linear
        for part, side in product(BESIDE, (1.0, -1.0)):
            gap = side * np.maximum(part * axis.length, 8.0 * np.spacing(np.abs(x[bad])))
            near = np.minimum(np.maximum(x[bad] + gap, axis.left), axis.right)
            there = self._at((near,), [_moved(jets, bad, near - x[bad]) for jets in iterate], constants)
            good = np.isfinite(np.stack(there.arrays)).all(axis=0)
            for mine, other in zip(linear.arrays, there.arrays, strict=True):
                mine[bad[good]] = other[good]
            bad = bad[~good]
            if not bad.size:
                break
        return replace(linear)

    def _at(self, points: Points, iterate: Jets, constants: Sequence[float]) -> Linearisation:
        found = self._compiled(points[0], iterate, constants) if len(points) == 1 else None
        return self._by_duals(points, iterate, constants) if found is None else found

    @cached_property
    def programs(self) -> "list[tuple[Bytecode, Any]] | None":
        """Every equation as the compiled core reads it, with its parameters; None where it cannot."""
        return self._translated()

    def _translated(self, only_used: bool = False) -> "list[tuple[Bytecode, Any]] | None":
        problem = self.problem
        if compiled.linearise is None or len(problem.axes) > 1:
            return None
        key, found = tuple(problem.order.items()), []
        for equation in problem.equations:
            code = (
                bytecode(equation.program, problem.axes[0].name, key, problem.unknown, only_used)
                if isinstance(equation, TextEquation)
                else None
            )
            values = None if code is None else code.values(equation.parameters)  # type: ignore[attr-defined]
            if code is None or values is None:
                return None
            found.append((code, values))
        return found

    @cached_property
    def sparse_programs(self) -> "list[tuple[Bytecode, Any]] | None":
        """The same with only the derivatives that each equation has, where all are more than the core takes at once."""
        return self._translated(only_used=True) if len(self.problem.fields) > FEW else None

    def _compiled(self, x: Array, iterate: Jets, constants: Sequence[float]) -> Linearisation | None:
        """By the compiled core."""
        programs = self.programs
        if x.dtype != np.float64:
            return None
        if programs is None:
            return self._compiled_sparsely(x, iterate, constants)
        code = programs[0][0]
        x, jets = np.ascontiguousarray(x), None
        if any(isinstance(v, np.ndarray) for own in iterate for v in own.values()):
            jets = np.empty((code.terms, x.size))
            for row, v in zip(jets, (v for own in iterate for v in own.values()), strict=True):
                row[...] = v
        given = array("d", constants) if constants else array("d", bytes(8 * code.constants))
        packed = np.empty((len(programs), code.terms + 1 + code.constants, x.size))
        assert compiled.linearise is not None
        finite = True
        for (code, values), rows in zip(programs, packed, strict=True):
            finite &= compiled.linearise(code.codes, code.numbers, values, code.terms, x, jets, given, rows)
        return Linearisation.unpacked(packed, self.derivatives, finite)

    def _compiled_sparsely(self, x: Array, iterate: Jets, constants: Sequence[float]) -> Linearisation | None:
        """The same, equation by equation with what each of them has."""
        programs = self.sparse_programs
        if programs is None:
            return None
        assert compiled.linearise is not None
        jets = [v for own in iterate for v in own.values()]
        about = any(isinstance(v, np.ndarray) for v in jets)
        given = array("d", constants) if constants else array("d", bytes(8 * len(self.problem.unknown)))
        packed, finite, x = np.zeros((len(programs), len(jets) + 1 + len(given), x.size)), True, np.ascontiguousarray(x)
        for (code, values), rows in zip(programs, packed, strict=True):
            found = np.empty((code.terms + 1 + code.constants, x.size))
            own = np.stack([np.broadcast_to(jets[k], x.shape) for k in code.seeds] or [x]) if about else None
            terms = own if code.terms or own is None else own[:0]
            finite &= compiled.linearise(code.codes, code.numbers, values, code.terms, x, terms, given, found)
            rows[[*code.seeds]] = found[: code.terms]
            rows[len(jets) :] = found[code.terms :]
        return Linearisation.unpacked(packed, self.derivatives, finite)

    def _by_duals(self, points: Points, iterate: Jets, constants: Sequence[float]) -> Linearisation:
        """By dual numbers in NumPy: the twin of the compiled core, and the way of functions and of rectangles."""
        fields, names = self.problem.fields, self.problem.unknown
        zero = np.zeros([x.size for x in points])
        coefficients, sources, border = [], [], []
        for dual in self.residuals(points, iterate, constants):
            source = zero - dual.value
            own = []
            for f, jets in zip(fields, iterate, strict=True):
                factors = {}
                for orders, v in jets.items():
                    partial = dual.partials.get((f, orders))
                    if zero.ndim == 1:
                        a = zero + (0.0 if partial is None else partial)
                    elif partial is None:
                        continue
                    else:
                        a = _in_natural_shape(partial, zero.ndim)
                    factors[orders] = a
                    if isinstance(v, np.ndarray):
                        source = source + a * v
                own.append(factors)
            beside = [zero + dual.partials.get((name,), 0.0) for name in names]
            for factor, value in zip(beside, constants, strict=False):
                source = source + factor * value
            coefficients.append(own)
            sources.append(source)
            border.append(beside)
        return Linearisation(coefficients, sources, border)

    def residuals(
        self,
        points: Points,
        iterate: Jets | None = None,
        constants: Sequence[float] = (),
        watch: Watch | None = None,
    ) -> list[Dual]:
        """left - right of every equation with its partial derivatives, on the grid of the points.

        Without an iterate it is taken about zero.
        """
        last = len(points) - 1
        # x along the first axis of the results, y along the second
        grid = [x.reshape((1,) * k + (-1,) + (1,) * (last - k)) for k, x in enumerate(points)] if last else points
        return self.residuals_at(grid, iterate, constants, watch)

    def residuals_at(
        self,
        at: Sequence[Operand],
        iterate: Jets | None = None,
        constants: Sequence[float] = (),
        watch: Watch | None = None,
    ) -> list[Dual]:
        """The same at places whose coordinates may be dual numbers."""
        jets = [dict.fromkeys(own, 0.0) for own in self.derivatives] if iterate is None else iterate
        state: dict[Key, Operand] = {}
        for f, own in zip(self.problem.fields, jets, strict=True):
            for orders, v in own.items():
                state[f, orders] = Dual(v, {(f, orders): 1.0})
        given = list(constants) or [0.0] * len(self.problem.unknown)
        for name, value in zip(self.problem.unknown, given, strict=True):
            state[(name,)] = Dual(value, {(name,): 1.0})
        found = [equation.residual(at, state, watch) for equation in self.problem.equations]
        return [residual if isinstance(residual, Dual) else Dual(residual, {}) for residual in found]

    def require_finite(self, points: Points, linear: Linearisation) -> None:
        """Refuses coefficients that are not finite, naming the first and its place."""
        if linear.finite:
            return
        axes = self.problem.axes
        for e, source in enumerate(linear.source):
            named = [("the source", source)]
            for name, factors in zip(self.problem.fields, linear.coefficients[e], strict=True):
                named += [(f"the coefficient of {derivative_name(name, o, axes)}", a) for o, a in factors.items()]
            for what, values in reversed(named):
                bad = np.argwhere(~np.isfinite(np.broadcast_to(values, source.shape)))
                if bad.size:
                    places = zip(axes, points, bad[0].tolist(), strict=True)
                    where = ", ".join(f"{axis.name} = {x[i]:.6g}" for axis, x, i in places)
                    raise InputError(f"{what} is not finite at {where}: the equation must be regular on {_whole(axes)}")


def _moved(jets: Mapping[Orders, Number], which: Index, by: Array) -> dict[Orders, Number]:
    """Values and derivatives at some of the points, moved by a little."""
    found: dict[Orders, Number] = {}
    for (order,), value in jets.items():
        slope = jets.get((order + 1,), 0.0)
        here, change = (one[which] if isinstance(one, np.ndarray) else one for one in (value, slope))
        found[order,] = here + change * by
    return found


def _in_natural_shape(partial: Number, axes: int) -> Array:
    a = np.asarray(partial, dtype=float)
    return a.reshape((1,) * (axes - a.ndim) + a.shape)


def _whole(axes: Sequence[Axis]) -> str:
    return f"[{axes[0].left:.6g}, {axes[0].right:.6g}]" if len(axes) == 1 else "the whole rectangle"
