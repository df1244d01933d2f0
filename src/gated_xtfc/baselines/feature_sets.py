"""Features and training points as the ungated methods choose them: uniform or random, never adapted to the layer.

Uniform kernels have the slope m = 1/(sqrt(2) k d), d the spacing; random ones draw centre and slope at random up to it.
"""

from dataclasses import asdict, dataclass

import numpy as np

from gated_xtfc.baselines.chebyshev import Chebyshev, lobatto
from gated_xtfc.baselines.checks import check_one_of, check_positive, check_whole
from gated_xtfc.baselines.features import Features
from gated_xtfc.baselines.kernels import Gaussians, Sigmoids
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
        check_one_of(KINDS, features=self.kind)
        check_one_of(LAYOUTS, layout=self.layout)
        check_whole(4, neurons=self.neurons, points=self.points)
        check_positive(multiplier=self.multiplier, **({} if self.spread is None else {"spread": self.spread}))

    def sites(self, axis: Axis) -> Array:
        """The training points, (points,)."""
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
        settings = asdict(self)
        return {"features": settings.pop("kind"), **settings}
