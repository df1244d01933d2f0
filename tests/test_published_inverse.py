"""The published inverse method: evidence, prior precision, posterior, search."""

from dataclasses import replace

import numpy as np
import pytest

from gated_xtfc.baselines.features import matrix
from gated_xtfc.errors import InputError
from gated_xtfc.paper.sensors import NOISE, clean, diagnosis, least_deviation, observed, peak, sensors
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.evidence import PriorPrecision, Stacked
from gated_xtfc.published.expected_improvement import minimise
from gated_xtfc.published.inverse import Inverse, Model, evaluate, infer
from gated_xtfc.published.soft_split import SoftSplit
from gated_xtfc.ranges import Range
from gated_xtfc.zoo.boundary_layers import CONVECTION_DIFFUSION as CONVECTION

SMALL = Inverse(SoftSplit(centres=24, sites=30), evaluations=8)
FREE = PriorPrecision(low=1e-30, high=1e30, damping=0.5, rounds=2000, tolerance=1e-13)


def random_rows(count=30, size=12, seed=0):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, size)) * 10.0 ** random.uniform(-2, 1, size)
    return Stacked(rows, rows @ random.normal(size=size) + random.normal(size=count))


def brute_force(stacked, eta):
    """log N(y; 0, I + F F'/eta)"""
    covariance = np.eye(stacked.target.size) + stacked.rows @ stacked.rows.T / eta
    sign, logarithm = np.linalg.slogdet(covariance)
    assert sign > 0
    quadratic = stacked.target @ np.linalg.solve(covariance, stacked.target)
    return -0.5 * (quadratic + logarithm + stacked.target.size * np.log(2.0 * np.pi))


class TestEvidence:
    @pytest.mark.parametrize(("count", "size"), [(30, 12), (12, 12), (9, 20)])
    @pytest.mark.parametrize("eta", [1e-6, 1e-2, 1.0, 1e3])
    def test_is_the_gaussian_density_of_the_rows(self, count, size, eta):
        stacked = random_rows(count, size)
        assert stacked.log_evidence(eta) == pytest.approx(brute_force(stacked, eta), rel=1e-9)

    @pytest.mark.parametrize("eta", [1e-4, 1.0])
    def test_by_cholesky_is_the_same(self, eta):
        stacked = random_rows()
        evidence, mean, jitter = stacked.cholesky(eta)
        assert evidence == pytest.approx(stacked.log_evidence(eta), rel=1e-9)
        assert np.allclose(mean, stacked.mean(eta), rtol=1e-8)
        assert jitter == 0.0

    def test_jitter_comes_in_where_the_normal_equations_have_lost_their_rank(self):
        rows = np.outer(np.arange(1.0, 9.0), np.ones(5)) * 1e9
        evidence, mean, jitter = Stacked(rows, np.ones(8)).cholesky(1e-12)
        assert jitter > 0.0
        assert np.isfinite(evidence)
        assert np.isfinite(mean).all()

    def test_fixed_point_is_where_the_evidence_is_stationary(self):
        stacked = random_rows()
        eta = stacked.precision(FREE)
        at = [stacked.log_evidence(eta * factor) for factor in (0.999, 1.0, 1.001)]
        assert abs(at[2] - at[0]) / 0.002 < 1e-4  # slope in log eta
        assert at[1] > stacked.log_evidence(1.5 * eta)
        assert at[1] > stacked.log_evidence(eta / 1.5)

    def test_fixed_point_is_gamma_over_the_squared_norm_of_the_mean(self):
        stacked = random_rows(seed=3)
        eta = stacked.precision(FREE)
        assert eta == pytest.approx(stacked.gamma(eta) / np.sum(stacked.mean(eta) ** 2), rel=1e-9)

    def test_precision_stays_within_its_bounds(self):
        stacked = random_rows()
        free = stacked.precision(FREE)
        assert stacked.precision(replace(FREE, start=free / 100, high=free / 10)) == pytest.approx(free / 10)
        assert stacked.precision(replace(FREE, start=free * 100, low=free * 10)) == pytest.approx(free * 10)

    def test_posterior_is_that_of_the_normal_equations(self):
        stacked, eta = random_rows(), 0.3
        inverse = np.linalg.inv(eta * np.eye(12) + stacked.rows.T @ stacked.rows)
        features = np.random.default_rng(1).normal(size=(4, 12))
        assert np.allclose(stacked.mean(eta), inverse @ stacked.rows.T @ stacked.target)
        assert np.allclose(stacked.variance(features, eta), np.diag(features @ inverse @ features.T))

    def test_directions_that_no_row_sees_keep_their_prior_variance(self):
        stacked, eta = random_rows(5, 9), 0.3
        inverse = np.linalg.inv(eta * np.eye(9) + stacked.rows.T @ stacked.rows)
        assert np.allclose(stacked.variance(np.eye(9), eta), np.diag(inverse))

    @pytest.mark.parametrize("bad", [{"start": 1e-20}, {"low": 0.0}, {"damping": 0.0}, {"rounds": 0}])
    def test_bad_settings_of_the_fixed_point_are_refused(self, bad):
        with pytest.raises(InputError):
            PriorPrecision(**bad)


