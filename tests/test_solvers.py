"""The banded and the bordered factorisation do what the dense one does, in memory that grows like the band."""

from dataclasses import dataclass

import numpy as np
import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.discretise.kernel_window import dense_from_windows
from gated_xtfc.discretise.rows import equation_rows
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.linalg.banded import BLOCK, Banded
from gated_xtfc.linalg.dense import Dense
from gated_xtfc.linalg.dense_columns import WithDenseColumns
from gated_xtfc.linalg.dense_constraints import WithDenseConstraints
from gated_xtfc.linalg.windowed import WindowedMatrix
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval import fit
from gated_xtfc.solver.interval.discretisation import predict
from gated_xtfc.solver.interval.layout import IntervalLayout

LINE = {"x": (0, 1)}


@dataclass(frozen=True)
class System:
    """A random well-conditioned banded least squares problem, as a strip and as a matrix."""

    strip: WindowedMatrix
    matrix: np.ndarray


def random_band(size, window=9, over=2, seed=0):
    """`over` rows for each column, in no particular order, with no supports."""
    rng = np.random.default_rng(seed)
    first = rng.permutation(np.repeat(np.arange(size), over))
    values = rng.normal(size=(first.size, window))
    values[:, 0] += 4.0 * np.sign(values[:, 0])
    strip = WindowedMatrix(first, values, np.zeros((first.size, 0)), np.zeros((0, size)))
    # windows run on beyond the last column, as those of padded pieces do
    return System(strip, dense_from_windows(first, values, size))


def layout_of(equation, conditions, density=1.5, width=None, **parameters):
    """Operator and layout of a problem on its predicted coordinate, or on a plain one of the given width."""
    operator = Operator(Problem(equation, LINE, conditions, **parameters))
    coordinates = predict(operator) if width is None else (Coordinate(0.0, 1.0, width),)
    return operator, IntervalLayout.on(operator.problem, coordinates, density)


def system_of(*statement, **settings):
    """Trial and rows of a problem."""
    operator, layout = layout_of(*statement, **settings)
    return layout.trial, equation_rows(layout.x, layout.window, operator(layout.points))[layout.site_indices]


def fitted(equation, conditions, parameters):
    operator, layout = layout_of(equation, conditions, **parameters)
    return fit.fit(layout, operator(layout.points))


def close(found, expected, bound):
    return np.abs(found - expected).max() <= bound * np.abs(expected).max()


@pytest.mark.parametrize("size", [5, BLOCK, BLOCK + 1, 200])
def test_banded_least_squares_is_dense_least_squares(size):
    system = random_band(size)
    target = np.random.default_rng(1).normal(size=(system.matrix.shape[0], 3))
    expected = np.linalg.lstsq(system.matrix, target)[0]
    assert close(Banded.of(system.strip).solve(target), expected, 1e-12)
    assert close(Dense.of(system.matrix).solve(target), expected, 1e-12)


@pytest.mark.parametrize("size", [5, BLOCK + 1, 200])
def test_adjoint_is_the_features_times_the_pseudo_inverse(size):
    system = random_band(size)
    features = np.random.default_rng(2).normal(size=(4, size))
    expected = features @ np.linalg.pinv(system.matrix)
    assert close(Banded.of(system.strip).adjoint(features), expected, 1e-12)
    assert close(Dense.of(system.matrix).adjoint(features), expected, 1e-12)


@pytest.mark.parametrize("make", [lambda s: Banded.of(s.strip), lambda s: Dense.of(s.matrix)], ids=["banded", "dense"])
def test_adjoint_and_solve_are_one_operator(make):
    factor = make(random_band(150))
    rng = np.random.default_rng(3)
    features, target = rng.normal(size=(5, 150)), rng.normal(size=(300, 2))
    assert close(factor.adjoint(features) @ target, features @ factor.solve(target), 1e-12)


@pytest.mark.parametrize("scales", [np.logspace(-150, 150, 120), np.ones(120)], ids=["wild", "even"])
def test_the_lengths_of_columns_do_not_matter(scales):
    system = random_band(120)
    target = np.random.default_rng(4).normal(size=(240, 1))
    expected = np.linalg.lstsq(system.matrix, target)[0]
    found = Dense.of(system.matrix * scales).solve(target)
    assert close(found * scales[:, None], expected, 1e-12)


@pytest.mark.parametrize("make", [lambda s: Banded.of(s.strip), lambda s: Dense.of(s.matrix)], ids=["banded", "dense"])
def test_columns_that_no_row_sees_get_no_weight(make):
    system = random_band(150)
    system.strip.values[:, :] = np.where(system.strip.first[:, None] + np.arange(9) == 70, 0.0, system.strip.values)
    system.matrix[:, 70] = 0.0
    factor = make(system)
    target = np.random.default_rng(5).normal(size=(300, 1))
    found = factor.solve(target)
    assert factor.rank == 149
    assert found[70] == 0.0
    assert close(found, np.linalg.lstsq(system.matrix, target)[0], 1e-12)


