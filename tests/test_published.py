"""The published method: its layout, its solve, its searches."""

import numpy as np
import pytest

from gated_xtfc.baselines.constrained import ConstrainedFeatures, Ends
from gated_xtfc.baselines.features import matrix
from gated_xtfc.baselines.kernels import Gaussians
from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published import BayesianSearch, NestedSearch, Objective, SoftSplit, fit, search, solve
from gated_xtfc.published.soft_split import SplitLayout
from gated_xtfc.zoo.boundary_layers import CONVECTION_DIFFUSION as CONVECTION
from gated_xtfc.zoo.boundary_layers import TWIN_LAYERS as TWIN

UNIT = Axis("x", 0.0, 1.0)


def laid_out(physical=0.0, axis=UNIT, **settings):
    return SplitLayout.of(SoftSplit(**settings), axis, physical)


def printed_matrix(layout, nu):
    """L[psi_i](x_k) as the paper writes it: z = m x + b, no entry left out."""
    x, m = layout.sites[:, None], layout.slopes
    b = -m * layout.centres
    z = m * x + b
    phi = np.exp(-z * z)
    first, second = -2.0 * z * phi, (4.0 * z * z - 2.0) * phi
    return (np.exp(-b * b) - np.exp(-((m + b) ** 2))) + m * first - nu * m**2 * second


class TestLayout:
    def test_split_in_the_middle_is_the_uniform_layout(self):
        two, one = (
            laid_out(splits=(0.5,), centres=40, sites=30, closed=False),
            laid_out(splits=(), centres=80, sites=60, closed=False),
        )
        assert np.allclose(two.sites, one.sites, rtol=0, atol=1e-15)
        assert np.allclose(two.centres, one.centres, rtol=0, atol=1e-15)
        assert np.allclose(two.widths, one.widths, rtol=1e-14)

    def test_printed_grid_leaves_out_the_right_end_and_nothing_else_differs(self):
        literal, closed = (laid_out(splits=(0.9,), centres=50, sites=70, closed=c) for c in (False, True))
        assert literal.sites[-1] == pytest.approx(1.0 - 0.1 / 70)
        assert literal.centres[-1] == pytest.approx(1.0 - 0.1 / 50)
        assert closed.sites[-1] == closed.centres[-1] == 1.0
        assert np.array_equal(literal.sites[:71], closed.sites[:71])
        assert np.array_equal(literal.centres[:51], closed.centres[:51])

    def test_printed_grid_is_the_formula(self):
        layout = laid_out(splits=(0.9,), centres=4, sites=5, closed=False)
        k = np.arange(5)
        assert np.allclose(layout.sites, np.concatenate([k / 5 * 0.9, 0.9 + k / 5 * 0.1]), atol=1e-15)

    @pytest.mark.parametrize("place", [0.3, 0.8, 0.99, 0.999])
    def test_widths_blend_monotonically_between_the_nominal_ones(self, place):
        layout = laid_out(splits=(place,), scale=20.0, centres=100)
        left, right = 1.5 * place / 100, 1.5 * (1 - place) / 100
        steps = np.diff(layout.widths)
        assert (steps <= 1e-18).all() or (steps >= -1e-18).all()
        assert layout.widths.min() >= min(left, right) * (1 - 1e-12)
        assert layout.widths.max() <= max(left, right) * (1 + 1e-12)

    def test_transition_is_the_larger_of_geometry_and_physics(self):
        assert laid_out(splits=(0.9,), scale=10.0, centres=100).transitions == pytest.approx((0.01,))
        assert laid_out(physical=0.05, splits=(0.9,), scale=10.0, centres=100).transitions == (0.05,)

    def test_several_splits_reach_every_nominal_width(self):
        layout = laid_out(splits=(0.1, 0.5, 0.9), scale=2.0, centres=100)
        nominal = 1.5 * np.array([0.1, 0.4, 0.4, 0.1]) / 100
        middles = np.searchsorted(layout.centres, [0.02, 0.3, 0.7, 0.98])
        assert np.allclose(layout.widths[middles], nominal, rtol=1e-6)
        assert layout.gates.shape == (3, 400)

    def test_any_axis(self):
        moved = laid_out(axis=Axis("x", -2.0, 6.0), splits=(5.2,), centres=30, sites=30)
        unit = laid_out(splits=(0.9,), centres=30, sites=30)
        assert np.allclose(moved.sites, -2.0 + 8.0 * unit.sites, atol=1e-14)
        assert np.allclose(moved.widths, 8.0 * unit.widths, rtol=1e-12)


