"""A Problem is an immutable statement with a family of relatives; it can be copied, compared and written down."""

import copy
import pickle

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import unknown
from gated_xtfc.problem.condition import Term
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.problem import Problem

STATEMENT = ("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
EXACT = "(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))"


@pytest.fixture
def problem():
    return Problem(*STATEMENT, exact=EXACT, nu=0.1)


def diffusion(x, u, nu):
    return u.x - nu * u.xx


def test_a_problem_holds_its_parts(problem):
    assert gx.Problem is Problem
    assert problem.fields == ("u",)
    assert dict(problem.order) == {"u": 2}
    assert problem.axes[0] == Axis("x", 0.0, 1.0)
    assert problem.domain == Domain((problem.axes[0],))
    assert dict(problem.parameters) == {"nu": 0.1}
    assert problem.conditions[1].terms == (Term("u", 0, 1.0, 1.0),)
    assert [equation.text for equation in problem.equations] == ["u' - nu*u'' = 0"]
    assert repr(problem) == "Problem(\"u' - nu*u'' = 0\", x in [0, 1], u(0) = 0, u(1) = 1, nu=0.1)"


def test_a_member_of_the_family_differs_in_its_parameters_only(problem):
    other = problem(nu=1e-6)
    assert other.parameters["nu"] == 1e-6
    assert problem.parameters["nu"] == 0.1
    assert other != problem
    assert other(nu=0.1) == problem
    assert problem() == problem


def test_parameters_reach_domain_conditions_and_exact_solution():
    problem = Problem("u'' = k", {"x": ("-L", "L")}, ["u(-L) = k", "u(L/2) = sin(pi/L)"], exact="k*x", L=1, k=2)
    assert problem.axes[0] == Axis("x", -1.0, 1.0)
    wide = problem(L=4)
    assert wide.axes[0] == Axis("x", -4.0, 4.0)
    assert wide.conditions[1].terms[0].point == 2.0
    assert wide.conditions[1].value == pytest.approx(np.sqrt(0.5))
    np.testing.assert_array_equal(wide.exact(np.array([1.0, 2.0])), [2.0, 4.0])


def test_a_problem_does_not_change(problem):
    with pytest.raises(AttributeError, match="makes another one"):
        problem.title = "new"
    with pytest.raises(TypeError):
        problem.parameters["nu"] = 1.0
    with pytest.raises(TypeError, match="unhashable"):
        hash(problem)


def test_what_was_given_may_change_afterwards():
    domain, conditions = {"x": [0, 1]}, ["u(0) = 0", "u(1) = 1"]
    problem = Problem(STATEMENT[0], domain, conditions, nu=0.1)
    domain["x"][1] = 7
    conditions.clear()
    assert problem(nu=0.2) == Problem(*STATEMENT, nu=0.2)


def test_problems_compare_by_content(problem):
    assert problem == Problem(*STATEMENT, exact=EXACT, nu=np.float64(0.1))
    assert problem != Problem(*STATEMENT, nu=0.1)
    assert problem != "u' - nu*u'' = 0"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_are_equal(problem, duplicate):
    again = duplicate(problem)
    assert again == problem
    np.testing.assert_array_equal(again.exact([0.3]), problem.exact([0.3]))


def test_a_problem_of_a_named_function_pickles_too():
    problem = Problem(diffusion, *STATEMENT[1:], nu=0.1)
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_a_text_problem_can_be_written_down(problem):
    plain = problem.to_dict()
    assert plain == {
        "equation": "u' - nu*u'' = 0",
        "domain": {"x": [0.0, 1.0]},
        "conditions": ["u(0) = 0", "u(1) = 1"],
        "parameters": {"nu": 0.1},
        "exact": EXACT,
    }
    assert Problem.from_dict(plain) == problem
    assert Problem.from_dict({**plain, "title": "layer"}).to_dict()["title"] == "layer"
    ends = Problem("u' = L", Domain((Axis("x", 0.0, 2.0),)), ["u(0) = L"], L=1.0)
    assert Problem.from_dict(ends.to_dict()).axes[0].right == 2.0
    assert Problem("u' = 1", {"x": (0, "L")}, ["u(0) = 0"], L=3.0).to_dict()["domain"] == {"x": [0.0, "L"]}


def test_a_function_cannot_be_written_down():
    with pytest.raises(InputError, match="state it as text"):
        Problem(diffusion, *STATEMENT[1:], nu=0.1).to_dict()


def test_text_and_function_state_the_same_operator(problem):
    function = Problem(lambda x, u, nu: u.x - nu * u.xx, *STATEMENT[1:], nu=0.1)
    closed = Problem(lambda u: u.x - 0.1 * u.xx, *STATEMENT[1:])
    state = {("u", (k,)): unknown(("u", (k,))) for k in range(3)}
    expected = problem.equations[0].residual((np.array([0.5]),), state).partials
    for other in (function, closed, function(nu=0.2)(nu=0.1)):
        assert other.equations[0].residual((np.array([0.5]),), state).partials == expected
    assert repr(function).startswith('Problem("<function>"')


def test_the_exact_solution_is_a_function_of_x_or_none(problem):
    x = np.linspace(0.0, 1.0, 5)
    expected = np.expm1(x / 0.1) / np.expm1(1 / 0.1)
    np.testing.assert_allclose(problem.exact(x), expected, atol=1e-15)
    assert Problem(*STATEMENT, nu=0.1).exact is None
    for exact in (lambda x, nu: np.expm1(x / nu) / np.expm1(1 / nu), lambda t: np.expm1(t / 0.1) / np.expm1(10)):
        np.testing.assert_allclose(Problem(*STATEMENT, exact=exact, nu=0.1).exact(x), expected)
    assert Problem("u' = 0", {"x": (0, 1)}, ["u(0) = 2"], exact="2").exact(x).shape == (5,)


def test_other_coordinates_and_suffixes_work():
    problem = Problem("u_tt + u_t = t", {"t": (0, 1)}, ["u(0) = 0", "u_t(0) = 1"])
    assert dict(problem.order) == {"u": 2}
    assert problem.axes[0].name == "t"


def test_a_parameter_may_look_like_a_derivative_of_something_else():
    problem = Problem("k_x*u' = 1", {"x": (0, 1)}, ["u(0) = 0"], k_x=2.0)
    assert problem.fields == ("u",)


def test_a_singular_coefficient_is_left_to_the_solver():
    Problem("u'' + u'/x + log(x - 1/3)*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_orders_one_to_four(order):
    conditions = [f"u{chr(39) * k}(0) = {k}" for k in range(order)]
    assert dict(Problem(f"u{chr(39) * order} = u", {"x": (0, 1)}, conditions).order) == {"u": order}


def test_reading_a_problem_does_not_import_scipy():
    import subprocess
    import sys

    script = (
        "import sys; from gated_xtfc.problem.problem import Problem\n"
        "Problem(\"u'' = exp(x) + where(x < 0.5, 1, 2)\", {'x': (0, 1)}, ['u(0) = 0', 'u(1) = erf(1)'])\n"
        "assert not any(name.split('.')[0] in ('scipy', 'matplotlib') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


PRIMES = "''"
PRIMES = "''"
FAMILY_TEXTS = (
    ("u' - nu*u'' = k*x", ["u(0) = 0", "u(1) = 1"]),
    ("nu*u'' + u*u' - k*u = 0", ["u(0) = -1", "u(1) = 1"]),
    ("nu*u'' - u^k = 0", ["u(0) = 0", "u(1) = 1"]),  # linear where k is one
    ("nu*u'' - where(k > 1, u^2, u) = 0", ["u(0) = 0", "u(1) = 1"]),
    ("u'' - u = nu", ["u(0) = k", "u(1) + nu*u'(1) = 1"]),
    ("nu*u'' + k*u = integral(u, 0, x)", ["u(0) = 0", "u(1) = 1"]),
    ("nu*u'' + k*u(x/2) = 0", ["u(0) = 0", "u(1) = 1"]),
    ("nu*u'''''' + k*u = 1", [f"u{PRIMES[:j]}({end}) = 0" for j in range(3) for end in (0, 1)]),
)


def told(problem):
    return {
        name: getattr(problem, name)
        for name in ("fields", "order", "domain", "conditions", "linear", "parameters", "unknown", "warnings", "starts")
    }


@pytest.mark.parametrize(("text", "conditions"), FAMILY_TEXTS)
def test_a_member_is_what_reading_its_statement_anew_gives(text, conditions):
    problem = Problem(text, {"x": (0, 1)}, conditions, exact="k*x/nu", nu=0.3, k=2.0)
    for changed in ({"k": 1.0}, {"nu": 0.1}, {"nu": 1e-3, "k": 0.5}):
        member = problem(**changed)
        anew = Problem(text, {"x": (0, 1)}, conditions, exact="k*x/nu", **{**problem.parameters, **changed})
        assert member == anew
        assert told(member) == told(anew)
        assert member.exact(0.7) == anew.exact(0.7)
        x, state = 0.3, {key: unknown(key, 0.7) for one in anew.equations for key in one.derivatives}
        if anew.deviations is None:
            for mine, theirs in zip(member.equations, anew.equations, strict=True):
                one, other = mine.residual((x,), state), theirs.residual((x,), state)
                assert (one.value, one.partials) == (other.value, other.partials)


def test_a_member_without_its_highest_derivative_is_refused():
    problem = Problem("nu*u'' - u' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-3)
    for _ in range(2):
        with pytest.raises(InputError, match="leading coefficient"):
            problem(nu=0)
    with pytest.raises(InputError, match="finite"):
        problem(nu=float("inf"))
    assert problem(nu=np.float32(0.5)).parameters["nu"] == 0.5