@pytest.mark.parametrize("kind", ["banded", "dense"])
def test_columns_that_depend_on_each_other_cost_no_accuracy_of_the_fit(kind):
    system = random_band(150, seed=6)
    values, first = system.strip.values, system.strip.first
    # column 80 becomes what column 81 is
    for i in np.flatnonzero((first <= 80) & (first + 8 >= 81)):
        values[i, 80 - first[i]] = values[i, 81 - first[i]]
    for i in np.flatnonzero((first + 8 == 80) | (first == 81)):
        values[i, 8 if first[i] + 8 == 80 else 0] = 0.0
    matrix = dense_from_windows(first, values, 150)
    assert np.array_equal(matrix[:, 80], matrix[:, 81])
    factor = Banded.of(system.strip) if kind == "banded" else Dense.of(matrix)
    target = np.random.default_rng(7).normal(size=(300, 1))
    found = factor.solve(target)
    best = np.linalg.norm(target - matrix @ np.linalg.lstsq(matrix, target)[0])
    assert np.isfinite(found).all()
    assert np.linalg.norm(target - matrix @ found) <= best * (1.0 + 1e-10)


def test_columns_that_few_rows_see_are_no_obstacle():
    rng = np.random.default_rng(12)
    first = np.sort(np.concatenate([[0, 20, 40], rng.integers(50, 150, size=400)]))
    values = rng.normal(size=(first.size, 30))
    strip = WindowedMatrix(first, values, np.zeros((first.size, 0)), np.zeros((0, 150)))
    matrix, target = dense_from_windows(first, values, 150), rng.normal(size=(first.size, 1))
    found = Banded.of(strip).solve(target)
    best = np.linalg.norm(target - matrix @ np.linalg.lstsq(matrix, target)[0])
    assert np.linalg.norm(target - matrix @ found) <= best * (1.0 + 1e-8)


@pytest.mark.parametrize(
    "conditions",
    [["u(0) = 0", "u(1) = 1"], ["u'(0) = 2", "u(0) = 1"], ["u(0.5) = 0", "u'(1) = 1"]],
    ids=["ends", "start", "inside"],
)
@pytest.mark.parametrize("equation", ["u' - nu*u'' = 0", "u'' + where(x < 0.3, 1, 2)*u = nu"], ids=["smooth", "broken"])
def test_a_strip_is_the_reduced_matrix(equation, conditions):
    trial, rows = system_of(equation, conditions, nu=1e-6)
    strip = WindowedMatrix.of(rows.first, rows.values, trial.pivots, trial.free, trial.couple)
    expected = trial.reduce(dense_from_windows(rows.first, rows.values, trial.basis.size))
    everything = strip(np.arange(rows.x.size), 0, strip.size)
    assert np.abs(everything - expected).max() <= 1e-15 * np.abs(expected).max()
    coefficients = np.random.default_rng(8).normal(size=(strip.size, 2))
    assert close(strip.times(coefficients), expected @ coefficients, 1e-13)


def test_a_strip_knows_where_its_rows_begin_and_end():
    trial, rows = system_of("u' - nu*u'' = 0", ["u(0) = 0", "u(1) = 1"], nu=1e-6)
    strip = WindowedMatrix.of(rows.first, rows.values, trial.pivots, trial.free, trial.couple)
    dense = strip(np.arange(rows.x.size), 0, strip.size)
    low, high = strip.ranges()
    column = np.arange(strip.size)
    outside = (column < low[:, None]) | (column >= high[:, None])
    assert not dense[outside].any()
    assert np.median(high - low) < 0.5 * strip.size


SOLVED = {
    "ends": ("u' - nu*u'' = 0", ["u(0) = 0", "u(1) = 1"], {"nu": 1e-6}),
    "start": ("u'' + 900*u = 0", ["u(0) = 1", "u'(0) = 0"], {}),
    "inside": ("nu*u'' - u = -x", ["u(0.5) = 0.5", "u'(1) = 1"], {"nu": 1e-2}),
    "broken": ("nu*u'' - where(x < 0.3, 1, 2)*u = 1", ["u(0) = 0", "u(1) = 1"], {"nu": 1e-6}),
    "first order": ("nu*u' + u = cos(x)", ["u(0) = 0"], {"nu": 1e-4}),
    "clamped": ("nu*u'''' - u'' = 1", ["u(0) = 0", "u'(0) = 0", "u(1) = 0", "u'(1) = 0"], {"nu": 1e-6}),
}
BORDERED = {
    "periodic": ("nu*u'' - u = -exp(sin(2*pi*x))", ["u(0) = u(1)", "u'(0) = u'(1)"], {"nu": 1e-4}),
    "integral": ("nu*u'' - u = 0", ["u(0) = 1", "integral(u) = 0.5"], {"nu": 1e-4}),
    "two far conditions": ("u'' + 900*u = x", ["integral(x*u) = 0.1", "u(0) + u(1) = 1"], {}),
    "broken, periodic": ("nu*u'' - where(x < 0.4, 1, 3)*u = 1", ["u(0) = u(1)", "u'(0) = u'(1)"], {"nu": 1e-4}),
    "third order": ("nu*u''' + u' = 1", ["u(0) = u(1)", "integral(x*u) = 1", "u'(0) = u'(1)"], {"nu": 1e-2}),
}