class TestFit:
    def test_matrix_is_the_printed_one(self):
        nu = 1e-2
        layout = laid_out(physical=5 * nu, splits=(0.9,), centres=60, sites=50)
        trial = ConstrainedFeatures(Gaussians(layout.centres, layout.slopes), Ends(0.0, 1.0, 0.0, 1.0))
        ours = matrix(trial, layout.sites, [0.0, 1.0, -nu])
        printed = printed_matrix(layout, nu)
        assert np.abs(ours - printed).max() < 1e-12 * np.abs(printed).max()

    def test_weights_solve_the_printed_normal_equations(self):
        problem, nu = CONVECTION.problem(nu=1e-2), 1e-2
        found = fit(problem, SoftSplit((0.6,), centres=40, sites=60, multiplier=1.0, ridge=1e-8))
        layout = laid_out(physical=5 * nu, splits=(0.6,), centres=40, sites=60, multiplier=1.0)
        rows = printed_matrix(layout, nu)
        gram = rows.T @ rows / 120 + 1e-8 * np.eye(80)
        residual = gram @ found.details["weights"] + rows.T @ np.ones(120) / 120
        assert np.abs(residual).max() < 1e-10 * np.abs(rows.T @ np.ones(120) / 120).max()
        assert found.details["ridge_used"] == 1e-8

    def test_conditions_hold_whatever_the_weights(self):
        random = np.random.default_rng(1)
        layout = laid_out(splits=(0.2, 0.95), centres=50)
        trial = ConstrainedFeatures(Gaussians(layout.centres, layout.slopes), Ends(0.0, 1.0, -3.0, 7.5))
        for _ in range(5):
            weights = random.normal(size=trial.size) * 1e6
            assert trial.value(np.array([0.0, 1.0]), 0, weights).tolist() == [-3.0, 7.5]

    @pytest.mark.parametrize(("nu", "place", "most"), [(1e-2, 0.8, 1e-3), (1e-3, 0.92, 2e-3), (1e-4, 0.96, 2e-2)])
    def test_accuracy_has_the_published_order(self, nu, place, most):
        found = fit(CONVECTION.problem(nu=nu), SoftSplit((place,), centres=400, sites=400))
        assert found.max_error() < most
        assert (found(0.0), found(1.0)) == (0.0, 1.0)

    def test_right_end_decides_at_small_nu(self):
        problem = CONVECTION.problem(nu=1e-4)
        literal, closed = (fit(problem, SoftSplit((0.96,), centres=400, sites=400, closed=c)) for c in (False, True))
        assert literal.max_error() > 2 * closed.max_error()

    def test_methods_agree_where_nothing_is_singular(self):
        problem = CONVECTION.problem(nu=1e-1)
        x = np.linspace(0, 1, 101)
        settings = {"splits": (0.5,), "centres": 40, "sites": 80, "multiplier": 0.8, "physical": 0.0}
        values = [fit(problem, SoftSplit(method=m, ridge=1e-14, **settings))(x) for m in ("cholesky", "qr", "rank")]
        assert np.abs(values[1] - values[0]).max() < 1e-6
        assert np.abs(values[1] - values[2]).max() < 1e-6

    def test_cholesky_says_which_ridge_it_needed(self):
        found = fit(CONVECTION.problem(nu=1e-2), SoftSplit((0.95,), centres=300, sites=300, ridge=1e-14))
        assert found.details["cholesky_failed"]
        power = np.log10(found.details["ridge_used"] / 1e-14)
        assert power == pytest.approx(round(power))
        assert power >= 1

    def test_derivatives_are_derivatives(self):
        found = fit(CONVECTION.problem(nu=1e-1), SoftSplit((0.8,), centres=50, sites=50))
        x, h = np.linspace(0.05, 0.95, 7), 1e-5
        for order in (1, 2):
            difference = (found(x + h, order - 1) - found(x - h, order - 1)) / (2 * h)
            assert np.allclose(found(x, order), difference, rtol=1e-4, atol=1e-5)

    def test_any_linear_problem_with_values_at_the_ends(self):
        problem = Problem(
            "u'' + x*u' - 3*u = f(x)".replace("f(x)", "2 + 2*x^2 - 3*x^2"),
            {"x": (-1, 2)},
            ["u(-1) = 1", "2*u(2) = 8"],
            exact="x^2",
        )
        found = fit(problem, SoftSplit((1.0,), centres=60, sites=120, physical=0.0))
        assert found.max_error() < 1e-2
        assert found(2.0) == 4.0

    @pytest.mark.parametrize(
        ("problem", "word"),
        [
            (Problem("u'' = u^2", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]), "linear"),
            (Problem("u'' = u", {"x": (0, 1)}, ["u(0) = 0", "u'(1) = 1"]), "both ends"),
            (Problem("u' = u", {"x": (0, 1)}, ["u(0) = 1"]), "order 2"),
            (Problem(["u'' = v", "v'' = u"], {"x": (0, 1)}, ["u(0)=0", "u(1)=1", "v(0)=0", "v(1)=1"]), "system"),
        ],
    )
    def test_refuses_what_it_cannot_do(self, problem, word):
        with pytest.raises(InputError, match=word):
            fit(problem, SoftSplit(centres=10, sites=10))

    @pytest.mark.parametrize(
        "bad",
        [
            {"splits": (0.9, 0.8)},
            {"splits": (float("nan"),)},
            {"splits": "a"},
            {"centres": 1},
            {"sites": 2.5},
            {"scale": 0},
            {"multiplier": -1},
            {"ridge": -1e-9},
            {"method": "svd"},
            {"physical": -1.0},
        ],
    )
    def test_settings_are_checked(self, bad):
        with pytest.raises(InputError):
            SoftSplit(**bad)

    def test_split_outside_the_domain(self):
        with pytest.raises(InputError, match="inside the domain"):
            fit(CONVECTION.problem(nu=1e-2), SoftSplit((1.5,), centres=10, sites=10))

    def test_one_number_is_a_split(self):
        assert SoftSplit(0.9).splits == (0.9,)
        assert "0.9" in SoftSplit(0.9).describe()


