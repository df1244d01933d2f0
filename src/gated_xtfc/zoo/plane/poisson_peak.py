"""Poisson's equation with a Gaussian source of width nu and mass one in the middle: a peak like a rounded logarithm.

u = -sum over odd m, n of 4 E_m E_n/(pi^2 (m^2 + n^2)) sin(m pi x) sin(n pi y), with E_m the integral of the source's
factor times sin(m pi x). A thin source needs no more modes than a wide one: until its heat meets the walls it spreads
as in the open plane, and the difference of two widths is one of exponential integrals,
u_nu = u_wide - (E1(r^2/(2 wide^2)) - E1(r^2/(2 nu^2)))/(4 pi).
"""

import numpy as np
from scipy.special import exp1, wofz

from gated_xtfc.types import Index
from gated_xtfc.zoo.family import Values
from gated_xtfc.zoo.plane.family import PlaneFamily

WIDE = 0.05  # at the walls, ten widths away, the source is exp(-50) of its height
NEAREST = 1e-30  # squared distance in widths below which it is as good as zero
TENSOR = 8  # crossings of the lines over points, up to which all crossings are calculated
TAIL = 3000  # modes for a source that the walls cut off: they fall like 1/m^3 only


def exact(x: Values, y: Values, nu: float) -> Values:
    """u at (x, y), which broadcast."""
    if nu >= WIDE:
        return series(x, y, nu)
    square = (x - 0.5) ** 2 + (y - 0.5) ** 2
    thin = np.maximum(square / (2 * nu**2), NEAREST)
    spread: Values = (exp1(thin * (nu / WIDE) ** 2) - exp1(thin)) / (4 * np.pi)
    return series(x, y, WIDE) - spread


def series(x: Values, y: Values, nu: float, modes: int | None = None) -> Values:
    """The double sine series, odd modes up to `modes`; 9/(pi nu) of them reach rounding where the walls are far.

    Where the points lie on few lines in x and in y, as those of a tensor grid do, it is two matrix products.
    """
    count = modes or max(int(9 / (np.pi * nu)), TAIL if nu > WIDE else 0) + 2
    m = np.arange(1.0, count, 2.0)
    strength = overlaps(m, nu)
    weights = -4 * np.outer(strength, strength) / (np.pi**2 * (m[:, None] ** 2 + m**2))
    (on_x, place_x), (on_y, place_y) = (lines(one) for one in (x, y))
    if on_x.size * on_y.size <= TENSOR * np.broadcast(place_x, place_y).size:
        table: Values = sines(on_x, m) @ weights @ sines(on_y, m).T
        return table[place_x, place_y]
    both = np.broadcast_arrays(x, y)
    along_x, along_y = (sines(one.ravel(), m) for one in both)
    values: Values = np.einsum("im,im->i", along_x @ weights, along_y)
    return values.reshape(both[0].shape)


def lines(coordinate: Values) -> tuple[Values, Index]:
    """Its different values, and which of them stands at each place."""
    values, places = np.unique(np.asarray(coordinate, dtype=float), return_inverse=True)
    return values, places.reshape(np.shape(coordinate))


def sines(coordinate: Values, m: Values) -> Values:
    """sin(m pi x), (points, modes)"""
    found: Values = np.sin(np.pi * np.multiply.outer(coordinate, m))
    return found


def overlaps(m: Values, nu: float) -> Values:
    """E_m for odd m: the integral over [0, 1], not over the line, which differs by 1e-8 in u at nu = 0.1.

    With a = 1/(2 sqrt(2) nu) and b = m pi nu/sqrt(2) it is sin(m pi/2) exp(-b^2) Re erf(a + i b), written so that
    nothing overflows.
    """
    a, b = 0.5 / (np.sqrt(2) * nu), m * np.pi * nu / np.sqrt(2)
    found: Values = np.sin(m * np.pi / 2) * np.exp(-b * b) - np.exp(-a * a) * wofz(-b + 1j * a).imag
    return found


FAMILY = PlaneFamily(
    name="poisson_peak",
    look="a tent on a needle: like a logarithm down to r = nu, round inside",
    equation="u_xx + u_yy = exp(-((x-0.5)**2 + (y-0.5)**2)/(2*nu**2))/(2*pi*nu**2)",
    conditions=("u = 0 on boundary",),
    exact=exact,
    small="nu",
    values=(1e-1, 1e-2, 1e-3, 1e-4),
    layers=lambda nu: (((0.5, nu / 4),), ((0.5, nu / 4),)),
)
