"""Sweeps: designs, quantities, rows, the store's identity, tables. What can go wrong is in test_sweep_faults.py."""

import json
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.sweeps.quantities import Quantity
from gated_xtfc.sweeps.study import Study, canonical

LAYER = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = b"], nu=1e-2, b=1)
WAVE = gx.Problem("u'' + u = 0", {"x": (0, 7)}, ["u(0) = 0", "u'(0) = 1"])
OTHER = gx.Problem("nu*u'' + u = 0", {"x": (0, 7)}, ["u(0) = 0", "u'(0) = 1"], nu=1)
SQUARE = gx.Problem("eps*(u_xx + u_yy) - u - u^3 = -1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"], eps=0.3)
BRATU = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)


def here(problem, over, **options):
    return gx.sweep(problem, over, workers=1, **options)


class TestDesign:
    def test_a_grid_is_every_combination_the_last_parameter_fastest(self):
        design = gx.Design.grid({"a": [1, 2], "b": np.array([3.0, 4.0, 5.0])})
        assert design.points.tolist() == [[1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]]

    def test_a_list_of_points_is_taken_as_it_is(self):
        assert gx.Design.of([{"a": 1, "b": 2}, {"b": 4, "a": 3}]).points.tolist() == [[1, 2], [3, 4]]

    @pytest.mark.parametrize("kind", [gx.Design.random, gx.Design.sobol])
    def test_drawn_points_lie_in_the_box_and_follow_the_seed(self, kind):
        bounds = {"nu": (1e-8, 1.0, "log"), "s": (0.8, 0.999, "logit"), "a": (-1.0, 3.0)}
        first, again, other = (kind(bounds, 60, seed).points for seed in (1, 1, 2))
        assert (first == again).all()
        assert (first != other).any()
        assert ((first >= [1e-8, 0.8, -1.0]) & (first <= [1.0, 0.999, 3.0])).all()
        # half of the magnitudes lie below the middle one, as they should on a log scale
        assert 15 <= (first[:, 0] < 1e-4).sum() <= 45

    def test_drawn_points_have_the_bits_by_which_stores_know_them(self):
        points = gx.Design.random({"nu": (1e-8, 1.0, "log")}, 200, seed=1).points[:, 0]
        drawn = np.random.default_rng(1).random((200, 1))[:, 0]
        assert points.tolist() == [1e-8 * (1.0 / 1e-8) ** s for s in drawn.tolist()]

    def test_sobol_points_fill_every_slice(self):
        points = gx.Design.sobol({"a": (0.0, 1.0), "b": (0.0, 1.0)}, 64, seed=0).points
        for column in points.T:
            assert (np.histogram(column, 64, (0.0, 1.0))[0] == 1).all()

    def test_neighbours_visit_every_point_once_and_in_one_parameter_in_order(self):
        design = gx.Design.random({"nu": (1e-6, 1.0, "log")}, 40, seed=3)
        order = design.neighbours()
        assert sorted(order) == list(range(40))
        assert (np.diff(design.points[order, 0]) < 0).all()

    def test_neighbours_in_two_parameters_are_closer_than_by_chance(self):
        design = gx.Design.random({"a": (0.0, 1.0), "b": (0.0, 1.0)}, 200, seed=3)
        step = np.linalg.norm(np.diff(design.points[design.neighbours()], axis=0), axis=1)
        assert step.mean() < 0.25 * np.linalg.norm(np.diff(design.points, axis=0), axis=1).mean()

    @pytest.mark.parametrize(
        ("over", "told"),
        [
            ({}, "column for each parameter"),
            ({"nu": []}, "no points"),
            ({"nu": [1, float("nan")]}, "NaN or infinity"),
            ({"nu": ["x"]}, "must be a number"),
            ("nu", "goes over values like"),
            ([{"nu": 1}, {"b": 1}], "must give a value to nu"),
            ([1, 2], "a list of points"),
        ],
    )
    def test_bad_points_are_refused(self, over, told):
        with pytest.raises(gx.InputError, match=told):
            gx.Design.of(over)

    @pytest.mark.parametrize("bounds", [{"a": (1, 0)}, {"a": (0, 1, "log")}, {"a": 1}, {}, {"a": (0, 1, "logit")}])
    def test_bad_bounds_are_refused(self, bounds):
        with pytest.raises(gx.InputError):
            gx.Design.random(bounds, 5, seed=0)