class TestSearch:
    settings = NestedSearch(SoftSplit(centres=60, sites=60), scale_tolerance=10.0, place_tolerance=1e-2)

    def test_records_every_evaluation_and_returns_the_best(self):
        told = []
        found = search(CONVECTION.problem(nu=1e-2), self.settings, told.append)
        assert tuple(told) == found.evaluations
        assert found.value == min(evaluation.value for evaluation in found.evaluations)
        assert 0.8 <= found.best.splits[0] <= 0.999
        assert 10.0 <= found.best.scale <= 100.0
        assert found.value == self.settings.objective(found.surrogate, found.best)
        assert all(evaluation.seconds >= 0.0 for evaluation in found.evaluations)
        assert found.evaluations[0].record()["splits"] == [pytest.approx(0.8 + 0.199 * (3 - 5**0.5) / 2)]

    def test_scale_below_the_physical_bound_is_solved_once_a_split(self):
        found = search(CONVECTION.problem(nu=1e-1), self.settings)
        places = {evaluation.splits for evaluation in found.evaluations}
        assert found.solves == len(places) < len(found.evaluations)

    def test_objectives(self):
        split = SoftSplit((0.9,), centres=60, sites=60)
        found = fit(CONVECTION.problem(nu=1e-2), split)
        x = np.linspace(0, 1, 800)
        assert Objective()(found, split) == pytest.approx(np.mean(found.residual(x) ** 2))
        r2 = found.residual(x) ** 2
        root = np.sqrt(np.sum(np.diff(x) * (r2[1:] + r2[:-1]) / 2))
        assert Objective(measure="root")(found, split) == pytest.approx(root)
        blocks = Objective(placement="blocks").grid(split, UNIT)
        assert np.count_nonzero(blocks >= 0.9) == blocks.size / 2
        assert Objective(closed=False).grid(split, UNIT)[-1] < 1.0
        with pytest.raises(InputError):
            Objective(measure="max")

    def test_twin_layers(self):
        split = SoftSplit((0.05, 0.95), centres=80, sites=80)
        settings = BayesianSearch(split, evaluations=9, initial=4, seed=3)
        found = search(TWIN.problem(nu=1e-2), settings)
        again = search(TWIN.problem(nu=1e-2), settings)
        assert len(found.evaluations) == 9
        assert [e.splits for e in found.evaluations] == [e.splits for e in again.evaluations]
        assert found.surrogate.max_error() < 0.1
        for evaluation in found.evaluations:
            assert 0.01 <= evaluation.splits[0] <= 0.1
            assert 0.9 <= evaluation.splits[1] <= 0.99

    def test_number_of_splits_is_checked(self):
        with pytest.raises(InputError, match="one split"):
            search(CONVECTION.problem(nu=1e-2), NestedSearch(SoftSplit((0.1, 0.9))))
        with pytest.raises(InputError, match="two splits"):
            search(CONVECTION.problem(nu=1e-2), BayesianSearch(SoftSplit((0.9,))))


class TestSolve:
    problem = CONVECTION.problem(nu=1e-1)

    def test_a_split_is_taken_as_given(self):
        split = SoftSplit(0.8, centres=40, sites=40)
        x = np.linspace(0, 1, 11)
        assert np.array_equal(solve(self.problem, split)(x), fit(self.problem, split)(x))

    def test_a_search_gives_the_best_that_it_finds(self):
        settings = NestedSearch().sized(30, (5e-2, 50.0))
        found, solved = search(self.problem, settings), solve(self.problem, settings)
        assert solved.settings == found.best.record()

    def test_what_is_no_gate_of_the_published_method_is_refused(self):
        with pytest.raises(InputError, match="give a SoftSplit"):
            solve(self.problem, 0.99)
