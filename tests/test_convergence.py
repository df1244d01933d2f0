"""The error falls exponentially with the density of the kernels, and nothing that should not matter matters."""

from dataclasses import replace

import numpy as np
import pytest

from gated_xtfc import Problem, solve, zoo
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval.certificate import certify
from gated_xtfc.solver.interval.discretisation import predict
from gated_xtfc.solver.interval.fit import fit
from gated_xtfc.solver.interval.layout import IntervalLayout

LINE = {"x": (0, 1)}
MEMBERS = [
    (name, eps) for name in ("convection_diffusion", "reaction_diffusion", "turning_point") for eps in (1e-3, 1e-8)
]
IDS = [f"{name}, {eps:g}" for name, eps in MEMBERS]


def member(name, eps):
    family = zoo.family(name)
    problem = family.problem(**{family.small: eps})
    return problem, family.points(2000, **problem.parameters)


def fitted(problem, coordinates, density):
    operator = Operator(problem)
    layout = IntervalLayout.on(problem, coordinates, density)
    return fit(layout, operator(layout.points))


def error(problem, x, found):
    return float(np.abs(found.basis.evaluate(x, 0, found.free, found.switch) - problem.exact(x)).max())


@pytest.mark.parametrize(("name", "eps"), MEMBERS, ids=IDS)
def test_the_error_falls_exponentially_with_the_density_of_kernels(name, eps):
    problem, x = member(name, eps)
    coordinates = predict(Operator(problem))
    densities = np.array([0.75, 1.0, 1.25, 1.5, 1.75])
    errors = [error(problem, x, fitted(problem, coordinates, density)) for density in densities]
    slope, start = np.polyfit(densities, np.log10(errors), 1)
    # at least six digits for one kernel more a width, along a straight line
    assert slope <= -6.0
    assert np.abs(np.log10(errors) - (start + slope * densities)).max() <= 1.0


@pytest.mark.parametrize(("name", "eps"), MEMBERS, ids=IDS)
def test_the_error_falls_exponentially_with_refinement(name, eps):
    problem, x = member(name, eps)
    coordinates = predict(Operator(problem))
    factors = np.array([0.5, 0.6, 0.7, 0.8, 1.0, 1.2])
    errors = [error(problem, x, fitted(problem, [c.refined(f) for c in coordinates], 1.75)) for f in factors]
    slope, _ = np.polyfit(factors, np.log10(errors), 1)
    assert slope <= -6.0
    assert errors[-1] <= 1e-11


@pytest.mark.parametrize(("name", "eps"), MEMBERS, ids=IDS)
def test_the_estimate_falls_with_the_error_and_stays_above_it(name, eps):
    problem, x = member(name, eps)
    coordinates = predict(Operator(problem))
    for density in (1.0, 1.25, 1.5, 1.75, 2.0):
        found = fitted(problem, coordinates, density)
        true, estimate = error(problem, x, found), certify(found).error
        assert true <= 3 * estimate
        assert estimate <= 1e4 * true + 1e-12


def test_the_number_of_neurons_grows_like_the_logarithm_of_one_over_nu():
    digits = np.arange(3, 13)
    counts = [solve(member("convection_diffusion", 10.0**-d)[0], 1e-8).neurons for d in digits]
    steps = np.diff(counts)
    assert steps.max() - steps.min() <= 2
    assert counts[-1] <= 4 * counts[0]


@pytest.mark.parametrize("place", [0.25, 0.5, 0.75])
def test_a_block_leaves_the_accuracy_as_it_is(place):
    problem, x = member("convection_diffusion", 1e-4)
    (plain,) = [c.refined(1.5) for c in predict(Operator(problem))]
    middle, half = place * plain.length, 0.15 * plain.length
    blocked = plain.with_block(middle - half, middle + half, 2.0)
    before, after = (error(problem, x, fitted(problem, (c,), 1.5)) for c in (plain, blocked))
    assert before <= 1e-12
    assert after <= 1e-12


def test_a_transition_sharper_than_the_kernels_is_a_kink_that_costs_digits():
    problem, x = member("convection_diffusion", 1e-4)
    (plain,) = [c.refined(1.5) for c in predict(Operator(problem))]
    soft = plain.with_block(0.4 * plain.length, 0.8 * plain.length, 2.0)
    sharp = replace(soft, blocks=tuple(replace(block, transition=0.2) for block in soft.blocks))
    assert error(problem, x, fitted(problem, (sharp,), 1.5)) > 1e5 * error(problem, x, fitted(problem, (soft,), 1.5))


