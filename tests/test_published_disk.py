"""The published method of the plane: kernels that vanish on the sides, a disk of narrow ones, the search for it."""

import json
from dataclasses import replace

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import published
from gated_xtfc.baselines.classical import SCHEMES, sine_poisson
from gated_xtfc.errors import InputError
from gated_xtfc.paper.records import plain
from gated_xtfc.problem.domain import Axis
from gated_xtfc.published.bubbles import Bubbles
from gated_xtfc.published.disk import Disk, DiskLayout, blended, in_disk, local_widths
from gated_xtfc.published.disk_search import DiskSearch, search_disk
from gated_xtfc.published.fit import fit_disk
from gated_xtfc.published.objective import PlaneObjective, gathered
from gated_xtfc.published.rectangle import Coons, Rectangle, interpolated

UNIT = (Axis("x", 0.0, 1.0), Axis("y", 0.0, 1.0))
OTHER = (Axis("x", -1.0, 2.0), Axis("t", 0.5, 1.25))
PAIRS = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
SMALL = Disk(grid=9, local=30, sites=25)


def poisson(source, axes=UNIT, lift=None):
    """u_xx + u_yy = source as the core sees it, no text read."""

    def operator(x, y):
        return {(2, 0): 1.0, (0, 2): 1.0}, source(x, y)

    return Rectangle(axes, operator, lift)


def sines(x, y):
    return np.sin(np.pi * x) * np.sin(2 * np.pi * y)


SMOOTH = poisson(lambda x, y: -5 * np.pi**2 * sines(x, y))


class TestBubbles:
    def random(self, axes=OTHER, count=12, seed=3):
        random = np.random.default_rng(seed)
        centres = np.stack([axis.left + axis.length * random.random(count) for axis in axes])
        return Bubbles(axes, centres, random.uniform(0.5, 9.0, count)), random.normal(size=count)

    @pytest.mark.parametrize("side", [0, 1])
    def test_derivatives_of_a_factor_agree_with_the_complex_step(self, side):
        bubbles, _ = self.random()
        axis = OTHER[side]
        points, h = np.linspace(axis.left, axis.right, 11), 1e-30
        for order in (0, 1):
            stepped = bubbles.factors(side, points + 1j * h)[order]
            assert np.allclose(stepped.imag / h, bubbles.factors(side, points)[order + 1], rtol=1e-12, atol=1e-13)

    @pytest.mark.parametrize("axes", [UNIT, OTHER])
    def test_whatever_the_weights_the_sides_are_zero(self, axes):
        bubbles, _ = self.random(axes)
        x, y = (np.linspace(axis.left, axis.right, 7) for axis in axes)
        for seed in range(5):
            weights = np.random.default_rng(seed).normal(size=bubbles.size) * 1e6
            table = bubbles.on_grid(x, y, (0, 0), weights)
            assert not table[[0, -1]].any()
            assert not table[:, [0, -1]].any()
            assert table[3, 3] != 0.0

    def test_on_the_unit_square_they_are_as_printed(self):
        bubbles, weights = self.random(UNIT)
        x, y = np.array([0.3, 0.8]), np.array([0.1, 0.55])
        squares = sum((z[:, None] - c) ** 2 for z, c in zip((x, y), bubbles.centres, strict=True))
        printed = (x * (1 - x) * y * (1 - y))[:, None] * np.exp(-(bubbles.slopes**2) * squares)
        assert np.allclose(bubbles.at(x, y, (0, 0), weights), printed @ weights, rtol=1e-14)

    @pytest.mark.parametrize("orders", [(0, 0), *PAIRS])
    def test_rows_grids_and_points_agree(self, orders):
        bubbles, weights = self.random()
        x, y = np.linspace(-1, 2, 5), np.linspace(0.5, 1.25, 4)
        table = bubbles.on_grid(x, y, orders, weights)
        rows = bubbles.rows(x, y, {orders: np.ones((5, 4))})
        points = bubbles.at(np.repeat(x, 4), np.tile(y, 5), orders, weights)
        assert np.allclose(rows @ weights, table.ravel(), rtol=1e-12, atol=1e-12)
        assert np.allclose(points, table.ravel(), rtol=1e-12, atol=1e-12)


