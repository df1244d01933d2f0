"""infer: sensitivities, posteriors against integrals that use the exact solution, fields, designs, evidence."""

import doctest
import math
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

import gated_xtfc as gx
from gated_xtfc.core import compiled
from gated_xtfc.inverse import noise as noises
from gated_xtfc.inverse.discrepancy import EquationResponse
from gated_xtfc.inverse.exact import explored
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.identifiability import PosteriorStatus
from gated_xtfc.inverse.infer import stated
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.node import Target
from gated_xtfc.inverse.noise import Scatter
from gated_xtfc.inverse.observations import observed
from gated_xtfc.inverse.sampler import sample
from gated_xtfc.types import Array

X = 1.0 - np.linspace(0.0, 1.0, 50) ** 3  # clustered towards the outflow
FLOW = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
FED = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = b"], nu=1e-2, b=1)


def exact(nu: float, x: Array = X) -> Array:
    return (np.exp((x - 1.0) / nu) - np.exp(-1.0 / nu)) / (1.0 - np.exp(-1.0 / nu))


def noisy(values: Array, seed: int, sigma: float = 0.01) -> Array:
    return values + sigma * np.random.default_rng(seed).standard_normal(values.size)


def forward_map(
    problem: gx.Problem, data: object, unknown: dict[str, object], scale: float = 1e-9, kernels: bool = False
) -> ForwardMap:
    observations = observed(problem, data)
    noise = np.full(observations.size, scale)
    return ForwardMap(problem, stated(problem, unknown), observations, noise, kernels=kernels)


def differences(forward: ForwardMap, place: Array, step: float = 1e-4) -> Array:
    columns = []
    for i in range(place.size):
        away = np.zeros(place.size)
        away[i] = step
        above, below = forward(place + away), forward(place - away)
        assert above is not None
        assert below is not None
        columns.append((above.prediction - below.prediction) / (2.0 * step))
    return np.stack(columns, axis=1)


def test_the_sensitivity_to_nu_is_that_of_the_exact_solution() -> None:
    forward = forward_map(FLOW, (X, X), {"nu": (1e-3, 1)})
    node = forward(np.array([0.4]))
    assert node is not None
    nu = forward.parameters(node.place)["nu"]
    known = [
        float(mpmath.diff(lambda q, x=x: mpmath.expm1(mpmath.mpf(x) / q) / mpmath.expm1(1 / q), mpmath.mpf(nu)))
        for x in X.tolist()
    ]
    assert np.abs(node.slopes[:, 0] - nu * math.log(1e3) * np.array(known)).max() < 1e-8