class TestModel:
    def test_rows_are_data_and_equation_divided_by_their_deviations(self):
        nu, split = 0.02, SoftSplit((0.9,), centres=20, sites=25)
        x, y = observed(nu, 0)
        model = Model.of(CONVECTION.problem(nu=nu), split, x, y, np.full(50, NOISE), 100.0)
        assert model.stacked.rows.shape == (50 + 50, 40)
        assert np.allclose(model.stacked.rows[:50], matrix(model.trial, x, [1.0]) / NOISE)
        assert np.allclose(model.stacked.target[:50], (y - x) / NOISE)  # g(x) = x
        assert np.allclose(model.stacked.target[50:], -10.0)  # L[g] = 1

    def test_the_ends_hold_exactly_and_have_no_band(self):
        found = infer(CONVECTION.problem(nu=0.05), *observed(0.05, 1), NOISE, settings=SMALL)
        assert found.mean(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]
        assert found.std(np.array([0.0, 1.0])) == pytest.approx([0.0, 0.0], abs=1e-12)
        assert (found.std(np.array([0.3, 0.9])) > 0.0).all()

    def test_points_in_any_order_have_the_same_band(self):
        found = infer(CONVECTION.problem(nu=0.05), *observed(0.05, 1), NOISE, settings=SMALL)
        x = np.linspace(0.1, 0.95, 7)
        assert np.array_equal(found.std(x)[::-1], found.std(x[::-1]))