CONDITIONS = {
    "Dirichlet": ("nu*u'' - u = -x", ["u(0) = 2", "u(1) = 0"]),
    "Robin": ("nu*u'' + u' = 1", ["u(0) - nu*u'(0) = 1", "u(1) = 0"]),
    "periodic": ("nu*u'' - u = -cos(2*pi*x)**3", ["u(0) = u(1)", "u'(0) = u'(1)"]),
    "integral": ("nu*u'' - u = 0", ["u(0) = 1", "integral(u) = 0.5"]),
    "clamped": ("nu*u'''' - u'' = 1", ["u(0) = 0", "u'(0) = 1", "u(1) = 0", "u'(1) = 0"]),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_order_of_the_conditions_does_not_matter(name):
    equation, conditions = CONDITIONS[name]
    forward = solve(Problem(equation, LINE, conditions, nu=1e-4), 1e-9)
    backward = solve(Problem(equation, LINE, conditions[::-1], nu=1e-4), 1e-9)
    assert forward.converged, forward.message
    assert backward.converged, backward.message
    x = forward.points(501)
    assert np.abs(forward(x) - backward(x)).max() <= 1e-11 * forward.scale


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_factor_of_a_condition_does_not_matter(name):
    equation, conditions = CONDITIONS[name]
    plain = solve(Problem(equation, LINE, conditions, nu=1e-4), 1e-9)
    left, right = conditions[0].split("=")
    scaled = solve(Problem(equation, LINE, [f"1e7*({left}) = 1e7*({right})", *conditions[1:]], nu=1e-4), 1e-9)
    x = plain.points(501)
    assert np.abs(plain(x) - scaled(x)).max() <= 1e-11 * plain.scale


def test_a_mirrored_problem_has_the_mirrored_solution():
    right = solve(Problem("u' - nu*u'' = x", LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-4), 1e-10)
    left = solve(Problem("-u' - nu*u'' = 1 - x", LINE, ["u(1) = 0", "u(0) = 1"], nu=1e-4), 1e-10)
    x = right.points(501)
    assert right.neurons == left.neurons
    assert np.abs(right(x) - left(1.0 - x)).max() <= right.error + left.error


@pytest.mark.parametrize("domain", [(0, 1e6), (-3, 5), (0, 1e-30), (-1e-12, 0)])
def test_the_unit_of_length_does_not_matter(domain):
    left, right = domain
    there = {"x": domain}
    ends = [f"u({left!r}) = 0", f"u({right!r}) = 1"]
    exact = "(exp((x-b)/(nu*L)) - exp(-1/nu))/(1 - exp(-1/nu))"
    found = solve(Problem("u' - nu*L*u'' = 0", there, ends, exact=exact, nu=1e-4, L=right - left, b=right), 1e-9)
    assert found.converged, found.message
    assert found.true_error() <= 1e-9
    unit = solve(Problem("u' - nu*u'' = 0", LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-4), 1e-9)
    assert abs(found.neurons - unit.neurons) <= 2


def test_solutions_add_up():
    def part(source, start, end):
        return solve(Problem(f"nu*u'' - u = {source}", LINE, [f"u(0) = {start}", f"u(1) = {end}"], nu=1e-3), 1e-10)

    first, second, both = part("x", 1, 0), part("-2", 0, 3), part("x - 2", 1, 3)
    x = both.points(501)
    assert np.abs(first(x) + second(x) - both(x)).max() <= 1e-9


def test_text_and_function_give_the_same_solution():
    text = solve(Problem("nu*u'' + x*u' - u = cos(x)", LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-3), 1e-9)

    def equation(x, u, nu):
        return nu * u.xx + x * u.x - u - np.cos(x)

    function = solve(Problem(equation, LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-3), 1e-9)
    x = text.points(501)
    assert function.converged
    assert np.abs(text(x) - function(x)).max() <= text.error + function.error


JUMPS = {
    "one place said in several ways": "u'' = where(x < 0.7, 1, 2) + where(x/3 < 0.7/3, 1, 2) + where(10*x < 7, 1, 2)"
    " + where(x*x < 0.49, 1, 2) + where(exp(x) < exp(0.7), 1, 2) + where(sqrt(x) < sqrt(0.7), 1, 2)",
    "sign of a function": lambda x, u: u.xx - np.sign(x - 0.3),
}


@pytest.mark.parametrize("name", JUMPS)
def test_breaks_that_differ_by_rounding_are_one(name):
    found = solve(Problem(JUMPS[name], LINE, ["u(0) = 0", "u(1) = 1"]), 1e-8)
    assert len(found.breaks) == 1
    assert found.converged, found.message