class TestQuantities:
    SINE = gx.solve(WAVE, 1e-11)

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("u(0.5)", np.sin(0.5)),
            ("u'(7)", np.cos(7.0)),
            ("max(u)", 1.0),
            ("min(u)", -1.0),
            ("max(u')", 1.0),
            ("integral(u)", 1.0 - np.cos(7.0)),
            ("integral(x*u^2)", 0.25 * (49.0 - 7.0 * np.sin(14.0) + np.sin(7.0) ** 2)),
            ("max(u(1), u(2))", np.sin(2.0)),
            ("2*max(u) - u(pi/2)^2", 1.0),
            ("max(abs(u - x))", 7.0 - np.sin(7.0)),
        ],
    )
    def test_agrees_with_the_formula(self, text, value):
        assert Quantity.stated(text, WAVE)(self.SINE) == pytest.approx(value, abs=1e-10)

    def test_an_extreme_inside_a_thin_layer_is_found(self):
        problem = LAYER(nu=1e-7)
        assert Quantity.stated("max(u')", problem)(gx.solve(problem)) == pytest.approx(1e7, rel=1e-6)

    def test_an_unknown_constant_has_its_value(self):
        problem = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0)=0", "u(1)=0", "u'(0)=1"], unknown=["lam"])
        found = gx.solve(problem, guess={"u": "sin(pi*x)/pi", "lam": 9})
        assert Quantity.stated("sqrt(lam)", problem)(found) == pytest.approx(np.pi, abs=1e-7)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("u", "must say where"),
            ("u(x)", "has no value in the quantity"),
            ("u'''(1)", "up to 2"),
            ("v(1)", "unknown function"),
            ("u(0) = 1", "no '='"),
            ("max(u(0))", "write u instead"),
            ("", "empty"),
            (3, "must be a text"),
        ],
    )
    def test_bad_texts_are_refused(self, text, told):
        with pytest.raises(gx.InputError, match=told):
            Quantity.stated(text, WAVE)


