"""Systems: laws that hold for every system, exact solutions, an independent reference, files."""

import csv
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import gated_xtfc as gx
from gated_xtfc import zoo
from gated_xtfc.zoo.systems import swirl, swirl_slope

X = np.linspace(0.0, 1.0, 401)
BEAM = [
    "z' = sin(theta)",
    "theta' = M",
    "eps*M' = -Q",
    "eps*Q' = (z-1)*cos(theta) - M*(1/cos(theta) + eps*Q*tan(theta))",
]


def beam(eps: float = 0.01, order: tuple[int, ...] = (0, 1, 2, 3)) -> gx.Problem:
    conditions = ["z(0) = 0", "M(0) = 0", "z(1) = 0", "M(1) = 0"]
    return gx.Problem([BEAM[k] for k in order], {"x": (0, 1)}, conditions, eps=eps)


@pytest.fixture(scope="module")
def solved() -> gx.Solution:
    return gx.solve(beam())


def test_equation_and_its_first_order_system_have_the_same_solution():
    conditions = ["u(0) = 1", "u(1) = -1/3"]
    one = gx.solve(gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, conditions, eps=1e-3))
    two = gx.solve(gx.Problem(["u' = v", "eps*v' + u*v - u = 0"], {"x": (0, 1)}, conditions, eps=1e-3))
    assert two.converged, two.message
    assert two.problem.order == {"u": 1, "v": 1}
    assert np.abs(one(X) - two["u"](X)).max() <= 2e-8


def test_order_of_the_equations_does_not_matter(solved):
    other = gx.solve(beam(order=(3, 1, 0, 2)))
    assert other.converged
    for field in ("z", "theta", "M", "Q"):
        assert np.abs(solved[field](X) - other[field](X)).max() <= 1e-9


def test_uncoupled_system_is_two_equations():
    problems = [
        gx.Problem(f"{small}*{field}'' = {field}**3 - 1", {"x": (0, 1)}, [f"{field}(0) = 0", f"{field}(1) = 0"])
        for field, small in (("u", 1e-2), ("v", 1e-4))
    ]
    both = gx.Problem(
        ["1e-2*u'' = u**3 - 1", "1e-4*v'' = v**3 - 1"], {"x": (0, 1)}, ["u(0)=0", "u(1)=0", "v(0)=0", "v(1)=0"]
    )
    solution = gx.solve(both)
    assert solution.converged
    for problem in problems:
        (field,) = problem.fields
        assert np.abs(solution[field](X) - gx.solve(problem)(X)).max() <= 2e-8


def test_conditions_may_join_fields():
    problem = gx.Problem(
        ["u' = v", "v' = -u"], {"x": (0, "pi/2")}, ["u(0) + v(0) = 3", "u(pi/2) - 2*v(0) = 0"], exact=None
    )
    solution = gx.solve(problem)
    assert solution.converged
    # u = a cos + b sin, v = u'
    a, b = np.linalg.solve([[1.0, 1.0], [0.0, -1.0]], [3.0, 0.0])
    x = X * np.pi / 2
    assert np.abs(solution["u"](x) - (a * np.cos(x) + b * np.sin(x))).max() <= 1e-8


def test_integral_condition_may_join_fields():
    problem = gx.Problem(["u' = v", "v' = 6*x"], {"x": (0, 1)}, ["integral(u - v) = 1", "u(0) = v(1)"])
    solution = gx.solve(problem)
    # v = 3x^2 + c, u = x^3 + c x + d
    c, d = np.linalg.solve([[-0.5, 1.0], [-1.0, 1.0]], [1.75, 3.0])
    assert np.abs(solution["u"](X) - (X**3 + c * X + d)).max() <= 1e-8
    assert np.abs(solution["v"](X) - (3 * X**2 + c)).max() <= 1e-8


def test_linear_system_needs_one_step():
    solution = gx.solve(zoo.problem("twin_scales", eps=1e-6))
    assert solution.problem.linear
    assert {entry.steps for entry in solution.history} == {1}


@pytest.mark.parametrize(("eps", "mu"), [(1e-8, 1e-2), (1e-4, 1e-4), (1e-2, 1e-8), (1e-12, 1e-6)])
def test_layers_of_two_widths_share_one_coordinate(eps, mu):
    solution = gx.solve(zoo.problem("twin_scales", eps=eps, mu=mu))
    assert solution.converged, solution.message
    assert solution.true_error() <= 1e-8
    assert solution.true_error() <= 3 * solution.error


@pytest.mark.parametrize(("eps", "mu"), [(1e-7, 1e-2), (1e-2, 1e-6)])
def test_coupled_reactions_with_two_small_parameters(eps, mu):
    solution = gx.solve(zoo.problem("coupled_reaction", eps=eps, mu=mu))
    assert solution.converged, solution.message
    assert solution.true_error() <= 1e-8
    assert solution.true_error() <= 3 * solution.error


