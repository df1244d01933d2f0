"""Poisson's equation on the unit square, zero on its sides, on a uniform grid by the fast sine transform.

Every scheme is diagonal in sines; with l_m = -(4/h^2) sin^2(m pi h/2), the symbol of the second difference, it is
order 2: u_mn = f_mn/(l_m + l_n);   order 4 (compact): the nine-point star, f averaged likewise;
spectral: u_mn = -f_mn/(pi^2 (m^2 + n^2)).
"""

from collections.abc import Callable

import numpy as np
from scipy.fft import dstn, idstn

from gated_xtfc.errors import InputError
from gated_xtfc.types import Array

SCHEMES = ("order 2", "order 4", "spectral")


def sine_poisson(
    source: Callable[[Array, Array], Array], intervals: int, scheme: str = "order 2"
) -> tuple[Array, Array]:
    """Nodes of an axis (n + 1,), and u at the nodes (n + 1, n + 1), with u_xx + u_yy = source(x, y)."""
    if scheme not in SCHEMES or intervals < 2:
        raise InputError(f"{intervals} intervals by {scheme!r}: give at least 2, and one of {', '.join(SCHEMES)}")
    nodes = np.linspace(0.0, 1.0, intervals + 1)
    h, m = 1.0 / intervals, np.arange(1, intervals)
    right = np.broadcast_to(source(nodes[:, None], nodes), (nodes.size, nodes.size))
    inside = right[1:-1, 1:-1]
    if scheme == "order 4":
        beside = right[:-2, 1:-1] + right[2:, 1:-1] + right[1:-1, :-2] + right[1:-1, 2:]
        inside = (8.0 * inside + beside) / 12.0
    if scheme == "spectral":
        line = -((np.pi * m) ** 2)
        symbol = line[:, None] + line
    else:
        line = -((2.0 / h * np.sin(0.5 * np.pi * h * m)) ** 2)
        symbol = line[:, None] + line
        if scheme == "order 4":
            symbol = symbol + h**2 / 6.0 * np.outer(line, line)
    u = np.zeros((nodes.size, nodes.size))
    u[1:-1, 1:-1] = idstn(dstn(inside, type=1) / symbol, type=1)
    return nodes, u
