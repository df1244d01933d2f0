"""What a solution says about itself is true: the error is below the estimate; where it is not small, it says why."""

import numpy as np
import pytest

import reference_cases
from gated_xtfc import Problem, solve, zoo

LINE = {"x": (0, 1)}


ENDS = ["u(0) = 0", "u(1) = 1"]
CASES = list(reference_cases.linear())
LAYER = Problem("u' - nu*u'' = 0", LINE, ENDS, exact="(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))", nu=1e-4)


def true_error(family, problem, solution):
    """On 20,000 points, half of them inside the layers."""
    points = family.points(20_000, **problem.parameters)
    exact = problem.exact(points)
    return float(np.abs(solution(points) - exact).max() / max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_every_case_of_the_test_set_is_solved_to_tolerance_and_knows_it(case):
    solution = solve(case.problem, 1e-8)
    error = case.error(solution)
    assert solution.status == "converged", solution.message
    assert error <= 1e-8
    assert error <= 3 * solution.error


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-11])
def test_the_estimate_is_reliable_at_any_tolerance(tol):
    for case in CASES[::4]:
        solution = solve(case.problem, tol)
        error = case.error(solution)
        # the reference itself is right to 1e-12
        assert error <= 3 * solution.error + 1e-12, case.label
        assert solution.converged == (solution.error <= tol), case.label


def test_the_estimate_is_not_above_a_thousand_times_the_error_in_the_median():
    solutions = [(case, solve(case.problem, 1e-8)) for case in CASES[::2]]
    ratios = [solution.error / max(case.error(solution), 1e-16) for case, solution in solutions]
    assert np.median(ratios) <= 1000


@pytest.mark.parametrize(
    ("name", "digits", "neurons"),
    [("convection_diffusion", d, 300) for d in range(1, 13)] + [("twin_layers", d, 600) for d in range(2, 9)],
)
def test_a_problem_of_the_paper_is_solved_to_ten_digits_with_few_neurons(name, digits, neurons):
    family = zoo.family(name)
    problem = family.problem(nu=10.0**-digits)
    solution = solve(problem, 1e-10)
    error = true_error(family, problem, solution)
    assert solution.status == "converged", solution.message
    assert error <= 1e-10
    assert error <= 3 * solution.error
    assert solution.neurons <= neurons


@pytest.mark.parametrize("eps", [1e-20, 1e-40, 1e-58])
def test_a_layer_at_zero_is_solved_far_below_the_spacing_of_numbers_at_one(eps):
    problem = Problem("u' + nu*u'' = 0", LINE, ENDS, exact="1 - exp(-x/nu)", nu=eps)
    solution = solve(problem, 1e-8)
    assert solution.converged
    assert solution.true_error() <= 3 * solution.error


