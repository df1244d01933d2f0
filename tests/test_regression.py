"""Heteroskedastic ridge regression: the formulas of the paper's appendix, and bands that cover."""

import json

import numpy as np
import pytest

from gated_xtfc.errors import InputError
from gated_xtfc.published.ridge import HeteroskedasticFit, HeteroskedasticRidge, quantile, smoothed

NINE = np.arange(9.0)


def noisy(random, n=400, spread=lambda x: 0.1 * np.exp(0.9 * (x + 1.0))):
    """A cubic whose scatter grows sixfold from left to right."""
    x = random.uniform(-1.0, 1.0, n)
    return x, cubic(x) + spread(x) * random.normal(size=n)


def cubic(x):
    return 1.0 - 2.0 * x + 0.5 * x**2 + 1.5 * x**3


def printed(x, y, weights, ridge):
    """(F'WF + rI)^-1 F'W and its trace with F, as the appendix writes them."""
    features = np.vander(x, 4, increasing=True)
    inverse = np.linalg.inv(features.T @ (weights[:, None] * features) + ridge * np.eye(4))
    shrunk = inverse @ features.T * weights
    return features, shrunk, float(np.trace(features @ shrunk))


def test_coefficients_covariance_and_variance_are_the_printed_formulas():
    x, y = noisy(np.random.default_rng(1), 150)
    settings = HeteroskedasticRidge(bandwidth=0.2)
    found = settings.fit(x, y)
    width, weights = 0.2 * np.ptp(x), np.ones(x.size)
    for k in range(3):
        # the ridge of the last pass is what the fit reports; before, the least GCV over the same candidates
        candidates = [found.ridge] if k == 2 else ridges(x, weights)
        ridge = min(candidates, key=lambda r: gcv(x, y, weights, r))
        features, shrunk, _ = printed(x, y, weights, ridge)
        residuals = y - features @ (shrunk @ y)
        kernel = np.exp(-0.5 * ((x[:, None] - x) / width) ** 2)
        variance = kernel @ residuals**2 / kernel.sum(axis=1)
        used, weights = weights, 1.0 / variance
    assert np.allclose(found.coefficients, shrunk @ y, rtol=1e-8)
    inner = features.T @ np.diag(used * variance * used) @ features
    inverse = np.linalg.inv(features.T @ np.diag(used) @ features + found.ridge * np.eye(4))
    assert np.allclose(found.covariance, inverse @ inner @ inverse, rtol=1e-6)
    at = np.array([-0.7, 0.1, 0.9])
    prediction, phi = found.predict(at), np.vander(at, 4, increasing=True)
    assert np.allclose(prediction.mean, phi @ found.coefficients)
    assert np.allclose(prediction.model**2, np.diag(phi @ found.covariance @ phi.T), rtol=1e-8)
    local = smoothed(at[:, None], x[:, None], residuals**2, np.array([width]))
    assert np.allclose(prediction.noise**2, local, rtol=1e-8)


def ridges(x, weights):
    from gated_xtfc.published.ridge import RIDGES

    features = np.vander(x, 4, increasing=True)
    largest = np.linalg.norm(np.sqrt(weights)[:, None] * features, 2)
    return RIDGES * largest**2


def gcv(x, y, weights, ridge):
    features, shrunk, trace = printed(x, y, weights, ridge)
    return float(weights @ (y - features @ (shrunk @ y)) ** 2) / (x.size - trace) ** 2


def test_chosen_ridge_has_the_least_generalised_cross_validation():
    random = np.random.default_rng(2)
    x = random.uniform(-1.0, 1.0, 12)
    y = 0.5 + x + random.normal(size=12)  # so much noise that shrinking pays
    found = HeteroskedasticRidge(passes=1).fit(x, y)
    weights = np.ones(12)
    least = min(gcv(x, y, weights, ridge) for ridge in np.geomspace(1e-8, 1e3, 400))
    assert gcv(x, y, weights, found.ridge) <= least * (1 + 1e-3)  # candidates are a tenth of a decade apart
    assert found.ridge > 1e-6


def test_sandwich_is_the_scatter_of_the_coefficients_over_repeated_data():
    random = np.random.default_rng(3)
    fits = [HeteroskedasticRidge(bandwidth=0.15).fit(*noisy(random, 200)) for _ in range(400)]
    scatter = np.cov(np.array([fit.coefficients for fit in fits]).T)
    claimed = np.mean([fit.covariance for fit in fits], axis=0)
    assert np.allclose(np.sqrt(np.diag(claimed)), np.sqrt(np.diag(scatter)), rtol=0.12)


def test_bands_cover_new_values_everywhere_although_the_scatter_varies_sixfold():
    random = np.random.default_rng(4)
    shares = []
    for _ in range(40):
        found = HeteroskedasticRidge().fit(*noisy(random))
        x, y = noisy(random, 500)
        low, high = found.predict(x).interval(0.95)
        inside = (low <= y) & (y <= high)
        shares.append([inside[x < -0.5].mean(), inside[np.abs(x) < 0.5].mean(), inside[x > 0.5].mean()])
    assert np.all(np.abs(np.mean(shares, axis=0) - 0.95) < 0.02)


