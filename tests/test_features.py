"""Sharp features are read off the text, to their place and thickness; functions without a text are sampled."""

import numpy as np
import pytest

from gated_xtfc import Problem
from gated_xtfc.gates.samples import sample
from gated_xtfc.gates.text import Known, read
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval.discretisation import NOTHING, probe_lines, read_texts

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]


def reading(source, **parameters):
    return read(probe_lines(Operator(Problem(f"u'' = {source}", LINE, ENDS, **parameters))))


def sampled(function):
    return sample(Operator(Problem(function, LINE, ENDS)), 0.0, 1.0)


def thinnest(found):
    return min(found.features, key=lambda feature: feature.thickness)


@pytest.mark.parametrize("place", [0.3, 1 / 3, 0.7071])
@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize(
    "needle",
    ["exp(-((x - p)/w)**2)", "exp(-((x - p)**2/w**2))", "erf((x - p)/w)"],
)
def test_a_needle_is_found_where_no_sample_sees_it(needle, width, place):
    feature = thinnest(reading(needle, w=width, p=place))
    assert feature.location == pytest.approx(place, abs=4 * np.spacing(place))
    assert feature.thickness == pytest.approx(width, rel=1e-6)


def test_a_needle_is_found_though_its_wings_overflow():
    feature = thinnest(reading("1/cosh((x - 0.3)/w)**2", w=1e-3))
    assert feature.location == pytest.approx(0.3, abs=1e-12)
    assert feature.thickness == pytest.approx(1e-3, rel=0.5)


@pytest.mark.parametrize("width", [1e-2, 1e-6])
@pytest.mark.parametrize(
    "source",
    [
        "1/(1 + ((x - 0.3)/w)**2)",
        "1/(w**2 + (x - 0.3)**2)",
        "sqrt((x - 0.3)**2 + w**2)",
        "log((x - 0.3)**2 + w**2)",
        "((x - 0.3)**2 + w**2)**-1.5",
        "arctan((x - 0.3)/w)",
    ],
)
def test_a_pole_beside_the_axis_is_found_at_its_distance(source, width):
    poles = [feature for feature in reading(source, w=width).features if feature.pole]
    assert len(poles) == 1
    assert poles[0].location == pytest.approx(0.3, abs=1e-9 * width + 1e-16)
    assert poles[0].thickness == pytest.approx(width, rel=1e-6)


def test_the_pole_of_a_hyperbolic_tangent_lies_half_pi_from_the_axis():
    (feature,) = reading("tanh((x - 0.3)/w)", w=1e-9).features
    assert feature.pole
    assert feature.thickness == pytest.approx(0.5e-9 * np.pi, rel=1e-9)


@pytest.mark.parametrize(
    ("source", "breaks"),
    [
        ("where(x < 0.3, 1, 2)", [0.3]),
        ("where(0.3 >= x, 1, 2)", [0.3]),
        ("where(x < 0.1 + 0.2, 1, 2)", [0.1 + 0.2]),
        ("where(x < 0.25, 1, where(x < 0.75, 2, 3))", [0.25, 0.75]),
        ("abs(x - 0.4)", [0.4]),
        ("sign(x - 0.7)", [0.7]),
        ("min(x, 0.2)", [0.2]),
        ("max(x, 0.25, 1 - x)", [0.25, 0.5]),
        ("abs(x**2 - 0.25)", [0.5]),
        ("where(cos(10*x) > 0, 1, 0)", np.pi * np.array([0.05, 0.15, 0.25])),
        ("where(x < 1e-9, 1, 2)", [1e-9]),
        ("where(x < 2, 1, 3)", []),
        ("abs(x)", []),
        ("max(x, -1)", []),
    ],
)
def test_switches_break_the_domain_where_they_switch(source, breaks):
    found = reading(source)
    assert found.breaks == pytest.approx(breaks, rel=4e-16, abs=0)


def test_jumping_coefficients_break_the_domain_as_jumping_sources_do():
    problem = Problem("u'' + where(x < 0.3, 1, 2)*u' + abs(x - 0.6)*u = 0", LINE, ENDS)
    assert read(probe_lines(Operator(problem))).breaks == pytest.approx([0.3, 0.6], rel=4e-16)


@pytest.mark.parametrize(
    ("source", "number"), [("sin(100*x)", 100.0), ("cos(x/w)", 1e4), ("sin(50*x**2)", 100.0), ("exp(sin(30*x))", 30.0)]
)
def test_waves_are_found_with_their_wave_number(source, number):
    found = reading(source, **({"w": 1e-4} if "w" in source else {}))
    x, wave = found.waves[0]
    assert x.shape == wave.shape
    assert wave.max() == pytest.approx(number, rel=1e-9)
    assert found.breaks == ()