NULL_SOLUTION = ("u'' + 3*eps*u/(eps + x**2)**2 = 0", {"x": (-0.1, 0.1)})
SINGULAR = {
    "eigenfunction, zero ends": Problem("u'' + pi**2*u = 0", LINE, ["u(0) = 0", "u(1) = 0"]),
    "eigenfunction, source": Problem("u'' + pi**2*u = 1", LINE, ["u(0) = 0", "u(1) = 0"]),
    "both ends free": Problem("u'' = x", LINE, ["u'(0) = 0", "u'(1) = 0.5"]),
    "both ends free, impossible": Problem("u'' = x", LINE, ["u'(0) = 0", "u'(1) = 0"]),
    "periodic": Problem("u'' = sin(2*pi*x)", LINE, ["u(0) = u(1)", "u'(0) = u'(1)"]),
    "periodic resonance": Problem("u'' + 4*pi**2*u = 1", LINE, ["u(0) = u(1)", "u'(0) = u'(1)"]),
    "test problem 17": Problem(
        *NULL_SOLUTION, ["u(-0.1) = -0.1/sqrt(eps + 0.01)", "u(0.1) = 0.1/sqrt(eps + 0.01)"], eps=0.01
    ),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_a_nearly_singular_operator_is_called_so(name):
    solution = solve(SINGULAR[name], 1e-8)
    assert solution.status == "nearly singular"
    assert not solution.converged
    assert "nearly singular" in solution.message


def test_a_regular_neighbour_of_a_singular_operator_is_solved():
    problem = Problem("u'' + 9.8*u = 0", LINE, ENDS, exact="sin(sqrt(9.8)*x)/sin(sqrt(9.8))")
    solution = solve(problem, 1e-8)
    assert solution.converged
    assert solution.true_error() <= 3 * solution.error


@pytest.mark.parametrize("tol", [1e-15, 1e-18, 1e-300])
def test_a_tolerance_below_rounding_says_so_and_what_was_reached(tol):
    solution = solve(LAYER, tol)
    assert solution.status == "rounding"
    assert f"{solution.error:.1e}" in solution.message
    assert f"{tol:.1e}" in solution.message
    assert solution.error < 1e-12
    assert solution.true_error() <= 3 * solution.error


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-8])
@pytest.mark.parametrize("nu", [1e-16, 1e-17, 1e-25, 1e-40])
def test_a_layer_thinner_than_the_numbers_there_is_solved_all_the_same(nu, tol):
    solution = solve(Problem("u' - nu*u'' = 0", LINE, ENDS, exact="exp((x-1)/nu)", nu=nu), tol)
    assert solution.converged, solution.message
    assert solution.true_error() <= 3 * solution.error
    assert (solution(0.0), solution(1.0)) == (0.0, 1.0)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-8])
def test_two_layers_thinner_than_the_numbers_there_say_so(tol):
    solution = solve(Problem("nu*u'' - u = 0", {"x": (1, 2)}, ["u(1) = 1", "u(2) = 1"], nu=1e-40), tol)
    assert solution.status == "rounding"
    assert "is thinner than the spacing of floating-point numbers there" in solution.message


LIMITED = {
    "layer": LAYER(nu=1e-8),
    "waves": Problem("eps**2*u'' + pi**2/4*u = 0", LINE, ["u(0) = 0", "u(1) = sin(pi/(2*eps))"], eps=1 / 1001),
    "root inside": Problem("u'' = sqrt(max(x - 0.3, 0))", LINE, ENDS),
    "waves at an end": Problem("u'' + 1e8*exp(-(x/0.01)**2)*u = 0", LINE, ENDS),
}


@pytest.mark.parametrize("limit", [50, 60, 105, 200, 500])
@pytest.mark.parametrize("name", LIMITED)
def test_there_are_never_more_neurons_than_allowed_and_the_status_is_honest(name, limit):
    solution = solve(LIMITED[name], 1e-8, max_neurons=limit)
    assert all(entry.neurons <= limit for entry in solution.history)
    assert solution.neurons <= limit
    assert solution.converged == (solution.error <= 1e-8)
    if not solution.converged:
        assert solution.status == "max_neurons"
        assert "max_neurons" in solution.message


def test_too_few_neurons_are_the_reason_given():
    problem = Problem("eps**2*u'' + pi**2/4*u = 0", LINE, ["u(0) = 0", "u(1) = sin(pi/(2*eps))"], eps=1 / 1001)
    solution = solve(problem, 1e-8, max_neurons=500)
    assert solution.status == "max_neurons"
    assert solution.neurons <= 500
    assert solution.error > 1e-8


ROOT_INSIDE = Problem("u'' = abs(x - 0.3)**1.5", LINE, ["u(0) = 0", "u(1) = 0"])


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_rounds_end_where_they_are_told_to_and_the_status_is_honest(limit):
    solution = solve(ROOT_INSIDE, 1e-10, max_rounds=limit)
    assert solution.rounds <= limit
    assert solution.converged == (solution.error <= 1e-10)


