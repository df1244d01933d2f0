"""infer where more than one value explains the data, or an edge, an outlier or the clock stands in the way."""

import tracemalloc

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.inverse.interpolation import Hermite, Patchwork, Polynomial
from gated_xtfc.inverse.measure import Marginal
from gated_xtfc.inverse.peaks import densest, peaks
from gated_xtfc.inverse.resolution import RESOLVED
from gated_xtfc.types import Array

WAVE = gx.Problem("u'' + w^2*u = 0", {"x": (0, 1)}, ["u(0) = a", "u'(0) = 0"], w=10, a=1)
SINK = gx.Problem("-u'' + k*u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
FLOW = gx.Problem("u' - nu*u'' = f*sin(6*x)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.1, f=0)
EVEN = np.linspace(0.0, 1.0, 11)


def noisy(values: Array, seed: int, sigma: float) -> Array:
    return values + sigma * np.random.default_rng(seed).standard_normal(values.size)


def brute_force(x: Array, y: Array, sigma: float) -> tuple[Array, Array]:
    """Frequencies and their masses under a prior even in the logarithm."""
    w = np.geomspace(1.0, 60.0, 100_001)
    logs = np.array([-0.5 * np.sum((y - np.cos(one * x)) ** 2) for one in w]) / sigma**2
    mass = np.exp(logs - logs.max())
    return w, mass / mass.sum()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_frequency_and_its_alias_are_both_found_and_weighed_as_brute_force_does(seed: int) -> None:
    y = noisy(np.cos(25.832 * EVEN), seed, 0.05)
    posterior = gx.infer(WAVE, (EVEN, y), {"w": (1, 60)}, 0.05)
    w, mass = brute_force(EVEN, y, 0.05)
    assert posterior.status == "several modes"
    assert "w has several modes, near 25.8" in posterior.message
    assert len(posterior.modes) == 2
    for mode, near in zip(posterior.modes, (25.8, 37.0), strict=True):
        there = np.abs(w - near) < 2.0
        assert mode.mass == pytest.approx(mass[there].sum(), abs=2e-3)
        assert mode.mean["w"] == pytest.approx(np.average(w[there], weights=mass[there]), abs=2e-3)
        below, above = (mass[there & (w < end)].sum() / mass[there].sum() for end in mode.interval("w", 0.9))
        assert below == pytest.approx(0.05, abs=5e-3)
        assert above == pytest.approx(0.95, abs=5e-3)
    held = [mass[(w > low) & (w < high)].sum() for low, high in posterior.highest_density("w", 0.9)]
    assert len(held) == 2
    assert sum(held) == pytest.approx(0.9, abs=5e-3)


def test_intervals_of_a_frequency_drawn_from_its_prior_hold_it_as_often_as_they_say() -> None:
    held = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        x, w = np.sort(random.random(11)), float(gx.Uniform(1, 60).draw(random, 1)[0])
        y = np.cos(w * x) + 0.05 * random.standard_normal(11)
        posterior = gx.infer(WAVE, (x, y), {"w": gx.Uniform(1, 60)}, 0.05)
        held += any(low <= w <= high for low, high in posterior.highest_density("w", 0.95))
    assert held >= 26  # a binomial of 30 with probability 0.95, within two standard deviations


def test_aliases_of_a_frequency_are_found_with_an_amplitude_beside_it() -> None:
    y = noisy(1.3 * np.cos(15.2 * EVEN), 0, 0.05)
    posterior = gx.infer(WAVE, (EVEN, y), {"w": (1, 60), "a": (0.5, 2)}, 0.05)
    means = [mode.mean["w"] for mode in posterior.modes]
    assert means == pytest.approx([15.2, 20 * np.pi - 15.2], abs=0.15)
    # the same misfit, and a prior that is even in the logarithm
    assert posterior.modes[0].mass == pytest.approx(means[1] / (means[0] + means[1]), abs=0.01)
    assert [mode.std["a"] for mode in posterior.modes] == pytest.approx([0.023, 0.023], abs=0.005)


@pytest.mark.parametrize("seed", [6, 7])
def test_a_bent_posterior_is_the_sum_over_a_fine_grid_of_exact_solutions(seed: int) -> None:
    problem = gx.Problem("-u'' + a^2*u = s", {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0"], a=1, s=0)
    random = np.random.default_rng(seed)
    x, truth = np.linspace(0.0, 1.0, 20), {"a": random.uniform(0.1, 1.4), "s": random.uniform(-0.6, 1.6)}
    y = gx.solve(problem(**truth))(x) + 0.02 * random.standard_normal(20)
    posterior = gx.infer(problem, (x, y), {"a": (-8, 7), "s": (-2, 2)}, 0.02)
    a, s = np.linspace(-8, 7, 2000)[:, None], np.linspace(-2, 2, 801)
    left, right = np.sinh(a * (1 - x)) / np.sinh(a), np.sinh(a * x) / np.sinh(a)
    rest, shape = y - left, (1.0 - left - right) / a**2
    logs = np.sum(rest**2, axis=1)[:, None] - 2 * np.outer(np.sum(rest * shape, axis=1), s)
    logs = -0.5 * (logs + np.outer(np.sum(shape**2, axis=1), s**2)) / 0.02**2
    mass = np.exp(logs - logs.max())
    for name, grid, own in (("a", a.ravel(), mass.sum(axis=1)), ("s", s, mass.sum(axis=0))):
        below = np.interp(posterior.distributions[name].curve.grid, grid, (np.cumsum(own) - 0.5 * own) / own.sum())
        assert np.abs(below - posterior.distributions[name].curve.total).max() < 0.02
    assert posterior.status != "approximate"


def test_one_mode_is_the_whole_posterior() -> None:
    posterior = gx.infer(WAVE, (EVEN, noisy(np.cos(3.0 * EVEN), 0, 0.05)), {"w": (1, 6)}, 0.05)
    (mode,) = posterior.modes
    assert mode.mass == 1.0
    assert mode.interval("w") == posterior.interval("w")
    ((low, high),) = posterior.highest_density("w")
    assert (low, high) == pytest.approx(posterior.interval("w"), rel=0.01)


def test_a_soft_equation_says_that_it_follows_one_mode_alone() -> None:
    even = gx.Problem("-u'' + a^2*u = 0", {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0"], a=1)
    y = noisy(gx.solve(even(a=3))(EVEN), 0, 0.01)
    posterior = gx.infer(even, (EVEN, y), {"a": (-5, 4)}, 0.01, discrepancy=True)
    assert "only the highest was followed" in posterior.message


@pytest.mark.parametrize(("k", "end"), [(0.0, 0), (5.0, 1)])
def test_an_interval_begins_at_the_bound_that_the_posterior_runs_into(k: float, end: int) -> None:
    x, held = np.linspace(0.1, 0.9, 9), 0
    for seed in range(10):
        posterior = gx.infer(SINK, (x, noisy(gx.solve(SINK(k=k))(x), seed, 0.01)), {"k": (0, 5)}, 0.01)
        low, high = posterior.interval("k")
        curve = posterior.distributions["k"].curve
        below, above = np.interp([low, high], curve.grid, curve.total)
        assert above - below == pytest.approx(0.95, abs=2e-3)
        if (low, high)[end] == k:
            held += 1
            assert f"bound {k:g}: move the bound, or take its one-sided interval" in posterior.message
    assert held >= 8


def test_an_unknown_scale_of_student_s_t_is_integrated_out_for_every_value_of_the_parameter() -> None:
    x = np.linspace(0.0, 1.0, 30)
    random = np.random.default_rng(3)
    y = gx.solve(FLOW(nu=0.1))(x) + 0.02 * random.standard_t(4, 30)
    posterior = gx.infer(FLOW, (x, y), {"nu": (0.01, 3)}, student=4)
    nu, scale = np.geomspace(0.01, 3, 1501), np.geomspace(1e-3, 1.0, 400)
    shapes = np.expm1(x / nu[:, None]) / np.expm1(1.0 / nu[:, None])
    squares = (y - shapes) ** 2
    logs = np.stack([-30 * np.log(s) - 2.5 * np.log1p(squares / (4 * s**2)).sum(axis=1) for s in scale], axis=1)
    mass = np.exp(logs - logs.max()).sum(axis=1)
    total = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    for level, value in zip((0.025, 0.975), posterior.interval("nu"), strict=True):
        assert np.interp(value, nu, total) == pytest.approx(level, abs=2e-3)


def test_a_wrong_equation_is_noticed_under_student_s_t() -> None:
    x = np.linspace(0.0, 1.0, 40)
    y = noisy(gx.solve(FLOW(f=0.4))(x), 0, 0.01)
    assert "neighbouring residuals go together" in gx.infer(FLOW, (x, y), {"nu": (0.01, 1)}, student=4).message


def test_a_right_equation_with_two_modes_is_not_called_a_misfit() -> None:
    y = noisy(np.cos(25.832 * EVEN), 0, 0.05)
    message = gx.infer(WAVE, (EVEN, y), {"w": (1, 60)}, 0.05).message
    assert "does not explain the data" not in message


@pytest.mark.parametrize("unknown", [{"w": (1, 300)}, {"w": (1, 300), "a": (0.5, 2)}], ids=["one", "two"])
def test_a_time_that_is_up_ends_exploring_and_is_told(unknown: dict[str, tuple[float, float]]) -> None:
    y = noisy(np.cos(222.0 * EVEN), 0, 0.05)
    posterior = gx.infer(WAVE, (EVEN, y), unknown, 0.05, max_seconds=1e-3)
    assert posterior.status == "approximate"
    assert "the time was up after" in posterior.message
    with pytest.raises(gx.InputError, match="max_seconds is 0: give a positive number"):
        gx.infer(WAVE, (EVEN, y), unknown, 0.05, max_seconds=0)


def test_a_box_that_cannot_be_searched_is_said_to_be_unsearched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gated_xtfc.inverse.search.MOST", {2: 10})
    y = noisy(np.cos(55.0 * EVEN), 0, 0.05)
    message = gx.infer(WAVE, (EVEN, y), {"w": (1, 60), "a": (0.5, 2)}, 0.05).message
    assert "a further mode may be missed" in message


def test_no_steps_however_wide_resolve_a_wave_that_they_cannot_follow() -> None:
    theta = np.linspace(2.0, 40.0, 2001)
    value = np.abs(1.0 - np.cos(theta) - 0.5 * theta * np.sin(theta))
    slope = theta * np.abs(1.0 - 1.5 * np.sin(theta) / theta + 0.5 * np.cos(theta))
    assert np.hypot(value, slope).min() > RESOLVED * np.sqrt(2.0)


def test_cubics_at_points_are_their_rows_times_the_values() -> None:
    random = np.random.default_rng(0)
    hermite = Hermite(np.sort(random.random(7)))
    points, values = random.random((50, 1)), random.standard_normal((14, 3))
    assert np.allclose(hermite.at(points, values), hermite.rows(points) @ values, atol=1e-9)
    h = 1e-6
    slopes = (hermite.at(points + h, values) - hermite.at(points - h, values)) / (2.0 * h)
    scale = np.abs(slopes).max()
    assert np.median(np.abs(hermite.slopes_at(points, values) - slopes)) < 1e-6 * scale


def test_peaks_and_densest_sets_of_a_mixture_are_where_its_formula_has_them() -> None:
    x = np.linspace(-4.0, 12.0, 4001)
    density = 0.7 * np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi) + 0.3 * np.exp(-0.5 * (x - 8.0) ** 2) / np.sqrt(2 * np.pi)
    total = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(x))])
    curve = Marginal(x, density, total / total[-1])
    found = peaks(curve)
    assert [peak.value for peak in found] == pytest.approx([0.0, 8.0], abs=5e-3)
    assert [peak.mass for peak in found] == pytest.approx([0.7, 0.3], abs=1e-3)
    sets = densest(curve, 0.95, logarithmic=False)
    ends = np.array(sets).ravel()
    assert np.ptp(np.interp(ends, x, density)) < 2e-3 * density.max()
    assert np.diff(np.interp(np.array(sets), x, curve.total), axis=1).sum() == pytest.approx(0.95, abs=1e-3)


def test_what_patches_say_of_mean_and_covariance_is_that_of_the_values_at_the_points():
    random = np.random.default_rng(3)
    spread = 0.05 * np.eye(2)
    patches = tuple(
        Polynomial(centre, spread, 2, centre + random.standard_normal((7, 2)) @ spread)
        for centre in (np.array([0.2, 0.3]), np.array([0.7, 0.6]))
    )
    patchwork = Patchwork(patches)
    points = np.concatenate([p.centre + random.standard_normal((200, 2)) @ spread for p in patches])
    weights = random.random(400)
    weights /= weights.sum()
    values = random.standard_normal((2 * 7 * 3, 4))
    found, owner = patchwork.at(points, values), patchwork.owner(points)
    for i, patch in enumerate(patches):  # each patch has the values of its own nodes only
        assert np.allclose(found[owner == i], patch.at(points[owner == i], values[21 * i : 21 * (i + 1)]))
    mean, covariance = patchwork.moments(points, weights)
    away = found - weights @ found
    assert np.allclose(mean @ values, weights @ found)
    assert np.allclose(values.T @ covariance @ values, (away * weights[:, None]).T @ away)


def test_many_modes_take_no_memory_for_nodes_of_other_modes():
    """Four unknowns with aliases: a row for every node at every point would be gigabytes."""
    problem = gx.Problem("u'' + w^2*u = s*sin(q*x)", {"x": (0, 1)}, ["u(0) = a", "u'(0) = 0"], w=10, a=1, s=0, q=1)
    y = noisy(np.cos(20.0 * EVEN), 0, 0.05)
    unknown = {"w": (1, 60), "a": (0.5, 2), "s": (-5, 5), "q": (1, 30)}
    tracemalloc.start()
    posterior = gx.infer(problem, (EVEN, y), unknown, noise=0.05, max_seconds=8)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1.5e9
    low, high = posterior.interval("a")
    assert low < 1.0 < high
