"""A few dense columns beside a banded factorisation: unknown constants that every row may see.

minimise |B c + E y - t|:  y from the part of E that B cannot fit, then c from t - E y.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.linalg.factor import Factor, require_finite
from gated_xtfc.types import Array


@dataclass(frozen=True)
class WithDenseColumns:
    """A factorisation with a few dense columns beside it."""

    base: Factor
    extra: Array  # (m, k)
    constants_from_residual: Array  # (k, m) y as it follows from the target

    @classmethod
    def of(cls, base: Factor, extra: Array) -> "WithDenseColumns":
        leftover = extra - base.times(base.homogeneous(extra))
        require_finite(leftover)
        return cls(base, extra, np.asarray(np.linalg.pinv(leftover), dtype=np.float64))

    @property
    def rank(self) -> int:
        return self.base.rank + int(self.extra.shape[1])

    def solve(self, target: Array) -> Array:
        """Coefficients, then constants, (n + k, r)."""
        return self._solved(target, self.base.solve)

    def homogeneous(self, target: Array) -> Array:
        """The same with the values of all conditions zero."""
        return self._solved(target, self.base.homogeneous)

    def _solved(self, target: Array, solve: Callable[[Array], Array]) -> Array:
        constants = self.constants_from_residual @ (target - self.base.times(solve(target)))
        found = solve(target - self.extra @ constants)
        # once more for what rounding left over
        misfit = target - self.base.times(found) - self.extra @ constants
        step = self.constants_from_residual @ misfit
        found = found + self.base.homogeneous(misfit - self.extra @ step)
        return np.vstack([found, constants + step])

    def times(self, coefficients: Array) -> Array:
        found, constants = np.split(coefficients, [-self.extra.shape[1]])
        product: Array = self.base.times(found) + self.extra @ constants
        return product

    def left_times(self, rows: Array) -> Array:
        return np.hstack([self.base.left_times(rows), rows @ self.extra])

    def adjoint(self, features: Array) -> Array:
        """features @ the linear part of `solve`, (p, m)."""
        count = self.extra.shape[1]
        seen = self.base.adjoint(features[:, :-count])
        result: Array = seen + (features[:, -count:] - seen @ self.extra) @ self._constants_from_target
        return result

    @cached_property
    def _constants_from_target(self) -> Array:
        """(k, m): what is left of a target where conditions hold is no orthogonal projection of it."""
        found = self.constants_from_residual
        result: Array = found - self.base.adjoint(self.base.left_times(found))
        return result
