"""Where eigenvalues can be expected: the values lam(x, k) for which a wave exp(i k x) solves the equations at a place.

For a Schroedinger operator these are k^2 + V(x), so the least of them is the bottom of the well. They give the first
shift, and tell on which side the spectrum has an end. They prove nothing: what is found is looked at again.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvals

from gated_xtfc.spectra.pencil import Pencil, Powers
from gated_xtfc.types import Array, Complex

PLACES = 41
WAVES = 25  # wave numbers beside zero
SHORTEST = 1e4  # wave number, in half waves over the domain
FAR = 0.25  # of the wave numbers count as far out


@dataclass(frozen=True)
class SymbolRange:
    """The range of the symbol."""

    low: float  # least real part
    high: float  # largest real part
    unit: float  # size of the values for waves as long as the domain
    ends_below: bool  # whether real parts grow to plus infinity alone, so that there is a smallest one
    ends_above: bool

    @classmethod
    def of(cls, pencil: Pencil) -> "SymbolRange":
        (axis,) = pencil.problem.axes
        x = axis.left + axis.length * (np.arange(PLACES) + 0.5) / PLACES
        waves = np.append(0.0, np.pi / axis.length * np.geomspace(1.0, SHORTEST, WAVES))
        powers = pencil.powers(x)
        values = [_values(powers, x, wave) for wave in waves.tolist()]
        near = np.concatenate(values[: 1 + WAVES // 3])
        far = np.concatenate(values[-int(FAR * WAVES) :])
        first = np.concatenate(values[:2])
        every = np.concatenate(values)
        if not every.size:
            return cls(0.0, 0.0, 1.0, False, False)
        size = float(np.abs(far).max()) if far.size else 0.0
        up, down = bool((far.real > 1e-3 * size).any()), bool((far.real < -1e-3 * size).any())
        unit = float(np.median(np.abs(first - np.median(first.real)))) if first.size else 0.0
        unit = unit or float(np.abs(near).max()) or 1.0
        return cls(float(every.real.min()), float(every.real.max()), unit, up and not down, down and not up)


def _values(powers: Powers, x: Array, wave: float) -> Complex:
    """All finite lam with a wave of this number, at all places."""
    size = len(powers[0])
    matrices = np.zeros((len(powers), x.size, size, size), dtype=complex)
    for k, power in enumerate(powers):
        for e, fields in enumerate(power):
            for f, jets in enumerate(fields):
                for j, a in enumerate(jets):
                    matrices[k, :, e, f] += a * (1j * wave) ** j
    finite = np.isfinite(matrices).all(axis=(0, 2, 3))
    matrices = matrices[:, finite]
    if size == 1 and len(powers) == 2:
        with np.errstate(all="ignore"):
            found = -matrices[0, :, 0, 0] / matrices[1, :, 0, 0]
        return np.asarray(found[np.isfinite(found)])
    values = [_pencil_values(matrices[:, i]) for i in range(matrices.shape[1])]
    return np.concatenate(values) if values else np.zeros(0, dtype=complex)


def _pencil_values(matrices: Complex) -> Complex:
    """Eigenvalues of a small matrix polynomial that are not infinite, by its companion form."""
    degree, size = matrices.shape[0] - 1, matrices.shape[1]
    n = degree * size
    a, b = np.eye(n, k=size, dtype=complex), np.eye(n, dtype=complex)
    for k in range(degree):
        a[n - size :, k * size : (k + 1) * size] = -matrices[k]
    b[n - size :, n - size :] = matrices[degree]
    pairs = eigvals(a, b, homogeneous_eigvals=True)
    large = np.abs(pairs[1]) > 1e-12 * np.abs(pairs[0])
    return np.asarray(pairs[0][large] / pairs[1][large])