class TestLayout:
    def test_points_are_uniform_by_area(self):
        disk = Disk((0.45, 0.5), 0.2, local=20_000)
        x, y = in_disk(disk, UNIT) - np.array([[0.45], [0.5]])
        rings = np.histogram(np.hypot(x, y), 0.2 * np.sqrt(np.linspace(0, 1, 6)))[0]  # five rings of the same area
        sectors = np.histogram(np.arctan2(y, x), np.linspace(-np.pi, np.pi, 9))[0]
        assert rings.sum() == sectors.sum() == 20_000
        assert np.abs(rings / 4000 - 1).max() < 0.06  # four standard deviations
        assert np.abs(sectors / 2500 - 1).max() < 0.08

    def test_points_stay_in_the_rectangle(self):
        points = in_disk(Disk((0.0, 0.9), 0.5, local=500), UNIT)
        assert points.min() >= 0.0
        assert points.max() <= 1.0

    def test_blend_runs_from_uniform_to_chebyshev(self):
        k = np.arange(9) / 8
        assert np.allclose(blended(9, 0.0), k, atol=1e-15)
        assert np.allclose(blended(9, 1.0), np.sin(np.pi * k / 2) ** 2, atol=1e-15)
        assert np.allclose(blended(9, 0.3), 0.7 * k + 0.3 * np.sin(np.pi * k / 2) ** 2, atol=1e-15)

    def test_local_widths_are_the_formula(self):
        points = np.random.default_rng(0).random((2, 40))
        distances = [sorted(np.hypot(*(points - point[:, None])))[6] for point in points.T]
        h = np.median(distances)
        assert np.allclose(local_widths(points, 6), np.clip(0.9 * np.array(distances), h / 4, 4 * h), rtol=1e-12)

    def test_local_widths_are_capped_by_the_global_ones(self):
        wide = DiskLayout.of(Disk(radius=0.5, local=30, grid=31, multiplier=0.5), UNIT)
        edge = np.gradient(blended(31, 0.5))
        cap = 0.5 * np.prod([np.interp(c, blended(31, 0.5), np.sqrt(edge)) for c in wide.centres[:, 961:]], axis=0)
        assert np.all(wide.widths[961:] <= cap * (1 + 1e-12))
        assert np.any(np.isclose(wide.widths[961:], cap))  # and some are

    def test_sizes_are_as_printed(self):
        layout = DiskLayout.of(Disk(), UNIT)
        assert layout.centres.shape == (2, 31 * 31 + 200)
        assert Disk().neurons == 1161
        middle = layout.widths[:961].reshape(31, 31)[15, 15]
        assert middle == pytest.approx(5 * (blended(31, 0.5)[16] - blended(31, 0.5)[14]) / 2)


