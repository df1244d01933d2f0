"""Fields without a derivative in time beside others: they follow at once, place by place or along space."""

from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from evolution_errors import off
from gated_xtfc.problem.file import from_mapping
from gated_xtfc.solution.evolution import EvolutionSolution

STRIP = {"x": (0, 1), "t": (0, 0.5)}
START, ENDS = "u(x, 0) = sin(pi*x)", ["u(0, t) = 0", "u(1, t) = 0"]
X = np.linspace(0.0, 1.0, 101)


def solved(problem: gx.Problem, tol: float) -> EvolutionSolution:
    found = gx.solve(problem, tol)
    assert isinstance(found, EvolutionSolution)
    assert found.converged, found.message
    return found


def cubic(u: np.ndarray) -> np.ndarray:
    """v with v + v^3 = u."""
    half, third = 0.5 * u, 1.0 / 27.0
    root = np.sqrt(half**2 + third)
    found: np.ndarray = np.cbrt(half + root) + np.cbrt(half - root)
    return found


def test_a_field_with_no_derivative_anywhere_is_part_of_the_solution_and_of_its_estimate(tmp_path) -> None:
    # u = sin(pi x) exp(-t) by a source that is itself given through such fields
    problem = gx.Problem(
        ["u_t = u_xx + v + f", "v + v^3 = u", "f = (pi^2 - 1)*u - v"], STRIP, [START, *ENDS]
    )  # fmt: skip
    solution = solved(problem, 1e-7)

    def u(x: np.ndarray, t: float) -> np.ndarray:
        return np.sin(np.pi * x) * np.exp(-t)

    error = off(solution, u=u, v=lambda x, t: cubic(u(x, t)))
    assert error <= min(1e-7, 3.0 * solution.error)
    solution.save(tmp_path / "found.npz")
    np.testing.assert_array_equal(gx.load(tmp_path / "found.npz")["v"](X, 0.3), solution["v"](X, 0.3))


def test_texts_functions_and_mappings_state_the_same() -> None:
    texts = gx.Problem(["u_t = k*u_xx - v", "v + v^3 = u"], STRIP, [START, *ENDS], k=0.3)
    functions = gx.Problem(
        [lambda x, t, u, v, k: u.t - k * u.xx + v, lambda u, v: v + v**3 - u], STRIP, [START, *ENDS], k=0.3
    )
    one, other = solved(texts, 1e-7), solved(functions, 1e-7)
    np.testing.assert_allclose(one["v"](X, 0.4), other["v"](X, 0.4), atol=1e-10)
    assert from_mapping(texts.to_dict()) == texts


def test_what_moves_inside_a_step_by_itself_is_seen_there() -> None:
    # u hardly moves, so that its steps are long; v swings through them all
    solution = solved(gx.Problem(["u_t = 0.01*u_xx", "v = u + sin(50*t)"], STRIP, [START, *ENDS]), 1e-5)

    def u(x: np.ndarray, t: float) -> np.ndarray:
        return np.sin(np.pi * x) * np.exp(-0.01 * np.pi**2 * t)

    assert off(solution, u=u, v=lambda x, t: u(x, t) + np.sin(50.0 * t)) <= 1e-5


def test_what_follows_at_once_leaps_where_its_equation_switches_in_time() -> None:
    problem = gx.Problem(["u_t = u_xx - v", "v = u + where(t < 0.3, 0, 1)*sin(pi*x)"], STRIP, [START, *ENDS])
    solution = solved(problem, 1e-7)
    rate = np.pi**2 + 1.0

    def u(x: np.ndarray, t: float) -> np.ndarray:
        later = max(t - 0.3, 0.0)
        return np.sin(np.pi * x) * (np.exp(-rate * t) - (1.0 - np.exp(-rate * later)) / rate)

    assert off(solution, u=u, v=lambda x, t: u(x, t) + (t > 0.3) * np.sin(np.pi * x)) <= 1e-7