def test_one_round_that_does_not_suffice_says_resolution():
    # a layer that oscillates as it decays; both ends are 70 decay lengths apart
    layer = "exp(-{s}/(sqrt(2)*eps))*(cos({s}/(sqrt(2)*eps)) + sin({s}/(sqrt(2)*eps)))"
    layers = [layer.format(s=s) for s in ("x", "(1-x)")]
    clamped = ["u(0) = 0", "u'(0) = 0", "u(1) = 0", "u'(1) = 0"]
    problem = Problem("eps**4*u'''' + u = 1", LINE, clamped, exact=f"1 - {layers[0]} - {layers[1]}", eps=0.01)
    solution = solve(problem, 1e-8, max_rounds=1)
    assert solution.status == "resolution"
    assert "after 1 round" in solution.message
    assert solution.true_error() <= 3 * solution.error


def test_the_solution_handed_over_is_the_best_of_all_rounds():
    solution = solve(ROOT_INSIDE, 1e-13)
    assert solution.error == min(entry.error for entry in solution.history)
    assert solution.neurons in [entry.neurons for entry in solution.history]


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_error_is_relative_to_the_size_of_the_solution(size):
    problem = Problem("u' - nu*u'' = 0", LINE, ["u(0) = 0", "u(1) = A"], exact="A*exp((x-1)/nu)", nu=1e-4, A=size)
    solution = solve(problem, 1e-8)
    assert solution.scale == pytest.approx(size, rel=1e-9)
    assert solution.converged
    assert solution.true_error() <= 3 * solution.error


@pytest.mark.parametrize("factor", [1e-250, 1e-8, 1e8, 1e250])
def test_a_factor_of_the_equation_changes_nothing(factor):
    plain = solve(LAYER, 1e-8)
    scaled = solve(Problem("c*u' - c*nu*u'' = 0", LINE, ENDS, nu=1e-4, c=factor), 1e-8)
    assert scaled.neurons == plain.neurons
    x = plain.points(101)
    assert np.abs(plain(x) - scaled(x)).max() <= 1e-11


INTEGRALS = {
    "jump": ("where(x < 0.3, 1, 0)*u", 0.045),
    "kink": ("abs(x - 0.3)*u", 0.3**3 / 3 + 1 / 3 - 0.15),
    "needle": ("exp(-((x - 0.3)/1e-4)**2)*u", 0.3e-4 * np.sqrt(np.pi)),
    "waves": ("sin(1000*x)*u", np.sin(1000) / 1e6 - np.cos(1000) / 1e3),
    "root": ("sqrt(x)*u", 0.4),
}


@pytest.mark.parametrize("name", INTEGRALS)
def test_an_integral_condition_with_a_sharp_weight_is_met(name):
    integrand, value = INTEGRALS[name]
    problem = Problem("u'' = 0", LINE, ["u(0) = 0", f"integral({integrand}) = {float(value)!r}"], exact="x")
    solution = solve(problem, 1e-8)
    assert solution.converged, solution.message
    assert solution.true_error() <= 3 * solution.error


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-8])
def test_a_pole_just_outside_an_end_is_resolved(distance):
    problem = Problem(
        "u'' + u'/(x + d) = 0", LINE, ["u(0) = 0", "u(1) = 1"], exact="log((x + d)/d)/log((1 + d)/d)", d=distance
    )
    solution = solve(problem, 1e-8)
    assert solution.converged, solution.message
    assert solution.true_error() <= 1e-8


def test_conditions_that_hardly_determine_the_solution_count_in_the_estimate():
    # to rounding, u = 0 meets these conditions too
    conditions = ["u(0) = 0", "integral(u) = nu"]
    solution = solve(Problem("u' - nu*u'' = 0", LINE, conditions, exact="exp((x-1)/nu)", nu=1e-12), 1e-6)
    assert solution.true_error() <= 3 * solution.error