@pytest.mark.parametrize("eps", [1.0, 0.1])
def test_reference_of_the_swirling_flow_agrees_with_solve_bvp(eps):
    mesh = np.linspace(0.0, 1.0, 201)
    known = swirl(eps)
    start = np.array([known(mesh, k) for k in range(6)]) * (1 + 0.1 * np.sin(7 * mesh))
    peer = solve_bvp(
        lambda x, y: swirl_slope(y.T, eps)[0].T,
        lambda a, b: np.array([a[0], a[1], a[4] + 1, b[0], b[1], b[4] - 1]),
        mesh,
        start,
        fun_jac=lambda x, y: swirl_slope(y.T, eps)[1].transpose(1, 2, 0),
        tol=1e-9,
        max_nodes=20_000,
    )
    assert peer.status == 0
    for k in (0, 4):
        assert np.abs(peer.sol(X)[k] - known(X, k)).max() <= 1e-12


def test_system_of_mixed_order_gives_every_derivative():
    solution = gx.solve(zoo.problem("swirling_flow", eps=1e-2))
    known = swirl(1e-2)
    for order in range(4):
        wanted = known(X, order)
        assert np.abs(solution["f"](X, order) - wanted).max() <= 1e-5 * max(1.0, np.abs(wanted).max())
    assert isinstance(solution["f"](0.5, 4), float)
    with pytest.raises(gx.InputError, match="order"):
        solution["g"](0.5, 3)


def test_field_is_asked_for_by_name(solved):
    assert isinstance(solved["theta"](0.5), float)
    assert solved["theta"](X).shape == X.shape
    with pytest.raises(gx.InputError, match="'z'"):
        solved(0.5)
    with pytest.raises(gx.InputError, match="z, theta, M, Q"):
        solved["phi"]


def test_residual_has_a_row_for_each_equation(solved):
    assert solved.residual(X).shape == (4, X.size)
    assert np.abs(solved.scaled_residual(solved.points(300))).max() <= 1e-8


def test_every_field_has_its_scale():
    problem = gx.Problem(["u'' = -200*v", "v' = 1"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 500", "v(0) = 0"])
    solution = gx.solve(problem)
    assert solution.scales[0] == pytest.approx(500, rel=1e-3)
    assert solution.scales[1] == pytest.approx(1)


def test_guess_by_field_is_taken():
    solution = gx.solve(beam(), guess={"theta": "0.4 - 0.8*x", "z": lambda x: x * (1 - x), "Q": 0})
    assert solution.converged


def test_solution_of_a_system_is_a_guess(solved):
    again = gx.solve(beam(0.008), guess=solved)
    assert again.converged
    assert np.abs(again["theta"](X) - gx.solve(beam(0.008))["theta"](X)).max() <= 2e-8


def test_different_guesses_reach_different_solutions_of_a_system():
    problem = gx.Problem(["u' = v", "v' = -3.5*exp(u)"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    low = gx.solve(problem)
    high = gx.solve(problem, guess={"u": "3*sin(pi*x)", "v": "3*pi*cos(pi*x)"})
    assert low.converged
    assert high.converged
    assert high["u"](0.5) - low["u"](0.5) > 0.2


def test_system_comes_back_from_its_file_and_from_pickle(solved, tmp_path):
    solved.save(tmp_path / "beam.npz")
    for again in (gx.load(tmp_path / "beam.npz"), pickle.loads(pickle.dumps(solved))):
        assert again.problem == solved.problem
        assert again.scales == solved.scales
        for field in solved.problem.fields:
            assert np.array_equal(again[field](X, 1), solved[field](X, 1))


def test_table_has_a_column_for_every_field_and_derivative(solved, tmp_path):
    solved.to_csv(tmp_path / "beam.csv", points=11)
    with (tmp_path / "beam.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["x", "z", "z'", "theta", "theta'", "M", "M'", "Q", "Q'"]
    assert len(rows) == 12
    x, theta = (np.array([float(row[k]) for row in rows[1:]]) for k in (0, 3))
    assert np.array_equal(theta, solved["theta"](x))


def test_budget_of_neurons_counts_every_field():
    solution = gx.solve(beam(), max_neurons=200)
    assert solution.neurons <= 220  # a tenth over is rounding up


@pytest.mark.parametrize("equation", ["t'' + t = 0", "t'' + sin(t) = 0", "t'' + t + t^2 = 0"])
@pytest.mark.parametrize("other", ["v' = 1", "v' = cos(t)", "v' = 1 + t"])
def test_a_field_that_nothing_drives_is_zero_and_known_to_be(equation, other):
    """What is left of it is rounding of the other field, and no size to measure errors by."""
    solution = gx.solve(gx.Problem([equation, other], {"x": (0, 1)}, ["t(0) = 0", "t'(1) = 0", "v(0) = 0"]))
    assert solution.converged, solution.message
    assert abs(solution["t"](0.5)) < 1e-12


def test_a_small_field_beside_a_large_one_is_not_taken_for_zero():
    problem = gx.Problem(["t'' + t = a", "v' = 1"], {"x": (0, 1)}, ["t(0) = 0", "t'(1) = 0", "v(0) = 0"], a=1e-20)
    solution = gx.solve(problem, max_neurons=300)
    exact = 1.0 - np.cos(0.5) - np.tan(1.0) * np.sin(0.5)
    assert not solution.converged or solution["t"](0.5) * 1e20 == pytest.approx(exact, rel=1e-8)
