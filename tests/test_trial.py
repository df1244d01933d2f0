"""The constrained expression meets every condition for every coefficient vector, to rounding of what is added up."""

import numpy as np
import pytest

from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.discretise.trial import Functionals, Trial
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.domain import Axis

EPSILON = float(np.finfo(float).eps)
AXIS = Axis("x", 0.0, 1.0)
SMOOTH = (Coordinate(0.0, 1.0, 1 / 7),)
THIN = (Coordinate(0.0, 1.0, 1 / 7, (Layer(0.0, 1e-4), Layer(1.0, 1e-8))),)
BROKEN = (
    Coordinate(0.0, 0.3, 0.05, (Layer(0.3, 1e-3),)),
    Coordinate(0.3, 0.8, 0.1),
    Coordinate(0.8, 1.0, 0.03, (Layer(0.8, 1e-5), Layer(1.0, 1e-5))),
)
COORDINATES = {"smooth": SMOOTH, "thin layers": THIN, "breaks": BROKEN}
CONDITIONS = {
    "first order": ["u(0.5) = 2"],
    "Dirichlet": ["u(0) = 0", "u(1) = 1"],
    "Neumann": ["u'(0) = -3", "u(1) = 1"],
    "initial values": ["u(0) = 1", "u'(0) = -2"],
    "Robin": ["u(0) + 3*u'(0) = 1", "u(1) - 1e-6*u'(1) = 2"],
    "multi-point": ["u(0.25) + u(0.5) - 2*u(1) = 1", "u(0.1) = 7*u(0.9)"],
    "periodic": ["u(0) = u(1)", "u'(0) = u'(1)"],
    "clamped": ["u(0) = 0", "u'(0) = 1", "u(1) = 2", "u'(1) = 3"],
    "high derivatives": ["u''(0) = 1", "u'''(0) = 2", "u''(1) - u(1) = 3", "u'(0) + u'''(1) = 4"],
    "third order": ["u(0) = 1", "u''(0.5) = 2", "u(0) - u'(1) = 3"],
}
INTEGRALS = {
    "integral": (["u(0) = 0", "integral(u) = 1"], lambda x: {0: 1.0}),
    "weighted integral": (["u(0) = 0", "integral(x*exp(-x)*u) = 0.5"], lambda x: {0: x * np.exp(-x)}),
    "integral of a derivative": (
        ["u(0.5) = 0", "u(0) = u(1)", "integral(cos(x)*u' - u'') = -1"],
        lambda x: {1: np.cos(x), 2: -1.0},
    ),
}


def trial_of(texts, coordinates, density=1.5):
    order = len(texts)
    conditions = tuple(ConditionReader(AXIS, {"u": order}, {}).read(text) for text in texts)
    pieces = Piecewise(tuple(Gaussian.on(coordinate, density) for coordinate in coordinates))
    return Trial.on(Functionals(pieces, ("u",), (order,), conditions))


def random_function(trial, seed=0):
    """Weights of the free and the switching part for random coefficients."""
    coefficients = np.random.default_rng(seed).normal(size=trial.free.size)
    return trial.weights(coefficients)


def size_of(trial, point, order, weights):
    """What is added up for u^(order) at a point, in absolute values: the scale of its rounding."""
    kernels = np.abs(trial.basis.matrix(np.array([point]), order)[0])
    return float(kernels @ (np.abs(weights[0]) + np.abs(weights[1])))


def fine_quadrature(pieces):
    """Points and weights of a rule finer than, and different from, the library's own."""
    nodes, factors = np.polynomial.legendre.leggauss(21)
    points, weights = [], []
    for basis in pieces.bases:
        c = basis.coordinate
        edges = c.inverse(np.linspace(0.0, c.length, 2 * int(c.length) + 3))
        edges[0], edges[-1] = c.left, c.right
        half = 0.5 * np.diff(edges)[:, None]
        points.append((edges[:-1, None] + half * (1.0 + nodes)).ravel())
        weights.append((half * factors).ravel())
    return np.concatenate(points), np.concatenate(weights)


