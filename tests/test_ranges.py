"""Ranges with a scale: ways there and back, slopes, ends, bad input."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import InputError
from gated_xtfc.ranges import Range

RANGES = [Range(-1.0, 3.0), Range(1e-8, 2.0, "log"), Range(0.8, 0.999, "logit"), Range(2, 5)]
S = np.linspace(0.0, 1.0, 101)


@pytest.mark.parametrize("one", RANGES, ids=str)
class TestRange:
    def test_unit_is_the_way_back(self, one):
        assert one.unit(one.place(S)) == pytest.approx(S, abs=1e-13)

    def test_slope_is_the_derivative(self, one):
        inner, step = S[1:-1], 1e-6
        difference = (one.place(inner + step) - one.place(inner - step)) / (2.0 * step)
        assert one.slope(inner) == pytest.approx(difference, rel=1e-7)

    def test_one_number_is_placed_as_in_an_array(self, one):
        for method in (one.place, one.slope):
            alone = [method(s) for s in S.tolist()]
            assert all(type(value) is float for value in alone)
            assert method(S) == pytest.approx(alone, rel=1e-14)
        assert [one.unit(value) for value in one.place(S).tolist()] == pytest.approx(S, abs=1e-13)

    def test_the_ends_are_met_and_never_left(self, one):
        assert one.place(np.array([0.0, 1.0])) == pytest.approx([one.low, one.high], rel=1e-15)
        placed = one.place(np.append(S, [1.0 - 1e-16, -0.1, 1.1]))
        assert ((placed >= one.low) & (placed <= one.high)).all()

    def test_values_outside_the_range_are_outside_the_unit_scale(self, one):
        below, above = one.unit(np.array([one.low - 1e-9, one.high + 1e-9]))
        assert below < 0.0
        assert above > 1.0


@pytest.mark.parametrize(
    ("prior", "scale"),
    [
        (gx.Uniform(1, 5), "linear"),
        (gx.Uniform(0.1, 5), "log"),
        (gx.LogUniform(1, 5), "log"),
        (gx.Normal(1, 0.1), "linear"),
        (gx.LogNormal(1, 0.1), "log"),
    ],
)
def test_a_prior_is_explored_on_the_scale_of_its_range(prior, scale):
    assert prior.range == Range(prior.low, prior.high, scale)
    assert (prior.place(S) == prior.range.place(S)).all()
    assert (prior.slope(S) == prior.range.slope(S)).all()
    assert (prior.unit(prior.place(S)) == prior.range.unit(prior.place(S))).all()


def test_priors_are_equal_where_all_their_numbers_are():
    assert gx.Normal(1, 0.2, 0, 2) == gx.Normal(1, 0.2, 0, 2)
    assert gx.Normal(1, 0.2, 0, 2) != gx.Normal(1, 0.3, 0, 2)
    assert gx.LogNormal(1, 0.2, 0.5, 2) != gx.LogNormal(1.1, 0.2, 0.5, 2)


@pytest.mark.parametrize(
    "bad", [(1.0, 0.0), (0.0, 1.0, "log"), (0.0, float("inf")), (0.0, 1.0, "cubic"), (0.0, 0.5, "logit")]
)
def test_ends_and_scale_are_checked(bad):
    with pytest.raises(InputError):
        Range(*bad)
