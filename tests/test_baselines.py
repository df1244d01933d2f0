"""The baselines: features and their derivatives, least squares, each solver on problems it can and cannot do."""

import json

import numpy as np
import pytest

from gated_xtfc.baselines.chebyshev import Chebyshev, lobatto
from gated_xtfc.baselines.classical import solve_bvp
from gated_xtfc.baselines.features import derivative, matrix
from gated_xtfc.baselines.kernels import Gaussians, Sigmoids
from gated_xtfc.baselines.least_squares import dense_least_squares, least_squares
from gated_xtfc.baselines.ungated import pielm, xtfc
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.expected_improvement import minimise
from gated_xtfc.ranges import Range
from gated_xtfc.zoo.boundary_layers import CLAMPED_BEAM as BEAM
from gated_xtfc.zoo.boundary_layers import CONVECTION_DIFFUSION as CONVECTION

NONLINEAR = Problem("u'' = u^2", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
SYSTEM = Problem(["u'' = v", "v'' = u"], {"x": (0, 1)}, ["u(0)=0", "u(1)=1", "v(0)=0", "v(1)=1"])
INTEGRAL = Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "integral(u) = 1"])


def features_of(kind):
    random = np.random.default_rng(0)
    centres, slopes = np.sort(random.uniform(-1, 2, 150)), random.uniform(0.5, 6.0, 150)
    if kind == "gaussian":
        return Gaussians(centres, slopes)
    if kind == "tanh":
        return Sigmoids(centres, slopes, random.normal(size=150))
    return Chebyshev(-1.0, 2.0, 0, 30)


@pytest.mark.parametrize("kind", ["gaussian", "tanh", "chebyshev"])
class TestFeatures:
    def test_derivatives_are_derivatives(self, kind):
        features = features_of(kind)
        x, h = np.linspace(-0.9, 1.9, 23), 1e-6
        for order in range(1, 5):
            before = [0.0] * (order - 1) + [1.0]
            difference = (matrix(features, x + h, before) - matrix(features, x - h, before)) / (2 * h)
            exact = matrix(features, x, [0.0, *before])
            assert np.abs(exact - difference).max() < 1e-7 * np.abs(exact).max()

    def test_operator_is_the_sum_of_its_parts(self, kind):
        features = features_of(kind)
        x = np.linspace(-1, 2, 40)
        coefficients = [np.sin(x), 2.0, np.exp(x)]
        parts = [np.reshape(a, (-1, 1)) * matrix(features, x, [0.0] * j + [1.0]) for j, a in enumerate(coefficients)]
        whole = matrix(features, x, coefficients)
        assert np.abs(whole - sum(parts)).max() < 1e-12 * np.abs(whole).max()

    def test_products_need_no_order_of_points(self, kind):
        features = features_of(kind)
        random = np.random.default_rng(2)
        x, weights = random.uniform(-1, 2, 50), random.normal(size=features.size)
        place = np.argsort(x)
        expected = matrix(features, x[place], [0.0, 1.0]) @ weights
        assert np.allclose(derivative(features, x, 1, weights)[place], expected, rtol=1e-10, atol=1e-10)


