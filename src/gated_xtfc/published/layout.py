"""Where a soft split puts its sites and kernels."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import expit

from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.published.soft_split import SoftSplit
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class SplitLayout:
    sites: Array  # (blocks N_c,)
    centres: Array  # (blocks N_star,)
    gates: Array  # (splits, blocks N_star) s_j at the centres
    widths: Array  # (blocks N_star,)
    transitions: tuple[float, ...]  # eps_j

    @property
    def slopes(self) -> Array:
        """m = 1/(sqrt(2) sigma)"""
        result: Array = 1.0 / (np.sqrt(2.0) * self.widths)
        return result

    @classmethod
    def of(cls, split: SoftSplit, axis: Axis, physical: float) -> "SplitLayout":
        """On this axis, transitions at least `physical` wide."""
        for place in split.splits:
            if not axis.left < place < axis.right:
                raise InputError(
                    f"the split {place:.6g} must lie inside the domain [{axis.left:.6g}, {axis.right:.6g}]"
                )
        edges = np.array([axis.left, *split.splits, axis.right])
        spacing = np.diff(edges) / split.centres
        finer = np.minimum(spacing[:-1], spacing[1:])
        transitions = tuple(float(max(split.scale * d, physical)) for d in finer)
        centres = grid(edges, split.centres, split.closed)
        gates = np.empty((len(split.splits), centres.size))
        widths = np.full(centres.size, split.multiplier * spacing[-1])
        for j in reversed(range(len(split.splits))):
            gates[j] = expit((centres - split.splits[j]) / transitions[j])
            widths = (1.0 - gates[j]) * (split.multiplier * spacing[j]) + gates[j] * widths
        return cls(grid(edges, split.sites, split.closed), centres, gates, widths, transitions)


def grid(edges: Array, count: int, closed: bool) -> Array:
    """`count` points a block, the left end of each included; `closed`: the right end of the last one as well."""
    parts: list[Array] = []
    for k, (left, right) in enumerate(pairwise(edges)):
        last = closed and k == edges.size - 2
        parts.append(np.linspace(left, right, count, endpoint=last))
    return np.concatenate(parts)
