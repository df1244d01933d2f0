"""The solver on a rectangle: the laws it is built on, known solutions, agreement with others, and what it says."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_sylvester

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.discretise.axis_patch import AxisPatch
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.linalg.krylov import Gmres
from gated_xtfc.linalg.sylvester import Sylvester
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solution.rectangle import RectangleSolution
from gated_xtfc.solver.rectangle.predict import predict
from gated_xtfc.zoo.rectangle import poisson_peak

TESTSET = json.loads((Path(__file__).parent / "data" / "pde2d.json").read_text())
CASES = [(entry, parameters) for entry in TESTSET for parameters in entry["parameters"]]
SQUARE: dict[str, Any] = {"x": (0, 1), "y": (0, 1)}
ZERO = ["u = 0 on boundary"]
FLAT = ((1.0, 0.0), (1.0, 0.0))


def solve(*statement: Any, tol: float = 1e-8, options: dict[str, Any] | None = None, **more: Any) -> RectangleSolution:
    found = gx.solve(gx.Problem(*statement, **more), tol=tol, **(options or {}))
    assert isinstance(found, RectangleSolution)
    return found


@pytest.fixture(scope="module")
def smooth() -> RectangleSolution:
    """A solution with data on all sides and conditions of every kind; exact: exp(x) sin(y)."""
    conditions = [
        "u(0, y) - u_x(0, y) = 0",
        "u_x(1, y) = e*sin(y)",
        "u(x, 0) = 0",
        "u_y + u = exp(x)*(cos(1) + sin(1)) on y = 1",
    ]
    return solve("u_xx + u_yy = 0", SQUARE, conditions, exact="exp(x)*sin(y)")


# --- laws ---


def test_derivatives_at_sites_are_those_of_a_smooth_function() -> None:
    span = AxisPatch.on(Coordinate(0.0, 1.0, 0.1, (Layer(1.0, 1e-4),)))
    u = [np.sin(3 * span.sites + k * np.pi / 2) * 3.0**k for k in range(3)]
    slope = span.basis.coordinate.jets(span.sites, 1)[1]
    for order, matrix in enumerate(span.matrices(span.sites, 2)):
        assert np.abs((matrix @ u[0] - u[order]) / slope**order).max() < 1e-9


def test_values_at_inner_sites_extend_to_values_that_meet_the_conditions() -> None:
    line = AxisGrid.on((Coordinate(0.0, 0.4, 0.1), Coordinate(0.4, 1.0, 0.1)), ((1.0, -2.0), (0.0, 1.0)))
    v = np.random.default_rng(1).normal(size=line.inner.size)
    missed = line.functionals @ (line.extension @ v)
    assert np.abs(missed / np.abs(line.functionals).sum(axis=1)).max() < 1e-13
    assert np.abs(line.functionals[:2] @ line.switch - np.eye(2)).max() < 1e-12


@pytest.mark.parametrize("seed", [0, 1])
def test_conditions_hold_on_all_sides_whatever_the_values_at_the_sites(smooth: RectangleSolution, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=smooth.function.values.shape)
    u = replace(smooth.function, values=values)
    t, ends = np.linspace(0.0, 1.0, 7), (np.array([0.0]), np.array([1.0]))
    size = 1e-12 * max(np.abs(u.grid(t, t, orders)).max() for orders in ((0, 0), (1, 0), (0, 1)))
    assert np.abs(u.grid(ends[0], t) - u.grid(ends[0], t, (1, 0))).max() < size
    assert np.abs(u.grid(ends[1], t, (1, 0)) - np.e * np.sin(t)).max() < size
    assert np.abs(u.grid(t, ends[0])).max() < size
    wanted = np.exp(t)[:, None] * (np.cos(1.0) + np.sin(1.0))
    assert np.abs(u.grid(t, ends[1], (0, 1)) + u.grid(t, ends[1]) - wanted).max() < size


@pytest.mark.parametrize(("n", "m"), [(5, 9), (130, 71), (64, 200)])
def test_sylvester_in_blocks_agrees_with_scipy(n: int, m: int) -> None:
    generator = np.random.default_rng(n)
    a, b = (
        generator.normal(size=(n, n)) + 3 * n**0.5 * np.eye(n),
        generator.normal(size=(m, m)) + 3 * m**0.5 * np.eye(m),
    )
    f = generator.normal(size=(n, m))
    assert np.allclose(Sylvester.of(a, b).solve(f), solve_sylvester(a, b.T, f), rtol=0, atol=1e-12)


def test_gmres_solves_a_small_system_in_as_many_steps_as_it_has_unknowns() -> None:
    a = np.random.default_rng(3).normal(size=(12, 12)) + 4 * np.eye(12)
    right = np.arange(12.0).reshape(3, 4)
    found = Gmres(lambda v: (a @ v.ravel()).reshape(3, 4), right)
    found.advance(1e-13, 20)
    assert found.steps <= 12
    assert np.allclose(a @ found.values.ravel(), right.ravel())


# --- the test set ---


def reference(entry: dict[str, Any], parameters: dict[str, float], x: Any, y: Any) -> Any:
    if entry["exact"] is None:
        return poisson_peak(x, y, **parameters)
    return gx.Problem(
        entry["equation"], entry["domain"], entry["conditions"], exact=entry["exact"], **parameters
    ).exact(x, y)  # type: ignore[call-arg, misc]


@pytest.mark.parametrize(
    ("entry", "parameters"),
    [case for case in CASES if case[1].get("eps") not in (1e-3, 1e-4) or case[0]["id"] != "circular-layer"],
    ids=lambda value: value["id"] if "id" in value else "-".join(f"{v:g}" for v in value.values()),
)
def test_every_problem_of_the_test_set_meets_its_tolerance_and_its_estimate(entry: Any, parameters: Any) -> None:
    solution = solve(entry["equation"], entry["domain"], entry["conditions"], **parameters)
    x, y = solution.grid(301)
    exact = reference(entry, parameters, x, y)
    error = np.abs(solution(x, y) - exact).max() / max(1.0, np.abs(exact).max())
    assert solution.status == "converged"
    assert error <= 1e-8
    assert error <= 3 * solution.error
    even = np.linspace(0.0, 1.0, 101)
    exact = reference(entry, parameters, even[:, None], even[None, :])
    assert np.abs(solution(even[:, None], even[None, :]) - exact).max() <= 1e-8 * solution.scale


# --- conditions, coefficients, corners ---


def test_conditions_of_every_kind_together(smooth: RectangleSolution) -> None:
    assert smooth.converged
    assert smooth.true_error() <= min(1e-8, 3 * smooth.error)  # type: ignore[operator]


def test_coefficients_that_vary_along_both_axes_and_a_mixed_derivative() -> None:
    u, ux, uy = "sin(2*x + y)", "2*cos(2*x + y)", "cos(2*x + y)"
    left = "(1 + x*y)*u_xx + exp(x - y)*u_yy + 0.5*u_xy + x*y*u_x - y*u_y + cos(x*y)*u"
    right = f"-(4*(1 + x*y) + exp(x - y) + 1)*{u} + x*y*{ux} - y*{uy} + cos(x*y)*{u}"
    solution = solve(f"{left} = {right}", SQUARE, [f"u = {u} on boundary"], exact=u)
    assert solution.converged
    assert solution.true_error() <= min(1e-8, 3 * solution.error)  # type: ignore[operator]


def test_convection_that_turns_and_dominates() -> None:
    flow = "(2*y - 1)*4*x*(1 - x)", "-(2*x - 1)*4*y*(1 - y)"
    source = f"-eps*2*exp(x + y) + ({flow[0]} + {flow[1]})*exp(x + y)"
    equation = f"-eps*(u_xx + u_yy) + {flow[0]}*u_x + {flow[1]}*u_y = {source}"
    solution = solve(equation, SQUARE, ["u = exp(x + y) on boundary"], exact="exp(x + y)", eps=1e-2)
    assert solution.converged
    assert solution.true_error() <= min(1e-8, 3 * solution.error)  # type: ignore[operator]


def test_the_weak_singularities_at_the_corners_are_resolved() -> None:
    solution = solve("u_xx + u_yy = -1", SQUARE, ZERO)
    k = np.arange(1.0, 2001.0, 2.0)
    x, y = (points.ravel() for points in solution.grid(61))
    y = y[(y > 0.02) & (y < 0.98)]  # where the series in x has settled
    decay = (np.exp(-np.pi * np.outer(k, y)) + np.exp(-np.pi * np.outer(k, 1 - y))) / (1 + np.exp(-np.pi * k))[:, None]
    series = 0.5 * (x * (1 - x))[:, None] - 4 / np.pi**3 * (np.sin(np.pi * np.outer(x, k)) / k**3) @ decay
    assert solution.converged
    assert np.abs(solution(x[:, None], y[None, :]) - series).max() <= min(1e-8, 3 * solution.error)


def test_characteristic_layers_of_the_width_of_a_root_are_found() -> None:
    problem = gx.Problem("-eps*(u_xx + u_yy) + u_x = 1", SQUARE, ["u = x on boundary"], eps=1e-6)
    x, y = (coordinates[0].layers for coordinates in predict(Operator(problem), 1e-2))
    assert [(layer.location, layer.thickness) for layer in x if layer.thickness < 1e-4] == [
        (1.0, pytest.approx(6e-7, 0.1))
    ]
    assert [layer.location for layer in y] == [0.0, 1.0]
    assert all(layer.thickness == pytest.approx(6e-4, 0.2) for layer in y)


def test_a_source_that_jumps_breaks_its_axis() -> None:
    solution = solve("u_xx + u_yy = where(x < 0.3, 1, -1)", SQUARE, ZERO, tol=1e-6)
    assert solution.breaks == {"x": (0.3,), "y": ()}
    half = solve("u_xx + u_yy = where(x < 0.3, 1, -1)", SQUARE, ZERO, tol=1e-8)
    x, y = solution.grid(41)
    assert np.abs(solution(x, y) - half(x, y)).max() <= 1e-6


def test_a_feature_that_follows_no_axis_asks_for_narrow_kernels_all_along_its_way() -> None:
    problem = gx.Problem("u_xx + u_yy - u = tanh((x - y)/0.05)", SQUARE, ZERO)
    for coordinates in predict(Operator(problem), 1e-2):
        widths = 1.0 / coordinates[0].jets(np.linspace(0.1, 0.9, 9), 1)[1]
        assert widths.max() < 0.05


def test_gates_can_be_given_for_one_axis_and_the_other_keeps_its_own() -> None:
    gates = {"x": [Layer(0.5, 1e-2), Block(0.0, 0.0, left_x=0.2, right_x=0.4)]}
    solution = solve(
        "-1e-2*(u_xx + u_yy) + u_y = y", SQUARE, ["u = y**2/2 on boundary"], options={"gates": gates}, tol=1e-3
    )
    assert solution.gates["x"][0] == Layer(0.5, 1e-2)
    assert any(gate.location == 1.0 for gate in solution.gates["y"] if isinstance(gate, Layer))


# --- nonlinear ---


def test_a_nonlinear_equation_with_a_known_solution() -> None:
    u = "x*(1 - x)*sin(pi*y)"
    source = f"-(2 + pi**2*x*(1 - x))*sin(pi*y) - exp({u})"
    solution = solve(f"u_xx + u_yy - exp(u) = {source}", SQUARE, ZERO, exact=u)
    assert solution.converged
    assert solution.true_error() <= min(1e-8, 3 * solution.error)  # type: ignore[operator]


def test_burgers_with_a_shock_along_an_axis() -> None:
    u = "-tanh((x - 0.5)/(2*eps))"
    conditions = [f"u = {u} on x = 0", f"u = {u} on x = 1", "u_y(x, 0) = 0", "u_y(x, 1) = 0"]
    solution = solve("u*u_x = eps*(u_xx + u_yy)", SQUARE, conditions, exact=u, eps=0.1, tol=1e-7)
    assert solution.converged
    assert solution.true_error() <= min(1e-7, 3 * solution.error)  # type: ignore[operator]


def test_a_guess_chooses_the_branch_of_bratu() -> None:
    low = solve("u_xx + u_yy + 6*exp(u) = 0", SQUARE, ZERO, tol=1e-4)
    high = solve("u_xx + u_yy + 6*exp(u) = 0", SQUARE, ZERO, tol=1e-4, options={"guess": "32*x*(1-x)*y*(1-y)"})
    assert low.converged
    assert high.converged
    assert low(0.5, 0.5) < 1.0 < high(0.5, 0.5)


# --- what a solution can do ---


def test_points_broadcast_and_numbers_stay_numbers(smooth: RectangleSolution) -> None:
    x, y = np.linspace(0, 1, 4), np.linspace(0, 1, 3)
    assert isinstance(smooth(0.5, 0.5), float)
    assert np.shape(smooth(x[:, None], y[None, :])) == (4, 3)
    assert np.shape(smooth(0.5, y)) == (3,)
    scattered = np.random.default_rng(0).uniform(size=(2, 500))
    assert np.abs(smooth(*scattered) - np.exp(scattered[0]) * np.sin(scattered[1])).max() < 1e-9


@pytest.mark.parametrize(("orders", "factor"), [((1, 0), 1), ((0, 1), 1), ((2, 0), 1), ((1, 1), 1), ((0, 2), -1)])
def test_derivatives_by_order_for_each_axis(smooth: RectangleSolution, orders: tuple[int, int], factor: float) -> None:
    x, y = np.random.default_rng(2).uniform(0.05, 0.95, size=(2, 20))
    exact = factor * np.exp(x) * (np.cos(y) if orders[1] == 1 else np.sin(y))
    assert np.abs(smooth(x, y, orders) - exact).max() < 1e-7


def test_the_residual_is_that_of_the_equation(smooth: RectangleSolution) -> None:
    x, y = smooth.grid(15)
    laplacian = np.asarray(smooth(x, y, (2, 0))) + np.asarray(smooth(x, y, (0, 2)))
    assert np.array_equal(smooth.residual(x, y), laplacian)
    assert np.abs(smooth.scaled_residual(x, y)).max() < 1e-8


def test_points_outside_and_orders_that_are_none_are_refused(smooth: RectangleSolution) -> None:
    with pytest.raises(InputError, match=r"y = 1.5 is outside the domain \[0, 1\]"):
        smooth(0.5, 1.5)
    with pytest.raises(InputError, match="orders 1 were asked for"):
        smooth(0.5, 0.5, 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="do not go together"):
        smooth(np.zeros(2), np.zeros(3))


def test_saved_and_loaded_values_are_equal_to_the_last_bit(smooth: RectangleSolution, tmp_path: Path) -> None:
    smooth.save(tmp_path / "plane.npz")
    loaded = gx.load(tmp_path / "plane.npz")
    x, y = smooth.grid(17)
    assert isinstance(loaded, RectangleSolution)
    assert np.array_equal(loaded(x, y), smooth(x, y))
    assert loaded.summary() == smooth.summary()


def test_a_broken_solution_survives_saving_too(tmp_path: Path) -> None:
    solution = solve("u_xx + u_yy = where(x < 0.3, 1, -1)", SQUARE, ZERO, tol=1e-3)
    solution.save(tmp_path / "broken.npz")
    loaded = gx.load(tmp_path / "broken.npz")
    assert loaded(0.29, 0.5) == solution(0.29, 0.5)  # type: ignore[call-overload]


def test_a_table_holds_values_and_derivatives(smooth: RectangleSolution, tmp_path: Path) -> None:
    smooth.to_csv(tmp_path / "plane.csv", points=5)
    with (tmp_path / "plane.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["x", "y", "u", "u_x", "u_y", "u_xx", "u_xy", "u_yy"]
    assert len(rows) == 25
    assert float(rows[7]["u_y"]) == pytest.approx(np.exp(float(rows[7]["x"])) * np.cos(float(rows[7]["y"])), abs=1e-7)


def test_it_draws_itself(smooth: RectangleSolution, tmp_path: Path) -> None:
    smooth.plot(tmp_path / "plane.png")
    assert (tmp_path / "plane.png").read_bytes()[:4] == b"\x89PNG"


# --- what is said where it does not work ---


def test_a_request_beyond_the_memory_is_refused_before_it_is_tried() -> None:
    with pytest.raises(InputError, match=r"needs about .* GB of memory, more than the 0.001 GB of max_memory"):
        solve("u_xx + u_yy = exp(-x*y)", SQUARE, ZERO, options={"max_memory": 1e6})
    with pytest.raises(InputError, match="give a positive number of bytes"):
        solve("u_xx + u_yy = exp(-x*y)", SQUARE, ZERO, options={"max_memory": 0})


def test_too_few_neurons_are_an_honest_status() -> None:
    solution = solve("u_xx + u_yy - u = tanh((x - y)/0.01)", SQUARE, ZERO, options={"max_neurons": 2500})
    assert solution.status == "max_neurons"
    assert solution.error > 1e-8


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        ("u_xx + u_yy = 0", ["u_x(0, y) = 0", "u_x(1, y) = 0", "u_y(x, 0) = 0", "u_y(x, 1) = 0"]),
        ("u_xx + u_yy + 2*pi**2*u = sin(pi*x)*sin(pi*y)", ZERO),
    ],
)
def test_an_operator_without_an_inverse_is_noticed(equation: str, conditions: list[str]) -> None:
    solution = solve(equation, SQUARE, conditions)
    assert solution.status == "nearly singular"
    assert solution.error >= 1.0


def test_contradictions_at_corners_are_in_the_message_and_the_status_is_honest() -> None:
    conditions = ["u(0, y) = 0", "u(1, y) = 0", "u(x, 0) = 0", "u(x, 1) = 1"]
    solution = solve("u_xx + u_yy = 0", SQUARE, conditions, options={"max_rounds": 2})
    assert not solution.converged
    assert "contradict each other at the corner x = 0, y = 1" in solution.message
    assert len(solution.warnings) == 2


def test_a_coefficient_that_is_not_finite_is_named_with_its_place() -> None:
    with pytest.raises(InputError, match=r"the source is not finite at x = "):
        solve("u_xx + u_yy = log(x - 0.5)", SQUARE, ZERO)


def test_gates_must_be_given_by_axis() -> None:
    with pytest.raises(InputError, match="by axis"):
        solve("u_xx + u_yy = 1", SQUARE, ZERO, options={"gates": [Layer(0.5, 1e-3)]})
    with pytest.raises(InputError, match="is no coordinate"):
        solve("u_xx + u_yy = 1", SQUARE, ZERO, options={"gates": {"z": [Layer(0.5, 1e-3)]}})


# --- the command line ---


def test_the_command_line_solves_a_rectangle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "plane.toml"
    file.write_text(
        'equation = "-eps*(u_xx + u_yy) + u_x = eps*0 + y"\ndomain = { x = [0, 1], y = [0, 1] }\n'
        'conditions = ["u = x*y on boundary"]\nparameters = { eps = 1e-1 }\nexact = "x*y"\n'
    )
    assert main(["solve", str(file), "--json", "--out", str(tmp_path / "out")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "converged"
    assert report["true_error"] < 1e-8
    assert set(report["gates"]) == {"x", "y"}
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".png", ".svg", ".csv", ".json"}


def test_the_table_shows_gates_by_axis_and_the_warning_once(capsys: pytest.CaptureFixture[str]) -> None:
    stated = ["--equation", "u_xx + u_yy = 0", "--domain", "x=0:1", "--domain", "y=0:1", "--max-rounds", "1"]
    conditions = ["u(0,y)=0", "u(1,y)=0", "u(x,0)=0", "u(x,1)=x"]
    assert main(["solve", *stated, *(f"--condition={text}" for text in conditions)]) == 1
    shown = "".join(capsys.readouterr().out.split())
    assert shown.count("contradicteachother") == 1


def test_comparing_on_a_rectangle_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "plane.toml"
    file.write_text(
        'equation = "u_xx + u_yy = 1"\ndomain = { x = [0, 1], y = [0, 1] }\nconditions = ["u = 0 on boundary"]\n'
    )
    assert main(["compare", str(file)]) == 2
    assert "one coordinate only" in capsys.readouterr().err


def test_a_ridge_between_samples_does_not_make_its_corners_look_singular():
    ridge = "exp(-1.072e8*(x - 0.54535)^4)*cos(y)"
    equation = f"u_xx + u_yy = (1.072e8^2*16*(x - 0.54535)^6 - 1.072e8*12*(x - 0.54535)^2 - 1)*{ridge}"
    solution = gx.solve(gx.Problem(equation, {"x": (0, 1), "y": (0, 1)}, [f"u = {ridge} on boundary"]), tol=1e-6)
    assert solution.converged
    assert solution.neurons < 20_000
    x, y = np.linspace(0.5, 0.6, 41)[:, None], np.linspace(0, 1, 11)
    np.testing.assert_allclose(solution(x, y), np.exp(-1.072e8 * (x - 0.54535) ** 4) * np.cos(y), atol=1e-6)