class TestRows:
    def test_a_row_is_what_solve_gives(self):
        values = [1e-1, 1e-3, 1e-6]
        table = here(LAYER, {"nu": values}, quantities=["u(0.5)", "nu*u'(1)"], solutions=True)
        for row, nu in enumerate(values):
            alone = gx.solve(LAYER(nu=nu))
            assert table["nu"][row] == nu
            assert table["status"][row] == alone.status == "converged"
            assert table["error"][row] == alone.error
            assert (table["neurons"][row], table["rounds"][row]) == (alone.neurons, alone.rounds)
            assert table.gates(row) == alone.gates
            assert table["u(0.5)"][row] == alone(0.5)
            assert table["nu*u'(1)"][row] == pytest.approx(1.0 / -np.expm1(-1.0 / nu), rel=1e-7)
            assert table.solution(row)(0.25) == alone(0.25)
            assert table.problem(row) == LAYER(nu=nu)
            assert table.coordinates(row) == alone.charts[0].coordinates

    def test_rows_come_in_the_order_of_the_design_and_once_each(self):
        table = here(LAYER, {"nu": [0.1, 0.01, 0.1], "b": [2.0]})
        assert table.points.tolist() == [[0.1, 2.0], [0.01, 2.0]]

    def test_a_row_does_not_depend_on_the_points_solved_with_it(self):
        values = np.geomspace(1e-8, 1.0, 13)
        together = here(LAYER, {"nu": values})
        alone = [here(LAYER, {"nu": [value]}) for value in values]
        for name in ("error", "neurons", "gates", "message"):
            assert together[name].tolist() == [one[name][0] for one in alone]

    def test_a_row_of_a_linear_family_is_as_good_as_a_solve(self):
        values = np.geomspace(1e-8, 1e-2, 7)
        for value, row in zip(values, here(LAYER, {"nu": values}), strict=True):
            solution = gx.solve(LAYER(nu=value))
            assert row["status"] == solution.status
            assert row["neurons"] == solution.neurons
            assert row["error"] == pytest.approx(solution.error, rel=0.05, abs=1e-14)

    def test_threads_give_the_same_rows(self):
        values = np.geomspace(1e-6, 1.0, 20)
        with ThreadPoolExecutor(2) as executor:
            table = gx.sweep(LAYER, {"nu": values}, executor=executor)
            assert executor.submit(int, 3).result() == 3  # it is still the caller's
        assert (table["error"] == here(LAYER, {"nu": values})["error"]).all()

    def test_a_function_is_swept_in_this_process(self):
        problem = gx.Problem(lambda x, u, nu: u.x - nu * u.xx, {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
        assert here(problem, {"nu": [0.1, 0.01]}).converged.all()
        with pytest.raises(gx.InputError, match="other processes cannot be given"):
            gx.sweep(problem, {"nu": [0.1, 0.01]}, workers=2)
        with pytest.raises(gx.InputError, match="cannot be written down"):
            here(problem, {"nu": [0.1, 0.01]}, store="never.sqlite")

    def test_neighbours_that_start_from_one_another_agree_with_cold_starts(self):
        values = np.linspace(0.5, 3.4, 20)
        warm, cold = (here(BRATU, {"k": values}, quantities=["u(0.5)"], warm=w) for w in (True, False))
        assert (warm["status"] == cold["status"]).all()
        assert np.abs(warm["u(0.5)"] - cold["u(0.5)"]).max() <= 2e-8

    def test_no_guess_is_no_guess_however_it_is_said(self):
        table = here(BRATU, {"k": [1.0, 2.0, 3.0]}, guess=None)
        assert table.converged.all()
        assert table["neurons"].tolist() == here(BRATU, {"k": [1.0, 2.0, 3.0]})["neurons"].tolist()

    def test_what_a_point_starts_from_does_not_depend_on_what_is_there_already(self, tmp_path):
        values, store = np.linspace(0.5, 3.4, 20), tmp_path / "s.sqlite"
        whole = here(BRATU, {"k": values}, store=store)
        database = sqlite3.connect(store)
        # what an interruption leaves: whole blocks, eight neighbours each from the largest value down
        database.execute("DELETE FROM points WHERE k <= ?", (np.sort(values)[11],))
        database.commit()
        database.close()
        again = here(BRATU, {"k": values}, store=store)
        assert (whole["error"] == again["error"]).all()

    def test_a_second_parameter_of_the_name_of_a_column_gets_one_of_its_own(self, tmp_path):
        problem = gx.Problem("u' = -a*u + A*error", {"x": (0, 1)}, ["u(0) = 1"], a=1, A=1, error=0)
        table = here(problem, {"a": [1.0], "A": [2.0], "error": [3.0]}, store=tmp_path / "s.sqlite")
        assert table.names == ("a", "A_", "error_")
        assert gx.open_sweep(tmp_path / "s.sqlite").problem(0).parameters == {"a": 1.0, "A": 2.0, "error": 3.0}


class TestStore:
    def test_a_second_run_computes_only_what_is_missing(self, tmp_path):
        store, solved = tmp_path / "s.sqlite", []
        first = here(LAYER, {"nu": [0.1, 0.01]}, store=store)
        both = here(LAYER, {"nu": [0.1, 1e-3, 0.01]}, store=store, progress=lambda p: solved.append(p.solved))
        assert solved[-1] == 1
        assert both["seconds"][[0, 2]].tolist() == first["seconds"].tolist()

    def test_spaces_do_not_make_another_problem(self, tmp_path):
        here(LAYER, {"nu": [0.1]}, store=tmp_path / "s.sqlite")
        spaced = gx.Problem("u'-nu * u''  = 0", {"x": (0.0, 1)}, ["u( 0 )=0", "u(1)=b"], nu=5, b=1)
        assert len(here(spaced, {"nu": [0.1]}, store=tmp_path / "s.sqlite")) == 1

    @pytest.mark.parametrize(
        ("problem", "over", "options", "told"),
        [
            (OTHER, {"nu": [1]}, {}, "another problem"),
            (LAYER(b=2), {"nu": [1]}, {}, "another problem .* with b = 1"),
            (LAYER, {"nu": [1], "b": [1]}, {}, "another problem|over nu, not nu, b"),
            (LAYER, {"nu": [1]}, {"tol": 1e-6}, "with tol 1e-08, not 1e-06"),
            (LAYER, {"nu": [1]}, {"quantities": ["max(u)"]}, r"quantities u\(0.5\), not max\(u\)"),
            (LAYER, {"nu": [1]}, {"quantities": "u(0.5)", "solutions": True}, "without its solutions"),
            (LAYER, {"nu": [1]}, {"quantities": "u(0.5)", "max_rounds": 3}, "other options of the solver"),
        ],
    )
    def test_a_file_of_another_study_is_refused_in_one_sentence(self, tmp_path, problem, over, options, told):
        store = tmp_path / "s.sqlite"
        here(LAYER, {"nu": [0.1]}, store=store, quantities="u(0.5)")
        before = store.read_bytes()
        with pytest.raises(gx.InputError, match=told) as caught:
            here(problem, over, store=store, **{"quantities": "u(0.5)", **options})
        assert "\n" not in str(caught.value)
        assert store.read_bytes() == before

    def test_another_database_is_refused_and_left_alone(self, tmp_path):
        store = tmp_path / "other.sqlite"
        database = sqlite3.connect(store)
        database.execute("CREATE TABLE recipes (name TEXT)")
        database.commit()
        database.close()
        before = store.read_bytes()
        with pytest.raises(gx.InputError, match="not a sweep of this program"):
            here(LAYER, {"nu": [0.1]}, store=store)
        assert store.read_bytes() == before

    def test_a_file_of_another_kind_is_refused_and_left_alone(self, tmp_path):
        store = tmp_path / "notes.txt"
        store.write_text("not a database, " * 100)
        with pytest.raises(gx.InputError, match="a file of another kind"):
            here(LAYER, {"nu": [0.1]}, store=store)
        with pytest.raises(gx.InputError, match="a file of another kind"):
            gx.open_sweep(store)
        assert store.read_text() == "not a database, " * 100

    def test_nothing_is_swept_into_nowhere(self, tmp_path):
        for bad in ("", tmp_path / "no" / "such" / "folder.sqlite", tmp_path, 3):
            with pytest.raises(gx.InputError):
                here(LAYER, {"nu": [0.1]}, store=bad)
        with pytest.raises(gx.InputError, match="there is no store"):
            gx.open_sweep(tmp_path / "none.sqlite")


class TestRectangle:
    GUESS = "x*(1 - x)*y*(1 - y)"

    def swept(self, values, **options):
        return here(SQUARE, {"eps": values}, tol=1e-3, **options)

    def test_a_store_goes_on_and_reads_back_with_its_solutions(self, tmp_path):
        store, solved = tmp_path / "s.sqlite", []
        options = {"guess": self.GUESS, "store": store, "solutions": True}
        first = self.swept([0.3], **options)
        both = self.swept([0.3, 0.2], **options, progress=lambda p: solved.append(p.solved))
        assert solved[-1] == 1
        assert both["error"][0] == first["error"][0]
        again = gx.open_sweep(store)
        assert again.converged.all()
        assert again["eps"].tolist() == [0.2, 0.3]
        alone = gx.solve(again.problem(0), 1e-3, guess=self.GUESS)
        assert again["neurons"][0] == alone.neurons
        assert again.solution(0)(0.4, 0.7) == alone(0.4, 0.7)
        assert again.gates(0) == (*alone.gates["x"], *alone.gates["y"])

    def test_the_guess_belongs_to_the_study_and_its_spaces_do_not(self, tmp_path):
        store, solved = tmp_path / "s.sqlite", []
        self.swept([0.3], store=store, guess=self.GUESS)
        self.swept([0.3], store=store, guess=self.GUESS.replace(" ", ""), progress=solved.append)
        assert not solved
        with pytest.raises(gx.InputError, match="other options of the solver"):
            self.swept([0.3], store=store, guess="0")

    def test_functions_and_solutions_are_guesses_where_nothing_is_written_down(self, tmp_path):
        for guess in (lambda x, y: x * y, gx.solve(SQUARE, 1e-3), 0.1):
            assert self.swept([0.2], guess=guess).converged.all()
        with pytest.raises(gx.InputError, match="cannot be written down"):
            self.swept([0.2], guess=lambda x, y: x * y, store=tmp_path / "s.sqlite")

    def test_gates_are_given_by_axis(self, tmp_path):
        options = {"gates": {"x": [gx.Layer(0.0, 0.1)], "y": []}, "store": tmp_path / "s.sqlite"}
        first, again = self.swept([0.3], **options), self.swept([0.3], **options)
        assert first.converged.all()
        assert again["seconds"] == first["seconds"]

    def test_processes_give_the_same_rows(self):
        values = {"eps": [0.3, 0.2]}
        table = gx.sweep(SQUARE, values, workers=2, tol=1e-3, guess=self.GUESS)
        assert table["error"].tolist() == self.swept(values["eps"], guess=self.GUESS)["error"].tolist()

    def test_a_store_that_lost_the_spaces_of_its_conditions_goes_on_and_gets_them_back(self, tmp_path):
        store, solved = tmp_path / "s.sqlite", []
        self.swept([0.3], store=store)
        database = sqlite3.connect(store)
        database.execute("UPDATE study SET value = replace(value, '0 on boundary', '0onboundary')")
        database.commit()
        database.close()
        self.swept([0.3], store=store, progress=solved.append)
        assert not solved
        assert gx.open_sweep(store).problem(0).statement()["conditions"] == ["u = 0 on boundary"]


class TestTable:
    @pytest.fixture(scope="class")
    @staticmethod
    def table(tmp_path_factory):
        store = tmp_path_factory.mktemp("sweep") / "s.sqlite"
        here(LAYER, {"nu": [0.1, 1e-3, 1e-2], "b": [1, 2]}, store=store, quantities=["max(u)"])
        return gx.open_sweep(store)

    def test_a_store_reads_back_sorted(self, table):
        assert table.points.tolist() == [[n, b] for n in (1e-3, 1e-2, 0.1) for b in (1, 2)]
        assert table["max(u)"] == pytest.approx(table["b"])
        assert table.quantities == ("max(u)",)
        assert str(table) == "Table(6 points over nu, b; 6 converged)"

    def test_csv_holds_every_number_to_the_last_bit(self, table, tmp_path):
        table.to_csv(tmp_path / "t.csv")
        lines = (tmp_path / "t.csv").read_text().splitlines()
        assert lines[0] == "nu,b,status,message,error,neurons,rounds,seconds,gates,max(u)"
        assert [float(line.split(",")[0]) for line in lines[1:]] == table["nu"].tolist()

    def test_pandas(self, table):
        pytest.importorskip("pandas", reason="pandas is not installed: pip install 'gated-xtfc[pandas]'")
        frame = table.to_pandas()
        assert frame["error"].tolist() == table["error"].tolist()
        assert list(frame) == list(table.columns)

    def test_polars_and_parquet(self, table, tmp_path):
        polars = pytest.importorskip("polars", reason="polars is not installed: pip install 'gated-xtfc[polars]'")
        table.to_parquet(tmp_path / "t.parquet")
        frame = polars.read_parquet(tmp_path / "t.parquet")
        assert frame["nu"].to_list() == table["nu"].tolist()
        assert frame["gates"].to_list() == table["gates"].tolist()

    @pytest.mark.parametrize("name", ["pandas", "polars"])
    def test_a_missing_extra_is_named(self, table, name, monkeypatch):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(gx.InputError, match=f"\\[{name}\\]'"):
            getattr(table, f"to_{name}")()

    def test_a_column_that_is_not_there_is_named(self, table):
        with pytest.raises(gx.InputError, match="did you mean 'status'"):
            table["statsu"]
        with pytest.raises(gx.InputError, match="solutions=True"):
            table.solution(0)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"time_limit": -1}, "time_limit"),
        ({"tol": 0}, "tol is 0"),
        ({"workers": 0}, "workers is 0"),
        ({"executor": 3}, "executor takes"),
        ({"quantities": 3}, "quantities are a list"),
        ({"guess": "y"}, "unknown name 'y'"),
        ({"continuation": "mu"}, "continuation in"),
    ],
)
def test_bad_options_are_refused_before_anything_is_solved(options, told):
    with pytest.raises(gx.InputError, match=told):
        gx.sweep(LAYER, {"nu": [0.1, 0.2]}, **options)


def test_rtol_and_atol_mean_at_every_point_what_they_mean_to_solve():
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    table = gx.sweep(problem, {"nu": [1e-3]}, workers=1, rtol=1e-12, atol=1e-3)
    assert table["error"][0] == gx.solve(problem(nu=1e-3), rtol=1e-12, atol=1e-3).error
    with pytest.raises(gx.InputError, match="which is no field of the problem"):
        gx.sweep(problem, {"nu": [1e-3]}, workers=1, rtol={"v": 1e-8})


def test_a_parameter_that_does_not_occur_is_named():
    with pytest.raises(gx.InputError, match="did you mean 'nu'"):
        gx.sweep(LAYER, {"nuu": [0.1]})


def test_the_identity_of_a_study_is_plain_json():
    study = Study(LAYER, ("nu",), options={"guess": "x", "gates": [gx.Layer(1.0, 0.1)]})
    assert json.loads(json.dumps(study.identity())) == study.identity()
    assert canonical(" u''  = where( x <= 1,0 ,1)") == "u'' = where(x<=1,0,1)"
    assert canonical("u  =  0   on x=1") == "u = 0 on x = 1"