@pytest.mark.parametrize("where", COORDINATES)
@pytest.mark.parametrize("kind", CONDITIONS)
def test_point_conditions_hold_for_random_coefficients(kind, where):
    trial = trial_of(CONDITIONS[kind], COORDINATES[where])
    for seed in range(5):
        weights = random_function(trial, seed)
        for condition in trial.functionals.conditions:
            found, size = -condition.value, abs(condition.value)
            for term in condition.terms:
                value = trial.basis.evaluate(np.array([term.point]), term.order, *weights)[0]
                found += term.weight * value
                size += abs(term.weight) * size_of(trial, term.point, term.order, weights)
            assert abs(found) <= 8 * EPSILON * size, condition.text


@pytest.mark.parametrize("where", COORDINATES)
@pytest.mark.parametrize("kind", INTEGRALS)
def test_integral_conditions_hold_for_random_coefficients(kind, where):
    texts, density = INTEGRALS[kind]
    trial = trial_of(texts, COORDINATES[where])
    condition = trial.functionals.conditions[-1]
    x, w = fine_quadrature(trial.basis)
    for seed in range(5):
        weights = random_function(trial, seed)
        found, size = -condition.value, abs(condition.value)
        for order, c in density(x).items():
            found += float(np.sum(w * c * trial.basis.evaluate(x, order, *weights)))
            # points of a quadrature are numbers, rounded: each may stand half a spacing from where it should
            for k, part in ((order, 1.0), (order + 1, np.spacing(np.abs(x)) / EPSILON)):
                size += float(np.sum(w * np.abs(c * part * trial.basis.evaluate(x, k, *weights))))
        assert abs(found) <= 32 * EPSILON * size


@pytest.mark.parametrize("kind", ["Dirichlet", "periodic", "clamped", "third order"])
def test_the_function_and_its_derivatives_agree_from_both_sides_of_a_break(kind):
    trial = trial_of(CONDITIONS[kind], BROKEN)
    pieces = trial.basis
    for seed in range(5):
        free, switch = random_function(trial, seed)
        for p, at in enumerate(pieces.breaks):
            for order in range(len(CONDITIONS[kind])):
                sides = [pieces.piece_row(p + side, float(at), order) for side in (0, 1)]
                gap = sum(sign * (side @ free + side @ switch) for sign, side in zip((1, -1), sides, strict=True))
                size = sum(float(np.abs(side) @ (np.abs(free) + np.abs(switch))) for side in sides)
                assert abs(gap) <= 8 * EPSILON * size


@pytest.mark.parametrize("where", COORDINATES)
def test_conditions_that_tie_two_fields_hold_for_random_coefficients(where):
    orders = {"u": 2, "v": 1}
    texts = ["u(0) + 2*v(1) = 3", "u'(1) - v(0) = 1", "u(0.5) = v(0.5)"]
    conditions = tuple(ConditionReader(AXIS, orders, {}).read(text) for text in texts)
    pieces = Piecewise(tuple(Gaussian.on(coordinate, 1.5) for coordinate in COORDINATES[where]))
    trial = Trial.on(Functionals(pieces, ("u", "v"), (2, 1), conditions))
    free, switch = random_function(trial)
    for condition in conditions:
        found, size = -condition.value, abs(condition.value)
        for term in condition.terms:
            own = slice("uv".index(term.field), None, 2)
            point = np.array([term.point])
            found += term.weight * pieces.evaluate(point, term.order, free[own], switch[own])[0]
            kernels = np.abs(pieces.matrix(point, term.order)[0])
            size += abs(term.weight) * float(kernels @ (np.abs(free[own]) + np.abs(switch[own])))
        assert abs(found) <= 8 * EPSILON * size, condition.text


@pytest.mark.parametrize("kind", [*CONDITIONS, *INTEGRALS])
def test_zero_coefficients_leave_the_particular_function_which_meets_the_conditions(kind):
    texts = CONDITIONS[kind] if kind in CONDITIONS else INTEGRALS[kind][0]
    trial = trial_of(texts, THIN)
    free, switch = trial.weights(np.zeros(trial.free.size))
    assert not free.any()
    np.testing.assert_allclose(switch[trial.pivots], trial.particular, rtol=1e-9, atol=1e-9 * np.abs(switch).max())


