"""The logistic block: density times `factor` on a soft interval of the coordinate it is composed with.

    t -> t + (factor - 1) transition (softplus((t - left)/transition) - softplus((t - right)/transition))

Its derivative is the logistic blend of two densities. The transition must span about two kernel widths: a
sharper one puts a kink into the coordinate, and the residual grows instead of falling.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

TRANSITION = 2.0


@dataclass(frozen=True)
class Block:
    left: float
    right: float
    factor: float = 2.0
    transition: float = TRANSITION
    left_x: float = float("nan")
    right_x: float = float("nan")

    def jets(self, t: NDArray[np.float64], order: int) -> list[NDArray[np.float64]]:
        """The new coordinate and its derivatives in the old one, up to `order` (at most 4), each (n,)."""
        gain, e = self.factor - 1.0, self.transition
        a, b = (t - self.left) / e, (t - self.right) / e
        jets = [t + gain * e * (np.logaddexp(0.0, a) - np.logaddexp(0.0, b))]
        if order == 0:
            return jets
        p, q = _logistic(a), _logistic(b)
        jets.append(1.0 + gain * (p - q))
        if order >= 2:
            p1, q1 = p * (1.0 - p), q * (1.0 - q)
            jets.append((gain / e) * (p1 - q1))
        if order >= 3:
            jets.append((gain / e**2) * (p1 * (1.0 - 2.0 * p) - q1 * (1.0 - 2.0 * q)))
        if order >= 4:
            jets.append((gain / e**3) * (p1 * (1.0 - 6.0 * p1) - q1 * (1.0 - 6.0 * q1)))
        return jets

    def moved(self, by: float) -> "Block":
        """The same in x + by; in the coordinate it stays where it is."""
        return replace(self, left_x=self.left_x + by, right_x=self.right_x + by)

    def describe(self) -> str:
        return f"block {self.left_x:.6g} .. {self.right_x:.6g}, density x {self.factor:.3g}"


def _logistic(z: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 * (1.0 + np.tanh(0.5 * z))
