"""Monomials of a total degree, and Gauss-Legendre quadrature on intervals: what they count and what they integrate."""

import math

import numpy as np
import pytest

from gated_xtfc.gauss_legendre import on_intervals, rule
from gated_xtfc.monomials import exponents, monomials


@pytest.mark.parametrize("inputs", [1, 2, 3, 5])
@pytest.mark.parametrize("degree", [0, 1, 4])
def test_every_monomial_is_there_once_lower_degrees_first(inputs, degree):
    found = exponents(inputs, degree)
    assert len({tuple(row) for row in found.tolist()}) == len(found) == math.comb(inputs + degree, degree)
    totals = found.sum(axis=1)
    assert (np.diff(totals) >= 0).all()
    assert totals.max() == degree


def test_the_order_within_a_degree_is_that_of_the_coefficients_in_files():
    assert exponents(2, 2).tolist() == [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]


def test_monomials_are_products_of_powers():
    points = np.array([[2.0, -3.0], [0.0, 0.5]])
    assert monomials(points, 2).tolist() == [[1.0, 2.0, -3.0, 4.0, -6.0, 9.0], [1.0, 0.0, 0.5, 0.0, 0.0, 0.25]]


@pytest.mark.parametrize("count", [1, 2, 5, 21])
def test_quadrature_is_exact_up_to_its_degree_on_every_interval(count):
    left, right = np.array([0.0, 0.5, -2.0]), np.array([0.5, 1.5, -2.0])
    points, weights = on_intervals(left, right, count)
    assert points.shape == weights.shape == (3, count)
    for power in range(2 * count):
        exact = (right ** (power + 1) - left ** (power + 1)) / (power + 1)
        assert (points**power * weights).sum(axis=1) == pytest.approx(exact, rel=1e-12, abs=1e-13)


def test_a_rule_that_many_share_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        rule(4)[0][0] = 0.0