class TestFit:
    def test_smooth_problem(self):
        found = fit_disk(SMOOTH, replace(SMALL, ridge=1e-14))
        x = np.linspace(0, 1, 33)
        assert np.abs(found.on_grid(x, x) - sines(x[:, None], x)).max() < 1e-5
        assert np.abs(found.grid_residual(x, x)).max() < 1e-2
        assert np.allclose(found.residual(x[:, None], x), found.grid_residual(x, x), atol=1e-9)
        assert isinstance(found.residual(0.3, 0.4), float)
        assert found.neurons == 111
        assert found.points == 625

    def test_weights_solve_the_printed_normal_equations(self):
        found = fit_disk(SMOOTH, replace(SMALL, multiplier=1.0, ridge=1e-8))
        x = np.linspace(0, 1, 25)
        one = np.ones((25, 25))
        rows = found.features.rows(x, x, {(2, 0): one, (0, 2): one})
        target = (-5 * np.pi**2 * sines(x[:, None], x)).ravel()
        left = rows.T @ rows / 625 + 1e-8 * np.eye(found.neurons)
        right = rows.T @ target / 625
        assert np.abs(left @ found.weights - right).max() < 1e-9 * np.abs(right).max()

    def test_derivatives_are_derivatives(self):
        found = fit_disk(SMOOTH, SMALL)
        x, y, h = np.array([0.2, 0.5, 0.77]), np.array([0.31, 0.5, 0.9]), 1e-5
        for p, q in PAIRS:
            lower, (dx, dy) = ((p - 1, q), (h, 0)) if p else ((p, q - 1), (0, h))
            difference = (found(x + dx, y + dy, lower) - found(x - dx, y - dy, lower)) / (2 * h)
            assert np.allclose(found(x, y, (p, q)), difference, rtol=1e-5, atol=1e-5)

    def test_values_broadcast(self):
        found = fit_disk(SMOOTH, SMALL)
        x, y = np.linspace(0, 1, 4), np.linspace(0, 1, 3)
        assert found(x[:, None], y).shape == (4, 3)
        assert np.allclose(found(x[:, None], y), found.on_grid(x, y), rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize("bad", [(1.5, 0.5), (0.5, -0.1), (0.5, float("nan"))])
    def test_points_outside_are_refused(self, bad):
        with pytest.raises(InputError, match="outside the domain"):
            fit_disk(SMOOTH, SMALL)(*bad)

    def test_a_disk_outside_the_domain_is_refused(self):
        with pytest.raises(InputError, match="outside the domain"):
            fit_disk(SMOOTH, replace(SMALL, centre=(1.5, 0.5)))

    def test_sides_that_are_not_zero_are_met(self):
        def data(x, y):
            return np.exp(x) * np.cos(3 * y) + x**3

        sides = [
            interpolated(lambda t, e=e, k=k: data(e, t) if k == 0 else data(t, e), OTHER[1 - k], "one")
            for k in (0, 1)
            for e in (OTHER[k].left, OTHER[k].right)
        ]
        lift = Coons(OTHER, tuple(sides))
        rectangle = poisson(lambda x, y: -8 * np.exp(x) * np.cos(3 * y) + 6 * x, OTHER, lift)
        found = fit_disk(rectangle, replace(SMALL, centre=(0.5, 0.8), ridge=1e-14))
        x, y = np.linspace(-1, 2, 21), np.linspace(0.5, 1.25, 17)
        error = np.abs(found.on_grid(x, y) - data(x[:, None], y))
        assert max(error[[0, -1]].max(), error[:, [0, -1]].max()) < 1e-12
        assert error.max() < 1e-3

    def test_data_too_sharp_for_the_series_are_refused(self):
        with pytest.raises(InputError, match="use the default solver"):
            interpolated(lambda t: np.exp((t - 1) / 1e-9), UNIT[0], "y = 0")

    @pytest.mark.parametrize(
        "bad",
        [
            {"centre": (0.5,)},
            {"centre": "middle"},
            {"centre": (0.5, float("inf"))},
            {"radius": 0},
            {"grid": 2},
            {"local": 4},
            {"neighbours": 0},
            {"sites": 2.5},
            {"multiplier": -1},
            {"ridge": -1e-9},
            {"blend": 1.5},
            {"method": "svd"},
        ],
    )
    def test_settings_are_checked(self, bad):
        with pytest.raises(InputError):
            Disk(**bad)

    def test_no_local_kernels_is_a_plain_grid(self):
        assert fit_disk(SMOOTH, replace(SMALL, local=0)).neurons == 81

    def test_settings_and_words(self):
        assert json.loads(json.dumps(plain(SMALL.record())))["grid"] == 9
        assert "0.1" in SMALL.describe()


class TestSearch:
    settings = DiskSearch(SMALL, evaluations=6, initial=3, objective=PlaneObjective(30))
    peak = poisson(lambda x, y: np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / 0.01))

    def test_every_evaluation_is_told_and_the_best_returned(self):
        told = []
        found = search_disk(self.peak, self.settings, told.append)
        assert tuple(told) == found.evaluations
        assert len(told) == 6
        assert found.value == min(one.value for one in told) == self.settings.objective(found.surrogate)
        assert (found.best.centre, found.best.radius) in [(one.centre, one.radius) for one in told]
        assert json.loads(json.dumps(told[0].record()))["radius"] == 0.2

    def test_begins_where_the_printed_history_begins_and_stays_in_its_box(self):
        found = search_disk(self.peak, self.settings)
        first = found.evaluations[0]
        assert (*first.centre, first.radius) == pytest.approx((0.4, 0.6, 0.2))
        for one in found.evaluations:
            assert 0.4 <= min(one.centre) <= max(one.centre) <= 0.6
            assert 0.1 <= one.radius <= 0.2

    def test_the_same_seed_gives_the_same_search(self):
        one, two = (search_disk(self.peak, self.settings) for _ in range(2))
        assert [e.value for e in one.evaluations] == [e.value for e in two.evaluations]

    def test_objectives(self):
        found = fit_disk(self.peak, SMALL)
        x = np.linspace(0, 1, 30)
        assert PlaneObjective(30)(found) == pytest.approx((found.grid_residual(x, x) ** 2).mean())
        warped = gathered(30, 0.5)
        largest = PlaneObjective(30, "largest", (0.5, 0.5))(found)
        assert largest == pytest.approx(np.abs(found.grid_residual(warped, warped)).max())
        with pytest.raises(InputError):
            PlaneObjective(measure="median")
        with pytest.raises(InputError):
            PlaneObjective(points=2)

    @pytest.mark.parametrize("focus", [0.0, 0.3, 0.5, 1.0])
    def test_the_warped_grid_is_dense_at_its_focus_and_has_both_ends(self, focus):
        grid = gathered(101, focus)
        steps = np.diff(grid)
        assert (grid[0], grid[-1]) == (0.0, 1.0)
        assert np.all(steps >= 0)
        assert np.abs(grid[np.argmin(steps[steps > 0])] - focus) < 0.02 or focus in (0.0, 1.0)

    def test_variants_are_those_of_text_and_scripts(self):
        assert published.DISK.centres == (0.4, 0.6)
        assert published.DISK_RELEASED.centres == (0.45, 0.55)
        for one in (published.DISK, published.DISK_RELEASED):
            assert (one.radii, one.evaluations, one.disk.sites) == ((0.1, 0.2), 50, 70)


