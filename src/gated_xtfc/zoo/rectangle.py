"""Problems on the unit square: a peak in the middle of Poisson's equation, layers at the sides, a needle, a circle."""

from math import sqrt

import numpy as np

from gated_xtfc.types import Array, Index
from gated_xtfc.zoo.family import Family, Layers

UNIT_SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}

# Poisson's equation with a Gaussian source of width nu and mass one in the middle: a peak like a rounded logarithm.
# u = -sum over odd m, n of 4 E_m E_n/(pi^2 (m^2 + n^2)) sin(m pi x) sin(n pi y), with E_m the integral of the source's
# factor times sin(m pi x). A thin source needs no more modes than a wide one: until its heat meets the walls it spreads
# as in the open plane, and the difference of two widths is one of exponential integrals,
# u_nu = u_wide - (E1(r^2/(2 wide^2)) - E1(r^2/(2 nu^2)))/(4 pi).
WIDE = 0.05  # at the walls, ten widths away, the source is exp(-50) of its height
NEAREST = 1e-30  # squared distance in widths below which it is as good as zero
TENSOR = 8  # crossings of the lines over points, up to which all crossings are calculated
TAIL = 3000  # modes for a source that the walls cut off: they fall like 1/m^3 only


def poisson_peak(x: Array, y: Array, nu: float) -> Array:
    """u at (x, y), which broadcast."""
    from scipy.special import exp1  # takes longer to import than a solve takes

    if nu >= WIDE:
        return sine_series(x, y, nu)
    square = (x - 0.5) ** 2 + (y - 0.5) ** 2
    thin = np.maximum(square / (2 * nu**2), NEAREST)
    spread: Array = (exp1(thin * (nu / WIDE) ** 2) - exp1(thin)) / (4 * np.pi)
    return sine_series(x, y, WIDE) - spread


def sine_series(x: Array, y: Array, nu: float, modes: int | None = None) -> Array:
    """The double sine series, odd modes up to `modes`; 9/(pi nu) of them reach rounding where the walls are far.

    Where the points lie on few lines in x and in y, as those of a tensor grid do, it is two matrix products.
    """
    count = modes or max(int(9 / (np.pi * nu)), TAIL if nu > WIDE else 0) + 2
    m = np.arange(1.0, count, 2.0)
    strength = overlaps(m, nu)
    weights = -4 * np.outer(strength, strength) / (np.pi**2 * (m[:, None] ** 2 + m**2))
    (on_x, place_x), (on_y, place_y) = (lines(one) for one in (x, y))
    if on_x.size * on_y.size <= TENSOR * np.broadcast(place_x, place_y).size:
        table: Array = sines(on_x, m) @ weights @ sines(on_y, m).T
        return table[place_x, place_y]
    both = np.broadcast_arrays(x, y)
    along_x, along_y = (sines(one.ravel(), m) for one in both)
    values: Array = np.einsum("im,im->i", along_x @ weights, along_y)
    return values.reshape(both[0].shape)


def lines(coordinate: Array) -> tuple[Array, Index]:
    """Its different values, and which of them stands at each place."""
    values, places = np.unique(np.asarray(coordinate, dtype=float), return_inverse=True)
    return values, places.reshape(np.shape(coordinate))


def sines(coordinate: Array, m: Array) -> Array:
    """sin(m pi x), (points, modes)"""
    found: Array = np.sin(np.pi * np.multiply.outer(coordinate, m))
    return found


def overlaps(m: Array, nu: float) -> Array:
    """E_m for odd m: the integral over [0, 1], not over the line, which differs by 1e-8 in u at nu = 0.1.

    With a = 1/(2 sqrt(2) nu) and b = m pi nu/sqrt(2) it is sin(m pi/2) exp(-b^2) Re erf(a + i b), written so that
    nothing overflows.
    """
    from scipy.special import wofz  # as slow to import as above

    a, b = 0.5 / (np.sqrt(2) * nu), m * np.pi * nu / np.sqrt(2)
    found: Array = np.sin(m * np.pi / 2) * np.exp(-b * b) - np.exp(-a * a) * wofz(-b + 1j * a).imag
    return found


POISSON_PEAK = Family(
    name="poisson_peak",
    look="a tent on a needle: like a logarithm down to r = nu, round inside",
    equation="u_xx + u_yy = exp(-((x-0.5)**2 + (y-0.5)**2)/(2*nu**2))/(2*pi*nu**2)",
    domain=UNIT_SQUARE,
    conditions=("u = 0 on boundary",),
    exact=poisson_peak,
    small="nu",
    values=(1e-1, 1e-2, 1e-3, 1e-4),
    layers=lambda nu: {"x": ((0.5, nu / 4),), "y": ((0.5, nu / 4),)},
)

# Convection, diffusion and reaction with layers where the flow (2, 3) leaves the square. u = (x - X)(y^2 - Y): the
# products with X and Y solve the convection-diffusion part alone, so that nothing of size 1/eps is left in the source.
OUT_X, OUT_Y = "exp(2*(x-1)/eps)", "exp(3*(y-1)/eps)"
OUTFLOW = f"x*y**2 - y**2*{OUT_X} - x*{OUT_Y} + {OUT_X}*{OUT_Y}"

