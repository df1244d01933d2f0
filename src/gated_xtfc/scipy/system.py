"""A first-order system with its conditions, as solve_bvp takes it: functions of arrays, with their Jacobians.

A complex system of n equations is a real one of 2 n: real parts first. Its functions are differentiable in the complex
sense, so that multiplication by c + i d stands for the matrix ((c, -d), (d, c)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.scipy.jacobians import Differentiable, Seeds
from gated_xtfc.types import Array

Function = Callable[..., Any]


@dataclass(frozen=True)
class System:
    """y' = f(x, y, p) + S y/(x - a) between the ends of a mesh, bc(ya, yb, p) = 0, all of it real."""

    fun: Function  # (x, y, p) -> (n, m), of what the user's arrays hold
    bc: Function  # (ya, yb, p) -> (n + k,)
    fun_jac: Function | None
    bc_jac: Function | None
    mesh: Array
    constants: int  # k
    is_complex: bool
    singular: Array | None  # S, real
    slopes: Differentiable
    conditions: Differentiable

    @classmethod
    def of(
        cls,
        fun: Function,
        bc: Function,
        fun_jac: Function | None,
        bc_jac: Function | None,
        mesh: Array,
        y: Any,
        p: Array,
        singular: Array | None,
    ) -> "System":
        """`fun` and `bc` take p in every case; y is the guess, real or complex."""
        given = (lambda x: lambda at, constants: fun(x, at, constants))(mesh)
        return cls(
            fun,
            bc,
            fun_jac,
            bc_jac,
            mesh,
            p.size,
            bool(np.iscomplexobj(y)),
            None if singular is None else _real_matrix(singular) if np.iscomplexobj(y) else np.asarray(singular, float),
            Differentiable.tried(given, (y, p)),
            Differentiable.tried(bc, (y[:, 0], y[:, -1], p)),
        )

    @property
    def left(self) -> float:
        return float(self.mesh[0])

    @property
    def right(self) -> float:
        return float(self.mesh[-1])

    @property
    def exact(self) -> bool:
        """Whether Jacobians carry no noise."""
        return self.fun_jac is not None or self.slopes.exact

    def slope(self, x: Array, y: Array, p: Array, fields: Seeds, constants: Seeds) -> tuple[Array, Array]:
        """f (n, m) and its derivatives (seeds, n, m) by some fields and constants, without the singular term."""
        theirs = self.together(y)
        wanted = sorted({i % len(theirs) for i in fields}) if self.is_complex else fields
        with np.errstate(all="ignore"):
            if self.fun_jac is None:
                inner = Differentiable(lambda at, values: self.fun(x, at, values), self.slopes.exact)
                value, partials = inner((theirs, p), (wanted, constants))
            else:
                value, partials = self._given(x, theirs, p, wanted, constants)
        if not self.is_complex:
            return value, partials
        by_field = dict(zip(wanted, partials, strict=False))
        both = [_pair(by_field[i % len(theirs)], i >= len(theirs)) for i in fields]
        both += [_pair(one, False) for one in partials[len(wanted) :]]
        return self.apart(value), np.array(both)

    def _given(self, x: Array, y: Any, p: Array, fields: Seeds, constants: Seeds) -> tuple[Any, Any]:
        assert self.fun_jac is not None
        found = self.fun_jac(x, y, p)
        by_y, by_p = found if self.constants else (found, np.zeros((len(y), 0, x.size)))
        by_y, by_p = np.asarray(by_y), np.asarray(by_p)
        partials = [_summed(by_y[:, i]) for i in fields] + [_summed(by_p[:, j]) for j in constants]
        shape = (len(partials), len(y), x.size)
        return np.asarray(self.fun(x, y, p)), np.array(partials).reshape(shape)

    def ends(self, ya: Array, yb: Array, p: Array) -> tuple[Array, Array]:
        """bc (n + k,) and its derivatives (2 n + k, n + k)."""
        a, b = self.together(ya), self.together(yb)
        with np.errstate(all="ignore"):
            if self.bc_jac is None:
                value, partials = self.conditions((a, b, p), [range(len(one)) for one in (a, b, p)])
            else:
                found = self.bc_jac(a, b, p)
                value = np.asarray(self.bc(a, b, p))
                partials = np.concatenate([np.asarray(one).reshape(value.size, -1) for one in found], axis=1).T
        if not self.is_complex:
            return value, partials
        n = len(a)
        both = [_pair(one, False) for one in partials[:n]] + [_pair(one, True) for one in partials[:n]]
        both += [_pair(one, False) for one in partials[n : 2 * n]] + [_pair(one, True) for one in partials[n : 2 * n]]
        return self.apart(value), np.array(both + [_pair(one, False) for one in partials[2 * n :]])

    def together(self, y: Array) -> Any:
        """The user's values of our real ones, along the first axis."""
        if not self.is_complex:
            return y
        half = len(y) // 2
        return y[:half] + 1j * y[half:]

    def apart(self, values: Any) -> Array:
        """Our real values of the user's."""
        return np.concatenate([np.real(values), np.imag(values)]) if self.is_complex else np.asarray(values, float)


def _summed(derivative: Any) -> Any:
    """By one entry, (n, m), or by several at once, (n, entries, m)."""
    return derivative if derivative.ndim == 2 else derivative.sum(axis=1)


def _pair(partial: Any, imaginary: bool) -> Array:
    """A complex derivative as that of the real and imaginary parts by a real or an imaginary part."""
    turned = 1j * partial if imaginary else partial
    return np.concatenate([np.real(turned), np.imag(turned)])


def _real_matrix(matrix: Any) -> Array:
    matrix = np.asarray(matrix)
    return np.block([[np.real(matrix), -np.imag(matrix)], [np.imag(matrix), np.real(matrix)]])