def test_ripples_of_an_argument_make_no_wave_of_a_layer_elsewhere():
    found = reading("sinh(1e-4*sin(100*x) + exp((x - 1)/w))", w=1e-8)
    assert max(number.max() for _, number in found.waves) == pytest.approx(100.0)
    assert thinnest(found).location == 1.0


@pytest.mark.parametrize(
    ("source", "place"),
    [("sqrt(x)", 0.0), ("x**0.5", 0.0), ("x**1.5", 0.0), ("sqrt(1 - x)", 1.0), ("(1 - x)**(1/3)", 1.0)],
)
def test_a_root_that_ends_at_an_end_is_a_feature_there(source, place):
    (feature,) = reading(source).features
    assert feature.location == place
    assert feature.thickness <= 1e-5
    assert feature.pole


@pytest.mark.parametrize(("source", "place"), [("exp(-x/w)", 0.0), ("exp((x - 1)/w)", 1.0)])
def test_an_exponential_that_starts_at_an_end_is_a_feature_there(source, place):
    (feature,) = reading(source, w=1e-30 if place == 0.0 else 1e-12).features
    assert feature.location == place
    assert feature.thickness == pytest.approx(1e-30 if place == 0.0 else 1e-12, rel=1e-9)


@pytest.mark.parametrize("source", ["1/(x - 0.3)", "x/(x - 0.3)", "1/(0.3 - x)**3", "log(x - 0.3)"])
def test_a_divisor_or_logarithm_that_passes_zero_is_a_pole(source):
    assert reading(source).poles == pytest.approx([0.3], rel=4e-16)


@pytest.mark.parametrize("source", ["0", "x", "x**3 - x", "exp(x)", "2**x", "cosh(x - 0.5)", "1/(2 + x)"])
def test_a_smooth_text_has_no_feature_thinner_than_the_domain_and_no_break(source):
    found = reading(source)
    assert all(feature.thickness >= 0.5 for feature in found.features)
    assert found.breaks == found.poles == found.waves == ()


@pytest.mark.parametrize("place", [0.5, 1 / 3, 0.123456789])
def test_a_jump_of_a_function_is_found_to_the_last_bit(place):
    found = sampled(lambda x, u: u.xx - np.where(x < place, 1.0, 2.0))
    assert found.breaks == (place,)
    assert found.features == ()


def test_a_jump_in_a_coefficient_of_a_function_is_found():
    found = sampled(lambda x, u: u.xx + np.where(x < 0.25, 1.0, 2.0) * u - np.where(x < 0.75, 1.0, 5.0))
    assert found.breaks == (0.25, 0.75)


@pytest.mark.parametrize("width", [1e-3, 1e-5, 1e-9])
def test_a_steep_place_of_a_function_is_found_by_sampling(width):
    found = sampled(lambda x, u: u.xx - np.tanh((x - 0.3) / width))
    feature = thinnest(found)
    assert found.breaks == ()
    assert abs(feature.location - 0.3) <= 2 * width
    assert 0.3 * width <= feature.thickness <= 10 * width


def test_a_smooth_function_has_neither_features_nor_breaks():
    found = sampled(lambda x, u: u.xx - x * u - np.sin(3 * x))
    assert found.features == found.breaks == ()


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("nu*u'' + u*u' - u = 0", False),
        ("nu*u'' + (u')^2 = u*(1 - u)*nu", False),
        ("nu*u'' + (1 - u)^2 = 0", True),
        ("nu*u'' - exp(u) = 0", True),
        ("nu*u'' + u/(2 + u') = 0", True),
        ("nu*u'' + abs(u - 0.5) = 0", True),
        ("nu*u'' + 2^u = 0", True),
        ("u'' + u/nu + sqrt(nu)*u^3 = 1", False),
    ],
)
def test_texts_that_show_something_along_a_solution_are_those_that_are_heard(text, heard):
    problem = Problem(text, LINE, ["u(0) = 0", "u(1) = 1"], nu=0.1)
    along = Operator(
        problem, lambda f, points, orders: np.cos(40 * points[0] + 0.5 * np.pi * orders[0]) * 40 ** orders[0]
    )
    known = Known(np.linspace(0.0, 1.0, 201), np.zeros(0))
    found = read(probe_lines(along, True), known)
    assert any(map(len, vars(found).values())) == heard
    assert (read_texts(along, known) is NOTHING) == (not heard)
