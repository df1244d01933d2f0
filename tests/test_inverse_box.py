"""The box that holds all unknowns at once: as likely as it says, whether they go together or not."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.inverse.box import box
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.measure import Marginal
from gated_xtfc.types import Array

SEEN = 1e-2  # of a share of 4000 draws


def normal(draws: Array) -> Distribution:
    return Distribution(0.0, 1.0, Marginal.of_points(draws, np.full(draws.size, 1.0 / draws.size)), False)


@pytest.mark.parametrize("tie", [0.0, 0.9, -0.9])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_share_of_draws_in_the_box_is_its_level_however_unknowns_go_together(tie: float, level: float) -> None:
    draws = np.random.default_rng(0).standard_normal((3, 4000))
    draws[1] = tie * draws[0] + np.sqrt(1.0 - tie**2) * draws[1]
    samples = dict(zip("abc", draws, strict=True))
    found = box({name: normal(one) for name, one in samples.items()}, samples, level)
    inside = [(low <= samples[name]) & (samples[name] <= high) for name, (low, high) in found.items()]
    assert np.mean(np.all(inside, axis=0)) == pytest.approx(level, abs=SEEN)
    shares = np.mean(inside, axis=1)
    assert shares == pytest.approx(np.full(3, shares.mean()), abs=SEEN)  # none is favoured


def test_of_unknowns_that_are_one_the_box_is_their_intervals() -> None:
    draws = np.random.default_rng(0).standard_normal(4000)
    one = normal(draws)
    found = box({"a": one, "b": one}, {"a": draws, "b": draws}, 0.9)
    for ends in found.values():
        assert ends == pytest.approx(one.interval(0.9), abs=2 * SEEN)


def test_intervals_that_hold_each_unknown_are_too_narrow_for_all_and_the_box_is_not() -> None:
    """Six measurements, three unknowns: single intervals hold all of them less often than each."""
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = b"], nu=0.1, b=1)
    x = np.linspace(0.4, 0.95, 6)
    y = gx.solve(problem(nu=0.2, b=1.2))(x) + 0.01 * np.random.default_rng(1).standard_normal(6)
    posterior = gx.infer(problem, (x, y), {"nu": (0.05, 1.0), "b": (0.5, 2.0)})
    assert set(posterior.box()) == {"nu", "b", "noise"}

    def share(intervals: dict[str, tuple[float, float]]) -> float:
        inside = [(low <= posterior.samples[name]) & (posterior.samples[name] <= high)
                  for name, (low, high) in intervals.items()]  # fmt: skip
        return float(np.mean(np.all(inside, axis=0)))

    assert share({name: posterior.interval(name) for name in posterior.names}) < 0.93
    assert share(posterior.box(0.95)) == pytest.approx(0.95, abs=SEEN)


def test_of_one_unknown_the_box_is_its_interval_and_no_level_beyond_one_is_taken() -> None:
    decay = gx.Problem("u' + k*u = 0", {"x": (0, 2)}, ["u(0) = 1"], k=1)
    x = np.linspace(0, 2, 20)
    y = np.exp(-1.5 * x) + 0.01 * np.random.default_rng(0).standard_normal(20)
    posterior = gx.infer(decay, (x, y), {"k": (0.1, 10)}, 0.01)
    assert posterior.box(0.8) == {"k": posterior.interval("k", 0.8)}
    with pytest.raises(gx.InputError, match="the level of a box"):
        posterior.box(1.0)
