"""What a newcomer types, and the part of the one sentence that leads to the fix. None of it ends in a traceback."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main

LINE: dict[str, Any] = {"x": (0, 1)}
SQUARE: dict[str, Any] = {"x": (0, 1), "y": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
LAYER = gx.Problem("u' - nu*u'' = 0", LINE, ENDS, nu=1e-2)


def equation(text: Any, **more: Any) -> Callable[[], Any]:
    return lambda: gx.Problem(text, LINE, ENDS, **more)


def conditions(*texts: Any) -> Callable[[], Any]:
    return lambda: gx.Problem("u'' = u", LINE, list(texts))


TYPED: list[tuple[Callable[[], Any], str]] = [
    # the equation
    (equation("du/dx = u"), "derivatives are written u', u'' or u_x, u_xx"),
    (equation("d2u/dx2 = u"), "derivatives are written u', u'' or u_x, u_xx"),
    (equation("diff(u, x, 2) = u"), "derivatives are written u', u'' or u_x, u_xx"),
    (equation("u'' = piecewise(x, 1)"), r"write where\(x < 0.5, a, b\)"),
    (equation("u'' = np.exp(x)"), "functions have no module before them"),
    (equation("u'' = 0,5*u"), "numbers are written 0.5"),
    (equation("u'' - u"), "write it as left = right"),
    (equation("u'' == u"), "write a single '='"),
    (equation('u" = u'), "write two single primes, u''"),
    (equation("u'' = (u + 1"), r"a '\(' is never closed"),
    (equation("ν*u'' = u"), "unknown name 'ν'.*: a parameter needs a value, ν="),
    (equation("u'' = 5%*u"), "write 0.05 for 5 %"),
    (equation("u'' = sin(t)*u"), "the coordinate here is x"),
    (equation("u'' = 3 m/s*u"), "unknown name 'm'.*: a parameter needs a value, m="),
    (equation(3), 'the equation must be a text or a function, not "3"'),
    # parameters
    (equation("nu*u'' = u"), "a parameter needs a value, nu=..."),
    (equation("nu*u'' = u", nu="1e-3"), 'must be a number, not "1e-3"'),
    (equation("nu*u'' = u", nu=0), "give its parameter another value or leave the term out"),
    (equation("nu*u'' = u", parameters={"nu": 1}), r"by name, Problem\(..., nu=1e-4\)"),
    (lambda: LAYER(mu=1), "its parameters are nu"),
    # the domain
    (lambda: gx.Problem("u'' = u", (0, 1), ENDS), r'must be given like \{"x": \(0, 1\)\}'),  # type: ignore[arg-type]
    (lambda: gx.Problem("u'' = u", {"x": (1, 0)}, ENDS), "is reversed: give the smaller end first"),
    (lambda: gx.Problem("u'' = u", {"x": "0:1"}, ENDS), r"must be two ends, like \(0, 1\)"),
    # conditions
    (conditions("u(0) = 0"), "needs 2 conditions, but 1 given: 1 missing"),
    (conditions(*ENDS, "u'(0) = 1"), "3 given: 1 too many"),
    (conditions("u(0) = 0", "u(0) = 0"), "says nothing beyond"),
    (conditions("u(0) = 0", "u(2) = 0"), r"the point 2 is outside the domain \[0, 1\]"),
    (conditions("v(0) = 0", "u(1) = 0"), "the fields are u"),
    (conditions("u = 0", "u(1) = 0"), r"must say where: write u\(0\)"),
    (conditions("u[0] = 0", "u(1) = 0"), "use parentheses"),
    (conditions("u(0): 0", "u(1) = 0"), "write ="),
    (lambda: gx.Problem("u'' = u", LINE, "u(0)=0, u(1)=1"), "must be a list of texts like"),
    (lambda: gx.Problem("u_xx + u_yy = 1", SQUARE, ["u(0, y) = 0"]), r"the side x = 1 has no condition: add one"),
    (lambda: gx.Problem("u'' = 1", SQUARE, ["u = 0 on boundary"]), "write u_xx or u_yy"),
    # solving, and what comes of it
    (lambda: gx.solve("u'' = u"), "is an equation, not a problem file: give it a domain and conditions"),
    (lambda: gx.solve(LAYER, tol=-1), "give a positive number such as 1e-8"),
    (lambda: gx.solve(LAYER, tol=8), "give a positive number below 1 such as 1e-8"),
    (lambda: gx.solve(LAYER, continuation="mu"), "the parameters are nu"),
    (lambda: gx.solve(LAYER)(2.0), r"x = 2 is outside the domain \[0, 1\]"),
    (lambda: gx.solve(LAYER)(0.5, 3), "orders 0 to 2 are available"),
    (lambda: gx.solve(LAYER)["v"], "the fields are u"),
    (lambda: gx.solve(LAYER).plot("figure.jpeg"), "should end in .png, .svg, .pdf"),
    (lambda: gx.solve(LAYER).save("/no/such/folder/a.npz"), "give another place"),
    # data
    (lambda: gx.infer(LAYER, ([0.5], [1]), {}), r"say what is unknown, by bounds such as unknown=\{\"nu\""),
    (lambda: gx.infer(LAYER, np.zeros((5, 2)), {"nu": (1e-3, 1)}), "give its columns, which are rows of data.T"),
    (lambda: gx.infer(LAYER, ([0.5, 1.5], [0, 1]), {"nu": (1e-3, 1)}), "outside the domain .*: leave it out"),
    (lambda: gx.infer(LAYER, ([0.5], [1]), {"nu": (1, 1e-3)}), "are reversed"),
    (lambda: gx.sweep(LAYER, {"mu": [0.1]}), "its parameters are nu"),
]
STATED = ["--equation", "nu*u''=u", "--condition", "u(0)=0", "--condition", "u(1)=1"]
COMMANDS: list[tuple[list[str], str]] = [
    ([], "no command given: write gated-xtfc solve FILE.toml"),
    (["sovle", "layer.toml"], "did you mean 'solve'?"),
    (["solve", "layer.tml"], "did you mean 'layer.toml'?"),
    (["solve", "there/layer.toml"], 'there is no folder "there"'),
    (["solve", "layer.toml", "--tolerance", "1e-3"], "there is no option --tolerance"),
    (["solve", "layer.toml", "--max-neuron", "100"], "did you mean --max-neurons?"),
    (["solve", "layer.toml", "--tol", "tiny"], "--tol: invalid float value: 'tiny'"),
    (["solve", "layer.toml", "--set", "nu:1"], "--set takes NAME=VALUE such as nu=1e-4"),
    (["solve", "layer.toml", "--set", "mu=1"], "mu"),
    (["solve", *STATED, "--domain", "x=0,1"], "--domain takes NAME=LEFT:RIGHT such as x=0:1"),
    (["solve", *STATED, "--domain", "x=0:1"], "a parameter needs a value"),
    (["infer", "layer.toml", "--data", "data.cvs", "--unknown", "nu=1e-4:1"], "did you mean 'data.csv'?"),
    (["infer", "layer.toml", "--data", "data.csv", "--unknown", "nu"], "write nu=LOW:HIGH such as nu=1e-4:1"),
    (["infer", "layer.toml", "--data", "data.csv", "--unknown", "nu=1:2", "--columns", "x,T"], "its columns are x, u"),
    (["examples", "burger"], "did you mean 'burgers'?"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "says"), TYPED)
def test_what_a_newcomer_types_is_answered_by_one_sentence_that_leads_to_the_fix(
    ask: Callable[[], Any], says: str
) -> None:
    with pytest.raises(gx.InputError, match=says) as told:
        ask()
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 320


@pytest.mark.parametrize(("words", "says"), COMMANDS)
def test_so_is_what_is_typed_on_the_command_line(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gx.write(LAYER, "layer.toml")
    Path("data.csv").write_text("x,u\n0.5,0.1\n")
    assert main(words) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("text", ["2u'' = u", "nu u'' = u", "u''(x) = nu*u(x)", "u'' = ln(x + 1)*nu", "ν*u'' = u"])
def test_what_can_only_mean_one_thing_is_read_so(text: str) -> None:
    named = {"ν": 1.0} if "ν" in text else {"nu": 1.0} if "nu" in text else {}
    assert gx.Problem(text, LINE, ENDS, **named).order["u"] == 2


def test_there_are_forty_of_them() -> None:
    assert len(TYPED) >= 40
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize(
    ("package", "work"),
    [
        ("pandas", lambda: gx.solve(LAYER).to_pandas()),
        ("polars", lambda: gx.solve(LAYER).to_polars()),
        ("xarray", lambda: gx.solve(LAYER).to_xarray()),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_brings_it(
    package: str, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # type: ignore[arg-type]
    with pytest.raises(gx.InputError, match=rf"{package} is not installed: .*pip install '.*\[{package}\]'"):
        work()
