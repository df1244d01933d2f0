"""Arrays of dual numbers of any shape, so that vectorised NumPy code is differentiated exactly: value + partials.

`partials` has one more axis, the first: one array of the value's shape for each seed. Functions of NumPy arrive through
its two protocols, `__array_ufunc__` and `__array_function__`. What is not known here raises, and never drops a partial.
Who calls them silences NumPy: it takes longer than most of what is done here.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gated_xtfc.language.functions import FUNCTIONS

Values = Any  # an array, real or complex


class DualArray(NDArrayOperatorsMixin):
    """An array and its partial derivatives with respect to some seeds."""

    __slots__ = ("partials", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Values, partials: Values) -> None:
        self.value = value
        self.partials = partials  # (seeds, *value.shape)

    def __repr__(self) -> str:
        return f"DualArray({self.value!r}, {len(self.partials)} seeds)"

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.value.shape
        return found

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(self.value.size)

    @property
    def dtype(self) -> Any:
        return self.value.dtype

    @property
    def T(self) -> "DualArray":
        return seedwise(np.transpose, self)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator["DualArray"]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> "DualArray":
        return DualArray(np.asarray(self.value[key]), self.partials[(slice(None), *_tuple(key))])

    def __setitem__(self, key: Any, item: Any) -> None:
        value, partials = _parts(item, len(self.partials))
        self.value[key] = value
        target = self.partials[(slice(None), *_tuple(key))]
        # the item is broadcast like a value: its seeds stay the first axis
        self.partials[(slice(None), *_tuple(key))] = _lifted(partials, target.ndim - 1)

    def copy(self) -> "DualArray":
        return DualArray(self.value.copy(), self.partials.copy())

    def sum(self, *args: Any, **options: Any) -> "DualArray":
        return seedwise(np.sum, self, *args, **options)

    def mean(self, *args: Any, **options: Any) -> "DualArray":
        return seedwise(np.mean, self, *args, **options)

    def reshape(self, *shape: Any) -> "DualArray":
        return seedwise(np.reshape, self, shape[0] if len(shape) == 1 else shape)

    def ravel(self) -> "DualArray":
        return seedwise(np.ravel, self)

    flatten = ravel

    def dot(self, other: Any) -> "DualArray":
        return multilinear(np.dot, self, other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method == "reduce" and ufunc is np.add:
            found = seedwise(np.sum, *inputs, **options)
        elif method != "__call__" or options:
            return NotImplemented
        elif ufunc in _PLAIN:
            return ufunc(*(_parts(one, 0)[0] for one in inputs))
        elif ufunc is np.matmul:
            found = multilinear(np.matmul, *inputs)
        elif ufunc in _UNARY and not (ufunc is np.absolute and np.iscomplexobj(inputs[0].value)):
            found = _chained(ufunc, inputs[0])
        elif ufunc in _BINARY:
            found = _BINARY[ufunc](*inputs)
        else:
            return NotImplemented
        if out is None:
            return found
        if not isinstance(out[0], DualArray):
            return NotImplemented  # partials would be lost
        out[0][...] = found
        return out[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _LIKE:
            value = function(self.value, *args[1:], **kwargs)
            return DualArray(value, np.zeros((len(self.partials), *value.shape), value.dtype))
        if function in _MEASURES:
            return function(self.value, *args[1:], **kwargs)
        if function in _JOINING:
            return _joined(function, *args, **kwargs)
        if function in _SEEDWISE:
            return seedwise(function, *args, **kwargs)
        if function in _MULTILINEAR:
            return multilinear(function, *args, **kwargs)
        if function is np.where and len(args) == 3 and not kwargs:
            return _where(*args)
        if function is np.clip and len(args) == 3 and not kwargs:
            return np.minimum(np.maximum(args[0], args[1]), args[2])
        return NotImplemented


def seeded(value: Values, own: Sequence[Any], first: int, seeds: int) -> DualArray:
    """Independent variables: entries `own` along the first axis of the value are the seeds from `first` on.

    Entries that no result shares may have one seed in common: they are given as a list.
    """
    value = np.array(value)  # a copy: what it is given to may write into it
    partials = np.zeros((seeds, *value.shape), value.dtype)
    for k, entry in enumerate(own):
        partials[first + k, entry] = 1.0
    return DualArray(value, partials)


def gathered(found: Any, seeds: int) -> DualArray:
    """What a function returned as one array of dual numbers: they may lie in lists or in an array of objects."""
    if isinstance(found, DualArray):
        return found
    if isinstance(found, list | tuple):
        found = np.array(found)  # of numbers, or of dual numbers as objects
    found = np.asarray(found)
    if found.dtype != object:
        return DualArray(found, np.zeros((seeds, *found.shape), found.dtype))
    parts = [_parts(one, seeds) for one in found.ravel()]
    value = np.array([np.asarray(value) for value, _ in parts]).reshape(found.shape)
    partials = np.array([np.broadcast_to(p, (seeds,)) for _, p in parts]).T.reshape(seeds, *found.shape)
    return DualArray(value, partials)


def seedwise(function: Callable[..., Any], a: DualArray, *args: Any, **options: Any) -> DualArray:
    """A function that is linear in its first argument."""
    return DualArray(
        np.asarray(function(a.value, *args, **options)), np.array([function(p, *args, **options) for p in a.partials])
    )


def multilinear(function: Callable[..., Any], *args: Any, **options: Any) -> DualArray:
    """A function that is linear in each of its arrays: the product rule."""
    values = [one.value if isinstance(one, DualArray) else one for one in args]
    value, partials = np.asarray(function(*values, **options)), np.zeros(())
    for k, one in enumerate(args):
        if isinstance(one, DualArray):
            each = [function(*values[:k], p, *values[k + 1 :], **options) for p in one.partials]
            partials = partials + np.array(each)
    return DualArray(value, partials)


def _joined(function: Callable[..., Any], arrays: Sequence[Any], *args: Any, **options: Any) -> DualArray:
    """A function that puts arrays together; numbers among them have no partials."""
    seeds = next(len(one.partials) for one in arrays if isinstance(one, DualArray))
    values = [_value(one) for one in arrays]
    partials = [_parts(one, seeds)[1] for one in arrays]
    at_once = None if args or options else _joined_at_once(function, partials)
    if at_once is not None:
        return DualArray(function(values), at_once)
    joined = [function([p[s] for p in partials], *args, **options) for s in range(seeds)]
    return DualArray(function(values, *args, **options), np.array(joined))


def _joined_at_once(function: Callable[..., Any], partials: Sequence[Values]) -> Values | None:
    """The partials of all seeds, put together as the commonest functions do it with values; None for other ones."""
    if function is np.vstack or (function is np.hstack and partials[0].ndim <= 2):
        least = 3 if function is np.vstack else 2  # dimensions, that of the seeds included
        raised = [p.reshape(len(p), *(1,) * (least - p.ndim), *p.shape[1:]) for p in partials]
        return np.concatenate(raised, axis=1)
    if function is np.concatenate or function is np.stack:
        return function(partials, axis=1)
    return None


def _parts(a: Any, seeds: int) -> tuple[Values, Values]:
    if isinstance(a, DualArray):
        return a.value, a.partials
    a = np.asarray(a)
    if a.dtype == object:
        held = gathered(a, seeds)
        return held.value, held.partials
    return a, np.zeros((seeds, *a.shape))


def _tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _lifted(partials: Values, dimensions: int) -> Values:
    """The partials of an array that is broadcast to more dimensions."""
    if partials.ndim == dimensions + 1:
        return partials
    return partials.reshape(len(partials), *(1,) * (dimensions + 1 - partials.ndim), *partials.shape[1:])


def _combined(value: Values, *terms: tuple[Any, Values]) -> DualArray:
    """Sum of slope times partials of the terms that have some, in the shape of the value."""
    value, total = np.asarray(value), None
    for a, slope in terms:
        if isinstance(a, DualArray):
            part = _lifted(a.partials, value.ndim) * slope
            total = part if total is None else total + part
    assert total is not None
    whole = (len(total), *value.shape)
    return DualArray(value, total if total.shape == whole else np.broadcast_to(total, whole).copy())


def _chained(ufunc: Any, a: DualArray) -> DualArray:
    value = ufunc(a.value)
    return DualArray(value, a.partials * _UNARY[ufunc](a.value, value))


def _value(a: Any) -> Values:
    return _parts(a, 0)[0]


def _multiply(a: Any, b: Any) -> DualArray:
    x, y = _value(a), _value(b)
    return _combined(x * y, (a, y), (b, x))


def _divide(a: Any, b: Any) -> DualArray:
    x, y = _value(a), _value(b)
    return _combined(x / y, (a, 1.0 / y), (b, -x / y / y))


def _power(a: Any, b: Any) -> DualArray:
    x, y = _value(a), _value(b)
    value = x**y
    terms = []
    if isinstance(a, DualArray):
        terms.append((a, np.where(y == 0, 0.0, y * x ** np.where(y == 0, 1.0, y - 1.0))))
    if isinstance(b, DualArray):
        terms.append((b, np.where(value == 0, 0.0, value * np.log(x))))
    return _combined(value, *terms)


def _arctan2(a: Any, b: Any) -> DualArray:
    y, x = _value(a), _value(b)
    square = x * x + y * y
    return _combined(np.arctan2(y, x), (a, x / square), (b, -y / square))


def _hypot(a: Any, b: Any) -> DualArray:
    x, y = _value(a), _value(b)
    value = np.hypot(x, y)
    return _combined(value, (a, x / value), (b, y / value))


def _extreme(prefer: Any) -> Callable[[Any, Any], DualArray]:
    return lambda a, b: _where(prefer(_value(a), _value(b)), a, b)


def _where(condition: Any, a: Any, b: Any) -> DualArray:
    holds = np.asarray(_value(condition), dtype=bool)
    return _combined(np.where(holds, _value(a), _value(b)), *_branches(holds, a, b))


def _branches(holds: Values, a: Any, b: Any) -> list[tuple[Any, Values]]:
    """Slopes of one or zero; what is not finite in the branch not taken leaves no trace."""
    found = []
    for one, taken in ((a, holds), (b, ~holds)):
        if isinstance(one, DualArray):
            kept = _lifted(one.partials, max(holds.ndim, one.ndim))
            one = DualArray(one.value, np.where(taken, kept, 0.0))
        found.append((one, 1.0))
    return found


_UNARY: dict[Any, Callable[[Values, Values], Values]] = {
    np.negative: lambda a, f: -1.0,
    np.positive: lambda a, f: 1.0,
    np.square: lambda a, f: 2.0 * a,
    np.reciprocal: lambda a, f: -f * f,
    np.expm1: lambda a, f: 1.0 + f,
    np.exp2: lambda a, f: np.log(2.0) * f,
    np.log1p: lambda a, f: 1.0 / (1.0 + a),
    np.log2: lambda a, f: 1.0 / (np.log(2.0) * a),
    np.cbrt: lambda a, f: 1.0 / (3.0 * f * f),
    np.arcsinh: lambda a, f: 1.0 / np.sqrt(a * a + 1.0),
    np.arccosh: lambda a, f: 1.0 / np.sqrt(a * a - 1.0),
    np.arctanh: lambda a, f: 1.0 / ((1.0 - a) * (1.0 + a)),
    np.absolute: lambda a, f: np.sign(a),
    np.fabs: lambda a, f: np.sign(a),
    np.sign: lambda a, f: 0.0,
    np.deg2rad: lambda a, f: np.pi / 180.0,
    np.radians: lambda a, f: np.pi / 180.0,
}
for _name, (_, _slope) in FUNCTIONS.items():
    if isinstance(getattr(np, _name, None), np.ufunc):  # not erf, which is none of NumPy's
        _UNARY.setdefault(getattr(np, _name), _slope)
_BINARY: dict[Any, Callable[..., DualArray]] = {
    np.add: lambda a, b: _combined(_value(a) + _value(b), (a, 1.0), (b, 1.0)),
    np.subtract: lambda a, b: _combined(_value(a) - _value(b), (a, 1.0), (b, -1.0)),
    np.multiply: _multiply,
    np.divide: _divide,
    np.power: _power,
    np.float_power: _power,
    np.arctan2: _arctan2,
    np.hypot: _hypot,
    np.maximum: _extreme(np.greater_equal),
    np.minimum: _extreme(np.less_equal),
    np.fmax: _extreme(np.greater_equal),
    np.fmin: _extreme(np.less_equal),
}
# these do not change with their arguments but for jumps
_PLAIN = {
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.floor, np.ceil, np.rint,
    np.isnan, np.isfinite, np.isinf, np.heaviside, np.signbit,
}  # fmt: skip
_LIKE = {np.zeros_like, np.ones_like, np.full_like, np.empty_like}
_MEASURES = {np.shape, np.ndim, np.size}
_JOINING = {np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack}
_SEEDWISE = {
    np.sum, np.mean, np.reshape, np.ravel, np.transpose, np.roll, np.flip, np.flipud, np.fliplr, np.diff, np.cumsum,
    np.repeat, np.tile, np.squeeze, np.expand_dims, np.moveaxis, np.swapaxes, np.atleast_1d, np.atleast_2d,
    np.broadcast_to, np.take, np.trace, np.copy,
}  # fmt: skip
_MULTILINEAR = {np.dot, np.inner, np.outer, np.tensordot, np.einsum, np.cross, np.vdot, np.kron}
