"""The gate as published: blocks with the same number of centres and sites each, kernel widths blended at the splits.

s_j(alpha) = 1/(1 + exp(-(alpha - x_j)/eps_j)),   eps_j = max(scale min(d_left, d_right), physical scale)
sigma = (1 - s_1) k d_1 + s_1 ((1 - s_2) k d_2 + s_2 (...)),   d = length of the block / centres in it
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
from scipy.special import expit

from gated_xtfc.baselines.checks import check_not_negative, check_one_of, check_positive, check_whole
from gated_xtfc.baselines.least_squares import METHODS
from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array


@dataclass(frozen=True)
class SoftSplit:
    splits: tuple[float, ...] = (0.99,)
    scale: float = 30.0  # eps_scale: the transition in spacings of the finer neighbour
    centres: int = 1000  # N_star, in each block
    sites: int = 1000  # N_c, in each block
    multiplier: float = 1.5  # k: width over spacing
    closed: bool = True  # the last block includes the right end; False is the printed grid (k - 1)/N, which does not
    ridge: float = 1e-10  # lambda
    method: str = "cholesky"
    physical: float | None = None  # least transition; None is 5 max|coefficient of u''|, which is 5 nu in the paper

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", _numbers(self.splits))
        if any(left >= right for left, right in pairwise(self.splits)):
            raise InputError(f"the splits {self.splits} must be in ascending order, no two the same")
        check_whole(2, centres=self.centres, sites=self.sites)
        check_positive(scale=self.scale, multiplier=self.multiplier)
        check_not_negative(ridge=self.ridge, physical=0.0 if self.physical is None else self.physical)
        check_one_of(METHODS, method=self.method)

    @property
    def blocks(self) -> int:
        return len(self.splits) + 1

    @property
    def neurons(self) -> int:
        return self.blocks * self.centres

    def describe(self) -> str:
        where = ", ".join(f"{split:.6g}" for split in self.splits)
        return f"soft split at {where or 'no point'}, transition scale {self.scale:.4g}, {self.centres} centres a block"

    def record(self) -> dict[str, object]:
        """Its settings, ready for JSON."""
        return {**asdict(self), "splits": list(self.splits)}


@dataclass(frozen=True, eq=False)
class SplitLayout:
    """Where a soft split puts its sites and kernels."""

    sites: Array  # (blocks N_c,)
    centres: Array  # (blocks N_star,)
    gates: Array  # (splits, blocks N_star) s_j at the centres
    widths: Array  # (blocks N_star,)
    transitions: tuple[float, ...]  # eps_j

    @property
    def slopes(self) -> Array:
        """The slopes m = 1/(sqrt(2) sigma) of the kernels."""
        result: Array = 1.0 / (np.sqrt(2.0) * self.widths)
        return result

    @classmethod
    def of(cls, split: SoftSplit, axis: Axis, physical: float) -> "SplitLayout":
        """The layout on this axis, with transitions at least `physical` wide."""
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


def _numbers(splits: float | str | Iterable[float]) -> tuple[float, ...]:
    given = (splits,) if isinstance(splits, int | float | str) else splits
    try:
        numbers = tuple(float(split) for split in given)
    except (TypeError, ValueError):
        numbers = (math.nan,)
    if not all(math.isfinite(split) for split in numbers):
        raise InputError(f"the splits must be finite numbers such as (0.99,), not {splits!r}")
    return numbers