@pytest.mark.parametrize("ends", ["u", "w"])
def test_a_front_that_is_carried_by_its_flux_is_as_sharp_as_without(ends: str) -> None:
    eps = 1e-5
    wave = "(0.6 - 0.5*tanh((X - 0.25 - 0.6*T)/(4*eps)))"
    at = [wave.replace("X", x).replace("T", t) for x, t in (("x", "0"), ("0", "t"), ("1", "t"))]
    values = at[1:] if ends == "u" else [f"{one}^2/2" for one in at[1:]]
    conditions = [f"u(x, 0) = {at[0]}", *(f"{ends}({x}, t) = {value}" for x, value in zip("01", values, strict=True))]
    problem = gx.Problem(["u_t + w_x = eps*u_xx", "w = u^2/2"], STRIP, conditions, eps=eps)
    solution = solved(problem, 1e-6)

    def u(x: np.ndarray, t: float) -> np.ndarray:
        found: np.ndarray = 0.6 - 0.5 * np.tanh((x - 0.25 - 0.6 * t) / (4.0 * eps))
        return found

    assert off(solution, u=u, w=lambda x, t: u(x, t) ** 2 / 2) <= min(1e-6, 3.0 * solution.error)
    assert solution.steps < 60


def test_a_conditions_field_may_stand_in_for_the_one_that_it_follows_from() -> None:
    # u_t + u u_x = 0 by its flux, w = u^2/2: u = (1 + x/10)/(1 + t/10)
    for condition in ("u(0, t) = 1/(1 + t/10)", "w(0, t) = 1/(1 + t/10)^2/2"):
        problem = gx.Problem(["u_t + w_x = 0", "w = u^2/2"], STRIP, ["u(x, 0) = 1 + x/10", condition])
        assert off(solved(problem, 1e-8), u=lambda x, t: (1 + x / 10) / (1 + t / 10)) <= 1e-8


@pytest.mark.parametrize(
    ("start", "ends", "mode"),
    [
        ("sin(pi*x)", ["u = 0 on boundary"], np.sin),
        ("sin(pi*x)", ["u(0, t) = 0", "q(1, t) = -pi*exp(-pi^2*t)"], np.sin),
        ("cos(pi*x)", ["q = 0 on boundary"], np.cos),
    ],
)
def test_a_flux_may_be_a_field_of_its_own(start: str, ends: list[str], mode: Any) -> None:
    solution = solved(gx.Problem(["u_t = q_x", "q = u_x"], STRIP, [f"u(x, 0) = {start}", *ends]), 1e-8)

    def fading(x: np.ndarray, t: float, order: int) -> np.ndarray:
        return np.pi**order * mode(np.pi * x + order * np.pi / 2) * np.exp(-(np.pi**2) * t)

    exact = {"u": lambda x, t: fading(x, t, 0), "q": lambda x, t: fading(x, t, 1)}
    assert off(solution, **exact) <= min(1e-8, 3.0 * solution.error)


def test_a_memory_of_each_place_needs_no_condition_at_the_ends() -> None:
    # v = u + s spreads u, and s is what u was: only u has conditions
    problem = gx.Problem(["u_t = v_xx", "s_t = u", "v = u + s"], STRIP, [START, "s(x, 0) = 0", *ENDS])
    rates = np.roots([1.0, np.pi**2, np.pi**2])  # of sin(pi x): f' = -pi^2 (f + g), g' = f
    share = np.linalg.solve([[1.0, 1.0], rates], [1.0, -(np.pi**2)])
    solution = solved(problem, 1e-7)
    assert off(solution, u=lambda x, t: np.sin(np.pi * x) * float(share @ np.exp(rates * t))) <= 1e-7


def test_a_field_that_follows_along_space_has_conditions_at_both_ends() -> None:
    rate = -(np.pi**2) + np.pi**-2
    problem = gx.Problem(["u_t = u_xx + p", "0 = p_xx + u"], STRIP, [START, *ENDS, "p = 0 on boundary"])
    solution = solved(problem, 1e-7)
    exact = {f: lambda x, t, k=k: np.sin(np.pi * x) * np.exp(rate * t) / np.pi**k for f, k in (("u", 0), ("p", 2))}
    assert off(solution, **exact) <= min(1e-7, 3.0 * solution.error)


def test_ions_between_electrodes_lose_nothing_and_meet_their_fluxes_from_the_start_on() -> None:
    # Poisson, Nernst and Planck: the flux at the ends depends on a field that has to be found first
    problem = gx.Problem(
        ["p_t = p_xx + p_x*f_x + p*f_xx", "n_t = n_xx - n_x*f_x - n*f_xx", "0.05*f_xx + p - n = 0"],
        STRIP,
        ["p(x, 0) = 1", "n(x, 0) = 1", "f(0, t) = 1", "f(1, t) = -1"]
        + [f"p_x({x}, t) + p({x}, t)*f_x({x}, t) = 0" for x in "01"]
        + [f"n_x({x}, t) - n({x}, t)*f_x({x}, t) = 0" for x in "01"],
    )
    solution = solved(problem, 1e-6)
    assert "leaps at the start were smoothed" in solution.message
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for t in (0.05, 0.5):
        for name in "pn":
            whole = 0.5 * float(weights @ solution[name](0.5 + 0.5 * nodes, t))
            assert abs(whole - 1.0) <= 3.0 * solution.error * solution.scales[solution.problem.fields.index(name)]


