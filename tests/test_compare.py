"""One problem, this solver and its peers: errors that are right, reasons where there is none, a table and JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

import gated_xtfc as gx
from gated_xtfc.apps import compare_command
from gated_xtfc.apps.cli import main
from gated_xtfc.apps.tables import comparison_table
from gated_xtfc.baselines.training import Budget
from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.paper.comparison import METHODS, OURS, PUBLISHED, MethodResult, Sizes, compare

FOLDER = Path(__file__).parents[1] / "examples"
SMALL = Sizes(40, (1e-2, 20.0), 80, 60, Budget(adam_steps=3, lbfgs_steps=3, width=4))
DEEP = {"PINN", "Deep-TFC"}
LIGHT = [name for name in METHODS if name not in DEEP]


def layer(nu: float, exact: bool = True) -> gx.Problem:
    formula = "(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))" if exact else None
    return gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], formula, nu=nu)


def by_method(lines: tuple[MethodResult, ...]) -> dict[str, MethodResult]:
    return {line.method: line for line in lines}


def test_every_method_solves_a_mild_problem() -> None:
    found = by_method(compare(layer(0.5), methods=LIGHT, sizes=SMALL))
    assert list(found) == LIGHT
    for line in found.values():
        assert line.ran, line.note
        assert line.error is not None
        assert line.neurons
        assert line.seconds
        assert line.error < 1e-2
    assert found[OURS].error is not None
    assert found[OURS].error < 1e-8
    assert "split" in found[PUBLISHED].note


def test_without_an_exact_solution_errors_are_against_our_own() -> None:
    methods = [OURS, "X-TFC (Gaussians)", "solve_bvp"]
    given = by_method(compare(layer(1e-2), methods=methods, sizes=SMALL))
    found = by_method(compare(layer(1e-2, exact=False), methods=methods, sizes=SMALL))
    assert found["X-TFC (Gaussians)"].error == pytest.approx(given["X-TFC (Gaussians)"].error, rel=1e-5)
    assert found[OURS].note == "its own error estimate"
    assert found[OURS].error is not None
    assert found[OURS].error <= 1e-8


def test_methods_that_cannot_handle_a_problem_say_why() -> None:
    problem = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1.0)
    found = by_method(compare(problem, methods=LIGHT, sizes=SMALL))
    assert found[OURS].ran
    assert found["solve_bvp"].ran
    for name in (PUBLISHED, "X-TFC (Gaussians)", "PIELM"):
        assert not found[name].ran
        assert "linear" in found[name].note


def test_a_system_is_solved_by_the_default_alone() -> None:
    problem = gx.Problem(["u' = v", "v' = -u"], {"x": (0, 1)}, ["u(0) = 0", "v(0) = 1"])
    found = by_method(compare(problem, methods=LIGHT, sizes=SMALL))
    assert [name for name, line in found.items() if line.ran] == [OURS]
    assert all(line.note for name, line in found.items() if name != OURS)


def test_a_missing_extra_is_named_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise InputError(f"JAX is not installed: {install('deep')}") from ImportError("jax")

    monkeypatch.setattr("gated_xtfc.baselines.training.backend", missing)
    found = compare(layer(0.5), methods=[OURS, *DEEP], sizes=SMALL)
    for line in found[1:]:
        assert not line.ran
        assert "[deep]'" in line.note


def test_the_command_prints_json_that_names_problem_sizes_and_methods(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare_command, "Sizes", lambda: SMALL)
    skipped = ["--skip", "pinn", "--skip", "deep_tfc", "--skip", "gated"]
    code = main(["compare", str(FOLDER / "convection_diffusion.toml"), "--set", "nu=0.1", *skipped, "--json"])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    report = json.loads(printed.out)
    assert [line["method"] for line in report["methods"]] == [n for n in LIGHT if n != PUBLISHED]
    assert report["problem"]["parameters"]["nu"] == 0.1
    assert report["sizes"]["neurons"] == 80
    assert report["reference"] == "the exact solution"


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_command, "Sizes", lambda: SMALL)
    skipped = [part for name in ("gated", "pielm", "pinn", "deep-tfc") for part in ("--skip", name)]
    assert main(["compare", str(FOLDER / "convection_diffusion.toml"), "--set", "nu=0.1", *skipped]) == 0
    table = capsys.readouterr().out
    for word in ("default solver", "X-TFC (Chebyshev)", "solve_bvp", "error", "neurons", "against the exact solution"):
        assert word in table


def test_the_table_shows_a_dash_for_what_is_not_known() -> None:
    table = comparison_table((MethodResult("PINN", note="needs JAX", ran=False),))
    assert [next(iter(column.cells)).plain for column in table.columns] == ["PINN", "–", "–", "–", "needs JAX"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.toml"], "there is no problem file"),
        ([str(FOLDER / "robin.toml"), "--skip", "nonsense"], "no method"),
        ([str(FOLDER / "robin.toml"), "--set", "nu"], "NAME=VALUE"),
        ([], "FILE.toml"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *arguments]) == 2
    assert said in capsys.readouterr().err
