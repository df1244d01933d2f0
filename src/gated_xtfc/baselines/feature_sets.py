"""Features and training points as the ungated methods choose them: uniform or random, never adapted to the layer.

Uniform kernels have the slope m = 1/(sqrt(2) k d), d the spacing; random ones draw centre and slope at random up to it.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.baselines.chebyshev import Chebyshev, lobatto
from gated_xtfc.baselines.features import Features
from gated_xtfc.baselines.kernels import Gaussians, Sigmoids
from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array

KINDS = ("gaussian", "tanh", "chebyshev")
LAYOUTS = ("uniform", "random")


@dataclass(frozen=True)
class FeatureSet:
    kind: str
    neurons: int
    points: int
    layout: str
    multiplier: float  # k
    spread: float | None  # random weights and biases are drawn from [-spread, spread] in domain lengths; None: from k
    seed: int

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("layout", LAYOUTS)):
            if getattr(self, name) not in known:
                raise InputError(f"the {name} of features {getattr(self, name)!r} must be one of {', '.join(known)}")
        for name in ("neurons", "points"):
            count = getattr(self, name)
            if not isinstance(count, int) or isinstance(count, bool) or count < 4:
                raise InputError(f"{name} is {count!r}: give a whole number of at least 4")
        for name in ("multiplier", "spread"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < np.inf:
                raise InputError(f"{name} is {value!r}: give a positive number")

    def sites(self, axis: Axis) -> Array:
        """Training points, (points,)."""
        if self.kind == "chebyshev":
            return lobatto(axis.left, axis.right, self.points)
        return np.linspace(axis.left, axis.right, self.points)

    def features(self, axis: Axis, lowest_degree: int) -> Features:
        if self.kind == "chebyshev":
            return Chebyshev(axis.left, axis.right, lowest_degree, self.neurons)
        if self.layout == "uniform":
            centres = np.linspace(axis.left, axis.right, self.neurons)
            slopes = np.full(self.neurons, self.neurons / (np.sqrt(2.0) * self.multiplier * axis.length))
            offsets = np.zeros(self.neurons)
        else:
            centres, slopes, offsets = self._drawn(axis)
        return Gaussians(centres, slopes) if self.kind == "gaussian" else Sigmoids(centres, slopes, offsets)

    def _drawn(self, axis: Axis) -> tuple[Array, Array, Array]:
        random = np.random.default_rng(self.seed)
        if self.spread is None:
            steepest = self.neurons / (np.sqrt(2.0) * self.multiplier)
            centres = np.sort(random.uniform(axis.left, axis.right, self.neurons))
            return centres, random.uniform(-steepest, steepest, self.neurons) / axis.length, np.zeros(self.neurons)
        slopes = random.uniform(-self.spread, self.spread, self.neurons) / axis.length
        offsets = random.uniform(-self.spread, self.spread, self.neurons)
        if self.kind == "gaussian":
            return axis.left - offsets / slopes, slopes, np.zeros(self.neurons)
        return np.full(self.neurons, axis.left), slopes, offsets

    def record(self) -> dict[str, object]:
        return {"features": self.kind, **{n: getattr(self, n) for n in self.__dataclass_fields__ if n != "kind"}}
