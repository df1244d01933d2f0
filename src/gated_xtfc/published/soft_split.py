"""The gate as published: blocks with the same number of centres and sites each, kernel widths blended at the splits.

s_j(alpha) = 1/(1 + exp(-(alpha - x_j)/eps_j)),   eps_j = max(scale min(d_left, d_right), physical scale)
sigma = (1 - s_1) k d_1 + s_1 ((1 - s_2) k d_2 + s_2 (...)),   d = length of the block / centres in it
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem

METHODS = ("cholesky", "qr", "rank")


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
        for name in ("centres", "sites"):
            count = getattr(self, name)
            if not isinstance(count, int) or isinstance(count, bool) or count < 2:
                raise InputError(f"{name} is {count!r}: give a whole number of at least 2 for each block")
        for name in ("scale", "multiplier"):
            if not (_finite(getattr(self, name)) and getattr(self, name) > 0):
                raise InputError(f"{name} is {getattr(self, name)!r}: give a positive number")
        for name in ("ridge", "physical"):
            value = getattr(self, name)
            if not (_finite(value) and value >= 0) and not (name == "physical" and value is None):
                raise InputError(f"{name} is {value!r}: give a number that is not negative")
        if self.method not in METHODS:
            raise InputError(f"the method {self.method!r} is not known: it is one of {', '.join(METHODS)}")

    @property
    def blocks(self) -> int:
        return len(self.splits) + 1

    @property
    def neurons(self) -> int:
        return self.blocks * self.centres

    def solve(self, problem: Problem) -> Surrogate:
        """The published method with this gate: what `gx.solve(problem, gates=...)` calls."""
        # fit needs SoftSplit itself, so it can be asked for only here
        from gated_xtfc.published.fit import fit

        return fit(problem, self)

    def describe(self) -> str:
        where = ", ".join(f"{split:.6g}" for split in self.splits)
        return f"soft split at {where or 'no point'}, transition scale {self.scale:.4g}, {self.centres} centres a block"

    def record(self) -> dict[str, Any]:
        """Its settings, ready for JSON."""
        names = ("scale", "centres", "sites", "multiplier", "closed", "ridge", "method", "physical")
        return {"splits": list(self.splits), **{name: getattr(self, name) for name in names}}


def _numbers(splits: Any) -> tuple[float, ...]:
    given = (splits,) if isinstance(splits, int | float | str) else splits
    try:
        numbers = tuple(float(split) for split in given)
    except (TypeError, ValueError):
        numbers = (math.nan,)
    if not all(math.isfinite(split) for split in numbers):
        raise InputError(f"the splits must be finite numbers such as (0.99,), not {splits!r}")
    return numbers


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
