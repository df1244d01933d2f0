"""What hides between samples is found, whatever it is made of; or the solution says that it was not."""

import numpy as np
import pytest
from scipy.special import beta

from gated_xtfc import InputError, Layer, Problem, solve
from gated_xtfc.gates import boxes, needles
from gated_xtfc.gates.text import read
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval.discretisation import probe_lines, read_texts
from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
BACKGROUNDS = {
    "0": lambda x: 0.0 * x,
    "1": lambda x: 0.0 * x + 1.0,
    "exp(x)": np.exp,
    "sin(7*x)": lambda x: np.sin(7 * x),
}


def with_zero_ends(source, panels):
    """The solution of u'' = source at the ends of the panels: two integrals, each panel by Gauss' rule."""
    half = 0.5 * np.diff(panels)[:, None]
    x = 0.5 * (panels[1:] + panels[:-1])[:, None] + half * NODES
    mass, moment = ((half * WEIGHTS * f).sum(axis=1) for f in (source(x), source(x) * (x - panels[:-1, None])))
    slope = np.concatenate([[0.0], np.cumsum(mass)])
    rise = np.concatenate([[0.0], np.cumsum((slope[:-1] + mass) * np.diff(panels) - moment)])
    return rise - panels * rise[-1]


def panels_around(places, width):
    """Panels that grow away from all places."""
    steps = np.concatenate([np.linspace(0, 12, 49), 12 * 1.3 ** np.arange(1, 80)]) * width
    every = np.concatenate(
        [[0.0, 1.0], np.linspace(0, 1, 65), *(p + steps for p in places), *(p - steps for p in places)]
    )
    return np.unique(every[(every >= 0.0) & (every <= 1.0)])


def box(rng):
    width = 10 ** rng.uniform(-6, -2)
    a = rng.uniform(0.02, 0.95)
    b = a + width
    tall = 10 ** rng.uniform(0, 1) / width
    kind = rng.integers(3)
    if kind == 0:
        return f"where((x - {a!r})*(x - {b!r}) < 0, {tall!r}, 0)", lambda x: tall * ((x > a) & (x < b)), (a, b), width
    if kind == 1:
        return f"{tall!r}*(1 - sign((x - {a!r})*(x - {b!r})))", lambda x: 2 * tall * ((x > a) & (x < b)), (a, b), width
    middle, square = 0.5 * (a + b), (0.5 * width) ** 2
    a, b = middle - np.sqrt(square), middle + np.sqrt(square)
    return f"where((x - {middle!r})^2 < {square!r}, {tall!r}, 0)", lambda x: tall * ((x > a) & (x < b)), (a, b), width


def boxes_of_a_wave(rng):
    number, below = rng.uniform(5, 40), 10 ** rng.uniform(-7, -3)
    tall = float(10 ** rng.uniform(0, 1) * number / np.sqrt(below))
    half = np.arccos(1 - below) / number
    crests = (0.5 + 2.0 * np.arange(20)) * np.pi / number
    ends = np.concatenate([crests - half, crests + half])
    text = f"where(sin({number!r}*x) > {1 - below!r}, {tall!r}, 0)"
    turn = 2.0 * np.pi / number
    source = lambda x: tall * (np.abs((x - crests[0] + 0.5 * turn) % turn - 0.5 * turn) < half)  # noqa: E731
    return text, source, ends[ends < 1.0], half


def flat_top(rng):
    width, power = 10 ** rng.uniform(-6, -2.3), int(rng.choice([4, 6, 8]))
    c, tall = rng.uniform(0.05, 0.95), 10 ** rng.uniform(0, 1) / width
    sharp = width**-power
    text = f"{tall!r}*exp(-{sharp!r}*(x - {c!r})^{power})"
    if rng.integers(3):
        return text, lambda x: tall * np.exp(-sharp * (x - c) ** power), (c,), width
    d = c + rng.uniform(-0.7, 0.7) * width
    text = f"{text}*exp(-{sharp!r}*(x - {d!r})^4)" if power == 4 else f"{text}*exp(-((x - {d!r})/{width!r})^6)"
    other = 4 if power == 4 else 6
    return text, lambda x: tall * np.exp(-sharp * (x - c) ** power - ((x - d) / width) ** other), (c,), width


def power_of_a_smooth_function(rng):
    width = 10 ** rng.uniform(-6, -2.3)
    c, tall = rng.uniform(0.05, 0.95), 10 ** rng.uniform(0, 1) / width
    kind = rng.integers(3)
    if kind == 0:
        high = float(2 * int(1 / width**2))
        return f"{tall!r}*cos(x - {c!r})^{high!r}", lambda x: tall * np.cos(x - c) ** high, (c,), width
    if kind == 1:
        high = float(int(1 / width**2))
        return f"{tall!r}*(1 - (x - {c!r})^2)^{high!r}", lambda x: tall * (1 - (x - c) ** 2) ** high, (c,), width
    waves = int(rng.integers(1, 6))
    high = float(2 * int(1 / (width * waves * np.pi) ** 2) + 2)
    places = (np.arange(waves) + 0.5) / waves
    return f"{tall!r}*sin({waves}*pi*x)^{high!r}", lambda x: tall * np.sin(waves * np.pi * x) ** high, places, width


