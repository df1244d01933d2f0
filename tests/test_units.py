"""A problem and the same problem in other units give the same digits."""

import numpy as np
import pytest

from gated_xtfc import InputError, Problem, solve

# u = A w(x / B): each text has A, the unit of the fields, and B, the unit of x.
FAMILIES = {
    "layer": (["B*u' - nu*B^2*u'' = 0"], ["u({0}) = 0", "u({1}) = A"], {"nu": 1e-4}),
    "two layers and a source": (
        ["-eps*B^2*u'' + u = A*exp(x/B)"],
        ["u({0}) = 0", "u({1}) = 2*A"],
        {"eps": 1e-6},
    ),
    "turning point": (["eps*B^2*u'' + (x - 0.4*B)*u' = 0"], ["u({0}) = -A", "u({1}) = A"], {"eps": 1e-6}),
    "needle": (["B^2*u'' = 1e4*A*exp(-((x/B - 0.3)/1e-4)^2)"], ["u({0}) = 0", "u({1}) = 0"], {}),
    "beam": (["B^4*u'''' + u = A"], ["u({0}) = 0", "u({1}) = 0", "u'({0}) = 0", "u'({1}) = 0"], {}),
    "Helmholtz": (["B^2*u'' + 400*u = A"], ["u({0}) = 0", "u({1}) = 0"], {}),
    "Bratu": (["B^2*u'' + 3*A*exp(u/A) = 0"], ["u({0}) = 0", "u({1}) = 0"], {}),
    "shock": (["eps*A*B^2*u'' + B*u*u' - A*u = 0"], ["u({0}) = -7/6*A", "u({1}) = 3/2*A"], {"eps": 1e-3}),
    "system": (["B*u' = v", "eps*B*v' = u - A*sin(x/B)"], ["u({0}) = A", "u({1}) = 0"], {"eps": 1e-6}),
    "a field that vanishes": (["B*u' = v", "B*v' = v"], ["u({0}) = A", "u({1}) = A"], {}),
}
RECTANGLES = {
    "four layers": ("-eps*(B^2*u_xx + B^2*u_yy) + u = A", ["u = 0 on boundary"], {"eps": 1e-4}),
    "Poisson": ("B^2*u_xx + B^2*u_yy = -A", ["u = 0 on boundary"], {}),
    "cubic": ("0.01*(B^2*u_xx + B^2*u_yy) - u - u^3/A^2 = -A", ["u = 0 on boundary"], {}),
}
# Powers of two change no bit of a number but its exponent.
UNITS = [(2.0**-66, 1.0), (2.0**66, 1.0), (1.0, 2.0**-30), (1.0, 2.0**30), (2.0**-40, 2.0**20)]


def in_units(text, a, b):
    return text.replace("A", f"({a!r})").replace("B", f"({b!r})")


def on_interval(name, a, b):
    equations, conditions, parameters = FAMILIES[name]
    ends = (0.0, b)
    conditions = [in_units(c.format(*map(repr, ends)), a, b) for c in conditions]
    return Problem([in_units(equation, a, b) for equation in equations], {"x": ends}, conditions, **parameters)


def on_rectangle(name, a, b):
    equation, conditions, parameters = RECTANGLES[name]
    return Problem(in_units(equation, a, b), {"x": (0, b), "y": (0, b)}, conditions, **parameters)


@pytest.mark.parametrize("tol", [1e-4, 1e-8])
@pytest.mark.parametrize("name", FAMILIES)
def test_on_an_interval_every_digit_is_the_same(name, tol):
    x = np.linspace(0, 1, 57)
    plain = solve(on_interval(name, 1.0, 1.0), tol)
    assert plain.converged, plain.message
    for a, b in UNITS:
        other = solve(on_interval(name, a, b), tol)
        assert (other.status, other.neurons, other.rounds) == (plain.status, plain.neurons, plain.rounds), (a, b)
        assert other.error == pytest.approx(plain.error, rel=1e-9)
        for field in plain.problem.fields:
            np.testing.assert_allclose(other[field](b * x) / a, plain[field](x), rtol=0, atol=1e-14 * plain.scale)


@pytest.mark.parametrize("name", RECTANGLES)
def test_on_a_rectangle_every_digit_is_the_same(name):
    x = np.linspace(0, 1, 11)
    plain = solve(on_rectangle(name, 1.0, 1.0), 1e-6)
    assert plain.converged, plain.message
    for a, b in UNITS:
        other = solve(on_rectangle(name, a, b), 1e-6)
        assert (other.status, other.neurons, other.rounds) == (plain.status, plain.neurons, plain.rounds), (a, b)
        np.testing.assert_allclose(other(b * x, b * x) / a, plain(x, x), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("a", "b"), [(1e-20, 1.0), (1e20, 1.0), (1.0, 1e-9), (1.0, 1e9), (1e-10, 1e6)])
@pytest.mark.parametrize("name", FAMILIES)
def test_in_decimal_units_the_error_is_within_the_tolerance_all_the_same(name, a, b):
    x = np.linspace(0, 1, 57)
    exact, other = solve(on_interval(name, 1.0, 1.0), 1e-11), solve(on_interval(name, a, b), 1e-6)
    assert other.converged, other.message
    for field in exact.problem.fields:
        size = max(np.abs(exact[field](x)).max(), 1e-3)
        assert np.abs(other[field](b * x) / a - exact[field](x)).max() <= 1e-6 * size


def test_an_absolute_tolerance_is_an_error_that_does_not_matter():
    problem = on_interval("two layers and a source", 1e-6, 1.0)
    strict, lax = solve(problem, 1e-8), solve(problem, 1e-8, atol=1e-9)
    assert lax.converged
    assert lax.neurons <= strict.neurons
    assert lax.scale == pytest.approx(strict.scale + 1e-9 / 1e-8, rel=1e-6)
    assert solve(problem, 1e-8, atol=1.0).error < 1e-6 * strict.error


def test_tolerances_by_field():
    problem = on_interval("system", 1.0, 1.0)
    solution = solve(problem, rtol={"u": 1e-9, "v": 1e-5}, atol={"v": 1e-7})
    assert solution.converged
    assert solution.tol == 1e-9
    own = solve(problem, 1e-9).scales
    assert solution.scales == pytest.approx((own[0], 1e4 * own[1] + 1e-7 / 1e-9), rel=1e-3)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rtol": 0.0}, "rtol is 0.0: give a positive number"),
        ({"rtol": -1.0}, "rtol is -1.0: give a number such as 1e-8"),
        ({"atol": "small"}, "atol is 'small': give a number such as 1e-8"),
        ({"atol": {"w": 1e-8}}, 'atol names "w", which is no field of the problem: it has u'),
        ({"rtol": float("nan")}, "rtol is nan"),
    ],
)
def test_a_tolerance_that_is_none_is_refused(given, told):
    with pytest.raises(InputError, match=told):
        solve(on_interval("layer", 1.0, 1.0), **given)
