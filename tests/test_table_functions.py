"""Coefficients and sources from tables: arrays, files, splines; where they bend is known, what they lack is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PPoly

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.language.table import TableFunction

UNIT = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]


def random_table(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.linspace(0.0, 1.0, count), np.random.default_rng(count).standard_normal(count)


def twice_integrated(x: np.ndarray, y: np.ndarray, kind: str) -> PPoly:
    """The solution of u'' = f, u(0) = u(1) = 0, less a line."""
    pieces = np.stack([np.diff(y) / np.diff(x), y[:-1]]) if kind == "linear" else CubicSpline(x, y).c
    return PPoly(pieces, x).antiderivative(2)


@pytest.mark.parametrize("kind", ["linear", "spline"])
@pytest.mark.parametrize("count", [3, 21, 101])
def test_a_random_table_as_a_source_is_solved_to_tolerance(kind: str, count: int) -> None:
    x, y = random_table(count)
    found = gx.solve(gx.Problem("u'' = f(x)", UNIT, ENDS, tables={"f": (x, y, kind)}))
    exact, at = twice_integrated(x, y, kind), np.linspace(0.0, 1.0, 2001)
    assert found.status == "converged"
    assert np.abs(found(at) - exact(at) + at * exact(1.0)).max() <= 1e-8 * np.abs(found(at)).max()


@pytest.mark.parametrize("count", [21, 101])
def test_interp_inside_a_function_is_right(count: int) -> None:
    x, y = random_table(count)
    found = gx.solve(gx.Problem(lambda x, u, xt=x, ft=y: u.xx - np.interp(x, xt, ft), UNIT, ENDS))
    exact, at = twice_integrated(x, y, "linear"), np.linspace(0.0, 1.0, 2001)
    assert np.abs(found(at) - exact(at) + at * exact(1.0)).max() <= 1e-8 * np.abs(found(at)).max()


def test_a_table_of_the_solution_has_its_kinks_where_the_solution_passes_them() -> None:
    places, values = [0.0, 0.05, 0.1, 0.2], [1.0, 2.0, 1.5, 3.0]
    found = gx.solve(gx.Problem("(k(u)*u')' = -1", UNIT, ENDS, tables={"k": (places, values)}))
    # the integral of k along u is x (1 - x)/2
    line = PPoly(np.stack([np.diff(values) / np.diff(places), values[:-1]]), places).antiderivative()
    x = np.linspace(0.0, 1.0, 101)
    assert found.status == "converged"
    assert np.abs(line(found(x)) - 0.5 * x * (1.0 - x)).max() < 1e-8


def test_a_function_of_python_gets_a_table_by_its_name() -> None:
    tables = {"f": random_table(5)}
    written = gx.solve(gx.Problem("u'' = f(x)", UNIT, ENDS, tables=tables))
    called = gx.solve(gx.Problem(lambda x, u, f: u.xx - f(x), UNIT, ENDS, tables=tables))
    assert abs(written(0.3) - called(0.3)) < 1e-9


def test_a_name_without_parentheses_a_derivative_and_a_condition_read_the_same_table() -> None:
    tables = {"f": ([0.0, 0.5, 1.0], [1.0, 2.0, 4.0], "spline")}  # a parabola
    bare = gx.solve(gx.Problem("u'' = f", UNIT, ["u(0) = f(0.5)", "u(1) = 0"], tables=tables))
    slope = gx.solve(gx.Problem("u''' = f'(x)", UNIT, ["u(0) = 2", "u(1) = 0", "u''(0) = f(0)"], tables=tables))
    assert bare(0.0) == pytest.approx(2.0, abs=1e-12)
    assert abs(bare(0.4) - slope(0.4)) < 1e-8


def test_members_copies_and_files_keep_their_tables(tmp_path: Path) -> None:
    problem = gx.Problem("eps*u'' - u = f(x)", UNIT, ENDS, tables={"f": random_table(7)}, eps=1e-2)
    assert problem(eps=1e-3).tables == problem.tables
    gx.write(problem, tmp_path / "problem.toml")
    assert gx.read(tmp_path / "problem.toml") == problem
    solution = gx.solve(problem)
    solution.save(tmp_path / "solution.gx")
    assert gx.load(tmp_path / "solution.gx").problem == problem


def test_a_problem_file_finds_its_columns_beside_itself(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "load.csv").write_text("x,load,other\n0,1,5\n0.5,2,5\n1,0,5\n")
    (tmp_path / "problem.toml").write_text(
        "equation = \"u'' = f(x)\"\ndomain = { x = [0, 1] }\nconditions = ['u(0) = 0', 'u(1) = 0']\n"
        '[tables]\nf = { file = "load.csv", columns = ["x", "load"] }\n'
    )
    here = gx.Problem("u'' = f(x)", UNIT, ENDS, tables={"f": ([0, 0.5, 1], [1, 2, 0])})
    assert gx.read(tmp_path / "problem.toml").tables == here.tables
    (tmp_path / "two.csv").write_text("x;load\n0;1\n0,5;2\n1;0\n")
    words = ["solve", "--equation", "u'' = f(x)", "--domain", "x=0:1", "--condition", ENDS[0], "--condition", ENDS[1]]
    assert main([*words, "--table", f"f={tmp_path / 'two.csv'}:linear", "--json"]) == 0
    assert '"linear"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("equation", "tables", "sentence"),
    [
        ("u'' = f(2*x)", {"f": ([0, 1], [0, 1])}, "outside its range from 0 to 1"),
        ("u'' = -20*f(u)", {"f": ([0, 0.1], [1, 1.1])}, "asked by its solution"),
        ("u'' = 1", {"f": ([0, 1], [0, 1])}, "occurs nowhere"),
        ("u'' = f(x)", {"f": ([0, 0], [0, 1])}, "two values at 0"),
        ("u'' = f(x)", {"f": ([0, 1], [0, 1, 2])}, "as many values as places"),
        ("u'' = f(x)", {"f": ([0, 1], [0, float("nan")])}, "not a finite number"),
        ("u'' = f(x)", {"f": ([0, 1], [0, 1], "cubic")}, "linear or spline"),
        ("u'' = f(x)", {"f": "nowhere.csv"}, "there is no table file"),
        ("u'' = f(x, 2)", {"f": ([0, 1], [0, 1])}, "takes one argument"),
        ("u'' = sin(x)", {"sin": ([0, 1], [0, 1])}, "cannot be the name of a table"),
    ],
)
def test_what_cannot_be_used_is_answered_in_a_sentence(equation: str, tables: Any, sentence: str) -> None:
    with pytest.raises(gx.InputError, match=sentence):
        gx.solve(gx.Problem(equation, UNIT, ENDS, tables=tables))


def test_a_statement_that_was_sent_reads_no_files() -> None:
    from gated_xtfc.problem.file import from_mapping

    stated = {"equation": "u'' = f(x)", "domain": {"x": [0, 1]}, "conditions": ENDS}
    with pytest.raises(gx.InputError, match="must have its values"):
        from_mapping({**stated, "tables": {"f": {"file": "/etc/passwd"}}})


@pytest.mark.parametrize("kind", ["linear", "spline"])
def test_enclosures_of_a_table_hold_its_values(kind: str) -> None:
    random = np.random.default_rng(0)
    table = TableFunction("f", *(tuple(one) for one in random_table(9)), kind)
    low = random.uniform(0.0, 0.9, 200)
    high = low + random.uniform(0.0, 0.1, 200)
    cells = table.on_interval(Interval(low, high), 0)
    inside = np.linspace(low, high, 9)
    values = table.applied(inside)
    assert ((cells.low <= values) & (values <= cells.high)).all()
    middle = 0.5 * (low + high)
    knots = np.array(table.x)
    alone = np.searchsorted(knots, low, "right") == np.searchsorted(knots, high, "left")  # no knot in between
    discs = table.on_disc(Disc(middle, (np.ones(200),), np.zeros(200), (0.5 * (high - low),)), 0)
    assert (np.abs(values - discs.centre) <= discs.radius * (1 + 1e-12) + 1e-14)[:, alone].all()


def test_more_pieces_than_kernels_can_join_end_as_rounding_where_elements_give_no_more() -> None:
    x = np.linspace(0, 1, 700)
    load = np.random.default_rng(0).standard_normal(700)
    problem = gx.Problem("u'' = f(x)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], tables={"f": (x, load)})
    assert gx.solve(problem, tol=1e-6).converged
    solution = gx.solve(problem, tol=1e-12)
    assert str(solution.status) == "rounding"
    knots, f = x.astype(np.longdouble), load.astype(np.longdouble)
    steps = np.diff(knots)
    slopes = np.concatenate([[0], np.cumsum(steps * (f[:-1] + f[1:]) / 2)])
    rises = steps * slopes[:-1] + steps**2 * (2 * f[:-1] + f[1:]) / 6
    u = np.concatenate([[0], np.cumsum(rises)])
    u -= knots * u[-1]
    assert np.abs(solution(x) - u).max() <= solution.error * solution.scale
