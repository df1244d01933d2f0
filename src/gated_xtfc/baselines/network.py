"""A deep network of one variable with its derivatives: h_0 = t in [-1, 1], h_k = tanh(W_k h_(k-1) + b_k), N = W h + b.

(N, N', N'') travel through the layers together (Taylor mode); the same lines serve JAX, which trains, and NumPy.
"""

from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from gated_xtfc.types import Array

Traced = Any  # an array of NumPy's, or what JAX, which has no types here, puts in its place
Jet = tuple[Traced, Traced, Traced]  # value, first and second derivative, each (n,)


@dataclass(frozen=True)
class Network:
    left: float
    right: float
    layers: int
    width: int

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """The numbers of inputs and outputs of every layer."""
        sizes = [1, *[self.width] * self.layers, 1]
        return list(pairwise(sizes))

    def initial(self, seed: int) -> Array:
        """(parameters,): Glorot's normal weights and no bias; NumPy's generator, so no version of JAX changes them."""
        random = np.random.default_rng(seed)
        pieces = []
        for inputs, outputs in self.shapes:
            pieces += [random.normal(0.0, np.sqrt(2.0 / (inputs + outputs)), inputs * outputs), np.zeros(outputs)]
        return np.concatenate(pieces)

    def jet(self, parameters: Traced, x: Traced, xp: ModuleType = np) -> Jet:
        """The values N, N', N'' at x (n,), computed by the array library `xp`."""
        slope = 2.0 / (self.right - self.left)
        t = (x - self.left) * slope - 1.0
        state = xp.stack([t, 0.0 * t + slope, 0.0 * t])[:, :, None]  # (3, n, 1)
        start = 0
        for depth, (inputs, outputs) in enumerate(self.shapes):
            middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
            weights = parameters[start:middle].reshape(inputs, outputs)
            z, z1, z2 = state @ weights  # each (n, outputs)
            z = z + parameters[middle:end]
            start = end
            if depth == self.layers:
                break
            h = xp.tanh(z)
            d = 1.0 - h * h
            state = xp.stack([h, d * z1, d * (z2 - 2.0 * h * z1 * z1)])
        return z[:, 0], z1[:, 0], z2[:, 0]


@dataclass(frozen=True)
class ConstrainedNetwork:
    """u = N + (1-s) (u_a - N(a)) + s (u_b - N(b)), s = (x-a)/(b-a): the end values are met whatever N is."""

    network: Network
    at_left: float
    at_right: float

    def initial(self, seed: int) -> Array:
        return self.network.initial(seed)

    def jet(self, parameters: Traced, x: Traced, xp: ModuleType = np) -> Jet:
        left, right = self.network.left, self.network.right
        # the ends ride along with the points: one pass through the network
        n, n1, n2 = self.network.jet(parameters, xp.concatenate([x, xp.asarray([left, right])]), xp)
        s = (x - left) / (right - left)
        gap_left, gap_right = self.at_left - n[-2], self.at_right - n[-1]
        return (
            n[:-2] + (1.0 - s) * gap_left + s * gap_right,
            n1[:-2] + (gap_right - gap_left) / (right - left),
            n2[:-2],
        )


Deep = Network | ConstrainedNetwork


@dataclass(frozen=True)
class Trained:
    """The trial with the parameters it ended with, as a function of (points, order); plain NumPy, so it pickles."""

    trial: Deep
    parameters: Array

    def __call__(self, x: Array, order: int) -> Array:
        at_once = 10_000  # points: some 10 MB a layer, however many are asked for
        pieces = [self.trial.jet(self.parameters, x[i : i + at_once])[order] for i in range(0, len(x), at_once)]
        return np.concatenate(pieces) if pieces else np.empty(0)