class TestLeastSquares:
    def test_blocks_and_the_whole_matrix_agree(self):
        centres = np.linspace(0, 1, 300)
        narrow = Gaussians(centres, np.full(300, 300.0))  # most entries are nothing: the normal equations skip them
        x = np.linspace(0, 1, 350)
        coefficients, target = [1.0, 0.1, 0.0], np.cos(3 * x)
        blocks = least_squares(narrow, x, coefficients, target, 1e-6, "cholesky")
        whole = dense_least_squares(matrix(narrow, x, coefficients), target, 1e-6, "cholesky")
        assert np.allclose(blocks.weights, whole.weights, rtol=1e-7, atol=1e-9)

    @pytest.mark.parametrize("method", ["cholesky", "qr"])
    def test_ridge_solution(self, method):
        random = np.random.default_rng(0)
        rows, target = random.normal(size=(30, 12)), random.normal(size=30)
        expected = np.linalg.solve(rows.T @ rows / 30 + 0.1 * np.eye(12), rows.T @ target / 30)
        assert np.allclose(dense_least_squares(np.asfortranarray(rows), target, 0.1, method).weights, expected)

    def test_more_neurons_than_points(self):
        random = np.random.default_rng(0)
        rows, target = np.asfortranarray(random.normal(size=(10, 25))), random.normal(size=10)
        for method in ("qr", "rank"):
            assert np.allclose(rows @ dense_least_squares(rows, target, 0.0, method).weights, target)

    def test_unknown_method(self):
        with pytest.raises(InputError, match="cholesky, qr, rank"):
            dense_least_squares(np.ones((3, 2)), np.ones(3), 0.0, "svd")


class TestXTFC:
    @pytest.mark.parametrize(
        ("settings", "most"),
        [
            ({"features": "gaussian"}, 2e-3),
            ({"features": "gaussian", "layout": "random", "method": "rank"}, 1e-4),
            ({"features": "tanh", "layout": "random"}, 1e-3),
            ({"features": "tanh", "layout": "random", "spread": 30.0}, 1e-3),
            ({"features": "chebyshev", "neurons": 100}, 1e-13),
        ],
    )
    def test_mild_layer(self, settings, most):
        found = xtfc(CONVECTION.problem(nu=1e-2), **{"neurons": 300, **settings})
        x = np.linspace(0, 1, 2001)
        assert found.mean_error(x) <= found.max_error(x) < most
        assert (found(0.0), found(1.0)) == (0.0, 1.0)
        json.dumps(found.settings)

    def test_uniform_kernels_miss_a_layer_between_them(self):
        assert xtfc(CONVECTION.problem(nu=1e-4), neurons=300).max_error() > 0.1

    def test_chebyshev_polynomials_reach_the_layer(self):
        assert xtfc(CONVECTION.problem(nu=1e-4), features="chebyshev", neurons=500).max_error() < 1e-7

    def test_seed_decides(self):
        problem, x = CONVECTION.problem(nu=1e-1), np.linspace(0, 1, 50)
        one, same, other = (xtfc(problem, features="tanh", layout="random", neurons=30, seed=s)(x) for s in (0, 0, 1))
        assert np.array_equal(one, same)
        assert not np.array_equal(one, other)

    @pytest.mark.parametrize("problem", [NONLINEAR, SYSTEM, INTEGRAL, BEAM.problem()])
    def test_refuses_what_it_cannot_do(self, problem):
        with pytest.raises(InputError, match="default solver"):
            xtfc(problem, neurons=20)

    @pytest.mark.parametrize(
        "bad", [{"features": "sine"}, {"layout": "grid"}, {"neurons": 1}, {"points": 0}, {"spread": -1.0}]
    )
    def test_settings_are_checked(self, bad):
        with pytest.raises(InputError):
            xtfc(CONVECTION.problem(nu=1e-1), **bad)


class TestPIELM:
    def test_mild_layer(self):
        found = pielm(CONVECTION.problem(nu=1e-2), neurons=400)
        assert found.max_error() < 1e-3
        assert 0.0 <= found.details["missed_conditions"] < 1e-3

    def test_conditions_weigh_what_they_are_told(self):
        problem = CONVECTION.problem(nu=1e-3)
        light, heavy = (pielm(problem, neurons=60, weight=w).details["missed_conditions"] for w in (1e-6, 1e6))
        assert heavy < 1e-3 * light

    @pytest.mark.parametrize("features", ["tanh", "chebyshev"])
    def test_other_orders_and_conditions(self, features):
        found = pielm(BEAM.problem(eps=0.3), features=features, neurons=40, points=80, spread=5.0)
        assert found.max_error() < 1e-6

    @pytest.mark.parametrize("problem", [NONLINEAR, SYSTEM, INTEGRAL])
    def test_refuses_what_it_cannot_do(self, problem):
        with pytest.raises(InputError, match="default solver"):
            pielm(problem, neurons=20)


