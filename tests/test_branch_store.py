"""Branches in a store: whatever stops a run, nothing that was found is lost, and the same call goes on from there."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.branches.family import BranchFamily

COLUMN = gx.Problem("u'' + k*sin(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=5)
OPTIONS = {"show": "u(0.3)", "max_points": 40}
WHOLE = gx.branch(COLUMN, "k", (5, 12), **OPTIONS)


class Stopped(BaseException):
    pass


def stopped_after(count):
    def told(_):
        nonlocal count
        count -= 1
        if count == 0:
            raise Stopped

    return told


def require_same(found, expected=WHOLE):
    assert len(found) == len(expected)
    assert found.reasons == expected.reasons
    for here, there in zip(found.points, expected.points, strict=True):
        assert (here.curve, here.kind, here.stable) == (there.curve, there.kind, there.stable)
        assert here.parameter == pytest.approx(there.parameter, rel=1e-6)
        assert here.quantities == pytest.approx(there.quantities, abs=1e-6)


# on the first curve, at its branch point, on the second one, and on the third
@pytest.mark.parametrize("count", [1, 4, 9, 14, 24])
def test_a_run_that_is_stopped_anywhere_goes_on_to_the_same_diagram(tmp_path, count):
    file = tmp_path / "branch.sqlite"
    with pytest.raises(Stopped):
        gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=file, progress=stopped_after(count))
    there = gx.open_sweep(file)
    assert len(there) >= count
    seen = []
    require_same(gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=file, progress=seen.append))
    assert len(seen) == len(WHOLE)


def test_a_killed_process_loses_no_point(tmp_path):
    script = """
import os, signal
import gated_xtfc as gx
column = gx.Problem("u'' + k*sin(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=5)
seen = []
def told(point):
    seen.append(point)
    if len(seen) == 12:
        os.kill(os.getpid(), signal.SIGKILL)
gx.branch(column, "k", (5, 12), show="u(0.3)", max_points=40, store="branch.sqlite", progress=told)
"""
    ended = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=os.environ, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(gx.open_sweep(tmp_path / "branch.sqlite")) >= 12
    require_same(gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=tmp_path / "branch.sqlite"))


def test_what_is_whole_is_read_and_not_computed_again(tmp_path, monkeypatch):
    file = tmp_path / "branch.sqlite"
    gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=file)
    monkeypatch.setattr(BranchFamily, "solved", None)
    again = gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=file)
    require_same(again)
    x = np.linspace(0.0, 1.0, 7)
    np.testing.assert_allclose(again.points[-1].solution(x), WHOLE.points[-1].solution(x), atol=1e-8)


def test_a_larger_budget_goes_on_where_a_smaller_one_ended(tmp_path):
    file = tmp_path / "branch.sqlite"
    few = gx.branch(COLUMN, "k", (5, 12), show="u(0.3)", max_points=3, store=file)
    assert "max_points" in few.reasons[0]
    require_same(gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=file))


@pytest.mark.parametrize(
    ("problem", "between", "options", "told"),
    [
        (COLUMN, (5, 13), {}, "other options"),
        (COLUMN, (5, 12), {"switch": False}, "other options"),
        (COLUMN, (5, 12), {"tol": 1e-6}, "with tol 1e-08, not 1e-06"),
        (gx.Problem("u'' + k*u = u^3", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=5), (5, 12), {}, "another problem"),
    ],
)
def test_a_store_of_another_branch_is_refused_in_one_sentence(tmp_path, problem, between, options, told):
    file = tmp_path / "branch.sqlite"
    with pytest.raises(Stopped):
        gx.branch(COLUMN, "k", (5, 12), **OPTIONS, store=file, progress=stopped_after(1))
    with pytest.raises(gx.InputError, match=told):
        gx.branch(problem, "k", between, **OPTIONS, store=file, **options)


def test_the_command_goes_on_from_its_store(tmp_path, capsys):
    file = tmp_path / "bratu.toml"
    file.write_text(
        'equation = "u\'\' + k*exp(u) = 0"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 0"]\n'
    )
    words = ["branch", str(file), "--along", "k=3:4", "--show", "max(u)", "--store", str(tmp_path / "b.sqlite")]
    found = []
    for most in ("3", "9"):
        assert main([*words, "--max-points", most, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["points"])
    assert len(found[0]) == 4
    assert len(found[1]) > 9
    assert found[1][:4] == found[0]