HIDDEN = [box, boxes_of_a_wave, flat_top, power_of_a_smooth_function]


@pytest.mark.parametrize("kind", HIDDEN, ids=lambda kind: kind.__name__)
def test_hidden_needles_are_solved_right_or_refused(kind):
    rng = np.random.default_rng(HIDDEN.index(kind))
    solved = 0
    for _ in range(60):
        text, source, places, width = kind(rng)
        background = str(rng.choice([*BACKGROUNDS]))
        solution = solve(Problem(f"u'' = {text} + {background}", LINE, ENDS), tol=1e-6)
        panels = panels_around(places, width)
        exact = with_zero_ends(lambda x, f=source, g=BACKGROUNDS[background]: f(x) + g(x), panels)
        error = np.abs(solution(panels) - exact).max() / max(1.0, np.abs(exact).max())
        assert error <= 1e-5 or not solution.converged, f"{text} + {background}: {error}, said {solution.error}"
        solved += solution.converged
    assert solved >= 52  # a power of 1e11 makes 1e-5 of rounding in its base: that source is noise, and said to be


def reading(source, domain=LINE, **parameters):
    return read_texts(
        Operator(Problem(f"u'' = {source}", domain, [f"u({end}) = 0" for end in domain["x"]], **parameters))
    )


@pytest.mark.parametrize("ends", [(0, 1), (-3, 5), (-1e3, 1e3), (0, 1e-6)])
@pytest.mark.parametrize("part", [1e-3, 1e-6])
@pytest.mark.parametrize(
    "needle",
    ["exp(-k*(x - p)^4)", "2 + exp(-k*(x - p)^4)", "tanh(k*(x - p)^3)", "sqrt(1 + exp(-k*(x - p)^6))"],
)
def test_a_flat_needle_is_found_at_its_place_and_width(needle, part, ends):
    length = ends[1] - ends[0]
    place, width = ends[0] + 0.3456 * length, part * length
    power = float(needle[needle.index(")^") + 2])
    found = reading(needle, {"x": ends}, p=place, k=width**-power)
    near = [feature for feature in found.features if abs(feature.location - place) <= 4 * width]
    assert min(feature.thickness for feature in near) <= width
    assert all(feature.thickness >= 0.02 * width for feature in near)
    assert len(found.features) <= 6


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-9])
def test_both_ends_of_a_hidden_box_are_breaks_to_the_last_bit(width):
    a = 0.61803398875
    b = a + width
    for source in ("where((x - a)*(x - b) < 0, 1, 0)", "sign((x - a)*(x - b))", "max(0, (x - a)*(b - x))"):
        assert reading(source, a=a, b=b).breaks == pytest.approx([a, b], rel=4e-16, abs=0)


def test_a_third_argument_of_max_breaks_the_domain_too():
    assert reading("max(x - 10, 0.25, 1 - x)").breaks == pytest.approx([0.75], rel=4e-16)


SMOOTH = ["exp(x)", "sin(3*x)", "x^6 - x", "1/(2 + x)", "cosh(x - 0.5)", "tanh(20*(x - 0.4))", "exp(-50*(x - 0.5)^2)",
          "sqrt(x)", "x^1.5", "log(x + 1e-3)", "sin(x)/x", "exp(sin(30*x))", "cos(40*x)*exp(-3*x)", "x^50",
          "abs(sin(9*x))",
          "1/cosh((x - 0.3)/1e-4)^2", "exp(-((x - 0.3)/1e-5)^2)", "1/(1 + exp(-(x - 0.3)/1e-4))", "atan((x - 0.3)*1e5)",
          "exp(-(x - 0.3)/1e-3)/(1 + exp(-(x - 0.3)/1e-3))", "sqrt((x - 0.5)^2 + 1e-8)", "exp(-100*abs(x - 0.5))",
          "where(x < 0.5, exp(x), sin(x))", "max(x, x)", "sin(100*x^2)", "(1 + x)^30"]  # fmt: skip


@pytest.mark.parametrize("source", SMOOTH)
def test_a_text_with_nothing_hidden_is_read_as_its_arguments_say(source):
    operator = Operator(Problem(f"u'' = {source}", LINE, ENDS))
    found, plain = read_texts(operator), read(probe_lines(operator))
    assert (found.features, found.breaks, found.skews) == (plain.features, plain.breaks, plain.skews)
    assert found.undecided == ()


def test_a_needle_in_a_coefficient_is_found():
    text = "u'' - k*exp(-w*(x - 0.4321)^4)*u = 0"
    problem = Problem(text, LINE, ["u(0) = 0", "u(1) = 1"], k=1e5, w=1e16)
    solution = solve(problem, tol=1e-8)
    gates = [Layer(0.4321, 1e-5, 0.1)]
    assert solution.converged
    assert solution(0.4321) == pytest.approx(solve(problem, tol=1e-8, gates=gates)(0.4321), rel=1e-6)
    assert solution(0.2) < 0.6 * 0.2  # without the needle u = x


