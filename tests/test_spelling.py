"""The page's spelling: Greek letters, ln, bars, heaviside, products without a star, arguments written out."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.language.parser import parse


@pytest.mark.parametrize(
    ("page", "plain"),
    [
        ("2x", "2*x"),
        ("2x^2 + 3x", "2*x^2 + 3*x"),
        ("x a", "x*a"),
        ("-2 x a^2", "-2*x*a^2"),
        ("2(x + 1)(x - 1)", "2*(x + 1)*(x - 1)"),
        ("a/x x", "(a/x)*x"),
        ("x^2 a", "(x^2)*a"),
        ("2sin(x) cos(x)", "2*sin(x)*cos(x)"),
        ("2e-3x", "2e-3*x"),
        ("2 e", "2*e"),
        ("2π x", "2*pi*x"),
        ("ln(x) + 2ln(a)", "log(x) + 2*log(a)"),
        ("|x - a| + |a|", "abs(x - a) + abs(a)"),
        ("2|x - a|^2", "2*abs(x - a)^2"),
        ("heaviside(x - a)", "where(x < a, 0, 1)"),
        ("3heaviside(1 - x) x", "3*where(1 - x < 0, 0, 1)*x"),
    ],
)
def test_the_page_and_its_plain_spelling_mean_the_same(page: str, plain: str) -> None:
    for x in (0.3, 1.7, 2.0):
        assert parse(page).value({"x": x, "a": 1.1}) == parse(plain).value({"x": x, "a": 1.1})


def test_greek_letters_name_fields_coordinates_parameters_and_constants() -> None:
    problem = gx.Problem("ε*φ'' + φ' + λ φ = 0", {"ξ": (0, 1)}, ["φ(0) = 0", "φ(1) = 1"], ε=0.1, λ=1)
    plain = gx.Problem("eps*u'' + u' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], eps=0.1, lam=1)
    x = np.linspace(0, 1, 11)
    np.testing.assert_array_equal(gx.solve(problem)(x), gx.solve(plain)(x))
    column = gx.Problem("w'' + λ w = 0", {"x": (0, "π")}, ["w(0) = 0", "w(π) = 0", "w'(0) = 1"], unknown=["λ"])
    assert abs(gx.solve(column, guess="sin(x)").constants["λ"] - 1) < 1e-8


def test_two_shapes_of_a_letter_are_one() -> None:
    micro, variant = "\u00b5", "\u03f5"
    problem = gx.Problem(f"{variant} u'' + {micro} u' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], ε=0.1, μ=2)
    assert gx.solve(problem).converged


def test_a_field_may_be_written_with_its_argument() -> None:
    problem = gx.Problem("u''(t) = -u(t) + t", {"t": (0, 1)}, ["u(0) = 0", "u(1) = 1"], exact="t")
    assert (gx.solve(problem).true_error() or 1.0) < 1e-9
    with pytest.raises(gx.InputError, match="outside of the domain"):
        gx.Problem("u'(t) = -u(t - 1)", {"t": (0, 1)}, ["u(0) = 0"])


def test_a_load_that_begins_inside_is_resolved_like_a_jump() -> None:
    problem = gx.Problem("y'' + 4y = heaviside(t - 1)", {"t": (0, 3)}, ["y(0) = 0", "y'(0) = 1"])
    solution = gx.solve(problem)
    assert solution.breaks == (1.0,)
    assert abs(solution(2.0) - (np.sin(4) / 2 + (1 - np.cos(2)) / 4)) < 1e-8