class TestProblem:
    def test_a_coefficient_that_is_not_finite_is_refused(self):
        problem = gx.Problem("u_xx + u_yy + u/x = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"])
        with pytest.raises(InputError, match="not finite"):
            published.solve(problem, SMALL)

    def test_a_disk_gives_a_surrogate(self):
        problem = gx.Problem(
            "u_xx + u_yy - x*u_x + u_xy/5 + u = y*u_y", {"x": (0, 1), "y": (0, 2)}, ["u = 0 on boundary"]
        )
        found = published.solve(problem, published.Disk(grid=7, local=0, sites=15))
        assert found.status == "surrogate"
        assert np.abs(found(np.linspace(0, 1, 5), 1.0)).max() < 1e-12  # no source, no solution

    def test_coefficients_come_from_the_text(self):
        text = "2*u_xx + y*u_yy + u_xy/3 - u_x + x*u_y + 4*u = {}"
        u = "x*exp(y)"
        source = "(y + x + 4)*x*exp(y) - 2*exp(y)/3"
        problem = gx.Problem(text.format(source), {"x": (0, 1), "y": (1, 2)}, [f"u = {u} on boundary"], exact=u)
        found = published.solve(problem, published.Disk((0.5, 1.5), grid=9, local=0, sites=25, ridge=1e-14))
        x, y = np.linspace(0, 1, 9), np.linspace(1, 2, 9)
        assert np.abs(found.on_grid(x, y) - problem.exact(x[:, None], y)).max() < 1e-5

    @pytest.mark.parametrize(
        ("equation", "condition", "word"),
        [
            ("u_xx + u_yy = 1", "u_x = 0 on x = 0", "values on all sides"),
            ("u_xx + u_yy = u**2", "u = 0 on x = 0", "linear"),
        ],
    )
    def test_refuses_what_it_cannot_do(self, equation, condition, word):
        others = ["u = 0 on x = 1", "u = 0 on y = 0", "u = 0 on y = 1"]
        problem = gx.Problem(equation, {"x": (0, 1), "y": (0, 1)}, [condition, *others])
        with pytest.raises(InputError, match=word):
            published.solve(problem, SMALL)

    def test_refuses_a_line(self):
        problem = gx.Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
        with pytest.raises(InputError, match="rectangle"):
            published.solve(problem, SMALL)


class TestSinePoisson:
    @pytest.mark.parametrize(("scheme", "rate"), [("order 2", 2.0), ("order 4", 4.0)])
    def test_orders(self, scheme, rate):
        def error(intervals):
            x, u = sine_poisson(lambda x, y: -5 * np.pi**2 * sines(x, y), intervals, scheme)
            return np.abs(u - sines(x[:, None], x)).max()

        assert np.log2(error(16) / error(32)) == pytest.approx(rate, abs=0.1)

    @pytest.mark.parametrize("scheme", ["order 2", "order 4"])
    def test_differences_are_exact_for_quadratics(self, scheme):
        x, u = sine_poisson(lambda x, y: -2.0 * (x - x**2 + y - y**2), 8, scheme)
        assert np.abs(u - (x - x**2)[:, None] * (x - x**2)).max() < 1e-14

    def test_sines_are_solved_to_rounding(self):
        x, u = sine_poisson(lambda x, y: -5 * np.pi**2 * sines(x, y), 12, "spectral")
        assert np.abs(u - sines(x[:, None], x)).max() < 1e-14

    def test_unknown_schemes_are_refused(self):
        with pytest.raises(InputError, match=SCHEMES[0]):
            sine_poisson(lambda x, y: x * y, 12, "order 3")
