"""The gallery: every script runs, converges, draws, and shows the number that is known; the command copies them."""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from scipy.special import mathieu_a

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.gallery import SUBJECTS, scripts

matplotlib.use("Agg")
from matplotlib import pyplot

SCRIPTS = {one.name: one for one in scripts()}
ROOT = float(np.sqrt(1 + 8e-5))
# A number that is known by hand, in closed form or from the literature, and how it is had from what the script leaves.
KNOWN: dict[str, tuple[Any, float]] = {
    "outflow": (lambda s: s["solution"](1 - 1e-6), float(np.exp(-1.0))),
    "reaction": (lambda s: s["solution"](0.25), 0.5),
    "reactor": (lambda s: s["solution"](1.0), 4 * ROOT * float(np.exp(-4 / (1 + ROOT))) / (1 + ROOT) ** 2),
    "needle": (lambda s: s["solution"](0.3), 0.21 - 0.5e-5 / float(np.sqrt(np.pi))),
    "turning_point": (lambda s: s["solution"](0.0), 0.0),
    "burgers": (lambda s: s["solution"](1 / 3), 0.0),
    "ground_state": (lambda s: s["solution"](0.0), 1.5),
    "double_layer": (lambda s: s["solution"](1e-3), float(4 * np.arctanh(np.tanh(1) * np.exp(-1)))),
    "carriers": (lambda s: s["solution"](0.0, 1), -100.0),
    "catalyst": (lambda s: s["table"]["integral(u)"][-1], 1e-3),
    "ignition": (lambda s: s["cold"](0.5), 0.3289524214),
    "falkner_skan": (lambda s: s["solution"]["u"](0.0, 1), 1.2325876568),
    "oscillator": (lambda s: s["solution"].constants["lam"], 7.0),
    "allen_cahn": (lambda s: s["solution"].constants["c"], 2**0.5 / 4),
    "mathieu": (lambda s: s["solution"].constants["lam"], float(mathieu_a(4, 5.0))),
    "elastica": (lambda s: s["solution"]["z"](1.0), 0.0),
    "bratu": (lambda s: s["branch"].folds[0].parameter, 3.513830719),
    "moving_shock": (lambda s: s["solution"](0.8, 1.0), 0.6),
    "plateau": (lambda s: s["solution"](0.5, 0.9999), 1 - float(np.exp(-1.0))),
    "peak": (lambda s: s["solution"](0.5, 0.5), 0.62545006882367),
    "viscosity": (
        lambda s: float(s["posterior"].interval("nu", 0.999)[0] < 5e-3 < s["posterior"].interval("nu", 0.999)[1]),
        1.0,
    ),
    "two_unknowns": (lambda s: s["posterior"].observations.size, 23.0),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_draws_and_shows_what_is_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyplot, "show", lambda *_, **__: None)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        left = runpy.run_path(str(SCRIPTS[name].path), run_name="__main__")
    assert pyplot.get_fignums()
    assert all(axes.has_data() for axes in pyplot.gcf().axes)
    pyplot.close("all")
    for one in left.values():
        assert not isinstance(one, gx.Solution) or one.converged, one
    if name in KNOWN:
        ask, value = KNOWN[name]
        assert ask(left) == pytest.approx(value, abs=2e-6, rel=2e-6)


def test_the_gallery_is_large_and_each_script_says_what_to_look_at() -> None:
    assert len(SCRIPTS) == len(scripts()) >= 30
    assert {one.subject for one in scripts()} == {*SUBJECTS}
    for one in scripts():
        assert one.title
        assert not one.title.endswith(".")
        assert one.about.endswith(".")
        assert one.name not in sys.stdlib_module_names  # a copy must not stand in the way of Python's own


def test_the_command_lists_and_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples"]) == 0
    assert SCRIPTS["burgers"].title in capsys.readouterr().out
    assert main(["examples", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["examples"]) == len(SCRIPTS)
    assert main(["examples", "burgers", "twin.py", "--to", str(tmp_path)]) == 0
    assert (tmp_path / "burgers.py").read_text() == SCRIPTS["burgers"].path.read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"burgers.py", "twin.py"}
    assert main(["examples", "burgers", "--to", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["examples", "burger"]) == 2
    assert "did you mean 'burgers'?" in capsys.readouterr().err
    assert main(["examples", "--to", str(tmp_path)]) == 2
    assert "name an example to copy, or give --all" in capsys.readouterr().err
