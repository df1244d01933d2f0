"""`gated-xtfc sweep`: options, output, exit codes."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import SweepProgress
from gated_xtfc.apps.arguments import parse
from gated_xtfc.apps.cli import main
from gated_xtfc.apps.display import SweepBar, duration, words
from gated_xtfc.apps.sweep_command import designed

STATED = """
equation = "u' - nu*u'' = 0"
domain = { x = [0, 1] }
conditions = ["u(0) = 0", "u(1) = b"]
parameters = { b = 1 }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "layer.toml").write_text(STATED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*more):
    return main(["sweep", "layer.toml", "--store", "s.sqlite", "--workers", "1", *more])


def design(*over):
    return designed(parse("sweep", ["f.toml", "--store", "s", *over]))


def test_sweeps_a_parameter_that_the_file_leaves_open(folder, capsys):
    assert command("--over", "nu=1e-4:1:5", "--quantity", "max(u)", "--csv", "s.csv") == 0
    assert capsys.readouterr().out.startswith("5 points: 5 converged\n5 of them solved now")
    with open("s.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["nu"]) for row in rows] == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1, 1.0])
    assert [float(row["max(u)"]) for row in rows] == pytest.approx([1.0] * 5)
    assert command("--over", "nu=1e-4:1:5", "--quantity", "max(u)") == 0
    assert "0 of them solved now" in capsys.readouterr().out


def test_a_rectangle_with_a_guess_is_swept_and_goes_on(folder, capsys):
    stated = """
equation = "eps*(u_xx + u_yy) - u - u^3 = -1"
domain = { x = [0, 1], y = [0, 1] }
conditions = ["u = 0 on boundary"]
guess = "x*(1 - x)*y*(1 - y)"
"""
    (folder / "square.toml").write_text(stated)
    again = ["sweep", "square.toml", "--store", "s.sqlite", "--workers", "1", "--tol", "1e-3", "--solutions"]
    assert main([*again, "--over", "eps=0.3,0.2"]) == 0
    assert capsys.readouterr().out.startswith("2 points: 2 converged\n2 of them solved now")
    assert main([*again, "--over", "eps=0.3,0.2,0.25", "--csv", "s.csv"]) == 0
    assert "1 of them solved now" in capsys.readouterr().out
    table = gx.open_sweep("s.sqlite")
    assert [table.solution(row).problem.parameters["eps"] for row in range(3)] == table["eps"].tolist()


def test_json_is_one_object(folder, capsys):
    assert command("--over", "nu=0.1,0.01", "--over", "b=0:2:3", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["points"], report["solved_now"], report["statuses"]) == (6, 6, {"converged": 6})


def test_points_that_did_not_converge_are_listed_and_the_exit_code_is_one(folder, capsys):
    assert command("--over", "nu=0.1,0") == 1
    told = capsys.readouterr().out
    assert told.startswith("2 points: 1 converged, 1 ")
    assert "  nu = 0: " in told


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--over", "nu"], "--over takes NAME=FIRST:LAST:COUNT"),
        (["--over", "nu=1:2"], "needs a number of values"),
        (["--over", "nu=1:2:1"], "needs a number of values"),
        (["--over", "nu=0:1:3:log"], "positive ends"),
        (["--over", "nu=a:1:3"], "unknown name 'a'"),
        (["--over", "nu=1", "--over", "nu=2"], "given twice"),
        (["--over", "mu=1,2"], "needs a value|mu"),
        (["--over", "nu=1e-4:1", "--sobol", "8", "--random", "8"], "not both"),
        (["--over", "nu=1:2:3", "--sobol", "8"], "LOW:HIGH"),
        (["--over", "nu=1", "--sobol", "8"], "LOW:HIGH"),
        (["--over", "nu=0.1", "--quantity", "u"], "must say where"),
        (["--over", "nu=0.1", "--tol", "-1"], "tol is -1"),
        (["--over", "nu=0.1", "--time-limit", "0"], "time_limit"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(folder, capsys, more, told):
    assert command(*more) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert any(part in error for part in told.split("|"))
    assert not (folder / "s.sqlite").exists()


def test_values_between_far_ends_are_even_in_their_logarithm():
    assert design("--over", "nu=1e-8:1:9").points[:, 0] == pytest.approx(10.0 ** np.arange(-8.0, 1.0))
    assert design("--over", "nu=1:50:3").points[:, 0] == pytest.approx([1, 25.5, 50])
    assert design("--over", "nu=1:100:3:linear").points[:, 0] == pytest.approx([1, 50.5, 100])
    assert design("--over", "nu=1/2,2*pi").points[:, 0] == pytest.approx([0.5, 2 * np.pi])
    assert design("--over", "a=-1:1:3").points[:, 0].tolist() == [-1, 0, 1]


def test_designs_fill_the_box():
    for kind in ("--sobol", "--random"):
        points = design("--over", "nu=1e-6:1", "--over", "a=-1:1", kind, "32").points
        assert points.shape == (32, 2)
        assert 8 <= (points[:, 0] < 1e-3).sum() <= 24


def test_the_bar_tells_rate_failures_and_time_left(capsys):
    progress = SweepProgress(done=600, total=1000, failed=2, solved=500, seconds=2.0)
    assert words(progress) == "250 a second, 2 not converged, 2 s left"
    assert words(SweepProgress(0, 10, 0, 0, 0.0)) == "starting"
    assert [duration(s) for s in (5.0, 600.0, 36000.0)] == ["5 s", "10 min", "10.0 h"]
    with SweepBar() as bar:  # stderr is no terminal here: a plain line now and then
        bar.told -= 100.0
        bar(progress)
        bar(progress)
    assert capsys.readouterr().err == "600/1000 250 a second, 2 not converged, 2 s left\n"


def test_help_imports_no_numerics():
    probe = "import sys; from gated_xtfc.apps.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    run = [sys.executable, "-c", probe, "sweep", "--help"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "--scheduler ADDRESS" in done.stdout
    assert not {"numpy", "rich", "sqlite3", "gated_xtfc.sweeps"} & set(done.stderr.split())
