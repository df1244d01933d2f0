"""The layer gate: a place, a thickness and a grading.

    xi += asinh(grading (x - location) / thickness) / grading

The local kernel width is `thickness` at the layer and grows like grading |x - location| away from it, so one gate
resolves every scale from its own thickness upward.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Layer:
    location: float
    thickness: float
    grading: float = 0.35

    def jets(self, x: NDArray[np.float64], order: int) -> list[NDArray[np.float64]]:
        """The stretch and its derivatives in x up to `order` (at most 4), each (n,)."""
        # x - location comes first: it is exact near the layer, whatever the thickness.
        y = (x - self.location) * (self.grading / self.thickness)
        jets = [np.arcsinh(y) / self.grading]
        if order == 0:
            return jets
        ratio = self.grading / self.thickness
        q = 1.0 / np.sqrt(1.0 + y * y)
        jets.append(q / self.thickness)
        if order >= 2:
            q3 = q * q * q
            jets.append((-ratio / self.thickness) * y * q3)
        if order >= 3:
            q5 = q3 * q * q
            jets.append((ratio**2 / self.thickness) * (2.0 * y * y - 1.0) * q5)
        if order >= 4:
            jets.append((ratio**3 / self.thickness) * y * (9.0 - 6.0 * y * y) * (q5 * q * q))
        return jets

    def place(self, stretch: NDArray[np.float64]) -> NDArray[np.float64]:
        """The points x at which this gate alone reaches the given stretch."""
        return self.location + (self.thickness / self.grading) * np.sinh(self.grading * stretch)

    def scaled(self, factor: float) -> "Layer":
        """The same stretch times `factor`: kernels that much denser at the layer and in the graded zone around it."""
        return Layer(self.location, self.thickness / factor, self.grading / factor)

    def moved(self, by: float) -> "Layer":
        return Layer(self.location + by, self.thickness, self.grading)

    def describe(self) -> str:
        return f"layer at {self.location:.6g}, thickness {self.thickness:.3g}"