@pytest.mark.parametrize("name", [*SOLVED, *BORDERED])
def test_the_kind_of_factorisation_does_not_change_the_solution(name, monkeypatch):
    equation, conditions, parameters = SOLVED.get(name) or BORDERED[name]
    problem = Problem(equation, LINE, conditions, **parameters)
    monkeypatch.setattr(fit, "DENSE", 10_000)
    dense = solve(problem, 1e-9)
    monkeypatch.setattr(fit, "DENSE", 0)
    banded = solve(problem, 1e-9)
    assert dense.converged, dense.message
    assert banded.converged, banded.message
    x = dense.points(501)
    assert np.abs(dense(x) - banded(x)).max() / dense.scale <= dense.error + banded.error


@pytest.mark.parametrize("name", [*SOLVED, *BORDERED])
def test_the_factorisation_is_chosen_from_size_and_conditions(name, monkeypatch):
    statement = SOLVED.get(name) or BORDERED[name]
    monkeypatch.setattr(fit, "DENSE", 10_000)
    assert isinstance(fitted(*statement).factor, Dense)
    monkeypatch.setattr(fit, "DENSE", 0)
    assert isinstance(fitted(*statement).factor, WithDenseConstraints if name in BORDERED else Banded)


@pytest.mark.parametrize("name", BORDERED)
def test_the_response_of_a_bordered_system_is_that_of_the_dense_one(name, monkeypatch):
    statement = BORDERED[name]
    which = np.array([0, 7, 21])
    monkeypatch.setattr(fit, "DENSE", 10_000)
    dense = fitted(*statement).response(which)[0]
    monkeypatch.setattr(fit, "DENSE", 0)
    bordered = fitted(*statement).response(which)[0]
    # the response to smooth residuals: single entries see directions that no smooth function has
    probe = np.cos(np.outer(np.linspace(0.0, np.pi, dense.shape[1]), np.arange(6)))
    assert close(bordered @ probe, dense @ probe, 1e-5)


def random_border(size=120, extra=4, far=2):
    """A random band with `extra` rows at its ends below it, and `far` dense conditions."""
    rng = np.random.default_rng(9)
    band = random_band(size, seed=9).strip
    first = np.concatenate([band.first, [0, 1, size - 9, size - 8]])
    values = np.vstack([band.values, rng.normal(size=(extra, 9))])
    strip = WindowedMatrix(first, values, np.zeros((first.size, 0)), np.zeros((0, size)))
    return WithDenseConstraints.of(strip, extra, rng.normal(size=(far, size)), rng.normal(size=far))


def test_a_bordered_solution_meets_its_conditions():
    factor = random_border()
    found = factor.solve(np.random.default_rng(10).normal(size=(240, 3)))
    assert np.abs(factor.conditions @ found - factor.values[:, None]).max() <= 1e-12


def test_the_adjoint_of_a_bordered_system_is_the_linear_part_of_its_solution():
    factor = random_border()
    rng = np.random.default_rng(11)
    features, target = rng.normal(size=(5, 120)), rng.normal(size=(240, 2))
    change = factor.solve(target) - factor.solve(np.zeros((240, 2)))
    assert close(factor.adjoint(features) @ target, features @ change, 1e-11)


def stored(width):
    trial, rows = system_of("eps**2*u'' + u = 0", ["u(0) = 0", "u'(0) = 1"], width=width, eps=width)
    factor = fit.banded(trial, rows)
    return trial.free.size, sum(step.factor.size for step in factor.steps)


def test_the_stored_factor_grows_linearly_with_the_number_of_kernels():
    (small, few), (large, many) = stored(1 / 400), stored(1 / 1600)
    assert 3.5 < large / small < 4.0
    assert many / few <= 1.05 * large / small
    # and it is far from a dense one
    assert many < 0.15 * large**2


def test_no_step_of_the_band_holds_more_than_its_neighbourhood():
    trial, rows = system_of("eps**2*u'' + u = 0", ["u(0) = 0", "u(1) = 1"], width=1 / 800, eps=1 / 800)
    window = rows.values.shape[1]
    for step in fit.banded(trial, rows).steps:
        assert step.reach <= 2 * (BLOCK + window)
        assert step.factor.shape[0] <= 3 * (BLOCK + window)


@pytest.mark.parametrize("base", ["dense", "banded", "constrained"])
def test_with_dense_columns_adjoint_and_solve_are_one_operator(base):
    system, rng = random_band(120), np.random.default_rng(11)
    make = {"dense": lambda: Dense.of(system.matrix), "banded": lambda: Banded.of(system.strip)}
    factor = WithDenseColumns.of(make.get(base, random_border)(), rng.normal(size=(240, 2)))
    features, target = rng.normal(size=(5, 122)), rng.normal(size=(240, 3))
    assert close(factor.adjoint(features) @ target, features @ factor.homogeneous(target), 1e-11)
    assert close(factor.left_times(target.T), target.T @ factor.times(np.eye(122)), 1e-12)
