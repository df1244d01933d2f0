"""Algebraic equations beside differential ones: what has no derivative needs no condition."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gated_xtfc as gx

LINE = {"x": (0, 1)}
X = np.linspace(0, 1, 21)


def test_a_linear_algebraic_equation_is_met_along_the_line() -> None:
    exact = {"u": "2*exp(-x)", "v": "2*exp(-x)"}
    solution = gx.solve(gx.Problem(["u' = -v", "v = u"], LINE, ["u(0) = 2"], exact))
    assert solution.problem.order["v"] == 0
    assert solution.converged
    assert (solution.true_error() or 1.0) < 1e-10


def test_a_nonlinear_one_follows_its_branch() -> None:
    solution = gx.solve(gx.Problem(["u' = -v", "v^3 + v = u"], LINE, ["u(0) = 2"]))
    assert solution.converged
    u, v = solution["u"](X), solution["v"](X)
    np.testing.assert_allclose(v**3 + v, u, atol=1e-9)
    # dv/dx = -v/(3 v^2 + 1):  3 v^2/2 + log(v) + x is constant along it
    np.testing.assert_allclose(1.5 * v**2 + np.log(v) + X, 1.5, atol=1e-8)


def test_layers_of_the_other_fields_are_its_layers(tmp_path) -> None:
    problem = gx.Problem(["eps*u'' = v", "v = u - sin(x)"], LINE, ["u(0) = 1", "u(1) = 0"], eps=1e-6)
    single = gx.solve(gx.Problem("eps*u'' = u - sin(x)", LINE, ["u(0) = 1", "u(1) = 0"], eps=1e-6))
    solution = gx.solve(problem)
    assert solution.converged
    x = single.points(101)
    np.testing.assert_allclose(solution["u"](x), single(x), atol=1e-7)
    np.testing.assert_allclose(solution["v"](x), single(x) - np.sin(x), atol=1e-7)
    solution.to_csv(tmp_path / "found.csv")
    solution.save(tmp_path / "found.npz")
    np.testing.assert_array_equal(gx.load(tmp_path / "found.npz")["v"](x), solution["v"](x))


def test_radicals_far_below_the_rest_come_from_the_conditions_on() -> None:
    # Robertson's reaction with a balance in the place of the third rate; an integrator has the balance inserted
    def inserted(_: float, y: np.ndarray) -> list[float]:
        a, b = y
        made, lost = 1e4 * b * (1 - a - b), 0.04 * a
        return [made - lost, lost - made - 3e7 * b**2]

    a, b = solve_ivp(inserted, (0, 40), [1, 0], "Radau", rtol=1e-11, atol=1e-17).y[:, -1]
    rates = ["a' = -0.04*a + 1e4*b*c", "b' = 0.04*a - 1e4*b*c - 3e7*b^2", "1 = a + b + c"]
    solution = gx.solve(gx.Problem(rates, {"t": (0, 40)}, ["a(0) = 1", "b(0) = 0", "c(0) = 0"]), 1e-6)
    assert solution.converged
    for name, value in (("a", a), ("b", b), ("c", 1 - a - b)):
        scale = solution.scales[solution.problem.fields.index(name)]
        assert abs(solution[name](40.0) - value) <= min(1e-6, 3.0 * solution.error) * scale


def test_a_guess_chooses_among_several_solutions() -> None:
    problem = gx.Problem(["y' = -z", "z^2 = 1 + y"], LINE, ["y(0) = 2"])
    for root in (np.sqrt(3.0), -np.sqrt(3.0)):  # z' = -1/2
        solution = gx.solve(problem, guess={"y": 2, "z": root})
        assert solution.converged
        np.testing.assert_allclose(solution["z"](X), root - X / 2, atol=1e-8)


@pytest.mark.parametrize(
    ("equations", "conditions", "says"),
    [
        (["u' = -v", "v^3 + v = u"], ["u(0) = 2", "v(0) = 1.1"], "which make it 1 there"),
        (["u' = -v", "v^2 = 1 + u"], ["u(0) = 2", "v(0) = -sqrt(3)"], "would choose among several solutions"),
        (["u' = v", "u = sin(x)"], ["u(0) = 0"], "v cannot be found"),
        (
            ["p' = u", "q' = v", "u' = -l*p", "v' = -l*q - 9.81", "p^2 + q^2 = 1"],
            ["p(0) = 1", "q(0) = 0", "u(0) = 0", "v(0) = 0"],
            "index of the system is above one",
        ),
        (["u' = v", "v = u"], ["u(0) = 0", "u(1) = 0"], "1 too many"),
        (["u' = v", "v = u"], ["v(0) = 0"], "order 0"),
        (["u' = v", "v = w"], ["u(0) = 0"], "unknown name"),
        (["u = v", "v = x"], [], "unknown name"),
    ],
)
def test_what_does_not_fit_is_refused(equations: list[str], conditions: list[str], says: str) -> None:
    with pytest.raises(gx.InputError) as error:
        gx.Problem(equations, LINE, conditions)
    assert says in str(error.value)
