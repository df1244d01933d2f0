"""How gates follow fronts: near each, a change r of the solution is explained by a shift and a change of thickness.

r + u_x dx + (x - x_j) u_x dlog d_j + amplitude (u - mean) + offset = 0 in weighted least squares around gate j.
Amplitude and offset, by field, are there so that a front that fades or rises is not taken for one that moves or thins.
"""

import math

import numpy as np

from gated_xtfc.types import Array, Mask

WIDE = 4.0  # thicknesses: weights are (1 + (distance/WIDE)^2)^-2
TIED = 1e-3  # of a slope of one thickness: where the solution is flatter, a gate stays where it is
NUISANCE = 0.03  # by which amplitude and offset are held
DRIFT = 0.3  # of the tolerance: how far gates may stay off their fronts, in thicknesses, and squared, as its error is
LEAST = 2e-5  # thicknesses: what following is good for
ADRIFT = 10.0 * float(np.finfo(float).eps)  # of its way: how far rounding of its rates puts a front off it


def adrift(way: float, slopes: Array) -> Array:
    """What rounding alone makes fields differ by, (m,), where gates went a way over slopes (m, n)."""
    found: Array = ADRIFT * way * slopes.max(axis=1)
    return found


def drift(tol: float) -> float:
    """How many thicknesses gates may be off their fronts."""
    return max(math.sqrt(DRIFT * tol), LEAST)


def followed(
    values: Array,
    slopes: Array,
    distances: Array,
    thickness: Array,
    change: Array,
    size: Array,
    gaps: Array,
    free: Mask,
) -> Array:
    """Shift and change of thickness of every gate, (s, 2, g).

    Parameters
    ----------
    values, slopes
        u and u_x at the sites, (s, m, n).
    distances, thickness
        From every gate to the sites, (s, g, n), and the thicknesses, (s, g).
    change
        r, at points that move with each gate, (s, g, m, n).
    size
        Of every field, (m,).
    gaps
        What each site stands for, (n,).
    free
        Whether place and thickness of a gate may change, (2, g).
    """
    stages, gates, _ = distances.shape
    m = size.size
    near = gaps / (1.0 + (distances / (WIDE * thickness[:, :, None])) ** 2) ** 2
    weights = near[:, :, None, :] / size[:, None] ** 2
    total = weights.sum(axis=3) + 1e-300
    mean = (weights * values[:, None]).sum(axis=3) / total
    modes = np.zeros((stages, gates, 2 + 2 * m, *values.shape[1:]))
    modes[:, :, 0] = slopes[:, None] * thickness[:, :, None, None]
    modes[:, :, 1] = slopes[:, None] * distances[:, :, None]
    for f in range(m):
        modes[:, :, 2 + f, f] = values[:, None, f] - mean[:, :, f, None]
        modes[:, :, 2 + m + f, f] = size[f]
    flat = modes.reshape(stages, gates, 2 + 2 * m, -1)
    weighted = flat * weights.reshape(stages, gates, 1, -1)
    matrix = weighted @ flat.transpose(0, 1, 3, 2)
    right = -(weighted @ change.reshape(stages, gates, -1, 1))[..., 0]
    whole = total @ size**2 / m
    own = np.arange(2 + 2 * m)
    held = matrix[:, :, own, own].copy()
    held[..., :2] = TIED**2 * whole[..., None]
    held[..., 2:] = NUISANCE**2 * held[..., 2:] + 1e-20 * whole[..., None]
    if not free.all():
        loose = np.concatenate([free.T, np.ones((gates, 2 * m), dtype=bool)], axis=1)
        matrix = np.where(loose[:, :, None] & loose[:, None, :], matrix, 0.0)
        right = np.where(loose, right, 0.0)
        held = held + ~loose
    matrix[:, :, own, own] += held + 1e-300
    found = np.linalg.solve(matrix, right[..., None])[..., :2, 0].transpose(0, 2, 1)
    return found * thickness[:, None, :]
