"""One element, t in [0, 1]: Radau sites, and polynomials through values at them integrated once and twice from t = 0.

A Radau rule has a site at one end: fast modes that an element does not resolve are damped there, where Gauss points
would hand them on to the next element.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre

from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class RadauTables:
    """Of `count` sites."""

    count: int

    @cached_property
    def sites(self) -> Array:
        """The zeros of P_(k-1) + P_k, the first of which is t = 0, (k,)."""
        series = np.zeros(self.count + 1)
        series[-2:] = 1.0
        slope = legendre.legder(series)
        s = np.sort(legendre.legroots(series).real)
        s[0] = -1.0
        for _ in range(3):  # Newton's steps: roots of a companion matrix are good to some 1e-14
            s[1:] -= legendre.legval(s[1:], series) / legendre.legval(s[1:], slope)
        return 0.5 * (s + 1.0)

    @cached_property
    def series(self) -> tuple[Array, Array, Array]:
        """Values at the sites -> Legendre coefficients of the polynomial, its integral and its second integral."""
        through = np.linalg.inv(legendre.legvander(2.0 * self.sites - 1.0, self.count - 1))

        def integrated(times: int) -> Array:
            # d/dt = 2 d/ds, so that each integral over s counts half
            return np.stack([np.asarray(legendre.legint(c, times, lbnd=-1, scl=0.5)) for c in through.T], axis=1)

        return np.asarray(through, dtype=float), integrated(1), integrated(2)

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Values at the sites -> the polynomial, its integral and its second integral at t, (n, k) each."""
        s = 2.0 * t - 1.0
        value, once, twice = self.series
        k = self.count
        return (
            legendre.legvander(s, k - 1) @ value,
            legendre.legvander(s, k) @ once,
            legendre.legvander(s, k + 1) @ twice,
        )

    @cached_property
    def integrals(self) -> tuple[Array, Array]:
        """At the sites, (k, k) each."""
        _, once, twice = self.at(self.sites)
        return once, twice

    @cached_property
    def totals(self) -> tuple[Array, Array]:
        """At t = 1, (k,) each."""
        _, once, twice = self.at(np.ones(1))
        return once[0], twice[0]

    @cached_property
    def checks(self) -> Array:
        """Where residuals between the sites are largest: first, middle and last gap, (3,)."""
        t = np.linspace(0.0, 1.0, 20_001)
        size = np.abs(np.prod(t[:, None] - self.sites, axis=1))
        edges = np.append(self.sites, 1.0)
        peaks = []
        for low, high in pairwise(edges.tolist()):
            inside = (t > low) & (t < high)
            peaks.append(t[inside][np.argmax(size[inside])])
        peaks[-1] = 1.0 - 0.2 * (1.0 - self.sites[-1])  # beyond the last site the product grows up to the end
        return np.array([peaks[0], peaks[self.count // 2], peaks[-1]])


@cache
def tables(count: int) -> RadauTables:
    """The tables of that many sites, made once."""
    return RadauTables(count)