@pytest.mark.parametrize(("given", "root"), [([], 1.0), (["v(x, 0) = -sqrt(1 + sin(pi*x))"], -1.0)])
def test_a_value_at_the_start_chooses_among_several_solutions(given: list[str], root: float) -> None:
    problem = gx.Problem(["u_t = u_xx - v", "v^2 = 1 + u"], STRIP, [START, *ENDS, *given])
    solution = solved(problem, 1e-6)
    assert solution["v"](0.5, 0.0) == pytest.approx(root * np.sqrt(2.0))
    assert "contradicts" not in solution.message


def test_a_value_at_the_start_that_contradicts_the_equations_is_said() -> None:
    solution = solved(gx.Problem(["u_t = u_xx - v", "v^2 = 1 + u"], STRIP, [START, *ENDS, "v(x, 0) = 1"]), 1e-5)
    assert '"v(x, 0) = 1" contradicts the equations, which make v begin with 1.41421' in solution.message
    assert solution["v"](0.5, 0.0) == pytest.approx(np.sqrt(2.0))


def test_where_an_equation_has_no_solution_any_more_the_solution_ends() -> None:
    # v = sqrt(u) until u is used up
    problem = gx.Problem(["u_t = -3*u - 2 + 0*u_x", "v^2 = u"], STRIP, ["u(x, 0) = 1"])
    solution = gx.solve(problem, 1e-5)
    assert isinstance(solution, EvolutionSolution)
    assert solution.status == "stopped"
    assert solution.reached == pytest.approx(np.log(2.5) / 3.0, abs=1e-4)


@pytest.mark.parametrize(
    ("equations", "conditions", "says"),
    [
        (["u_t = u_xx + p", "u = sin(pi*x)"], [START, *ENDS], "p cannot be found"),
        (["u_t = u_xx + v + w", "v + w = u", "2*v + 2*w = u^2"], [START, *ENDS], "index of the system is above one"),
        (["u_t + p_x = u_xx", "u_x = 0"], [START, *ENDS, "p(0, t) = 0"], "p cannot be found"),
        (["u_t = v_xx", "v = -u"], [START, *ENDS], "runs backwards"),
        (["u_t = -q_x", "q = u_x"], [START, *ENDS], "the finest waves grow the fastest"),
        (["u_t = w_xx", "w = u_xx"], [START, *ENDS, "w = 0 on boundary"], "the finest waves grow the fastest"),
        (["u_t = u_xx - v", "v^2 = u - 2"], [START, *ENDS], "no value of v was found"),
        (["u_t = u_xx + v", "v = u^2"], [START, *ENDS, "v(0, t) = 0"], "one too many at x = 0"),
        (["u_t = u_xx + v"], [START, *ENDS], "unknown name 'v'"),
    ],
)
def test_what_is_not_determined_is_refused_in_one_sentence(equations: Any, conditions: list[str], says: str) -> None:
    with pytest.raises(gx.InputError) as told:
        gx.Problem(equations, STRIP, conditions)
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def test_a_field_that_is_known_up_to_a_constant_only_is_refused() -> None:
    slopes = ["u_x = 0 on boundary", "p_x = 0 on boundary"]
    problem = gx.Problem(["u_t = u_xx + p", "0 = p_xx + u"], STRIP, ["u(x, 0) = cos(pi*x)", *slopes])
    with pytest.raises(gx.InputError, match="p could not be found at t = 0"):
        gx.solve(problem, 1e-4)


def test_a_field_without_a_derivative_may_stand_in_the_derivative_of_a_parenthesis() -> None:
    stated = ["u(x, 0) = sin(pi*x)", "u = 0 on boundary"]
    short, long = (
        gx.solve(gx.Problem(equations, {"x": (0, 1), "t": (0, 0.1)}, stated), 1e-6)
        for equations in (["u_t = (v*u_x)_x", "v = 1 + u^2"], "u_t = (1 + u^2)*u_xx + 2*u*u_x^2")
    )
    assert short.converged
    x = np.linspace(0, 1, 101)
    np.testing.assert_allclose(short["u"](x, 0.1), long(x, 0.1), atol=2e-6)