def test_model_band_covers_the_true_mean():
    random, grid = np.random.default_rng(5), np.linspace(-0.9, 0.9, 7)
    inside = []
    for _ in range(200):
        prediction = HeteroskedasticRidge().fit(*noisy(random, 200)).predict(grid)
        inside.append(np.abs(prediction.mean - cubic(grid)) <= quantile(0.95) * prediction.model)
    assert abs(np.mean(inside) - 0.95) < 0.03


def test_weights_make_the_fit_better_where_the_noise_is_small():
    random, quiet = np.random.default_rng(6), np.linspace(-1.0, -0.8, 5)
    errors = {passes: [] for passes in (1, 3)}
    for _ in range(100):
        x, y = noisy(random, 200)
        for passes, found in errors.items():
            fit = HeteroskedasticRidge(passes=passes).fit(x, y)
            found.append(np.abs(fit.predict(quiet).mean - cubic(quiet)).mean())
    assert np.mean(errors[3]) < 0.8 * np.mean(errors[1])


def test_leverage_gives_back_what_a_fit_to_few_points_takes_from_the_residuals():
    random = np.random.default_rng(7)
    found = {True: [], False: []}
    for _ in range(300):
        x, y = noisy(random, 12, lambda x: 1.0 + 0.0 * x)
        for leverage, variances in found.items():
            fit = HeteroskedasticRidge(bandwidth=10.0, leverage=leverage).fit(x, y)
            variances.append(fit.variance(np.zeros((1, 1)))[0])
    assert np.mean(found[False]) < 0.85  # eight degrees of freedom of twelve
    assert 0.9 < np.mean(found[True]) < 1.6


def test_several_inputs_reproduce_any_polynomial_of_the_degree():
    random = np.random.default_rng(8)
    x = random.uniform((-4.0, 1.0), (-2.0, 50.0), (80, 2))
    y = 2.0 - x[:, 0] * x[:, 1] + 0.01 * x[:, 1] ** 2 + x[:, 0] ** 3
    found = HeteroskedasticRidge(scaled=True).fit(x, y)
    new = random.uniform((-4.0, 1.0), (-2.0, 50.0), (30, 2))
    exact = 2.0 - new[:, 0] * new[:, 1] + 0.01 * new[:, 1] ** 2 + new[:, 0] ** 3
    assert np.allclose(found.predict(new).mean, exact, rtol=1e-6, atol=1e-6)


def test_order_of_the_points_and_shape_of_one_input_do_not_matter():
    x, y = noisy(np.random.default_rng(9), 60)
    one, other = HeteroskedasticRidge().fit(x, y), HeteroskedasticRidge().fit(x[::-1, None], y[::-1])
    assert np.allclose(one.coefficients, other.coefficients, rtol=1e-9)
    assert np.allclose(one.predict(0.3).std, other.predict([[0.3]]).std, rtol=1e-9)


def test_two_inputs_that_go_together_are_no_obstacle():
    x = np.random.default_rng(10).uniform(-1.0, 1.0, 100)
    both = np.column_stack([x, 3.0 * x])
    found = HeteroskedasticRidge(degree=1).fit(both, 2.0 - 5.0 * x)
    assert np.allclose(found.predict(both).mean, 2.0 - 5.0 * x, atol=1e-6)


def test_far_from_all_points_the_scatter_is_that_of_the_nearest():
    x, y = noisy(np.random.default_rng(11))
    found = HeteroskedasticRidge(bandwidth=0.02).fit(x, y)
    prediction = found.predict([100.0])
    assert np.isfinite(prediction.std).all()
    assert prediction.noise[0] == pytest.approx(np.sqrt(found.squares[np.argmax(x)]))
    assert prediction.model[0] > 100 * found.predict([0.0]).model[0]


def test_a_fit_survives_json():
    x, y = noisy(np.random.default_rng(12), 50)
    found = HeteroskedasticRidge(degree=2, scaled=True).fit(x, y)
    again = HeteroskedasticFit.read(json.loads(json.dumps(found.record())))
    assert again.settings == found.settings
    for name in ("mean", "model", "noise"):
        assert np.array_equal(getattr(again.predict(x), name), getattr(found.predict(x), name))


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda: HeteroskedasticRidge(degree=-1), "degree is -1"),
        (lambda: HeteroskedasticRidge(passes=0), "passes is 0"),
        (lambda: HeteroskedasticRidge(bandwidth=0.0), "bandwidth is 0.0"),
        (lambda: HeteroskedasticRidge().fit([1.0, 2.0, 3.0], [1.0, 2.0]), "3 inputs but values of shape"),
        (lambda: HeteroskedasticRidge().fit(np.arange(4.0), np.arange(4.0)), "4 points for 4 coefficients"),
        (lambda: HeteroskedasticRidge().fit(np.arange(9.0), np.full(9, np.nan)), "NaN"),
        (lambda: HeteroskedasticRidge(degree=1).fit(np.ones(9), np.arange(9.0)), "input 1 is 1 at every point"),
        (lambda: HeteroskedasticRidge(degree=1).fit(NINE, NINE).predict(np.ones((2, 2))), "2 inputs"),
        (lambda: HeteroskedasticRidge().fit(np.ones((2, 2, 2)), np.ones(2)), "shape"),
        (lambda: quantile(1.0), "level"),
    ],
)
def test_bad_input_is_one_sentence(attempt, said):
    with pytest.raises(InputError, match=said) as caught:
        attempt()
    assert "\n" not in str(caught.value)
