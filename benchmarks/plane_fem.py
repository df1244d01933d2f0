"""scikit-fem on problems of the plane, as its users would: quadratic elements on meshes graded towards the layers.

A tensor mesh of quadrilaterals (nine nodes each), forms assembled with three Gauss points an axis, boundary values at
the nodes, SciPy's sparse LU with an ordering for symmetric patterns on what is left. The error is taken at five points
an axis in every element, which are as dense in the layers as the mesh is. The time is that of mesh, assembly and
solve, not that of looking at the error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import asinh, log
from time import perf_counter

import numpy as np
from scipy.sparse.linalg import splu

try:
    import skfem
    from skfem.helpers import dot, grad
except ImportError:  # the benchmark says so and goes on
    skfem = None

MISSING = "scikit-fem is not installed: pip install 'gated-xtfc[bench]'"
Mesh = Callable[[int], np.ndarray]  # intervals -> nodes of an axis


@dataclass(frozen=True)
class Weak:
    """-diffusion (u_xx + u_yy) + flow . grad u + reaction u = source, u given on the boundary."""

    diffusion: float
    flow: tuple[float, float]
    reaction: float
    source: Callable[[np.ndarray, np.ndarray], np.ndarray]
    exact: Callable[[np.ndarray, np.ndarray], np.ndarray]  # for the boundary values, and for the error
    scale: float  # max(1, max|u|)


def shishkin(thickness: float, order: int = 3) -> Mesh:
    """Half of the intervals within order thickness log(N) of x = 1: uniform, and uniform."""

    def nodes(count: int) -> np.ndarray:
        width = min(0.5, order * thickness * log(count))
        half = count // 2
        coarse = np.linspace(0.0, 1.0 - width, count - half + 1)
        return np.concatenate([coarse, 1.0 - np.linspace(width, 0.0, half + 1)[1:]])

    return nodes


def bakhvalov(thickness: float, order: int = 4) -> Mesh:
    """Half of the intervals in the layer at x = 1, in equal steps of exp(-d/(order thickness)); the rest is uniform."""

    def nodes(count: int) -> np.ndarray:
        half = count // 2
        steps = np.arange(half + 1) / count
        least = min(0.5, order * thickness)  # 1 - 2 t never reaches zero, where the logarithm would end
        distance = -order * thickness * np.log1p(-2.0 * (1.0 - least) * steps)
        if distance[-1] >= 0.5:
            return np.linspace(0.0, 1.0, count + 1)
        coarse = np.linspace(0.0, 1.0 - distance[-1], count - half + 1)
        return np.concatenate([coarse, 1.0 - distance[::-1][1:]])

    return nodes


def around_middle(thickness: float) -> Mesh:
    """As fine as the thickness at x = 1/2 and coarser in proportion to the distance: sinh of equal steps."""

    def nodes(count: int) -> np.ndarray:
        stretch = asinh(0.5 / thickness)
        places = 0.5 + thickness * np.sinh(stretch * np.linspace(-1.0, 1.0, count + 1))
        places[[0, -1]] = 0.0, 1.0
        return places

    return nodes


@dataclass(frozen=True)
class Found:
    error: float  # relative to max(1, max|u|)
    unknowns: int
    seconds: float


def solve(weak: Weak, x: np.ndarray, y: np.ndarray) -> Found:
    start = perf_counter()
    mesh = skfem.MeshQuad.init_tensor(x, y)
    basis = skfem.Basis(mesh, skfem.ElementQuad2(), intorder=4)

    @skfem.BilinearForm
    def left(u, v, _):
        convection = weak.flow[0] * u.grad[0] + weak.flow[1] * u.grad[1]
        return weak.diffusion * dot(grad(u), grad(v)) + (convection + weak.reaction * u) * v

    @skfem.LinearForm
    def right(v, w):
        return weak.source(*w.x) * v

    matrix, load = left.assemble(basis), right.assemble(basis)
    boundary = basis.get_dofs().all()
    values = np.zeros(basis.N)
    values[boundary] = weak.exact(*basis.doflocs[:, boundary])
    inside = np.setdiff1d(np.arange(basis.N), boundary)
    rest = load[inside] - matrix[inside][:, boundary] @ values[boundary]
    # the default ordering of spsolve takes two to four times as long
    how = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.01, "options": {"SymmetricMode": True}}
    values[inside] = splu(matrix[inside][:, inside].tocsc(), **how).solve(rest)
    seconds = perf_counter() - start
    return Found(largest(weak, mesh, values) / weak.scale, int(basis.N), seconds)


def largest(weak: Weak, mesh, values: np.ndarray) -> float:
    one = np.linspace(0.0, 1.0, 5)
    points = np.stack(np.meshgrid(one, one)).reshape(2, -1)
    probe = skfem.Basis(mesh, skfem.ElementQuad2(), quadrature=(points, np.ones(points.shape[1])))
    return float(
        np.abs(np.asarray(probe.interpolate(values)) - weak.exact(*np.asarray(probe.global_coordinates()))).max()
    )
