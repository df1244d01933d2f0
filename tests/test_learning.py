"""Learned gates: intervals that hold what they promise, solves that are never worse, files, bad input."""

import json

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import zoo
from gated_xtfc.learning.regression import Calibrated
from gated_xtfc.learning.structure import Structure
from gated_xtfc.solver.interval.elements import attempt_elements

# linear, with kernels two rounds where eps is small
STATED = zoo.problem("third_order").to_dict()
THIRD = gx.Problem.from_dict({**STATED, "conditions": [*STATED["conditions"][:2], "u'(1) = u(0)"]})
LAYER = zoo.problem("convection_diffusion")  # linear, one round always
CAHN = gx.Problem.from_dict(zoo.problem("allen_cahn").statement())  # nonlinear, by continuation
TWO = gx.Problem("u' - nu*u'' = s", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2, s=1)


@pytest.fixture(scope="module", autouse=True)
def third_by_kernels():
    """Elements need no learned gates: the linear problem of third order stands for all that is left to kernels."""

    def attempted(space, *rest):
        return (
            None if "u'(1) = u(0)" in [one.text for one in space.problem.conditions] else attempt_elements(space, *rest)
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gated_xtfc.solver.attempts.attempt_elements", attempted)
        yield


@pytest.fixture(scope="module")
def third():
    table = gx.sweep(THIRD, {"eps": np.geomspace(1e-6, 0.5, 100)}, workers=1)
    return table, gx.learn(table)


@pytest.fixture(scope="module")
def cahn():
    design = gx.Design.of({"eps": np.geomspace(1e-3, 3e-2, 24)})
    return gx.learn(gx.sweep(CAHN, design, workers=1, solutions=True))


class TestIntervals:
    @pytest.mark.parametrize("noise", ["normal", "uniform", "growing", "none"])
    def test_cover_new_values_as_often_as_they_say(self, noise):
        rng = np.random.default_rng(3)

        def draw(count):
            x = rng.random((count, 1))
            scatter = {
                "normal": 0.1 * rng.normal(size=count),
                "uniform": 0.1 * rng.uniform(-1, 1, count),
                "growing": 0.2 * x[:, 0] * rng.normal(size=count),
                "none": 1e-9 * np.sin(1e9 * x[:, 0]),
            }[noise]
            return x, np.sin(3 * x[:, 0]) + scatter

        x, y = draw(300)
        fit = Calibrated.of(x, y, seed=0)
        new, values = draw(4000)
        mean, std = fit.predict(new)
        for level in (0.8, 0.95):
            covered = np.mean(np.abs(values - mean) <= fit.reach(level) * std)
            assert level - 0.06 <= covered <= level + 0.045

    def test_a_constant_is_learned_as_such(self):
        fit = Calibrated.of(np.linspace(0, 1, 30)[:, None], np.full(30, 0.25), seed=0)
        assert fit.predict(np.array([[0.3], [7.0]]))[0].tolist() == [0.25, 0.25]
        assert fit.predict(np.array([[0.3]]))[1] == 0.0

    def test_a_wider_level_is_a_wider_interval(self, third):
        _, model = third
        narrow, wide = (model.predict(1e-3, level)["neurons"] for level in (0.5, 0.95))
        assert wide[1] < narrow[1] < narrow[2] < wide[2]

    def test_held_out_points_were_covered(self, third):
        _, model = third
        held, of = np.sum(list(model.coverage.values()), axis=0)
        assert of >= 80
        assert 0.88 <= held / of <= 1.0


class TestPredict:
    def test_the_thickness_is_that_of_the_operator(self, third):
        _, model = third
        mean, low, high = model.predict([1e-5, 1e-4])["layer 1 thickness"]
        table = gx.sweep(THIRD, {"eps": [1e-5, 1e-4]}, workers=1)
        found = [table.gates(row)[0].thickness for row in (0, 1)]
        assert mean == pytest.approx(found, rel=0.05)
        assert ((low <= mean) & (mean <= high)).all()

    def test_settings_of_another_structure_and_beyond_the_sweep_are_not_there(self, third):
        _, model = third
        forecast = model.predict([1e-3, 1e-9])
        assert forecast.known.tolist() == [True, False]
        assert np.isnan(forecast["layer 1 thickness"][0]).tolist() == [False, True]

    def test_two_parameters(self):
        design = gx.Design.sobol({"nu": (1e-5, 1e-1, "log"), "s": (0.5, 2.0)}, 80, seed=0)
        model = gx.learn(gx.sweep(TWO, design, workers=1))
        by_row, by_name = model.predict([[1e-3, 1.0]]), model.predict({"nu": 1e-3, "s": 1.0})
        assert by_row["layer 1 thickness"][0] == pytest.approx(0.6e-3, rel=1e-6)
        assert by_name["neurons"][0] == by_row["neurons"][0]
        assert gx.solve(TWO(nu=3e-4, s=1.5), gates=model).converged

    @pytest.mark.parametrize("points", ["x", [[1.0, 2.0]], float("nan"), -1.0, {"mu": 1.0}])
    def test_bad_points_are_refused(self, third, points):
        with pytest.raises(gx.InputError):
            third[1].predict(points)


class TestSolve:
    def test_refinement_is_foreseen(self, third):
        _, model = third
        member = THIRD(eps=3.3e-5)
        usual, better = gx.solve(member), gx.solve(member, gates=model)
        assert (usual.rounds, better.rounds) == (2, 1)
        assert better.converged
        assert better.true_error() <= 1e-8

    def test_newton_starts_near_the_solution(self, cahn):
        for eps in (1.7e-3, 1.1e-2):
            member = CAHN(eps=eps)
            usual, better = gx.solve(member), gx.solve(member, gates=cahn)
            assert better.converged
            assert better.continuation is None
            assert sum(entry.steps for entry in better.history) <= 0.5 * sum(entry.steps for entry in usual.history)
            x = usual.points(300)
            assert np.abs(usual(x) - better(x)).max() <= 2e-8

    def test_where_one_round_is_enough_nothing_changes(self):
        model = gx.learn(gx.sweep(LAYER, {"nu": np.geomspace(1e-6, 1e-1, 40)}, workers=1))
        usual, better = (gx.solve(LAYER(nu=2.2e-4), gates=gates) for gates in (None, model))
        assert (usual.function.coefficients == better.function.coefficients).all()

    @pytest.mark.parametrize("tol", [1e-5, 1e-10])
    def test_the_tolerance_is_that_of_the_call(self, third, tol):
        found = gx.solve(THIRD(eps=1e-5), tol, gates=third[1])
        assert found.tol == tol
        assert found.error <= tol
        assert found.true_error() <= tol

    def test_a_misleading_model_costs_no_accuracy(self, third, cahn):
        _, model = third
        misled = gx.GateModel.load(saved(model, "misled"))
        layered = misled.groups[0]
        layered.fits["layer 1 thickness"].fit.coefficients[0] += 3.0  # a thousand times too thick
        layered.fits["width"].fit.coefficients[0] += 2.0
        found = gx.solve(THIRD(eps=1e-5), gates=misled)
        assert found.converged
        assert found.true_error() <= 1e-8
        astray = gx.GateModel.load(saved(cahn, "astray"))
        for group in astray.groups:
            group.profile.weights[0] += 40.0
        found = gx.solve(CAHN(eps=5e-3), gates=astray)
        assert found.converged
        usual = gx.solve(CAHN(eps=5e-3))
        x = usual.points(200)
        assert np.abs(found(x) - usual(x)).max() <= 2e-8

    def test_another_problem_is_refused(self, third):
        with pytest.raises(gx.InputError, match="another problem"):
            gx.solve(LAYER, gates=third[1])

    def test_outside_the_sweep_it_solves_as_without(self, third):
        assert gx.solve(THIRD(eps=1e-8), gates=third[1]).neurons == gx.solve(THIRD(eps=1e-8)).neurons


SAVED = {}


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory):
    SAVED["folder"] = tmp_path_factory.mktemp("models")


