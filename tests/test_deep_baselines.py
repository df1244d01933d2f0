"""PINN and Deep-TFC: the laws of their networks, and small but real trainings."""

import importlib.util
import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from gated_xtfc.baselines.jax_backend import backend
from gated_xtfc.baselines.network import ConstrainedNetwork, Network
from gated_xtfc.baselines.training import Budget, deep_tfc, pinn
from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.problem.problem import Problem

installed = all(importlib.util.find_spec(name) for name in ("jax", "optax"))
needs_jax = pytest.mark.skipif(not installed, reason=f"JAX and optax are not installed: {install('deep')}")

MILD = Problem(
    "u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], "(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))", nu=1.0
)
SMALL = Budget(layers=2, width=12, points=40, adam_steps=200, lbfgs_steps=150)
TINY = Budget(layers=1, width=6, points=20, adam_steps=20, lbfgs_steps=10)
METHODS = pytest.mark.parametrize("method", [pinn, deep_tfc], ids=["pinn", "deep_tfc"])


def parameters_of(network, seed):
    """Random ones, biases included, not small."""
    return 2.0 * np.random.default_rng(seed).normal(size=len(network.initial(0)))


# --- the networks, which need no JAX ---


@pytest.mark.parametrize("seed", range(20))
def test_constrained_network_meets_the_end_values_for_any_parameters(seed):
    left, right, at_left, at_right = -1.5, 4.0, 3.0, -70.0
    trial = ConstrainedNetwork(Network(left, right, layers=3, width=16), at_left, at_right)
    ends = trial.jet(parameters_of(trial.network, seed), np.array([left, 0.3, right]))[0][[0, 2]]
    assert np.allclose(ends, [at_left, at_right], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("bare", [True, False])
def test_derivatives_of_the_network_are_those_of_its_value(bare):
    network = Network(2.0, 5.0, layers=3, width=8)
    trial = network if bare else ConstrainedNetwork(network, 1.0, -2.0)
    parameters = network.initial(3)
    x, step = np.linspace(2.1, 4.9, 50), 1e-4
    below, here, above = (trial.jet(parameters, x + shift) for shift in (-step, 0.0, step))
    for order in (0, 1):
        assert np.allclose((above[order] - below[order]) / (2 * step), here[order + 1], atol=1e-7)


def test_initial_parameters_follow_the_seed():
    network = Network(0.0, 1.0, layers=2, width=5)
    assert len(network.initial(0)) == (1 + 1) * 5 + (5 + 1) * 5 + (5 + 1)
    assert np.array_equal(network.initial(4), network.initial(4))
    assert not np.array_equal(network.initial(4), network.initial(5))


# --- what is refused, with or without JAX ---


@METHODS
@pytest.mark.parametrize(
    ("equation", "conditions", "word"),
    [
        ("u'' = u^2 + 1", ["u(0) = 0", "u(1) = 0"], "linear"),
        ("u''' = 1", ["u(0) = 0", "u(1) = 0", "u'(0) = 0"], "order 2"),
        (["u'' = v", "v'' = u"], ["u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 1"], "system"),
        ("u'' = 1", ["u(0) = 0", "u'(1) = 0"], "both ends"),
        ("u'' = 1", ["u(0) = 0", "integral(u) = 0"], "both ends"),
        ("u'' = 1", ["u(0) = u(1)", "u'(0) = u'(1) + 1"], "both ends"),
        ("u'' = 1", ["u(0) = 0", "u(0.5) = 0"], "both ends"),
    ],
)
def test_refuses_other_kinds_of_problems(method, equation, conditions, word):
    with pytest.raises(InputError, match=word):
        method(Problem(equation, {"x": (0, 1)}, conditions))


@pytest.mark.parametrize(
    "wrong", [{"layers": 0}, {"width": 2.5}, {"points": 2}, {"adam_steps": -1}, {"adam_rate": 0.0}, {"lbfgs_steps": -1}]
)
def test_refuses_a_budget_that_is_none(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Budget(**wrong)


def test_refuses_a_boundary_weight_that_is_none():
    with pytest.raises(InputError, match="boundary_weight"):
        pinn(MILD, boundary_weight=0.0)


@METHODS
def test_without_jax_says_how_to_get_it(method, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)  # what Python does with a module that must not be found
    backend.cache_clear()
    with pytest.raises(InputError, match=r"pip install '.*\[deep\]'"):
        method(MILD, budget=TINY)
    backend.cache_clear()


# --- trainings ---


@pytest.fixture(scope="module", params=[pinn, deep_tfc], ids=["pinn", "deep_tfc"])
def trained(request):
    if not installed:
        pytest.skip(f"JAX and optax are not installed: {install('deep')}")
    return request.param(MILD, budget=SMALL, seed=1)


@needs_jax
def test_gets_the_mild_problem_right_with_a_small_budget(trained):
    assert trained.max_error() < 1e-3
    assert trained.mean_error() < 1e-3


@needs_jax
def test_the_loss_falls_in_both_parts(trained):
    loss, turn = trained.details["loss"], trained.details["adam_steps"]
    assert turn == SMALL.adam_steps
    assert 0 < trained.details["lbfgs_steps"] <= SMALL.lbfgs_steps
    assert len(loss) == turn + trained.details["lbfgs_steps"]
    assert loss[turn - 1] < 0.5 * loss[0]
    assert trained.details["final_loss"] == loss[-1] < 0.1 * loss[turn - 1]
    assert np.all(np.diff(loss[turn:]) <= 0)


@needs_jax
def test_the_final_loss_is_that_of_the_surrogate(trained):
    """JAX trained it, NumPy evaluates it, the equation's own text gives the residual: all three agree."""
    expected = np.mean(np.square(trained.residual(np.linspace(0, 1, SMALL.points))))
    if trained.name == "PINN":
        expected += (trained(0.0) ** 2 + (trained(1.0) - 1.0) ** 2) / 2
    assert trained.details["final_loss"] == pytest.approx(expected, rel=1e-6)


@needs_jax
def test_evaluates_like_a_solution(trained):
    assert isinstance(trained(0.5), float)
    assert trained(np.zeros((2, 3))).shape == (2, 3)
    assert trained(np.empty(0)).shape == (0,)
    assert np.allclose(trained(np.linspace(0, 1, 25_000), 2)[::24_999], [trained(0.0, 2), trained(1.0, 2)], atol=1e-12)
    with pytest.raises(InputError, match="outside"):
        trained(1.1)
    assert pickle.loads(pickle.dumps(trained))(0.3) == trained(0.3)


@needs_jax
def test_says_what_it_used(trained):
    settings = json.loads(json.dumps(dict(trained.settings)))
    assert settings["seed"] == 1
    assert settings["precision"] == "float64"
    assert {"layers", "width", "points", "adam_steps", "adam_rate", "lbfgs_steps", "jax"} <= settings.keys()
    assert ("boundary_weight" in settings) == (trained.name == "PINN")
    assert (trained.neurons, trained.points) == (24, 40)
    assert trained.status == "surrogate"


@needs_jax
@METHODS
def test_same_seed_same_result(method):
    first, again, other = (method(MILD, budget=TINY, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.details["loss"], again.details["loss"])
    assert first(0.4) == again(0.4) != other(0.4)


@needs_jax
def test_deep_tfc_meets_the_end_values_whatever_the_training():
    problem = Problem("u'' + x*u' - u = exp(x)", {"x": (-1, 3)}, ["2*u(-1) = 5", "u(3) = -4"])
    surrogate = deep_tfc(problem, budget=TINY)
    assert surrogate(np.array([-1.0, 3.0])) == pytest.approx([2.5, -4.0], abs=1e-13)


@needs_jax
@METHODS
def test_variable_coefficients_and_a_source(method):
    problem = Problem("u'' + x*u' - 2*u = 6*x + x^3", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], exact="x^3")
    assert method(problem, budget=SMALL).max_error() < 1e-2


@needs_jax
def test_a_training_that_runs_off_says_so():
    with pytest.raises(InputError, match="smaller adam_rate"):
        pinn(MILD, budget=replace(TINY, adam_rate=1e300))


@needs_jax
def test_jax_stays_as_the_user_has_it():
    """Single precision, and the environment, in a process that imports JAX after a training."""
    code = (
        "import os; before = dict(os.environ)\n"
        "from gated_xtfc.baselines.jax_backend import backend\n"
        "tools = backend()\n"
        "assert dict(os.environ) == before\n"
        "with tools.double(): assert tools.numpy.zeros(1).dtype == 'float64'\n"
        "import jax.numpy; assert jax.numpy.zeros(1).dtype == 'float32'\n"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("NPROC", "XLA_FLAGS")}
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert finished.returncode == 0, finished.stderr
