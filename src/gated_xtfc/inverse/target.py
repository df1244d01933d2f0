"""The log posterior, as far as it is known without solving anything: from predictions, and from places."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.inverse.nodes import Node
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Target:
    y: Array  # (n,)
    noise: Noise
    priors: Mapping[str, Prior]

    def log_prior(self, points: Array) -> Array:
        """On the unit scales, (k,) for points (k, p)."""
        densities = [prior.log_density_on_scale(points[:, i]) for i, prior in enumerate(self.priors.values())]
        total: Array = np.sum(densities, axis=0)
        return total

    def log_likelihood(self, predictions: Array) -> Array:
        """(k,) for predictions (k, n)."""
        return self.noise.log_likelihood(self.y - predictions)

    def at(self, node: Node) -> float:
        """The log posterior at a node, not normalised."""
        prior = self.log_prior(node.place[None, :])
        return float(self.log_likelihood(node.prediction[None, :])[0] + prior[0])

    def weights(self, prediction: Array) -> Array:
        """(n,) square roots of the precisions at this prediction."""
        found: Array = np.sqrt(self.noise.precision(self.y - prediction))
        return found

    def focused(self, prediction: Array) -> "Target":
        return replace(self, noise=self.noise.focused(self.y - prediction))
