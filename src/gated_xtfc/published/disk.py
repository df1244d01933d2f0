"""The published gate of the plane: a global grid of wide kernels and, laid over it, narrow ones in a disk.

u = G(x, y) sum_i c_i exp(-m_i^2 |z - z_i|^2), G zero on the sides of the rectangle, m_i = 1/(sqrt(2) sigma_i)
"""

import math
from dataclasses import dataclass
from typing import Any

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.plane_surrogate import PlaneSurrogate

METHODS = ("cholesky", "qr", "rank")


@dataclass(frozen=True)
class Disk:
    centre: tuple[float, float] = (0.5, 0.5)
    radius: float = 0.1
    grid: int = 31  # global centres along each axis
    blend: float = 0.5  # alpha: 0 is a uniform grid, 1 that of Chebyshev; the paper does not print it
    multiplier: float = 5.0  # c_sigma: width of the global kernels over their spacing
    local: int = 200  # N_in: centres in the disk
    neighbours: int = 6  # k: local widths follow the distance to the k-th nearest
    sites: int = 70  # along each axis, uniform, ends included
    ridge: float = 1e-10  # lambda
    method: str = "cholesky"
    seed: int = 0  # of the points in the disk

    def __post_init__(self) -> None:
        try:
            place = tuple(float(number) for number in self.centre)
        except (TypeError, ValueError):
            place = ()
        if len(place) != 2 or not all(math.isfinite(number) for number in place):
            raise InputError(f"the centre of the disk is {self.centre!r}: give two numbers such as (0.5, 0.5)")
        object.__setattr__(self, "centre", place)
        for name, least in (("grid", 3), ("local", 0), ("neighbours", 1), ("sites", 3)):
            count = getattr(self, name)
            if not isinstance(count, int) or isinstance(count, bool) or count < least:
                raise InputError(f"{name} is {count!r}: give a whole number of at least {least}")
        if 0 < self.local <= self.neighbours:
            raise InputError(f"{self.local} local centres have no {self.neighbours} neighbours each: give more of them")
        for name in ("radius", "multiplier"):
            if not (_finite(getattr(self, name)) and getattr(self, name) > 0):
                raise InputError(f"{name} is {getattr(self, name)!r}: give a positive number")
        if not (_finite(self.ridge) and self.ridge >= 0):
            raise InputError(f"ridge is {self.ridge!r}: give a number that is not negative")
        if not (_finite(self.blend) and 0 <= self.blend <= 1):
            raise InputError(f"blend is {self.blend!r}: give a number from 0, uniform, to 1, Chebyshev")
        if self.method not in METHODS:
            raise InputError(f"the method {self.method!r} is not known: it is one of {', '.join(METHODS)}")

    @property
    def neurons(self) -> int:
        return self.grid**2 + self.local

    def solve(self, problem: Problem) -> PlaneSurrogate:
        """The published method with this disk: what `gx.solve(problem, gates=...)` calls."""
        # the fit needs Disk itself, so it can be asked for only here
        from gated_xtfc.published.disk_fit import fit_disk

        return fit_disk(problem, self)

    def describe(self) -> str:
        x, y = self.centre
        return (
            f"disk of radius {self.radius:.4g} at ({x:.6g}, {y:.6g}) with {self.local} centres, "
            f"on a grid of {self.grid} x {self.grid}"
        )

    def record(self) -> dict[str, Any]:
        """Its settings, ready for JSON."""
        return {**self.__dict__, "centre": list(self.centre)}


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