@pytest.mark.parametrize("where", COORDINATES)
@pytest.mark.parametrize("kind", CONDITIONS)
def test_there_is_one_coefficient_for_every_kernel_that_meets_no_condition(kind, where):
    trial = trial_of(CONDITIONS[kind], COORDINATES[where])
    order = len(CONDITIONS[kind])
    assert trial.pivots.size == order * (1 + trial.basis.breaks.size)
    assert sorted([*trial.pivots, *trial.free]) == list(range(trial.basis.size))


@pytest.mark.parametrize("where", COORDINATES)
@pytest.mark.parametrize("kind", CONDITIONS)
def test_reduced_columns_act_on_coefficients_as_the_operator_on_the_function(kind, where):
    trial = trial_of(CONDITIONS[kind], COORDINATES[where])
    pieces = trial.basis
    x = pieces.inverse(np.linspace(0.01, pieces.length - 0.01, 40))
    raw = pieces.matrix(x, 0)
    coefficients = np.random.default_rng(3).normal(size=trial.free.size)
    found = trial.reduce(raw) @ coefficients + raw[:, trial.pivots] @ trial.particular
    weights = trial.weights(coefficients)
    size = np.abs(raw) @ (np.abs(weights[0]) + np.abs(weights[1]))
    assert (np.abs(found - pieces.evaluate(x, 0, *weights)) <= 1e-11 * size.max()).all()
    assert (np.abs(raw @ trial.all_weights(coefficients) - found) <= 1e-11 * size.max()).all()


def test_supports_of_conditions_at_the_ends_stand_at_the_ends():
    trial = trial_of(CONDITIONS["Dirichlet"], THIN)
    left, right = trial.pivots
    assert left < 25
    assert right > trial.basis.size - 25
    assert np.count_nonzero(trial.couple[0]) < trial.free.size // 2


@pytest.mark.parametrize(
    ("texts", "says", "names"),
    [
        (["u(0) = 1", "2*u(0) = 2"], "same thing twice", ["'u(0) = 1'", "'2*u(0) = 2'"]),
        (["u(0) = 1", "2*u(0) = 3"], "contradict", ["'u(0) = 1'", "'2*u(0) = 3'"]),
        (["integral(u') = 1", "u(1) - u(0) = 1"], "same thing twice", ["integral(u')", "u(1) - u(0)"]),
        (["integral(u') = 1", "u(1) - u(0) = 2"], "contradict", ["integral(u')", "u(1) - u(0)"]),
        (["integral(u) = 1", "integral(2*u) = 2"], "same thing twice", ["integral(u) = 1", "integral(2*u) = 2"]),
        (["u(0.5) = 1", "u(0.5 + 1e-14) = 1"], "same thing twice", ["u(0.5) = 1", "u(0.5 + 1e-14) = 1"]),
    ],
)
def test_conditions_that_depend_on_each_other_are_named(texts, says, names):
    with pytest.raises(InputError, match=says) as refused:
        trial_of(texts, SMOOTH)
    assert all(name in str(refused.value) for name in names)


def test_conditions_that_have_nothing_to_do_with_a_dependence_are_not_blamed():
    with pytest.raises(InputError) as refused:
        trial_of(["u(0) = 1", "u'(0.5) = 3", "integral(u') = 1", "u(1) - u(0) = 1"], SMOOTH)
    assert "u'(0.5)" not in str(refused.value)


def test_a_condition_without_effect_on_any_kernel_is_named():
    with pytest.raises(InputError, match=r"'integral\(0\*x\*u\) = 1' does not involve the solution"):
        trial_of(["u(0) = 1", "integral(0*x*u) = 1"], SMOOTH)


def test_without_conditions_every_kernel_is_free():
    pieces = Piecewise((Gaussian.on(SMOOTH[0], 1.5),))
    trial = Trial.on(Functionals(pieces, ("u",), (2,), ()))
    assert np.array_equal(trial.free, np.arange(pieces.size))
    coefficients = np.arange(1.0, pieces.size + 1.0)
    assert np.array_equal(trial.all_weights(coefficients), coefficients)