def saved(model, name):
    path = SAVED["folder"] / f"{name}.json"
    model.save(path)
    return path


class TestFile:
    def test_reads_back_the_same(self, third, cahn):
        for model, member in ((third[1], THIRD(eps=2e-5)), (cahn, CAHN(eps=2e-3))):
            again = gx.GateModel.load(saved(model, "same"))
            name = model.names[0]
            points = [member.parameters[name]]
            for setting, values in model.predict(points).settings.items():
                assert np.array(again.predict(points)[setting]) == pytest.approx(
                    np.array(values), rel=1e-12, nan_ok=True
                )
            assert again.get_params() == model.get_params()
            assert again.coverage == model.coverage
            assert gx.solve(member, gates=again).neurons == gx.solve(member, gates=model).neurons

    def test_is_small_and_names_its_versions(self, cahn):
        path = saved(cahn, "small")
        assert path.stat().st_size < 200_000
        content = json.loads(path.read_text())
        assert content["format"] == "gated-xtfc gates 1"
        assert content["version"] == gx.__version__

    def test_other_files_are_refused(self, tmp_path):
        (tmp_path / "other.json").write_text('{"format": "recipes"}')
        with pytest.raises(gx.InputError, match="no gates that this version can read"):
            gx.GateModel.load(tmp_path / "other.json")
        with pytest.raises(gx.InputError, match="there is no file"):
            gx.GateModel.load(tmp_path / "none.json")

    def test_is_drawn(self, third, tmp_path):
        third[1].plot(tmp_path / "model.svg")
        text = (tmp_path / "model.svg").read_text()
        assert "<svg" in text
        with pytest.raises(gx.InputError, match="should end in"):
            third[1].plot(tmp_path / "model.doc")


def test_settings_and_coordinates_are_the_same_thing():
    solution = gx.solve(zoo.problem("airy", eps=1e-4))
    coordinates = solution.charts[0].coordinates
    structure = Structure.of(coordinates)
    again = structure.coordinates(structure.settings(coordinates))
    x = solution.points(200)
    for before, after in zip(coordinates, again, strict=True):
        inside = x[(x >= before.left) & (x <= before.right)]
        assert before(inside) == pytest.approx(after(inside), abs=1e-9)


def test_too_little_to_learn_from_is_told():
    with pytest.raises(gx.InputError, match="12 or more"):
        gx.learn(gx.sweep(LAYER, {"nu": [0.1, 0.2]}, workers=1))
    plane = gx.Problem("nu*(u_xx + u_yy) = -1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"], nu=1)
    with pytest.raises(gx.InputError, match="one coordinate only"):
        gx.learn(gx.sweep(plane, {"nu": [1.0]}, workers=1, tol=1e-3))
    with pytest.raises(gx.InputError, match="takes the table of a sweep"):
        gx.learn([1, 2])
    with pytest.raises(gx.InputError, match="held_out"):
        gx.GateModel(held_out=2)
