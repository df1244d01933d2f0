"""The operator by differences between neighbouring sites: sparse, and near enough to be a preconditioner for GMRES.

On the same sites second differences are within a factor of pi^2/4 of the exact second derivative, and differences
taken upstream within pi/2 of the exact first one, whatever varies and however: the nearest separable operator is
not always that near.
"""

from collections.abc import Callable

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.solver.rectangle.grid_operator import GridOperator
from gated_xtfc.types import Array

PIVOT = 0.1  # of the largest in its column, above which an entry of the diagonal is a pivot


def factorised(linear: GridOperator, x: AxisGrid, y: AxisGrid) -> Callable[[Array], Array]:
    """Solves the system of differences for right sides (n, m)."""
    from scipy import sparse  # loaded where coefficients vary along both axes, and nowhere else
    from scipy.sparse.linalg import splu

    shape = linear.source.shape
    a = {orders: np.broadcast_to(factor, shape) for orders, factor in linear.coefficients.items()}
    zero = np.zeros(shape)
    (back_x, ahead_x, central_x, bend_x), (back_y, ahead_y, central_y, bend_y) = differences(x), differences(y)
    one_x, one_y = np.eye(x.inner.size), np.eye(y.inner.size)
    terms = [
        (a.get((2, 0), zero), bend_x, one_y),
        (a.get((0, 2), zero), one_x, bend_y),
        (a.get((1, 1), zero), central_x, central_y),
        (a.get((0, 0), zero), one_x, one_y),
    ]
    gaps = [np.gradient(grid.sites)[grid.inner] for grid in (x, y)]
    for part, along in _upwinded(
        a.get((1, 0), zero), a.get((2, 0), zero), gaps[0][:, None], (back_x, ahead_x, central_x)
    ):
        terms.append((part, along, one_y))
    for part, along in _upwinded(
        a.get((0, 1), zero), a.get((0, 2), zero), gaps[1][None, :], (back_y, ahead_y, central_y)
    ):
        terms.append((part, one_x, along))
    size = linear.source.size
    total = sparse.csc_array((size, size))
    for factor, along_x, along_y in terms:
        if np.any(factor):
            product = sparse.kron(sparse.csr_array(along_x), sparse.csr_array(along_y))
            total = total + sparse.diags_array(factor.ravel()) @ product
    rows = abs(total).max(axis=1).toarray().ravel()
    scaled = sparse.csc_array(sparse.diags_array(1.0 / rows) @ total)
    # an ordering for symmetric patterns, as this one is but for convection: half of what others fill, and half the time
    factor = splu(scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=PIVOT, options={"SymmetricMode": True})

    def solve(f: Array) -> Array:
        result: Array = factor.solve(f.ravel() / rows).reshape(shape)
        return result

    return solve


def _upwinded(flow: Array, lead: Array, gap: Array, matrices: tuple[Array, Array, Array]) -> list[tuple[Array, Array]]:
    """Convection as a mixture of upstream and central differences, by the Peclet number of neighbouring sites."""
    with np.errstate(all="ignore"):
        peclet = np.maximum(0.5 * np.abs(flow / lead) * gap, 1e-6)
        upstream = np.where(np.isfinite(peclet), 1.0 / np.tanh(peclet) - 1.0 / peclet, 1.0)
    forward = flow * np.sign(lead) < 0
    back, ahead, central = matrices
    return [
        (np.where(forward, flow * upstream, 0.0), back),
        (np.where(forward, 0.0, flow * upstream), ahead),
        (flow * (1.0 - upstream), central),
    ]


def differences(grid: AxisGrid) -> tuple[Array, Array, Array, Array]:
    """First differences backward, forward and central, and second ones, at the inner sites, each (inner, inner)."""
    n, sites = grid.size, grid.sites
    back, ahead, central, bend = (np.zeros((n, n)) for _ in range(4))
    for k in range(n):
        piece = int(np.searchsorted(grid.starts, k, side="right")) - 1
        first, last = int(grid.starts[piece]), int(grid.starts[piece + 1]) - 1
        low, high = max(k - 1, first), min(k + 1, last)
        down, up = (
            (sites[max(k, first + 1)] - sites[max(k, first + 1) - 1]),
            (sites[min(k, last - 1) + 1] - sites[min(k, last - 1)]),
        )
        back[k, max(k, first + 1)] += 1.0 / down
        back[k, max(k, first + 1) - 1] -= 1.0 / down
        ahead[k, min(k, last - 1) + 1] += 1.0 / up
        ahead[k, min(k, last - 1)] -= 1.0 / up
        if low < k < high:
            bend[k, [low, k, high]] = np.array([1.0 / down, -1.0 / down - 1.0 / up, 1.0 / up]) * (2.0 / (down + up))
            central[k] = (up * back[k] + down * ahead[k]) / (down + up)
    ends = back.copy()
    ends[grid.starts[:-1]] = ahead[grid.starts[:-1]]
    reach = grid.extended(grid.conditions_on(ends))
    rows = grid.inner
    found = back[rows] @ reach, ahead[rows] @ reach, central[rows] @ reach, bend[rows] @ reach
    # sites closer than numbers are: what is not finite would fill the sparse matrices
    require_finite(*found)
    return found
