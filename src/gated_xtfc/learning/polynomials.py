"""Polynomials in the inputs: which degree they deserve, by what they miss on folds that were left out."""

import math

import numpy as np

from gated_xtfc.monomials import exponents
from gated_xtfc.published.ridge import HeteroskedasticRidge
from gated_xtfc.types import Array, Index

FOLDS = 8
DEGREES = {1: 8, 2: 5, 3: 3}  # highest, by the number of inputs; beyond, 2
PARSIMONY = 1.1  # a lower degree is taken when its error is within this factor of the best


def folds_of(count: int, seed: int) -> Index:
    """Which fold each of so many points is in, (n,)."""
    return np.asarray(np.random.default_rng(seed).permutation(count) % FOLDS)


def chosen_degree(x: Array, values: Array, folds: Index) -> tuple[int, float]:
    """For inputs x (n, d) and values (n, k): the degree, and the largest error of points left out."""
    found = {}
    for degree in degrees(*x.shape):
        features = monomials(degree, x, x.min(axis=0), x.max(axis=0))
        missed = np.empty_like(values)
        for fold in range(FOLDS):
            out = folds == fold
            missed[out] = values[out] - features[out] @ np.linalg.lstsq(features[~out], values[~out], rcond=None)[0]
        found[degree] = float(np.sqrt(np.mean(missed**2))), float(np.abs(missed).max())
    least = min(mean for mean, _ in found.values())
    degree = next(degree for degree, (mean, _) in found.items() if mean <= PARSIMONY * least)
    return degree, found[degree][1]


def degrees(points: int, inputs: int) -> list[int]:
    """Those that as many points can carry with a fold left out."""
    left = points - math.ceil(points / FOLDS)
    most = DEGREES.get(inputs, 2)
    return [degree for degree in range(1, most + 1) if 2 * len(exponents(inputs, degree)) <= left] or [0]


def monomials(degree: int, x: Array, low: Array, high: Array) -> Array:
    """Products of powers of the inputs, mapped from low .. high to -1 .. 1, (n, terms)."""
    return HeteroskedasticRidge(degree=degree, scaled=True).features(x, low, high)
