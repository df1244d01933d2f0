"""Monomials up to a total degree: x^p y^q ... with p + q + ... <= degree, those of lower degree first."""

from itertools import combinations_with_replacement

import numpy as np

from gated_xtfc.types import Array, Index


def exponents(inputs: int, degree: int) -> Index:
    """(terms, inputs): for one input 0, 1, 2, ...; for two (0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), ..."""
    rows = [
        np.bincount(np.array(chosen, dtype=int), minlength=inputs)
        for total in range(degree + 1)
        for chosen in combinations_with_replacement(range(inputs), total)
    ]
    return np.array(rows, dtype=np.intp)


def monomials(points: Array, degree: int) -> Array:
    """Their values at points (n, d), (n, terms)."""
    return np.asarray(np.prod(points[:, None, :] ** exponents(points.shape[1], degree), axis=2))