class TestInference:
    def test_finds_nu_roughly_and_keeps_every_evaluation(self):
        settings = Inverse(SoftSplit(centres=60, sites=80), evaluations=24)
        seen = []
        found = infer(CONVECTION.problem(nu=0.1), *observed(0.1, 0), NOISE, settings=settings, progress=seen.append)
        assert 0.5 < found.value / 0.1 < 2.0
        assert tuple(seen) == found.history
        assert len(found.history) == 24
        assert found.best.log_evidence == max(one.log_evidence for one in found.history)
        assert found.seconds > 0.0

    def test_same_seed_same_search(self):
        one, other = (
            infer(CONVECTION.problem(nu=0.1), *observed(0.1, 0), NOISE, settings=SMALL, seed=5) for _ in range(2)
        )
        assert [c.value for c in one.history] == [c.value for c in other.history]

    def test_order_of_the_data_does_not_matter(self):
        x, y = observed(0.1, 0)
        problem, point = CONVECTION.problem(nu=0.1), (0.1, 0.9, 30.0)
        sigma = np.full(50, NOISE)
        straight, _ = evaluate(problem, "nu", point, x, y, sigma, SMALL)
        found = infer(problem, x[::-1], y[::-1], NOISE, settings=SMALL)
        again, _ = evaluate(problem, "nu", (found.value, found.best.split, found.best.scale), x, y, sigma, SMALL)
        assert again.log_evidence == pytest.approx(found.best.log_evidence, rel=1e-12)
        assert straight.eta > 0.0

    def test_any_named_parameter_of_a_linear_problem_on_any_interval(self):
        problem = Problem("-u'' + k*u = 0", {"x": (-1, 2)}, ["u(-1) = 1", "u(2) = 3"], k=2.0)
        truth = np.sqrt(2.0)
        x = np.linspace(-0.9, 1.9, 40)
        y = (np.sinh(truth * (2.0 - x)) + 3.0 * np.sinh(truth * (x + 1.0))) / np.sinh(3.0 * truth)
        settings = Inverse(SoftSplit(centres=40, sites=60), bounds=(0.1, 20.0), evaluations=25)
        found = infer(problem, x, y, 1e-3, "k", settings)
        assert found.value == pytest.approx(2.0, rel=0.1)
        assert np.abs(found.mean(x) - y).max() < 0.02

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"unknown": "mu"}, "no parameter"),
            ({"x": np.linspace(0.0, 1.5, 50)}, "outside the domain"),
            ({"x": np.linspace(0.0, 1.0, 49)}, "pair them"),
            ({"y": np.full(50, np.nan)}, "NaN"),
            ({"sigma": 0.0}, "positive standard deviation"),
            ({"sigma": -1.0}, "positive standard deviation"),
            ({"x": np.array([]), "y": np.array([])}, "pair them"),
        ],
    )
    def test_bad_data_are_one_sentence(self, change, said):
        x, y = observed(0.1, 0)
        given = {"x": x, "y": y, "sigma": NOISE, "unknown": "nu", **change}
        with pytest.raises(InputError, match=said):
            infer(CONVECTION.problem(nu=0.1), given["x"], given["y"], given["sigma"], given["unknown"], SMALL)

    @pytest.mark.parametrize(
        "bad", [{"bounds": (1.0, 0.1)}, {"bounds": (0.0, 1.0)}, {"physics": 0.0}, {"method": "lu"}]
    )
    def test_bad_settings_are_refused(self, bad):
        with pytest.raises(InputError):
            Inverse(**bad)

    def test_nonlinear_problems_are_refused(self):
        problem = Problem("u'' - k*u**2 = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], k=1.0)
        with pytest.raises(InputError, match="linear"):
            infer(problem, [0.5], [0.5], 0.1, "k", SMALL)


class TestGuard:
    """The "plus" of expected improvement."""

    def closeness(self, exploration, seed):
        """How near to an earlier point a proposal for a noisy function is, median."""
        random = np.random.default_rng(seed)
        trials = minimise(
            lambda point: 10.0 + (point[0] - 0.5) ** 2 + 0.3 * random.normal(),
            [Range(0.0, 1.0)],
            16,
            initial=4,
            seed=seed,
            exploration=exploration,
        )
        x = np.array([trial.point[0] for trial in trials])
        return np.median([np.abs(x[:k] - x[k]).min() for k in range(4, 16)])

    def test_keeps_proposals_away_from_each_other_where_the_values_are_noisy(self):
        free, guarded = (np.median([self.closeness(e, seed) for seed in range(5)]) for e in (None, 0.5))
        assert guarded > 0.005
        assert guarded > 2.0 * free

    def test_changes_nothing_where_the_process_is_unsure_enough(self):
        searches = (
            minimise(lambda p: (p[0] - 0.3) ** 2, [Range(0.0, 1.0)], 7, initial=4, seed=1, exploration=e)
            for e in (None, 1e-9)
        )
        one, other = ([trial.point for trial in trials] for trials in searches)
        assert one == other


class TestLimits:
    def test_sensors_gather_at_the_outflow(self):
        x = sensors()
        assert (x[0], x[-1], x.size) == (0.0, 1.0, 50)
        assert (np.diff(x)[1:] < np.diff(x)[:-1]).all()

    def test_bound_is_the_spread_of_maximum_likelihood(self):
        # for small noise the estimate is linear in the noise: its spread is the bound
        nu, step, random = 0.02, 1e-6, np.random.default_rng(0)
        slope = (clean(nu * (1 + step)) - clean(nu * (1 - step))) / (2 * step)
        estimates = [slope @ (NOISE * random.normal(size=50)) / (slope @ slope) for _ in range(4000)]
        assert 100 * np.std(estimates) == pytest.approx(least_deviation(nu), rel=0.04)

    def test_evidence_of_clean_data_is_not_largest_at_the_truth(self):
        settings = {"nu": 0.1, "places": [0.9], "factors": np.geomspace(0.8, 1.25, 9).tolist()}
        found = diagnosis({**settings, "centres": 60, "sites": 80})
        assert found["evidence_at"] < -1.0  # percent
        assert found["held_pull"] < 0.0
        assert abs(found["misfit_at"]) < abs(found["evidence_at"])

    def test_peak_is_exact_for_a_parabola_in_the_logarithm(self):
        factors = np.geomspace(0.5, 2.0, 7)
        assert peak(factors, -((np.log(factors) - 0.1) ** 2)) == pytest.approx(np.exp(0.1))
        assert peak(factors, factors) == 2.0