class TestSolveBvp:
    def test_thin_layer(self):
        found = solve_bvp(CONVECTION.problem(nu=1e-4), tol=1e-6)
        assert found.max_error() < 1e-6
        assert found.status == "surrogate"
        assert np.abs(found.residual(np.linspace(0, 0.9, 11))).max() < 1e-4

    def test_higher_order(self):
        assert solve_bvp(BEAM.problem(eps=0.1), tol=1e-6).max_error() < 1e-6

    def test_nonlinear(self):
        problem = Problem("u'' = 6*u^2", {"x": (0, 1)}, ["u(0) = 1", "u(1) = 1/4"], exact="1/(1+x)^2")
        assert solve_bvp(problem, tol=1e-8).max_error() < 1e-8

    def test_says_when_it_did_not_converge(self):
        found = solve_bvp(CONVECTION.problem(nu=1e-6), max_nodes=100)
        assert found.status == "did not converge"

    @pytest.mark.parametrize(
        ("problem", "word"),
        [
            (SYSTEM, "one equation"),
            (INTEGRAL, "at the ends"),
            (Problem("x*u'' + u' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]), "zero at x = 0"),
            (Problem("u''^2 + u'' = 1 + u", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]), "highest derivative"),
        ],
    )
    def test_refuses_what_it_cannot_do(self, problem, word):
        with pytest.raises(InputError, match=word):
            solve_bvp(problem)


class TestSurrogate:
    found = xtfc(CONVECTION.problem(nu=1e-1), neurons=40)

    def test_numbers_and_arrays(self):
        assert isinstance(self.found(0.5), float)
        assert self.found(np.full((2, 3), 0.5)).shape == (2, 3)
        assert isinstance(self.found.residual(0.5), float)

    def test_residual_is_left_minus_right(self):
        x = np.linspace(0, 1, 9)
        assert np.allclose(self.found.residual(x), self.found(x, 1) - 0.1 * self.found(x, 2))

    def test_outside(self):
        with pytest.raises(InputError, match="outside the domain"):
            self.found(1.5)
        with pytest.raises(InputError, match="order 3"):
            self.found(0.5, 3)

    def test_without_exact_solution(self):
        problem = Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
        found = xtfc(problem, neurons=20)
        assert found.max_error() is None
        assert found.mean_error() is None


class TestLobatto:
    def test_ends_and_order(self):
        x = lobatto(-1.0, 3.0, 33)
        assert (x[0], x[-1]) == (-1.0, 3.0)
        assert (np.diff(x) > 0).all()


class TestExpectedImprovement:
    @staticmethod
    def bowl(point):
        return 1e3 * ((point[0] - 0.3) ** 2 + (np.log10(point[1]) + 2.0) ** 2) + 1.0

    def test_finds_a_minimum_and_beats_chance(self):
        box = (Range(0.0, 1.0), Range(1e-4, 1.0, "log"))
        trials = minimise(self.bowl, box, 24, seed=0)
        assert len(trials) == 24
        assert min(trial.value for trial in trials) < 5.0
        for trial in trials:
            assert 0.0 <= trial.point[0] <= 1.0
            assert 1e-4 <= trial.point[1] <= 1.0

    def test_seed_decides_and_bad_values_do_not_stop_it(self):
        def broken(point):
            return float("nan") if point[0] < 0.2 else float(point[0] * 1e200)

        first, second = (minimise(broken, (Range(0.0, 1.0),), 14, initial=4, seed=5) for _ in range(2))
        assert [t.point for t in first] == [t.point for t in second]

    def test_constant_function(self):
        assert len(minimise(lambda point: 0.0, (Range(-1.0, 1.0),), 12)) == 12