OUTFLOW_LAYERS = Family(
    name="outflow_layers",
    look="u falls to zero within eps of x = 1 and of y = 1, and twice in the corner between them",
    equation=f"-eps*(u_xx + u_yy) + 2*u_x + 3*u_y + u = "
    f"-2*eps*(x - {OUT_X}) + 2*(y**2 - {OUT_Y}) + 6*y*(x - {OUT_X}) + {OUTFLOW}",
    domain=UNIT_SQUARE,
    conditions=(f"u = {OUTFLOW} on boundary",),
    exact=OUTFLOW,
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-8),
    layers=lambda eps: {"x": ((1.0, eps / 2),), "y": ((1.0, eps / 3),)},
)


# Reaction and diffusion: u = (1 - X)(1 - Y) with eps^2 X'' = X, hence the source.
def wall(x: str) -> str:
    """cosh((x - 1/2)/eps)/cosh(1/(2 eps)), as exponentials that do not overflow."""
    return f"((exp(-{x}/eps) + exp(({x}-1)/eps))/(1 + exp(-1/eps)))"


X, Y = wall("x"), wall("y")

FOUR_LAYERS = Family(
    name="four_layers",
    look="a table: flat at 1 inside, down to zero within eps of every side",
    equation=f"-eps**2*(u_xx + u_yy) + u = {X}*(1 - {Y}) + (1 - {X})*{Y} + (1 - {X})*(1 - {Y})",
    domain=UNIT_SQUARE,
    conditions=("u = 0 on boundary",),
    exact=f"(1 - {X})*(1 - {Y})",
    small="eps",
    values=(1e-1, 1e-2, 1e-3, 1e-6),
    layers=lambda eps: {"x": ((0.0, eps), (1.0, eps)), "y": ((0.0, eps), (1.0, eps))},
)

# An exponential peak at (xc, yc), for Poisson's equation: nothing at the sides gives it away.
DISTANCE = "((x-xc)**2 + (y-yc)**2)"  # its square

PEAK = Family(
    name="peak",
    look="flat but for a needle of height 1 and width 1/sqrt(a)",
    equation=f"-(u_xx + u_yy) = (4*a - 4*a**2*{DISTANCE})*exp(-a*{DISTANCE})",
    domain=UNIT_SQUARE,
    conditions=(f"u = exp(-a*{DISTANCE}) on boundary",),
    exact=f"exp(-a*{DISTANCE})",
    small="a",  # a large one, for once
    values=(1e3, 1e5),
    layers=lambda a, xc, yc: {"x": ((xc, 0.2 / sqrt(a)),), "y": ((yc, 0.2 / sqrt(a)),)},
    # in the middle where it is mild; where it is sharp, close to the lower side
    parameters=lambda a: {"xc": 0.5, "yc": 0.5} if a <= 1e3 else {"xc": 0.51, "yc": 0.117},
)

# An interior layer on a circle of radius 1/4, as thick as sqrt(eps): it follows no axis. u = 16 p(x) p(y) A with
# p(t) = t (1 - t) and A = 1/2 + arctan(s (1/16 - |z|^2))/pi, s = 2/sqrt(eps), z from the centre.
INSIDE = "((2/sqrt(eps))*(0.0625 - (x-0.5)**2 - (y-0.5)**2))"  # positive inside the circle, zero on it
HUMP = "(16*x*(1-x)*y*(1-y))"
HUMP_X, HUMP_Y = "(16*(1-2*x)*y*(1-y))", "(16*x*(1-x)*(1-2*y))"
STEP = f"(0.5 + arctan({INSIDE})/pi)"
# derivatives of the step by the square of the distance from the centre, which grows by 2 (x - 1/2) and 2 (y - 1/2)
STEP_1 = f"(-(2/sqrt(eps))/(pi*(1 + {INSIDE}**2)))"
STEP_2 = f"(-2*(2/sqrt(eps))**2*{INSIDE}/(pi*(1 + {INSIDE}**2)**2))"
GROWS_X, GROWS_Y = "(2*x - 1)", "(2*y - 1)"

U_X = f"({HUMP_X}*{STEP} + {HUMP}*{STEP_1}*{GROWS_X})"
U_Y = f"({HUMP_Y}*{STEP} + {HUMP}*{STEP_1}*{GROWS_Y})"
LAPLACIAN = (
    f"(-32*(x*(1-x) + y*(1-y))*{STEP} + 2*({HUMP_X}*{GROWS_X} + {HUMP_Y}*{GROWS_Y})*{STEP_1}"
    f" + {HUMP}*({STEP_2}*({GROWS_X}**2 + {GROWS_Y}**2) + 4*{STEP_1}))"
)


def touches(eps: float) -> Layers:
    """Where the circle touches lines along an axis; in between it is everywhere."""
    return (0.25, sqrt(eps) / 8), (0.75, sqrt(eps) / 8)


CIRCULAR_LAYER = Family(
    name="circular_layer",
    look="a plateau inside a circle, a cliff as thin as sqrt(eps) around it",
    equation=f"-eps*(u_xx + u_yy) + 2*u_x + 3*u_y + 2*u = -eps*{LAPLACIAN} + 2*{U_X} + 3*{U_Y} + 2*{HUMP}*{STEP}",
    domain=UNIT_SQUARE,
    conditions=("u = 0 on boundary",),
    exact=f"{HUMP}*{STEP}",
    small="eps",
    values=(1e-2, 1e-3, 1e-4),
    layers=lambda eps: {"x": touches(eps), "y": touches(eps)},
)

FAMILIES = POISSON_PEAK, OUTFLOW_LAYERS, FOUR_LAYERS, PEAK, CIRCULAR_LAYER