def test_a_needle_in_a_nonlinear_equation_is_found():
    problem = Problem("u'' = u^2*1e4*exp(-w*(x - 0.4321)^4)", LINE, ["u(0) = 0", "u(1) = 1"], w=1e16)
    solution = solve(problem, tol=1e-8)
    assert solution.converged
    assert solution(0.4321) < 0.4  # without the needle u = x


def test_a_root_that_begins_at_a_switch_is_a_feature_there():
    solution = solve(Problem("u'' = max(x - 0.4, 0)^0.5", LINE, ENDS), tol=1e-8)
    x = np.linspace(0, 1, 41)
    exact = np.maximum(x - 0.4, 0) ** 2.5 / 3.75
    assert solution.converged
    assert np.abs(solution(x) - exact + x * exact[-1]).max() < 1e-7


def test_what_the_budget_leaves_undecided_is_said_and_gets_narrow_kernels(monkeypatch):
    monkeypatch.setattr(needles, "BUDGET", 60)
    monkeypatch.setattr(needles, "EACH", 0)
    found = reading("exp(-1e30*(x - 0.4321)^6)")
    assert any(low <= 0.4321 <= high for low, high in found.undecided)
    assert found.skews or found.features != reading("1").features


def test_more_switches_than_can_be_solved_for_are_refused():
    with pytest.raises(InputError, match="switches at more than 2000 places"):
        solve(Problem("u'' = where(sin(1e4*x) > 0.5, 1, 0)", LINE, ENDS))


SQUARE = {"x": (0, 1), "y": (0, 1)}


def green(x, y, a, b):
    """The solution of -u_xx - u_yy = delta at (a, b), zero on the boundary."""
    k = np.pi * np.arange(1, 60)
    low, high = min(y, b), max(y, b)
    return np.sum(2 * np.sin(k * x) * np.sin(k * a) * np.sinh(k * low) * np.sinh(k * (1 - high)) / (k * np.sinh(k)))


@pytest.mark.parametrize("place", [(0.5, 0.5), (0.3141, 0.777)])
def test_a_peak_is_found_though_no_line_passes_through_it(place):
    a, b = place
    width = 2e-3
    text = f"exp(-k*(x - {a})^4)*exp(-k*(y - {b})^4)*k^0.5"
    problem = Problem(f"u_xx + u_yy = {text}", SQUARE, ["u = 0 on boundary"], k=width**-4)
    mass = 1.8128049541109541**2  # the integral of exp(-t^4), squared
    solution = solve(problem, tol=1e-4)
    assert solution.converged
    assert solution(0.4, 0.3) == pytest.approx(-mass * green(0.4, 0.3, a, b), rel=1e-4)


def test_powers_of_sines_make_a_peak_on_a_rectangle():
    problem = Problem("u_xx + u_yy = 4e4*sin(pi*x)^39452*sin(pi*y)^39452", SQUARE, ["u = 0 on boundary"])
    # the integral of sin^n is B((n + 1)/2, 1/2)/pi
    mass = 4e4 * (beta(39453 / 2, 0.5) / np.pi) ** 2
    assert solve(problem, tol=1e-4)(0.4, 0.3) == pytest.approx(-mass * green(0.4, 0.3, 0.5, 0.5), rel=1e-5)


def test_a_hidden_ridge_and_a_hidden_box_along_an_axis_of_a_rectangle_are_found():
    def coordinates(source):
        problem = Problem(f"u_xx + u_yy = {source}", SQUARE, ["u = 0 on boundary"])
        return RectangleDiscretisation(problem).predict(1e-4)

    along_x, along_y = coordinates("exp(-1e12*(x - 0.3141)^4)*(1 + y)")
    assert any(abs(layer.location - 0.3141) < 5e-3 and layer.thickness < 1e-3 for layer in along_x[0].layers)
    assert not any(0.01 < layer.location < 0.99 for layer in along_y[0].layers)
    along_x, along_y = coordinates("where((x - 0.887)*(x - 0.8873) < 0, 1e4, 0)*(1 + y)")
    assert [piece.left for piece in along_x] == pytest.approx([0.0, 0.887, 0.8873], rel=4e-16)
    assert len(along_y) == 1


def test_the_budget_of_boxes_is_kept(monkeypatch):
    monkeypatch.setattr(boxes, "BUDGET", 100)
    problem = Problem("u_xx + u_yy = exp(-1e12*(x - 0.3141)^4)*exp(-1e12*(y - 0.7)^4)", SQUARE, ["u = 0 on boundary"])
    assert RectangleDiscretisation(problem).predict(1e-4)


@pytest.mark.parametrize(
    "source",
    [
        "sin(1/(x + 1e-9))",
        "where(sin(1/(x + 1e-6)) > 0.999999, 1e3, 0)",
        "exp(-((x - 0.3)/1e-6)^2)*sin(1e13*(x - 0.3))",
        "cos(1e6*x^2)^1000",
    ],
)
def test_what_cannot_be_looked_through_is_refused_with_its_place(source):
    with pytest.raises(InputError, match=r"changes too fast between x = .* to show that nothing is hidden there"):
        solve(Problem(f"u'' - u = {source}", LINE, ENDS))
