"""Dual numbers, sparse in their seeds: f(a + da) = f(a) + f'(a) da, so any equation is linearised exactly.

A seed is an independent variable: a tuple for a field, ("u", (2,)) for u'', a string for a coordinate, "x". `has_field`
says whether a number depends on a field at all, `nonlinear` whether it does so nonlinearly. Where a function has no
value, the result is inf or nan, without a warning.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Union, overload

import numpy as np

from gated_xtfc.language.functions import COMPOSED, FUNCTIONS, divide, log, power
from gated_xtfc.types import Array, Number

Key = str | tuple[object, ...]
Partials = dict["Key", Number]
Operand = Union[float, Array, "Dual"]
State = Mapping[Any, Operand]  # what fields, their derivatives and unknown constants stand for


class Dual:
    """A value with its partial derivatives by seed; floats stay floats until an array of points, `(n,)`, comes in."""

    __slots__ = ("has_field", "nonlinear", "partials", "value")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, value: Number, partials: Partials, nonlinear: bool = False, has_field: bool | None = None
    ) -> None:
        self.value = value
        self.partials = partials
        self.nonlinear = nonlinear
        # kept beside the partials because every product asks for it
        self.has_field = any(type(key) is tuple for key in partials) if has_field is None else has_field

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.partials!r}, nonlinear={self.nonlinear})"

    def __add__(self, other: Operand) -> "Dual":
        if not isinstance(other, Dual):
            return Dual(self.value + other, self.partials, self.nonlinear, self.has_field)
        partials = _added(self.partials, other.partials)
        return _joined(self.value + other.value, partials, self, other, self.nonlinear or other.nonlinear)

    __radd__ = __add__

    def __neg__(self) -> "Dual":
        return Dual(-self.value, {key: -p for key, p in self.partials.items()}, self.nonlinear, self.has_field)

    def __pos__(self) -> "Dual":
        return self

    def __sub__(self, other: Operand) -> "Dual":
        if not isinstance(other, Dual):
            return Dual(self.value - other, self.partials, self.nonlinear, self.has_field)
        partials = dict(self.partials)
        for key, q in other.partials.items():
            partials[key] = partials[key] - q if key in partials else -q
        return _joined(self.value - other.value, partials, self, other, self.nonlinear or other.nonlinear)

    def __rsub__(self, other: Operand) -> "Dual":
        partials = {key: -p for key, p in self.partials.items()}
        return Dual(value_of(other) - self.value, partials, self.nonlinear, self.has_field)

    def __mul__(self, other: Operand) -> "Dual":
        if not isinstance(other, Dual):
            return Dual(self.value * other, _times(self.partials, other), self.nonlinear, self.has_field)
        a, b = self.value, other.value
        partials = _added(_times(self.partials, b), _times(other.partials, a))
        nonlinear = self.nonlinear or other.nonlinear or (self.has_field and other.has_field)
        return _joined(a * b, partials, self, other, nonlinear)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> "Dual":
        with np.errstate(all="ignore"):
            return quotient(self, other)

    def __rtruediv__(self, other: Operand) -> "Dual":
        with np.errstate(all="ignore"):
            return quotient(other, self)

    def __pow__(self, exponent: Operand) -> "Dual":
        with np.errstate(all="ignore"):
            return power_of(self, exponent)

    def __rpow__(self, base: Operand) -> "Dual":
        with np.errstate(all="ignore"):
            return power_of(base, self)

    def __abs__(self) -> "Dual":
        return self.apply("abs")

    def apply(self, name: str) -> "Dual":
        """The elementary function of that name of this number, by the chain rule."""
        function, derivative = FUNCTIONS.get(name) or COMPOSED[name]
        value = function(self.value)
        return self.chained(value, derivative(self.value, value))

    def chained(self, value: Number, slope: Number) -> "Dual":
        """f(self) from f and f' at the value."""
        return Dual(value, _times(self.partials, slope), self.nonlinear or self.has_field, self.has_field)

    def __lt__(self, other: Operand) -> Any:
        return self.value < value_of(other)

    def __le__(self, other: Operand) -> Any:
        return self.value <= value_of(other)

    def __gt__(self, other: Operand) -> Any:
        return self.value > value_of(other)

    def __ge__(self, other: Operand) -> Any:
        return self.value >= value_of(other)

    def __eq__(self, other: object) -> Any:
        return self.value == (other.value if isinstance(other, Dual) else other)

    def __ne__(self, other: object) -> Any:
        return self.value != (other.value if isinstance(other, Dual) else other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        operation = _UFUNCS.get(ufunc.__name__)
        if operation is None or method != "__call__" or options:
            return NotImplemented
        with np.errstate(all="ignore"):
            return operation(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3 and not kwargs:
            return select(*args)
        return NotImplemented


def unknown(key: Key, value: Number = 0.0) -> Dual:
    """An independent variable: its partial with respect to itself is 1."""
    return Dual(value, {key: 1.0})


def value_of(a: Operand) -> Number:
    return a.value if isinstance(a, Dual) else a


def _times(partials: Partials, factor: Number) -> Partials:
    return {key: p * factor for key, p in partials.items()}


def _added(first: Partials, second: Partials) -> Partials:
    total = dict(first)
    for key, q in second.items():
        total[key] = total[key] + q if key in total else q
    return total


def _joined(value: Number, partials: Partials, a: Dual, b: Dual, nonlinear: bool) -> Dual:
    return Dual(value, partials, nonlinear, a.has_field or b.has_field)


def _slope_in_base(a: Number, b: Number) -> Number:
    """b a^(b-1), and 0 where b = 0 (also at a = 0)."""
    slope = b * power(a, b - 1.0)
    return np.where(b == 0.0, 0.0, slope) if isinstance(b, np.ndarray) else 0.0 if b == 0.0 else slope


def _slope_in_exponent(a: Number, result: Number) -> Number:
    """a^b log a, and 0 where a^b = 0."""
    slope = result * log(a)
    return np.where(result == 0.0, 0.0, slope) if isinstance(slope, np.ndarray) else 0.0 if result == 0.0 else slope


@overload
def quotient(a: Dual, b: Operand) -> Dual: ...
@overload
def quotient(a: Operand, b: Dual) -> Dual: ...
@overload
def quotient(a: Number, b: Number) -> Number: ...
def quotient(a: Operand, b: Operand) -> Operand:
    """a / b of numbers, arrays and dual numbers; like all functions here, it leaves NumPy's warnings to its caller."""
    if not isinstance(b, Dual):
        if not isinstance(a, Dual):
            return divide(a, b)
        return Dual(divide(a.value, b), {key: divide(p, b) for key, p in a.partials.items()}, a.nonlinear, a.has_field)
    value = divide(value_of(a), b.value)
    inverse = b.chained(value, divide(-value, b.value))
    if not isinstance(a, Dual):
        return inverse
    partials = {key: divide(p, b.value) for key, p in a.partials.items()}
    return _joined(value, _added(partials, inverse.partials), a, b, a.nonlinear or b.has_field)


@overload
def power_of(a: Dual, b: Operand) -> Dual: ...
@overload
def power_of(a: Operand, b: Dual) -> Dual: ...
@overload
def power_of(a: Number, b: Number) -> Number: ...
def power_of(a: Operand, b: Operand) -> Operand:
    """a ** b of numbers, arrays and dual numbers."""
    base, exponent = value_of(a), value_of(b)
    if not isinstance(b, Dual):
        exponent = b if isinstance(b, np.ndarray) else float(b)
        if isinstance(a, Dual) and not isinstance(b, np.ndarray):
            if exponent == 0.0:
                return Dual(power(base, 0.0), {}, False, False)
            if exponent == 1.0:
                return a
            if exponent == 2.0:
                return a.chained(base * base, 2.0 * base)
    value = power(base, exponent)
    if not isinstance(b, Dual):
        return a.chained(value, _slope_in_base(base, exponent)) if isinstance(a, Dual) else value
    rise = b.chained(value, _slope_in_exponent(base, value))
    if not isinstance(a, Dual):
        return rise
    partials = _times(a.partials, _slope_in_base(base, exponent))
    return _joined(value, _added(partials, rise.partials), a, b, a.has_field or b.has_field)


def select(condition: Any, a: Operand, b: Operand, by_field: bool = False) -> Operand:
    """a where the condition holds, else b; the branch not taken leaves no trace in the partials."""
    if isinstance(condition, bool | np.bool_):
        chosen = a if condition else b
        if not by_field:
            return chosen
        return Dual(value_of(chosen), chosen.partials if isinstance(chosen, Dual) else {}, True, True)
    value = np.where(condition, value_of(a), value_of(b))
    ours: Partials = a.partials if isinstance(a, Dual) else {}
    theirs: Partials = b.partials if isinstance(b, Dual) else {}
    if not (by_field or isinstance(a, Dual) or isinstance(b, Dual)):
        return value
    keys = {**ours, **theirs}
    partials: Partials = {key: np.where(condition, ours.get(key, 0.0), theirs.get(key, 0.0)) for key in keys}
    branches = [branch for branch in (a, b) if isinstance(branch, Dual)]
    nonlinear = by_field or any(branch.nonlinear for branch in branches)
    return Dual(value, partials, nonlinear, by_field or any(branch.has_field for branch in branches))


def minimum(a: Operand, b: Operand) -> Operand:
    return _extreme(np.minimum, operator.le, a, b)


def maximum(a: Operand, b: Operand) -> Operand:
    return _extreme(np.maximum, operator.ge, a, b)


def _extreme(choose: Any, prefer: Any, a: Operand, b: Operand) -> Operand:
    first, second = value_of(a), value_of(b)
    if isinstance(first, float) and isinstance(second, float):
        # what NumPy does, for a tenth of the time: a nan wins
        value = first if first != first or prefer(first, second) else second
    else:
        value = choose(first, second)
    if not (isinstance(a, Dual) or isinstance(b, Dual)):
        return value
    by_field = any(isinstance(branch, Dual) and branch.has_field for branch in (a, b))
    chosen = select(prefer(first, second), a, b, by_field)
    return Dual(value, chosen.partials, chosen.nonlinear, chosen.has_field) if isinstance(chosen, Dual) else value


def call(name: str, a: Operand) -> Operand:
    """The elementary function of that name of a number, an array or a dual number."""
    return a.apply(name) if isinstance(a, Dual) else (FUNCTIONS.get(name) or COMPOSED[name])[0](a)


_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: b + a if isinstance(b, Dual) else a + b,
    "subtract": lambda a, b: a - b if isinstance(a, Dual) else b.__rsub__(a),
    "multiply": lambda a, b: b * a if isinstance(b, Dual) else a * b,
    "divide": lambda a, b: a / b if isinstance(a, Dual) else b.__rtruediv__(a),
    "power": lambda a, b: a**b if isinstance(a, Dual) else b.__rpow__(a),
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "square": lambda a: a**2,
    "absolute": lambda a: a.apply("abs"),
    "fabs": lambda a: a.apply("abs"),
    "minimum": minimum,
    "maximum": maximum,
    "less": lambda a, b: value_of(a) < value_of(b),
    "less_equal": lambda a, b: value_of(a) <= value_of(b),
    "greater": lambda a, b: value_of(a) > value_of(b),
    "greater_equal": lambda a, b: value_of(a) >= value_of(b),
    "equal": lambda a, b: value_of(a) == value_of(b),
    "not_equal": lambda a, b: value_of(a) != value_of(b),
}
for _name in FUNCTIONS:
    _UFUNCS.setdefault(_name, lambda a, name=_name: a.apply(name))
