"""A few dense columns beside a banded factorisation: unknown constants that every row may see.

minimise |B c + E y - t|:  y from what B cannot fit of E, then c from what is left.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.linalg.banded import Banded
from gated_xtfc.linalg.dense_constraints import Bordered
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Widened:
    base: Banded | Bordered
    extra: Array  # (m, k)
    finder: Array  # (k, m) y as it follows from the target

    @classmethod
    def of(cls, base: Banded | Bordered, extra: Array) -> "Widened":
        leftover = extra - base.times(base.answer(extra))
        return cls(base, extra, np.asarray(np.linalg.pinv(leftover), dtype=np.float64))

    @property
    def rank(self) -> int:
        return self.base.rank + int(self.extra.shape[1])

    def solve(self, target: Array) -> Array:
        """Coefficients, then constants, (n + k, r)."""
        constants = self.finder @ (target - self.base.times(self.base.solve(target)))
        found = self.base.solve(target - self.extra @ constants)
        # once more for what rounding left over
        misfit = target - self.base.times(found) - self.extra @ constants
        step = self.finder @ misfit
        found = found + self.base.answer(misfit - self.extra @ step)
        return np.vstack([found, constants + step])

    def adjoint(self, features: Array) -> Array:
        """features @ the linear part of `solve`, (p, m)."""
        count = self.extra.shape[1]
        seen = self.base.adjoint(features[:, :-count])
        result: Array = seen + (features[:, -count:] - seen @ self.extra) @ self.finder
        return result
