"""The published gate of the plane: a global grid of wide kernels and, laid over it, narrow ones in a disk.

u = G(x, y) sum_i c_i exp(-m_i^2 |z - z_i|^2), G zero on the sides of the rectangle, m_i = 1/(sqrt(2) sigma_i)
Global: t = (1 - alpha) t_uniform + alpha t_Chebyshev on each axis, sigma = c sqrt(dx dy).
Local: uniform by area; sigma = clip(0.9 d_k, [h/4, 4 h]), d_k the distance to the k-th neighbour and h its median,
and never wider than the global kernels there.
"""

import math
from dataclasses import asdict, dataclass

import numpy as np

from gated_xtfc.baselines.checks import check_not_negative, check_one_of, check_positive, check_whole, finite
from gated_xtfc.baselines.least_squares import METHODS
from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array

SHARE = 0.9  # of the distance to the k-th neighbour
CLIP = (0.25, 4.0)  # in medians of it


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
        check_whole(3, grid=self.grid, sites=self.sites)
        check_whole(0, local=self.local)
        check_whole(1, neighbours=self.neighbours)
        if 0 < self.local <= self.neighbours:
            raise InputError(f"{self.local} local centres have no {self.neighbours} neighbours each: give more of them")
        check_positive(radius=self.radius, multiplier=self.multiplier)
        check_not_negative(ridge=self.ridge)
        if not (finite(self.blend) and 0 <= self.blend <= 1):
            raise InputError(f"blend is {self.blend!r}: give a number from 0, uniform, to 1, Chebyshev")
        check_one_of(METHODS, method=self.method)

    @property
    def neurons(self) -> int:
        return self.grid**2 + self.local

    def describe(self) -> str:
        x, y = self.centre
        return (
            f"disk of radius {self.radius:.4g} at ({x:.6g}, {y:.6g}) with {self.local} centres, "
            f"on a grid of {self.grid} x {self.grid}"
        )

    def record(self) -> dict[str, object]:
        """Its settings, ready for JSON."""
        return {**asdict(self), "centre": list(self.centre)}


@dataclass(frozen=True, eq=False)
class DiskLayout:
    """Where a disk puts its kernels, and how wide they are."""

    centres: Array  # (2, grid^2 + local): the global ones first
    widths: Array  # (grid^2 + local,)
    sites: tuple[Array, Array]  # on x and on y: collocation is on their tensor grid

    @property
    def slopes(self) -> Array:
        """The slopes m = 1/(sqrt(2) sigma) of the kernels."""
        result: Array = 1.0 / (np.sqrt(2.0) * self.widths)
        return result

    @classmethod
    def of(cls, disk: Disk, axes: tuple[Axis, Axis]) -> "DiskLayout":
        for axis, place in zip(axes, disk.centre, strict=True):
            if not axis.left <= place <= axis.right:
                raise InputError(
                    f"the centre of the disk has {axis.name} = {place:.6g}, outside the domain "
                    f"[{axis.left:.6g}, {axis.right:.6g}]"
                )
        x, y = (axis.left + axis.length * blended(disk.grid, disk.blend) for axis in axes)
        # sqrt(dx dy) between nodes, linearly along each axis: a product, as it is at the nodes
        dx, dy = np.sqrt(np.gradient(x)), np.sqrt(np.gradient(y))
        inside = in_disk(disk, axes)
        cap = disk.multiplier * np.interp(inside[0], x, dx) * np.interp(inside[1], y, dy)
        centres = np.concatenate([np.stack(np.meshgrid(x, y, indexing="ij")).reshape(2, -1), inside], axis=1)
        widths = np.concatenate(
            [disk.multiplier * np.outer(dx, dy).ravel(), np.minimum(local_widths(inside, disk.neighbours), cap)]
        )
        sites = tuple(np.linspace(axis.left, axis.right, disk.sites) for axis in axes)
        return cls(centres, widths, (sites[0], sites[1]))


def blended(count: int, blend: float) -> Array:
    """`count` points of [0, 1], ends included, between a uniform grid and that of Chebyshev."""
    uniform = np.linspace(0.0, 1.0, count)
    result: Array = (1.0 - blend) * uniform + blend * 0.5 * (1.0 - np.cos(np.pi * uniform))
    return result


def in_disk(disk: Disk, axes: tuple[Axis, Axis]) -> Array:
    """Random points, as many on every piece of the disk of the same area, (2, local); clipped to the rectangle."""
    random = np.random.default_rng(disk.seed)
    distance = disk.radius * np.sqrt(random.random(disk.local))
    angle = 2.0 * np.pi * random.random(disk.local)
    places = zip(axes, disk.centre, (np.cos(angle), np.sin(angle)), strict=True)
    return np.stack([np.clip(centre + distance * way, axis.left, axis.right) for axis, centre, way in places])


def local_widths(points: Array, neighbours: int) -> Array:
    """The widths (local,) that follow from the distance to the k-th nearest of the other points."""
    if points.shape[1] == 0:
        return np.empty(0)
    squares = ((points[:, :, None] - points[:, None, :]) ** 2).sum(axis=0)
    distance = np.sqrt(np.partition(squares, neighbours, axis=1)[:, neighbours])  # the nearest is the point itself
    typical = np.median(distance)
    result: Array = np.clip(SHARE * distance, CLIP[0] * typical, CLIP[1] * typical)
    return result
