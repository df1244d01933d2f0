"""Band plus low rank: conditions that tie distant places together (periodic, integral) beside a banded
factorisation.

    minimise |F c - t|  subject to  C c = b,  F banded, C a few dense rows.

F alone nearly annihilates the solutions of the homogeneous equation. Rows N c = z for values and derivatives at
both ends, with z free, make it well conditioned without changing the minimum; z is then found from a problem of
a handful of unknowns.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.linalg.banded import Banded
from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.linalg.windowed import WindowedMatrix
from gated_xtfc.types import Array


@dataclass(frozen=True)
class WithDenseConstraints:
    """A banded factorisation with conditions that tie distant places together."""

    banded: Banded  # of F with N below
    extra: int  # rows of N
    z_from_target: Array  # (extra, rows) z as it follows from the target ...
    z_from_values: Array  # (extra, q) ... and from b
    conditions: Array  # (q, n)
    values: Array  # (q,)

    @classmethod
    def of(cls, matrix: WindowedMatrix, extra: int, conditions: Array, values: Array) -> "WithDenseConstraints":
        """The last `extra` rows of the matrix are N."""
        banded = Banded.of(matrix)
        lift = np.zeros((banded.height, extra))
        lift[banded.height - extra :] = np.eye(extra)
        response_to_z = banded.solve(lift)  # (n, extra): what answers a unit of each z
        conditions_of_z = conditions @ response_to_z  # (q, extra): the conditions as functions of z
        seen = banded.adjoint(conditions)  # (q, rows): the conditions as functions of the target
        require_finite(conditions_of_z)
        inverse = np.asarray(np.linalg.pinv(conditions_of_z), dtype=np.float64)
        _, _, right = np.linalg.svd(conditions_of_z)
        null = right[len(values) :].T  # (extra, extra - q): z that leave the conditions alone
        q, r = np.linalg.qr((lift - matrix.times(response_to_z)) @ null)
        minimising_part = null @ np.linalg.solve(r, q.T)  # (extra, rows)
        z_from_values: Array = inverse - (minimising_part @ lift) @ inverse  # (extra, q)
        return cls(banded, extra, -minimising_part - z_from_values @ seen, z_from_values, conditions, values)

    @property
    def rank(self) -> int:
        return self.banded.rank

    def solve(self, target: Array) -> Array:
        """Coefficients (n, r) that fit the targets (m, r) and meet the conditions."""
        return self._refined(target, self.values)

    def homogeneous(self, target: Array) -> Array:
        """Coefficients (n, r) that fit the targets and meet the homogeneous conditions."""
        return self._refined(target, np.zeros_like(self.values))

    def times(self, coefficients: Array) -> Array:
        return self.banded.times(coefficients)[: -self.extra]

    def left_times(self, rows: Array) -> Array:
        return self.banded.left_times(np.hstack([rows, np.zeros((rows.shape[0], self.extra))]))

    def _refined(self, target: Array, values: Array) -> Array:
        found = np.zeros((self.conditions.shape[1], target.shape[1]))
        for _ in range(3):
            # the small problem loses digits; what it leaves over is solved for again
            misfit = target - self.times(found)
            found = found + self._once(misfit, values[:, None] - self.conditions @ found)
        return found

    def _once(self, target: Array, values: Array) -> Array:
        stacked = np.vstack([target, np.zeros((self.extra, target.shape[1]))])
        stacked[target.shape[0] :] = self.z_from_target @ stacked + self.z_from_values @ values
        return self.banded.solve(stacked)

    def adjoint(self, features: Array) -> Array:
        """features @ the linear part of `solve`, (p, m)."""
        seen = self.banded.adjoint(features)
        result: Array = (seen + seen[:, -self.extra :] @ self.z_from_target)[:, : -self.extra]
        return result
