"""Batches over problems with tables: elements end where pieces join, and values of tables vary like anything else."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import InputError
from gated_xtfc.types import Array

jax = pytest.importorskip("jax")
jnp = jax.numpy

ENDS = {"x": (0, 1)}
X = np.linspace(0.0, 1.0, 41)
# knots at quarters meet the cuts of even elements
LINEAR = {"x": [0.0, 0.25, 0.5, 0.75, 1.0], "y": [1.0, 3.0, 1.5, 2.5, 2.0], "kind": "linear"}
SPLINE = {**LINEAR, "kind": "spline"}
CONVECTION = gx.Problem("-nu*u'' + k(x)*u' = 1", ENDS, ["u(0) = k(0)", "u(1) = 1"], nu=1e-2, tables={"k": LINEAR})
REACTION = gx.Problem("-nu*u'' + k'*u + 9*u = k", ENDS, ["u(0) = 0", "u(1) = 1"], nu=1e-2, tables={"k": SPLINE})
NONLINEAR = gx.Problem("-nu*u'' + u^3 + u = k", ENDS, ["u(0) = 0", "u(1) = 1"], nu=1e-2, tables={"k": LINEAR})
PLATE = gx.Problem(
    "nu*u'''' - u'' + u = k", ENDS, ["u(0) = 0", "u'(0) = 0", "u(1) = 1", "u'(1) = 0"], nu=1e-2, tables={"k": LINEAR}
)


def member(problem: gx.Problem, nu: float, y: Array) -> gx.Problem:
    plain = problem.to_dict()
    plain["parameters"], plain["tables"]["k"]["y"] = {"nu": nu}, y.tolist()
    return gx.Problem.from_dict(plain)


@pytest.mark.parametrize("problem", [CONVECTION, REACTION, NONLINEAR, PLATE])
def test_members_agree_with_solve(problem: gx.Problem) -> None:
    random = np.random.default_rng(1)
    nu, y = 10 ** random.uniform(-4, -1, 8), random.uniform(1.0, 3.0, (8, 5))
    result = gx.compile(problem, over=["nu", "k"])(nu=nu, k=y)
    assert result.converged.all()
    assert not result.solutions
    for number in range(0, 8, 2):
        alone = gx.solve(member(problem, float(nu[number]), y[number]), 1e-11)
        gap = np.abs(result(X)[number] - alone(X)).max() / np.abs(alone(X)).max()
        assert gap <= result.error[number] + alone.error


@pytest.mark.parametrize("problem", [CONVECTION, REACTION])
def test_values_of_a_table_are_differentiated(problem: gx.Problem) -> None:
    function = gx.compile(problem, over={"nu": (1e-2, 1e-1), "k": (1, 3)}).function
    y, step = np.array(LINEAR["y"]), 1e-4

    def mean(y: Array) -> Array:
        values: Array = function(X, nu=0.03, k=y)[0].mean()
        return values

    with jax.enable_x64(True):
        slopes = np.asarray(jax.grad(mean)(jnp.asarray(y)))
        several, _ = function(X, nu=0.03, k=np.stack([y, 2.0 * y]))
    assert several.shape == (2, X.size)
    for i, unit in enumerate(step * np.eye(5)):
        up, down = (gx.solve(member(problem, 0.03, own), 1e-12)(X).mean() for own in (y + unit, y - unit))
        assert slopes[i] == pytest.approx((up - down) / (2.0 * step), abs=1e-6 * np.abs(slopes).max())


def test_a_thin_layer_at_a_kink_is_resolved() -> None:
    """Where the drift leaves a kink behind, u'' has a layer there: elements beside it follow its thickness."""
    nu = np.geomspace(1e-6, 1e-2, 9)
    result = gx.compile(CONVECTION, over=["nu"], tol=1e-10)(nu=nu)
    assert result.converged.all()
    assert not result.solutions
    alone = gx.solve(CONVECTION(nu=1e-6), 1e-12)
    near = np.clip(0.25 + 1e-6 * np.linspace(-40.0, 40.0, 81), 0.0, 1.0)
    assert np.abs(result(near)[0] - alone(near)).max() <= 1e-10 * np.abs(alone(X)).max()


def test_a_data_set_names_the_numbers_of_a_list() -> None:
    pytest.importorskip("xarray")
    made = gx.compile(CONVECTION, over=["k"])(k=np.ones((2, 5))).to_xarray(X)
    assert made.sizes == {"member": 2, "x": X.size, "k_number": 5}


@pytest.mark.parametrize(
    ("problem", "over", "says"),
    [
        (
            gx.Problem("u'' = k(x/2)", ENDS, ["u(0) = 0", "u(1) = 1"], tables={"k": LINEAR}),
            ["k"],
            "more than",
        ),
        (gx.Problem("u'' = k", {"x": (0, "L")}, ["u(0) = 0", "u(L) = 1"], L=1, tables={"k": LINEAR}), ["L"], "varies"),
        (
            gx.Problem(
                "u'' = k",
                ENDS,
                ["u(0) = 0", "u(1) = 1"],
                tables={"k": (np.linspace(0, 1, 300), np.random.default_rng(0).random(300))},
            ),
            ["k"],
            "rough places",
        ),
    ],
)
def test_tables_that_no_batch_takes_are_named(problem: gx.Problem, over: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        gx.compile(problem, over=over)


def test_a_value_is_wanted_for_each_knot() -> None:
    with pytest.raises(InputError, match="5 knots, and 4 values"):
        gx.compile(CONVECTION, over=["k"])(k=np.ones((2, 4)))
