"""The constrained expression: u = g + sum_k s_k (b_k - L_k[g]) meets L_k[u] = b_k for every free function g.

The supports of the switching functions s_k are kernels of the basis itself, chosen by a pivoted factorisation
of the conditions' rows. They are local and as wide as the layer they stand in, so that derivative conditions
cost no digits and the rows stay banded.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from gated_xtfc.discretise.functionals import Functionals
from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.errors import InputError
from gated_xtfc.types import Array, Index

# Two conditions closer to dependence than this cannot both be met in double precision.
DEPENDENT = 1e-11


@dataclass(frozen=True)
class Trial:
    functionals: Functionals
    pivots: Index  # (q,) kernels that serve as supports
    free: Index  # (n,) the others: one coefficient each
    switch: Array  # (q, q) support weights of each switching function
    couple: Array  # (q, n) what a unit of each free kernel takes from the supports
    particular: Array  # (q,) support weights of the particular solution

    @property
    def basis(self) -> Piecewise:
        return self.functionals.basis

    @classmethod
    def on(cls, functionals: Functionals) -> "Trial":
        rows, values = functionals.rows(), functionals.values()
        if not len(values):
            return cls(functionals, *_unconstrained(functionals.size))
        size = np.abs(rows).max(axis=1)
        if not np.all(size > 0):
            raise InputError(
                f"the condition '{functionals.names()[int(np.argmin(size))]}' does not involve the solution"
            )
        scaled = rows / size[:, None]
        factor, order, _, _, _ = lapack.dgeqp3(scaled)
        pivots = np.sort(order[: len(values)] - 1).astype(np.intp)
        diagonal = np.abs(np.diag(factor))
        if diagonal.min() < DEPENDENT * diagonal.max():
            raise InputError(_dependence(scaled, values / size, functionals.names()))
        inverse = np.linalg.inv(scaled[:, pivots])
        free = np.delete(np.arange(rows.shape[1]), pivots)
        couple = inverse @ scaled[:, free]
        return cls(functionals, pivots, free, inverse / size, couple, inverse @ (values / size))

    def reduce(self, raw: Array) -> Array:
        """Columns of an operator on all kernels (n, size) turned into columns on the free ones, conditions built in."""
        reduced: Array = raw[:, self.free] - raw[:, self.pivots] @ self.couple
        return reduced

    def weights(self, coefficients: Array) -> tuple[Array, Array]:
        """Kernel weights of g and of the switching part, kept apart so that conditions hold to the last bit."""
        free, switch = np.zeros(self.functionals.size), np.zeros(self.functionals.size)
        free[self.free] = coefficients
        switch[self.pivots] = self.switch @ (self.functionals.values() - self.functionals.on(free))
        return free, switch

    def raw(self, coefficients: Array) -> Array:
        """Weights of all kernels, supports included, (size,): enough for fitting, where the last bits do not matter."""
        weights = np.zeros(self.functionals.size)
        weights[self.free] = coefficients
        weights[self.pivots] = self.particular - self.couple @ coefficients
        return weights


def _unconstrained(size: int) -> tuple[Index, Index, Array, Array, Array]:
    return np.zeros(0, dtype=np.intp), np.arange(size), np.zeros((0, 0)), np.zeros((0, size)), np.zeros(0)


def _dependence(rows: Array, values: Array, names: list[str]) -> str:
    """Says which conditions depend on each other, and whether they contradict."""
    weights = np.linalg.svd(rows, full_matrices=False)[0][:, -1]
    involved = [f"'{name}'" for name, weight in zip(names, weights, strict=True) if abs(weight) > 1e-3]
    clash = abs(float(weights @ values)) > 1e-9 * max(1.0, float(np.abs(values).max()))
    listed = " and ".join(involved)
    if clash:
        return f"the conditions {listed} contradict each other: give conditions that can hold together"
    return f"the conditions {listed} say the same thing twice: replace one of them by an independent condition"
