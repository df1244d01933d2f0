"""Gates: where resolution goes. Each is a frozen value; the coordinate composes them."""

from __future__ import annotations  # help() shows types as they are written here

import math
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np

from gated_xtfc.types import Array

TRANSITION = 2.0


class Gate(Protocol):
    """A stretch of the coordinate at some place. Layers add up, blocks compose."""

    def jets(self, x: Array, order: int) -> list[Array]:
        """The stretch and its derivatives up to `order`, each (n,)."""

    def moved(self, by: float) -> Self:
        """The same at x + by."""

    def describe(self) -> str:
        """A few words for tables."""


@dataclass(frozen=True)
class Layer:
    """A gate that narrows kernels at one place: xi += asinh(grading (x - location) / thickness) / grading.

    The local kernel width is about `thickness` at the layer and grows like grading |x - location| away from it, so one
    gate resolves every scale from its own thickness upward.

    Parameters
    ----------
    location
        Where the layer is.
    thickness
        How wide kernels are there.
    grading
        How fast they widen away from it.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Layer(1.0, 1e-4)
    >>> layer.describe()
    'layer at 1, thickness 0.0001'

    Given to `solve`, gates take the place of those that the operator and the text would ask for:

    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> solution = gx.solve(problem, tol=1e-6, gates=[layer])
    >>> solution.converged, solution.gates
    (True, (Layer(location=1.0, thickness=0.0001, grading=0.35),))
    """

    location: float
    thickness: float
    grading: float = 0.35

    def jets(self, x: Array, order: int) -> list[Array]:
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

    def place(self, stretch: Array) -> Array:
        """The points x at which this gate alone reaches the given stretch."""
        return self.location + (self.thickness / self.grading) * np.sinh(self.grading * stretch)

    def scaled(self, factor: float) -> Layer:
        """The same stretch times `factor`: kernels that much denser at the layer and in the graded zone around it."""
        return Layer(self.location, self.thickness / factor, self.grading / factor)

    def stretched(self, by: float) -> Layer:
        """The same in x * by."""
        return Layer(self.location * by, self.thickness * by, self.grading)

    def moved(self, by: float) -> Layer:
        """The same in x + by."""
        return Layer(self.location + by, self.thickness, self.grading)

    def describe(self) -> str:
        """Location and thickness in words."""
        return f"layer at {self.location:.6g}, thickness {self.thickness:.3g}"


@dataclass(frozen=True)
class Block:
    """A gate that makes kernels `factor` times as dense on an interval with soft ends.

    Blocks are applied one after the other to the coordinate t that the layers make:

        t -> t + (factor - 1) transition (softplus((t - left)/transition) - softplus((t - right)/transition))

    The derivative of this map is the logistic blend of two densities. Its transition must span about two kernel widths:
    a sharper one puts a kink into the coordinate, and the residual grows instead of falling.

    Parameters
    ----------
    left, right
        The interval in the coordinate t. A block that is given to `solve` is placed by `left_x` and `right_x` instead.
    factor
        How much denser kernels are inside.
    transition
        How soft the ends are, in kernel widths.
    left_x, right_x
        The interval in x.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> block = gx.Block.between(0.25, 0.5)
    >>> block.describe()
    'block 0.25 .. 0.5, density x 2'
    >>> problem = gx.Problem("u'' = exp(x)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    >>> gx.solve(problem, gates=[block]).neurons > gx.solve(problem).neurons
    True
    """

    left: float
    right: float
    factor: float = 2.0
    transition: float = TRANSITION
    left_x: float = float("nan")
    right_x: float = float("nan")

    def jets(self, t: Array, order: int) -> list[Array]:
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

    @classmethod
    def between(cls, left: float, right: float, factor: float = 2.0) -> Block:
        """Density times `factor` between two places in x, for `solve`: the coordinate it acts on is not known yet."""
        return cls(math.nan, math.nan, factor, left_x=left, right_x=right)

    def stretched(self, by: float) -> Block:
        """The same in x * by; in the coordinate it stays where it is."""
        return replace(self, left_x=self.left_x * by, right_x=self.right_x * by)

    def moved(self, by: float) -> Block:
        """The same in x + by; in the coordinate it stays where it is."""
        return replace(self, left_x=self.left_x + by, right_x=self.right_x + by)

    def describe(self) -> str:
        """Interval and factor in words."""
        return f"block {self.left_x:.6g} .. {self.right_x:.6g}, density x {self.factor:.3g}"


def _logistic(z: Array) -> Array:
    return 0.5 * (1.0 + np.tanh(0.5 * z))