@pytest.mark.parametrize(
    ("problem", "data", "unknown"),
    [
        (FED, {"u'": (X, X)}, {"nu": (0.02, 1), "b": (0.5, 2)}),
        (
            gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = a", "u(1) = 3/2"], eps=0.02, a=-7 / 6),
            (X, X),
            {"eps": (0.01, 0.1), "a": (-1.3, -1.0)},
        ),
        (
            gx.Problem(
                "-nu*u'' + k*u = sin(w*x)",
                {"x": (0, 1)},
                ["u(0) = u(1)", "integral(c*u*x) = d"],
                nu=0.1, k=1, w=2, c=1, d=0.3,
            ),
            (X, X),
            {"nu": (0.005, 0.1), "k": (0.5, 3), "w": (1, 3), "c": (1, 2), "d": (0.1, 0.5)},
        ),
        (
            gx.Problem(["u' = v", "eps*v' = -k*exp(u)"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=1, k=1),
            {"v": (X, X), "u": (X[:5], X[:5])},
            {"k": (0.5, 2)},
        ),
        (
            gx.Problem(
                lambda x, u, k, s: u.xx - k * u + s * np.sin(x), {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], k=1, s=1
            ),
            (X, X),
            {"k": (0.5, 2), "s": (0.5, 3)},
        ),
    ],
    ids=["derivative data", "nonlinear", "integral and periodic", "system", "python function"],
)  # fmt: skip
def test_sensitivities_agree_with_differences_of_tight_solves(
    problem: gx.Problem, data: object, unknown: dict[str, object]
) -> None:
    forward = forward_map(problem, data, unknown)
    place = np.full(len(unknown), 0.4)
    node = forward(place)
    assert node is not None
    assert not forward.moving
    found = differences(forward, place)
    assert np.abs(node.slopes - found).max() < 1e-6 * np.abs(found).max()


def test_a_parameter_that_moves_a_jump_or_an_end_is_seen_and_differenced() -> None:
    jump = gx.Problem("-nu*u'' + where(x < a, 1, 4)*u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], nu=0.1, a=0.5)
    forward = forward_map(jump, (X, X), {"nu": (0.05, 0.2), "a": (0.2, 0.7)}, 1e-6)
    assert forward.moving == ("a",)
    node = forward(np.array([0.4, 0.4]))
    assert node is not None
    found = differences(forward, node.place, 1e-3)
    assert np.abs(node.slopes - found).max() < 1e-4 * np.abs(found).max()
    long = gx.Problem("u' - nu*u'' = 0", {"x": (0, "L")}, ["u(0) = 0", "u(L) = 1"], nu=0.1, L=1.5)
    assert forward_map(long, (X, X), {"L": (1.2, 2)}).moving == ("L",)


def test_a_forward_map_is_a_value_and_the_journal_writes_down_what_it_was_asked() -> None:
    forward = forward_map(FLOW, (X, X), {"nu": (1e-3, 1)}, 1e-2)
    told: list[int] = []
    journal = Journal(forward, told.append)
    first, second = journal.solve(np.array([0.4])), journal.solve(np.array([0.4]))
    assert first is not None
    assert second is not None
    assert np.array_equal(first.prediction, second.prediction)
    assert journal.nodes == [first, second]
    assert told == [0, 1]
    assert journal.solves == 2
    beyond = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)  # none beyond k = 3.51
    failing = Journal(forward_map(beyond, (X, X), {"k": (0.5, 6)}, 1e-2))
    assert failing.solve(np.array([0.9])) is None
    assert [place.tolist() for place in failing.failures] == [[0.9]]


def test_the_posterior_of_one_unknown_is_the_integral_over_the_exact_solution() -> None:
    y = noisy(exact(0.01), 3)
    posterior = gx.infer(FLOW, (X, y), {"nu": (1e-4, 10)}, 0.01)

    def density(t: float) -> float:
        return float(np.exp(-0.5e4 * np.sum((y - exact(math.exp(t))) ** 2) + 20.0))

    centre = math.log(0.01)
    mass, first, second = (
        quad(lambda t, k=k: density(t) * math.exp(k * t), centre - 0.15, centre + 0.15, epsabs=0, points=[centre])[0]
        for k in range(3)
    )
    mean = first / mass
    std = math.sqrt(second / mass - mean**2)
    evidence = math.log(mass / math.log(1e5)) - 20.0 - 50 * math.log(0.01 * math.sqrt(2 * math.pi))
    assert abs(posterior.mean["nu"] - mean) < 1e-3 * std
    assert abs(posterior.std["nu"] - std) < 1e-3 * std
    assert abs(posterior.evidence - evidence) < 5e-3
    low, high = posterior.interval("nu", 0.95)
    below = quad(density, centre - 0.15, math.log(low), epsabs=0)[0] / mass
    above = quad(density, math.log(high), centre + 0.15, epsabs=0)[0] / mass
    assert abs(below - 0.025) < 5e-4
    assert abs(above - 0.025) < 5e-4


def test_a_linear_unknown_has_the_posterior_of_linear_regression() -> None:
    shape = exact(0.05)
    y = noisy(1.3 * shape, 1)
    problem = FED(nu=0.05)
    known = gx.infer(problem, (X, y), {"b": (-50, 60)}, 0.01)
    mean, std = shape @ y / (shape @ shape), 0.01 / np.linalg.norm(shape)
    assert known.status == "determined"
    assert abs(known.mean["b"] - mean) < 1e-3 * std
    assert abs(known.std["b"] - std) < 1e-3 * std
    unknown = gx.infer(problem, (X, y), {"b": (-50, 60)})
    rest = float(np.sum((y - mean * shape) ** 2))
    # Student's t with 49 degrees of freedom, and an inverse chi distribution
    assert unknown.std["b"] == pytest.approx(math.sqrt(rest / 47) / np.linalg.norm(shape), rel=5e-3)
    sigma = math.sqrt(rest / 2) * math.exp(math.lgamma(24.0) - math.lgamma(24.5))
    assert unknown.mean["noise"] == pytest.approx(sigma, rel=5e-3)


def test_two_linear_unknowns_have_the_posterior_of_linear_regression() -> None:
    problem = gx.Problem("-u'' + u = s", {"x": (0, 1)}, ["u(0) = a", "u(1) = 0"], s=1, a=0)
    shapes = np.stack([gx.solve(problem(s=s, a=a))(X) for s, a in ((0, 1), (1, 0))], axis=1)
    y = noisy(shapes @ np.array([0.4, 2.0]), 5)
    posterior = gx.infer(problem, (X, y), {"a": (-1, 2), "s": (0, 5)}, 0.01)
    covariance = 1e-4 * np.linalg.inv(shapes.T @ shapes)
    mean = np.linalg.solve(shapes.T @ shapes, shapes.T @ y)
    for i, name in enumerate(("a", "s")):
        std = math.sqrt(covariance[i, i])
        assert abs(posterior.mean[name] - mean[i]) < 2e-3 * std
        assert abs(posterior.std[name] - std) < 2e-3 * std
        low, high = posterior.interval(name, 0.95)
        assert abs(low - (mean[i] - 1.959964 * std)) < 5e-3 * std
        assert abs(high - (mean[i] + 1.959964 * std)) < 5e-3 * std
    expected = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    assert abs(posterior.correlation[0, 1] - expected) < 0.03
    volume = 2 * math.pi * math.sqrt(np.linalg.det(covariance)) / (3 * 5)
    misfit = float(np.sum((y - shapes @ mean) ** 2)) / 1e-4
    evidence = math.log(volume) - 0.5 * misfit - 50 * math.log(0.01 * math.sqrt(2 * math.pi))
    assert abs(posterior.evidence - evidence) < 5e-3


def test_a_skewed_posterior_of_two_unknowns_is_the_sum_over_a_fine_grid_of_exact_solutions() -> None:
    sigma, y = 0.3, noisy(exact(0.02), 3, 0.3)
    posterior = gx.infer(FED, (X, y), {"nu": (1e-3, 1), "b": (0, 3)}, sigma)
    s = (np.arange(600) + 0.5) / 600
    nus, ends = 1e-3 * 1e3**s, 3.0 * s
    shapes = np.stack([exact(nu) for nu in nus.tolist()])
    cross, squares = np.outer(shapes @ y, ends), np.outer(np.sum(shapes**2, axis=1), ends**2)
    logs = -0.5 * (y @ y - 2.0 * cross + squares) / sigma**2 - 50 * math.log(sigma * math.sqrt(2 * math.pi))
    weights = np.exp(logs - logs.max())
    assert abs(posterior.evidence - logs.max() - math.log(weights.mean())) < 5e-3
    for name, values, mass in (("nu", nus, weights.sum(axis=1)), ("b", ends, weights.sum(axis=0))):
        mean = np.average(values, weights=mass)
        std = math.sqrt(np.average((values - mean) ** 2, weights=mass))
        assert abs(posterior.mean[name] - mean) < 0.01 * std
        assert posterior.std[name] == pytest.approx(std, rel=0.01)


def test_five_unknowns_by_importance_have_the_posterior_of_linear_regression() -> None:
    source = "s + p*sin(pi*x) + q*cos(5*x)"
    problem = gx.Problem(f"-u'' + u = {source}", {"x": (0, 1)}, ["u(0) = a", "u(1) = b"], s=1, p=0, q=0, a=0, b=0)
    names = ("a", "b", "s", "p", "q")
    x = np.linspace(0.0, 1.0, 40)
    shapes = np.stack([gx.solve(problem(**{k: float(k == n) for k in names}))(x) for n in names], axis=1)
    y = noisy(shapes @ np.array([0.4, 0.2, 1.0, 0.5, -0.3]), 5, 1e-3)
    posterior = gx.infer(problem, (x, y), dict.fromkeys(names, (-3, 3)), 1e-3)
    covariance = 1e-6 * np.linalg.inv(shapes.T @ shapes)
    mean = np.linalg.solve(shapes.T @ shapes, shapes.T @ y)
    for i, name in enumerate(names):
        std = math.sqrt(covariance[i, i])
        assert abs(posterior.mean[name] - mean[i]) < 0.02 * std
        assert posterior.std[name] == pytest.approx(std, rel=0.02)


def test_interpolated_predictions_agree_with_solves_where_the_posterior_lives() -> None:
    observations = observed(FED, (X, noisy(exact(0.02), 2)))
    noise = noises.stated(observations, 0.01, None)
    priors = stated(FED, {"nu": (1e-3, 1), "b": (0.5, 2)})
    forward = ForwardMap(FED, priors, observations, noise.reference)
    found = explored(Journal(forward), Target(observations.y, noise, priors), np.random.default_rng(0))
    for place in found.drawn[:20]:
        node = forward(place)
        assert node is not None
        stacked = np.concatenate([np.vstack([one.prediction, one.slopes.T]) for one in found.nodes])
        assert (
            np.abs(found.interpolation.at(place[None, :], stacked) - node.prediction).max() < 1e-4
        )  # a hundredth of the noise


def test_intervals_of_the_paper_s_case_cover_the_truth_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(24):
        posterior = gx.infer(FLOW, (X, noisy(exact(0.01), seed)), {"nu": (1e-3, 1)}, 0.01)
        low, high = posterior.interval("nu", 0.5)
        covered += low <= 0.01 <= high
    assert 5 <= covered <= 19  # a binomial of 24 with probability 1/2, within three standard deviations


def test_the_field_s_mean_and_std_are_those_of_solves_at_draws() -> None:
    posterior = gx.infer(FLOW, (X, noisy(exact(0.02), 4)), {"nu": (1e-3, 1)}, 0.05)
    x = np.linspace(0.9, 1.0, 9)
    solved = np.stack([exact(nu, x) for nu in posterior.samples["nu"]])
    mean, std = posterior.predict(x)
    assert np.abs(mean - solved.mean(axis=0)).max() < 0.05 * std.max()
    assert np.abs(std - solved.std(axis=0)).max() < 0.05 * std.max()
    low, high = posterior.band(x, 0.9)
    assert np.abs(np.quantile(solved, [0.05, 0.95], axis=0) - np.stack([low, high])).max() < 1e-4


def test_data_of_a_derivative_and_of_two_fields_are_used() -> None:
    problem = gx.Problem(["u' = v", "nu*v' = v"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.1)
    truth = gx.solve(problem(nu=0.2))
    x = np.linspace(0.0, 1.0, 30)
    only_u = gx.infer(problem, {"u": (x, noisy(truth["u"](x), 0))}, {"nu": (0.05, 1)}, 0.01)
    both = gx.infer(
        problem, {"u": (x, noisy(truth["u"](x), 0)), "v": (x, noisy(truth["v"](x), 1))}, {"nu": (0.05, 1)}, 0.01
    )
    assert both.std["nu"] < 0.5 * only_u.std["nu"]
    assert abs(both.mean["nu"] - 0.2) < 4 * both.std["nu"]
    slope = gx.infer(FLOW, {"u'": (x, noisy(truth["v"](x), 2))}, {"nu": (0.05, 1)}, {"u'": 0.01})
    assert abs(slope.mean["nu"] - 0.2) < 4 * slope.std["nu"]


def test_per_point_standard_deviations_weigh_the_data() -> None:
    shape = exact(0.05)
    sigma = np.where(np.arange(50) % 2, 0.01, 0.1)
    y = shape + sigma * np.random.default_rng(0).standard_normal(50)
    posterior = gx.infer(FED(nu=0.05), (X, y, sigma), {"b": (0, 3)})
    precision = np.sum((shape / sigma) ** 2)
    assert posterior.mean["b"] == pytest.approx(np.sum(shape * y / sigma**2) / precision, abs=1e-3 / precision**0.5)
    assert posterior.std["b"] == pytest.approx(precision**-0.5, rel=1e-3)


def test_student_noise_is_not_moved_by_outliers() -> None:
    y = noisy(exact(0.02), 0)
    y[[3, 9, 14]] += 1.0
    normal = gx.infer(FLOW, (X, y), {"nu": (1e-3, 1)}, 0.01)
    robust = gx.infer(FLOW, (X, y), {"nu": (1e-3, 1)}, 0.01, student=4)
    inferred = gx.infer(FLOW, (X, y), {"nu": (1e-3, 1)}, student=4)
    assert abs(normal.mean["nu"] - 0.02) > 10 * normal.std["nu"]
    for posterior in (robust, inferred):
        assert abs(posterior.mean["nu"] - 0.02) < 4 * posterior.std["nu"]
    assert 0.005 < inferred.mean["noise"] < 0.02


def test_marginal_likelihoods_of_an_unknown_noise_are_its_integrals() -> None:
    residual = noisy(np.zeros(12), 0, 0.3)
    for student in (None, 4.0):
        scatter = Scatter("noise", slice(0, 12), None, 1e-3, 1e2, student)

        def likelihood(t: float, given: Scatter = scatter) -> float:
            return float(np.exp(given._given(residual, np.full(12, math.exp(t)))))

        mass = quad(likelihood, math.log(1e-3), math.log(1e2), points=[-2, -1, 0, 1], limit=200)[0] / math.log(1e5)
        assert float(scatter.log_likelihood(residual)) == pytest.approx(math.log(mass), abs=1e-3)


def test_a_normal_prior_joins_the_data_as_one_more_measurement() -> None:
    shape, y = exact(0.05), noisy(exact(0.05), 1, 0.1)
    posterior = gx.infer(FED(nu=0.05), (X, y), {"b": gx.Normal(1.2, 0.02)}, 0.1)
    precision = np.sum(shape**2) / 0.01 + 1 / 0.02**2
    mean = (shape @ y / 0.01 + 1.2 / 0.02**2) / precision
    assert posterior.mean["b"] == pytest.approx(mean, abs=2e-3 * precision**-0.5)
    assert posterior.std["b"] == pytest.approx(precision**-0.5, rel=2e-3)


@pytest.mark.parametrize(
    "prior", [gx.Uniform(0.1, 5), gx.LogUniform(1e-3, 2), gx.Normal(1, 0.5, 0, 3), gx.LogNormal(0.1, 1.5, 1e-3, 1)]
)
def test_priors_integrate_to_one_between_their_bounds(prior: object) -> None:
    s = np.linspace(0.0, 1.0, 20_001)
    density = np.exp(prior.log_density_on_scale(s))  # type: ignore[attr-defined]
    assert np.trapezoid(density, s) == pytest.approx(1.0, abs=1e-5)


def test_every_mode_is_found_and_weighed_and_named() -> None:
    # u depends on the square of a: both signs explain the data
    problem = gx.Problem("-u'' + a^2*u = 0", {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0"], a=1)
    x = np.linspace(0.0, 1.0, 20)
    y = noisy(gx.solve(problem(a=3))(x), 0)
    posterior = gx.infer(problem, (x, y), {"a": (-8, 7)}, 0.01)
    assert posterior.status == "several modes"
    assert "a has several modes" in posterior.message
    assert np.mean(posterior.samples["a"] > 0) == pytest.approx(0.5, abs=0.01)
    two = gx.infer(gx.Problem("-u'' + a^2*u = s", {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0"], a=1, s=0), (x, y),
                   {"a": (-8, 7), "s": (-2, 2)}, 0.01)  # fmt: skip
    assert np.mean(two.samples["a"] > 0) == pytest.approx(0.5, abs=0.03)
    assert "a has several modes" in two.message


def test_a_posterior_that_runs_into_a_bound_says_so() -> None:
    posterior = gx.infer(FLOW, (X, noisy(exact(0.01), 0)), {"nu": (0.011, 1)}, 0.01)
    assert posterior.interval("nu")[0] >= 0.011
    assert "nu runs into its lower bound 0.011" in posterior.message


def test_data_that_say_nothing_leave_the_prior_and_say_so() -> None:
    x = np.linspace(0.0, 0.5, 10)
    posterior = gx.infer(FLOW, (x, noisy(np.zeros(10), 0)), {"nu": (1e-4, 1e-2)}, 0.01)
    assert posterior.status == "wide"
    assert "little about nu" in posterior.message
    assert posterior.interval("nu")[1] / posterior.interval("nu")[0] > 10


def test_fewer_measurements_than_unknowns_leave_it_to_the_prior() -> None:
    posterior = gx.infer(FED, ([0.98], [0.2]), {"nu": (1e-3, 0.1), "b": (0.5, 2)}, 0.01)
    assert "1 measurement for 2 unknowns: the prior decides" in posterior.message


def test_a_region_that_cannot_be_solved_gets_no_weight_and_is_counted() -> None:
    problem = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)  # none beyond k = 3.51
    x = np.linspace(0.0, 1.0, 15)
    y = noisy(gx.solve(problem(k=2))(x), 0)
    posterior = gx.infer(problem, (x, y), {"k": (0.5, 6)}, 0.01)
    assert posterior.failures > 0
    assert "could not be solved: their region has no weight" in posterior.message
    assert abs(posterior.mean["k"] - 2) < 4 * posterior.std["k"]


MISSING = gx.Problem("u' - nu*u'' = 0.4*sin(6*x)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.1)


def test_a_missing_term_makes_the_exact_mode_overconfident_and_it_warns() -> None:
    y = noisy(gx.solve(MISSING)(X), 0)
    posterior = gx.infer(FLOW, (X, y), {"nu": (1e-2, 1)}, 0.01)
    assert abs(posterior.mean["nu"] - 0.1) > 4 * posterior.std["nu"]
    assert posterior.status == "misfit"
    assert "larger than the noise" in posterior.message
    unknown = gx.infer(FLOW, (X, y), {"nu": (1e-2, 1)})
    assert "neighbouring residuals go together" in unknown.message


def test_discrepancy_widens_where_the_equation_is_wrong_and_says_how_wrong() -> None:
    truth = gx.solve(MISSING)
    y = noisy(truth(X), 0)
    exactly = gx.infer(FLOW, (X, y), {"nu": (1e-2, 1)}, 0.01)
    softly = gx.infer(FLOW, (X, y), {"nu": (1e-2, 1)}, 0.01, discrepancy=True)
    assert softly.std["nu"] > 4 * exactly.std["nu"]
    assert abs(softly.mean["nu"] - 0.1) < 3 * softly.std["nu"]
    assert softly.status == "misfit"
    assert "does not explain the data" in softly.message
    assert softly.evidence > exactly.evidence + 10
    x = np.linspace(0.05, 0.95, 60)
    missed = np.abs(exactly.predict(x)[0] - truth(x)) / exactly.predict(x)[1]
    met = np.abs(softly.predict(x)[0] - truth(x)) / softly.predict(x)[1]
    assert np.median(missed) > 5
    assert np.median(met) < 1.5


def test_discrepancy_finds_none_where_the_equation_is_right() -> None:
    y = noisy(exact(0.05), 1)
    softly = gx.infer(FLOW, (X, y), {"nu": (1e-2, 1)}, 0.01, discrepancy=True)
    assert softly.status == "determined"
    assert softly.mean["discrepancy"] < 0.01
    assert abs(softly.mean["nu"] - 0.05) < 4 * softly.std["nu"]


WAVE = "u'' + w^2*u = 1"


@pytest.mark.parametrize(
    ("problem", "unknown"),
    [
        (FLOW, {"nu": (1e-3, 1)}),
        (
            gx.Problem("nu*u'' - k*u = x", {"x": (0, 1)}, ["u(0) = 0", "u'(1) = 1"], nu=1, k=1),
            {"nu": (1e-3, 1), "k": (1, 3)},
        ),
        (
            gx.Problem(
                "k*u'''' + u = sin(4*x)", {"x": (0, 1)}, [f"u{d}({x}) = 0" for d in ("", "'") for x in (0, 1)], k=1
            ),
            {"k": (1e-4, 1)},
        ),
        (
            gx.Problem(
                ["nu*u'' - v = k", "nu*v'' - u = x"],
                {"x": (0, 1)},
                [f"{f}({x}) = 0" for f in "uv" for x in (0, 1)],
                nu=1,
                k=2,
            ),
            {"nu": (1e-2, 1), "k": (1, 3)},
        ),
    ],
    ids=["layer", "two unknowns", "fourth order", "system"],
)
@pytest.mark.skipif(compiled.slopes is None, reason="there is no compiled core on this machine")
def test_elements_and_kernels_see_the_same(problem: gx.Problem, unknown: dict[str, object]) -> None:
    data = {problem.fields[-1]: (X, X), problem.fields[0] + "'": (X, X)}
    for s in (0.1, 0.5, 0.9):
        place = np.full(len(unknown), s)
        one, other = (forward_map(problem, data, unknown, 1e-5, kernels)(place) for kernels in (False, True))
        assert one is not None
        assert other is not None
        assert one.found is None, "by elements"
        assert other.found is not None
        np.testing.assert_allclose(one.prediction, other.prediction, rtol=0, atol=1e-5)
        np.testing.assert_allclose(one.slopes, other.slopes, rtol=1e-3, atol=1e-3 * np.abs(other.slopes).max())


@pytest.mark.parametrize(
    "problem",
    [
        FLOW(nu=0.1),
        gx.Problem(WAVE, {"x": (0, 1)}, ["u(0) = 0", "u'(0) = 1"], w=200),
        gx.Problem(WAVE, {"x": (0, 1)}, ["u(0) = 2*u(1)", "integral(u) = 1"], w=200),
        gx.Problem(
            "u'' + w^2*u = c", {"x": (0, 1)}, ["u(0) = 0", "u'(0) = 2*u'(1)", "integral(u) = 0.2"],
            unknown=["c"], w=200,
        ),
        gx.Problem("u'' + where(x < 0.3, 1, 2)*w^2*u = 1", {"x": (0, 1)}, ["u(0) = 0", "u'(0) = 1"], w=200),
    ],
    ids=["dense", "banded", "distant conditions", "unknown constant", "two pieces"],
)  # fmt: skip
def test_errors_of_the_equation_move_the_field_as_solves_with_each_of_them_do(problem: gx.Problem) -> None:
    name = next(iter(problem.parameters))
    value = problem.parameters[name]
    node = forward_map(problem, (X, X), {name: (value, 2 * value)}, 1e-2, kernels=True)(np.array([0.0]))
    assert node is not None
    found, frame = node.found, node.found.factor_trial
    inner = found.factor.homogeneous(np.eye(found.rows.target.size))[: frame.free.size]
    weights = np.zeros((node.fields.weights.shape[1], inner.shape[1]))
    weights[frame.free], weights[frame.pivots] = inner, -frame.couple @ inner
    kernels = node.fields.kernels(np.linspace(0.0, 1.0, 31), 0, 0)
    slow, fast = kernels @ weights, EquationResponse.of(found, 1.0)(kernels)
    assert np.abs(fast @ fast.T - slow @ slow.T).max() < 1e-6 * np.abs(slow @ slow.T).max()


def test_draws_of_a_soft_field_have_its_moments() -> None:
    y = noisy(gx.solve(MISSING)(X), 0)
    softly = gx.infer(FLOW, (X, y), {"nu": (1e-2, 1)}, 0.01, discrepancy=True)
    x = np.linspace(0.05, 0.95, 19)
    mean, std = softly.predict(x)
    drawn = softly.field_model.draws(x, 0, 0)
    assert np.abs(drawn.mean(axis=0) - mean).max() < 4 * std.max() / math.sqrt(960)
    assert np.abs(drawn.std(axis=0) / std - 1).max() < 0.1


def test_the_next_sites_shrink_the_posterior_more_than_evenly_spaced_ones() -> None:
    first = np.linspace(0.0, 1.0, 8)
    y = noisy(exact(0.02, first), 0)
    before = gx.infer(FLOW, (first, y), {"nu": (1e-3, 1)}, 0.01)
    widths = {}
    for name, sites in (("chosen", before.next_sites(4)), ("even", np.linspace(0.2, 0.8, 4))):
        x = np.concatenate([first, sites])
        more = np.concatenate([y, noisy(exact(0.02, sites), 1)])
        widths[name] = gx.infer(FLOW, (x, more), {"nu": (1e-3, 1)}, 0.01).std["nu"]
    assert widths["chosen"] < 0.5 * widths["even"]


def test_compare_models_prefers_the_equation_that_made_the_data() -> None:
    y = noisy(gx.solve(MISSING)(X), 0)
    posteriors = {
        name: gx.infer(problem, (X, y), {"nu": (1e-2, 1)}, 0.01)
        for name, problem in (("plain", FLOW), ("driven", MISSING))
    }
    table = gx.compare_models(**posteriors)
    assert table.best.name == "driven"
    assert sum(one.probability for one in table.candidates) == pytest.approx(1.0)
    behind = posteriors["driven"].evidence - posteriors["plain"].evidence
    assert table.candidates[1].behind == pytest.approx(behind)
    assert "driven" in str(table)
    other = gx.infer(FLOW, (X, y + 1e-3), {"nu": (1e-2, 1)}, 0.01)
    with pytest.raises(gx.InputError, match="other data"):
        gx.compare_models(posteriors["plain"], other)
    with pytest.raises(gx.InputError, match="two posteriors"):
        gx.compare_models(other)


MODES = pytest.mark.parametrize("options", [{}, {"discrepancy": True}], ids=["exact", "soft"])


@pytest.fixture
def no_solves(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called on, every solve on an interval fails the test."""

    def refuse(*_: object) -> None:
        pytest.fail("something was solved")

    def forbid() -> None:
        monkeypatch.setattr("gated_xtfc.solver.interval.discretisation.fit", refuse)
        for module, other in (("attempts", "bounded"), ("interval.element_family", "interval.element_family")):
            monkeypatch.setattr(f"gated_xtfc.solver.{module}.attempt_elements", refuse)
            monkeypatch.setattr(f"gated_xtfc.solver.{other}.found_at_once", refuse)

    return forbid


@MODES
def test_save_and_load_give_back_the_same_posterior(tmp_path: Path, options: dict[str, bool]) -> None:
    posterior = gx.infer(FLOW, (X, noisy(exact(0.05), 0)), {"nu": gx.LogNormal(0.05, 0.5)}, 0.01, **options)
    posterior.save(tmp_path / "posterior.npz")
    again = gx.load(tmp_path / "posterior.npz")
    assert isinstance(again, gx.Posterior)
    assert again.summary() == posterior.summary()
    x = np.linspace(0.8, 1.0, 7)
    assert np.array_equal(again.predict(x), posterior.predict(x))
    assert np.array_equal(again.band(x), posterior.band(x))
    assert np.array_equal(again.samples["nu"], posterior.samples["nu"])
    assert np.array_equal(again.next_sites(2), posterior.next_sites(2))


@MODES
def test_a_posterior_solves_nothing_not_even_after_loading(
    tmp_path: Path, options: dict[str, bool], no_solves: Callable[[], None]
) -> None:
    posterior = gx.infer(FLOW, (X, noisy(exact(0.05), 0)), {"nu": (1e-2, 1)}, **options)
    no_solves()
    posterior.save(tmp_path / "posterior.npz")
    again = gx.load(tmp_path / "posterior.npz")
    assert isinstance(again, gx.Posterior)
    x = np.linspace(0.8, 1.0, 7)
    for one in (posterior, again):
        one.predict(x)
        one.predict(0.9, "u''")
        one.band(x)
        one.next_sites(2)
        one.field_model.draws(x, 0, 0)
    with pytest.raises(pytest.fail.Exception, match="something was solved"):
        posterior.solution()


def test_a_file_that_has_only_places_still_opens(tmp_path: Path, no_solves: Callable[[], None]) -> None:
    now = gx.infer(FLOW, (X, noisy(exact(0.05), 0)), {"nu": gx.LogNormal(0.05, 0.5)}, 0.01, discrepancy=True)
    then = gx.load(Path(__file__).parent / "data" / "posterior_places_only.npz")
    assert isinstance(then, gx.Posterior)
    no_solves()
    assert then.mean == pytest.approx(now.mean, rel=1e-9)
    x = np.linspace(0.8, 1.0, 7)
    for before, after in zip(then.predict(x), now.predict(x), strict=True):
        assert before == pytest.approx(after, rel=1e-6, abs=1e-9)
    then.save(tmp_path / "now.npz")
    assert np.array_equal(gx.load(tmp_path / "now.npz").predict(x), then.predict(x))  # type: ignore[union-attr]


def test_a_number_gives_numbers_and_an_array_an_array_of_its_shape() -> None:
    posterior = gx.infer(FLOW, (X, noisy(exact(0.05), 0)), {"nu": (1e-2, 1)}, 0.01)
    for ask in (posterior.predict, posterior.band):
        assert [type(value) for value in ask(0.9)] == [float, float]
        assert [value.shape for value in ask([[0.8, 0.9, 1.0]])] == [(1, 3), (1, 3)]
        assert ask(0.9)[0] == pytest.approx(ask(np.array([0.9]))[0][0])


def test_a_posterior_with_two_unknowns_and_noise_is_saved_drawn_and_written(tmp_path: Path) -> None:
    posterior = gx.infer(FED, (X, noisy(exact(0.02), 0)), {"nu": (1e-3, 1), "b": (0.5, 2)})
    posterior.save(tmp_path / "two.npz")
    again = gx.load(tmp_path / "two.npz")
    assert np.array_equal(again.predict(X), posterior.predict(X))  # type: ignore[attr-defined]
    posterior.plot(tmp_path / "two.svg")
    posterior.to_csv(tmp_path / "two.csv")
    posterior.to_json(tmp_path / "two.json")
    lines = (tmp_path / "two.csv").read_text().splitlines()
    assert lines[0] == "nu,b,noise"
    assert len(lines) == 1 + posterior.samples["nu"].size
    assert "<svg" in (tmp_path / "two.svg").read_text()


def test_the_same_seed_gives_the_same_posterior() -> None:
    y = noisy(exact(0.02), 0)
    first, second = (gx.infer(FED, (X, y), {"nu": (1e-3, 1), "b": (0.5, 2)}, 0.01, seed=3) for _ in range(2))
    assert first.mean == second.mean
    assert np.array_equal(first.samples["nu"], second.samples["nu"])


def test_the_sampler_draws_from_a_correlated_density() -> None:
    pytest.importorskip("emcee")
    covariance = np.array([[0.01, 0.006], [0.006, 0.01]])
    precision = np.linalg.inv(covariance)

    def density(places: Array) -> Array:
        away = places - 0.5
        return np.asarray(-0.5 * np.einsum("ki,ij,kj->k", away, precision, away))

    random = np.random.default_rng(0)
    drawn = sample(density, 0.5 + 0.05 * random.standard_normal((16, 2)), random)
    assert np.abs(drawn.mean(axis=0) - 0.5).max() < 0.01
    assert np.abs(np.cov(drawn.T) - covariance).max() < 0.001


def test_without_the_sampler_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "emcee", None)
    with pytest.raises(gx.InputError, match=r"pip install '.*\[inverse\]'"):
        sample(lambda places: places[:, 0], np.full((8, 2), 0.5), np.random.default_rng(0))


def test_the_manual_lists_every_status() -> None:
    text = (Path(__file__).parents[1] / "docs" / "inverse.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([a-z ]+) \|", text.partition("| status | meaning |")[2], flags=re.MULTILINE)
    assert sorted(listed) == sorted(PosteriorStatus)


@pytest.mark.parametrize("module", ["infer", "posterior", "model_comparison", "identifiability"])
def test_examples_in_docstrings_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(import_module(f"gated_xtfc.inverse.{module}"))
    assert tried
    assert not failed
