"""Elements cover the interval, are short where gates are thin, and are the same for one member and for many."""

import numpy as np
import pytest

from gated_xtfc.core import compiled
from gated_xtfc.discretise.partition import DECAY, SHAPES, GatedInterval

needs_core = pytest.mark.skipif(compiled.solve is None, reason="there is no compiled core on this machine")
EXPONENTIAL, TURNING = 0.35, 0.17


def random_gates(rng, members=None):
    count = int(rng.integers(0, 5))
    shape = (count,) if members is None else (count, members)
    thickness = 10 ** rng.uniform(-12, 0, shape)
    location = np.where(rng.random(shape) < 0.5, rng.choice([-2.0, 3.0], shape), rng.uniform(-2, 3, shape))
    return location, thickness, rng.choice([EXPONENTIAL, TURNING], count).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_elements_follow_one_another_from_end_to_end(seed):
    rng = np.random.default_rng(seed)
    found = GatedInterval(-2.0, 3.0, *random_gates(rng)).partition()
    starts = found.anchor + found.offset
    stops = found.anchor + (found.offset + found.length)
    assert (starts[0], stops[-1]) == (-2.0, 3.0)
    assert (found.length > 0).all()
    np.testing.assert_allclose(starts[1:], stops[:-1], rtol=0, atol=2e-15)


@pytest.mark.parametrize("seed", range(10))
def test_members_side_by_side_are_cut_like_each_alone(seed):
    rng = np.random.default_rng(seed)
    location, thickness, grading = random_gates(rng, members=3)
    gated = GatedInterval(-2.0, 3.0, location, thickness, grading)
    together, counts = gated.partition(), gated.counts()
    assert together.length.shape[0] == counts.max()
    for k in range(3):
        pair = [k, int(counts.argmax())]  # the one that needs most says how many there are
        beside = GatedInterval(-2.0, 3.0, location[:, pair], thickness[:, pair], grading).partition()
        for one, other in zip(together, beside, strict=True):
            np.testing.assert_array_equal(one[:, k], other[:, 0])
    neediest = counts.argmax()
    alone = GatedInterval(-2.0, 3.0, location[:, neediest], thickness[:, neediest], grading).partition()
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one[:, neediest], other)


@needs_core
@pytest.mark.parametrize("members", [1, 7])
@pytest.mark.parametrize("seed", range(10))
def test_the_core_and_its_twin_cut_alike(seed, members):
    rng = np.random.default_rng(seed)
    gated = GatedInterval(-2.0, 3.0, *random_gates(rng, members), 2.0, bool(seed % 2))
    for one, other in zip(gated.compiled_partition(), gated.plain_partition(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-25)


@needs_core
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 5e-324])
def test_gates_of_any_numbers_are_cut_or_refused(bad):
    location, thickness = np.array([[0.0, 1.0], [1.0, bad]]), np.array([[1e-3, bad], [bad, 1e-3]])
    for some in ((0.0, 1.0), (0.0, bad), (bad, bad)):
        for outer in (2.0, bad):
            GatedInterval(*some, location, thickness, [EXPONENTIAL, TURNING], outer).compiled_partition()


@needs_core
def test_arrays_of_gates_that_do_not_fit_are_refused():
    two, out = np.ones((1, 2)), np.empty((3, 9, 2))
    some = (2, np.ones((1, 3)), out), (0, two, out), (-1, two, out), (2, two, out.ravel()[:50])
    for members, thickness, room in some:
        with pytest.raises(ValueError, match="do not fit together"):
            compiled.partition(0.0, 1.0, members, two, thickness, np.ones(1), 2.0, False, SHAPES, room)


@pytest.mark.parametrize("thickness", [1e-3, 1e-8, 1e-14, 1e-40])
def test_an_exponential_layer_has_the_same_elements_however_thin(thickness):
    found = GatedInterval(0.0, 1.0, np.array([1.0]), np.array([0.6 * thickness]), [EXPONENTIAL]).partition()
    inner = -found.offset[found.anchor == 1.0][-5:] / thickness
    np.testing.assert_allclose(inner[::-1], DECAY[1:], rtol=0.03)


def test_elements_at_a_gate_inside_grow_with_the_distance_from_it():
    found = GatedInterval(0.0, 1.0, np.array([0.4]), np.array([1e-6]), [TURNING]).partition()
    middle = np.abs((found.anchor - 0.4) + (found.offset + 0.5 * found.length))
    assert (found.length <= 4.5 * np.hypot(1e-6, TURNING * middle)).all()


def test_a_gate_that_is_not_there_changes_nothing():
    with_one = GatedInterval(0.0, 1.0, np.array([1.0, 0.0]), np.array([1e-4, np.inf]), [EXPONENTIAL] * 2).partition()
    without = GatedInterval(0.0, 1.0, np.array([1.0]), np.array([1e-4]), [EXPONENTIAL]).partition()
    np.testing.assert_allclose(with_one.length, without.length, rtol=1e-12)
