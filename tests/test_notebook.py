"""What notebooks, help and problem files show: mathematics that is set, verdicts, axes that come back."""

import base64
import inspect
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from html import escape
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import notebook
from gated_xtfc.extras import install
from gated_xtfc.language.typeset import mathml
from gated_xtfc.problem.file import from_mapping
from gated_xtfc.problem.file import read as read_statement

matplotlib.use("Agg")
from matplotlib import pyplot

LAYER = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], title="<one> layer", nu=1e-2)
PLANE = gx.Problem("u_xx + u_yy = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"])
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.toml"))


def shown(markup: str) -> str:
    """What is left of markup for eyes; it must be well formed."""
    return re.sub(r"[\u2061-\u2064]|\s", "", "".join(ElementTree.fromstring(f"<r>{markup}</r>").itertext()))


@pytest.mark.parametrize(
    ("text", "seen", "markup"),
    [
        ("u' - nu*u'' = 0", "u′−νu″=0", "<msup><mi>u</mi><mo>″</mo></msup>"),
        ("eps*u'' + u*u' - u = 0", "εu″+uu′−u=0", "<mi>ε</mi>"),
        ("(1 - x)/(2*k1)", "1−x2k1", "<mfrac><mrow><mi></mi>"),
        ("x^2**3", "x23", "<msup>"),
        ("sqrt(x)*abs(u) <= 1e-4", "x|u|≤10−4", "<msqrt><mi>x</mi></msqrt>"),
        ("2*3.5e2", "2⋅3.5×102", "<mo>⋅</mo>"),
        ("2 nu u'' = (1 + x)u", "2νu″=(1+x)u", "<mi>ν</mi>"),
        ("u(0, y) = sin(pi*y)", "u(0,y)=sin(πy)", "<mi>sin</mi>"),
        ("u = 0 on boundary", "u=0onboundary", "<mtext>"),
        ("u_xx + u_yy = -exp(-x)", "uxx+uyy=−e−x", "<msub><mi>u</mi><mrow><mi>x</mi><mi>x</mi></mrow></msub>"),
    ],
)
def test_texts_are_set_as_mathematics(text: str, seen: str, markup: str) -> None:
    found = mathml(text)
    assert shown(found) == seen
    if markup != "<mfrac><mrow><mi></mi>":
        assert markup in found
    else:
        assert "<mo>(</mo>" not in found  # a fraction needs no parentheses


@pytest.mark.parametrize("text", ["", "u +", "((((", "x <> 2", "+".join("x" * 500), "u = <script>"])
def test_what_cannot_be_set_is_shown_as_it_was_written(text: str) -> None:
    found = mathml(text)
    assert found.startswith("<code>")
    assert shown(found) == re.sub(r"\s", "", text)
    assert "<script" not in found


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_is_set_and_none_of_it_as_code(file: Path) -> None:
    problem = gx.read(file)
    html = problem._repr_html_()
    ElementTree.fromstring(html)
    assert "<code>" not in html


def test_a_notebook_shows_a_problem_a_solution_a_posterior_and_a_table() -> None:
    assert "&lt;one&gt; layer" in LAYER._repr_html_()
    solution = gx.solve(LAYER)
    html = solution._repr_html_()
    assert "converged" in html
    picture = re.search(r"base64,([^\"]+)", html)
    assert picture is not None
    assert base64.b64decode(picture[1]).startswith(b"\x89PNG")
    x = np.linspace(0.9, 1, 8)
    posterior = gx.infer(LAYER, (x, solution(x)), {"nu": (1e-3, 1)}, 0.01)
    assert posterior.message in posterior._repr_html_()
    table = gx.sweep(LAYER, {"nu": np.geomspace(1e-2, 1, 12)}, workers=1)
    html = table._repr_html_()
    assert html.count("<tr>") == 12  # a header, five rows, a gap, five rows
    assert "12 rows: 12 converged" in html


def test_a_notebook_shows_a_spectrum_and_a_branch() -> None:
    string = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], unknown=["lam"])
    assert f"{np.pi**2:.12g}"[:10] in gx.eigen(string, 2)._repr_html_()
    bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    branch = gx.branch(bratu, "k", (1.0, 2.0), max_points=5)
    assert escape(branch.message) in branch._repr_html_()


def test_a_failure_is_shown_with_its_reason() -> None:
    hard = gx.solve(gx.Problem("u'' = -exp(u)*k", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=10), max_steps=30)
    assert not hard.converged
    assert escape(hard.message) in hard._repr_html_()


def test_plot_draws_into_axes_and_gives_them_back(tmp_path: Path) -> None:
    solution, (_, axes) = gx.solve(LAYER), pyplot.subplots()
    assert solution.plot(ax=axes) is axes
    (line,) = axes.get_lines()
    x, u = (np.asarray(values, dtype=float) for values in line.get_data())
    assert np.array_equal(u, solution(x))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "u")
    pyplot.figure()
    current = solution.plot(gated=True)
    assert current is pyplot.gca()
    assert "gated" in current.get_xlabel()
    solution.plot(tmp_path / "page.svg")
    assert (tmp_path / "page.svg").exists()
    with pytest.raises(gx.InputError, match='no field "w": the fields are u'):
        solution.plot(field="w")
    with pytest.raises(gx.InputError, match="ax must be axes of matplotlib, not str"):
        solution.plot(ax="left")  # type: ignore[call-overload]
    plane = gx.solve(PLANE, tol=1e-3)
    for gated in (False, True):
        pyplot.figure()
        assert plane.plot(gated=gated).collections
    x = np.linspace(0.9, 1, 8)
    posterior = gx.infer(LAYER, (x, solution(x)), {"nu": (1e-3, 1)}, 0.01)
    pyplot.figure()
    assert posterior.plot().get_lines()
    with pytest.raises(gx.InputError, match='"u\'" was not measured: measured were u'):
        posterior.plot(quantity="u'")
    pyplot.close("all")


@pytest.mark.parametrize(("value", "low", "high"), [(3, 2.7, 3.3), (0, -1, 1)])
def test_a_constant_is_drawn_as_one(value: float, low: float, high: float) -> None:
    constant = gx.Problem("u'' = 0", {"x": (0, 1)}, [f"u(0) = {value}", f"u(1) = {value}"])
    pyplot.figure()
    assert gx.solve(constant).plot().get_ylim() == pytest.approx((low, high))
    pyplot.close("all")


def test_signatures_tell_what_to_give() -> None:
    assert list(inspect.signature(gx.Problem).parameters)[:4] == ["equation", "domain", "conditions", "exact"]
    assert "path" in inspect.signature(gx.Solution.plot).parameters


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_what_write_writes_is_what_read_reads(file: Path, tmp_path: Path) -> None:
    statement = read_statement(file)
    guidance = {key: statement[key] for key in ("guess", "continuation") if key in statement}
    gx.write(gx.read(file), tmp_path / "again.toml", **guidance)
    again = read_statement(tmp_path / "again.toml")
    assert from_mapping(again).to_dict() == gx.read(file).to_dict()
    assert {key: again[key] for key in guidance} == guidance


def test_solve_takes_the_path_of_a_problem_file_with_the_guess_that_it_holds(tmp_path: Path) -> None:
    bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    gx.write(bratu, tmp_path / "hot.toml", guess="16*x*(1-x)")
    assert gx.solve(tmp_path / "hot.toml")(0.5) == pytest.approx(4.0915, abs=1e-4)
    assert gx.solve(str(tmp_path / "hot.toml"), guess=0)(0.5) == pytest.approx(0.1405, abs=1e-4)
    table = gx.sweep(tmp_path / "hot.toml", {"k": [1.0]}, quantities="u(0.5)", workers=1)
    assert table["u(0.5)"][0] == pytest.approx(4.0915, abs=1e-4)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("missing.toml", 'there is no problem file "missing.toml"'),
        ("u'' = u", "is an equation, not a problem file: give it a domain and conditions"),
        (3, "a Problem or the path of a problem file is needed, not int"),
        (None, "a Problem or the path of a problem file is needed, not NoneType"),
    ],
)
def test_what_is_no_problem_is_refused_in_one_sentence(given: object, says: str) -> None:
    for verb in (gx.solve, lambda p: gx.infer(p, ([0.5], [1]), {"k": (1, 2)}), lambda p: gx.sweep(p, {"k": [1]})):
        with pytest.raises(gx.InputError, match=says):
            verb(given)  # type: ignore[operator]


def test_the_command_for_an_extra_works_where_the_package_came_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = Path(__file__).parents[1]
    monkeypatch.chdir(root)
    assert install("studio") == "pip install '.[studio]'"
    monkeypatch.chdir(tmp_path)
    assert install("studio") == f"pip install '{root}[studio]'"
    monkeypatch.setattr("gated_xtfc.extras.__file__", str(tmp_path / "a" / "b" / "extras.py"))
    monkeypatch.setattr("importlib.metadata.PathDistribution.read_text", lambda *_: None)
    assert install("studio") == "pip install 'gated-xtfc[studio]'"


class Cell:
    """A notebook's cell, as IPython's `display` fills it."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def display(self, data: dict[str, str], raw: bool, display_id: bool = False) -> "Cell":
        self.texts.append(data["text/plain"])
        return self

    def update(self, data: dict[str, str], raw: bool) -> None:
        self.texts.append(data["text/plain"])


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    found = Cell()
    kernel = SimpleNamespace(kernel=object())
    modules = SimpleNamespace(get_ipython=lambda: kernel, display=SimpleNamespace(display=found.display))
    monkeypatch.setitem(sys.modules, "IPython", modules)  # type: ignore[arg-type]
    monkeypatch.setattr(notebook, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook, "OFTEN", 0.0)
    return found


SHOCK = gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = -7/6", "u(1) = 3/2"], eps=1e-3)
STRING = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], unknown="lam")


@pytest.mark.parametrize(
    ("work", "word"),
    [
        (lambda: gx.solve(SHOCK), "neurons"),
        (lambda: gx.eigen(STRING, 2), "eigenvalues"),
        (lambda: gx.sweep(SHOCK, {"eps": [1e-2, 1e-3]}, workers=1), "of 2 points"),
        (lambda: gx.branch(SHOCK, "eps", (0.1, 0.2)), "a solution at"),
    ],
)
def test_long_work_in_a_notebook_shows_a_line_that_is_gone_at_its_end(
    cell: Cell, work: Callable[[], object], word: str
) -> None:
    work()
    assert word in cell.texts[0]
    assert cell.texts[-1] == ""
    assert sum(text == "" for text in cell.texts) == 1  # the work inside it had no line of its own


def test_quick_work_shows_nothing(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "PATIENCE", 60.0)
    gx.solve(SHOCK)
    assert cell.texts == []


def test_a_progress_of_ones_own_takes_the_place_of_the_line(cell: Cell) -> None:
    seen: list[gx.Round] = []
    gx.solve(SHOCK, progress=seen.append)
    assert seen
    assert cell.texts == []


def test_the_line_is_gone_where_the_work_ends_in_an_error(cell: Cell) -> None:
    first = iter([True])

    def interrupted(*_: object) -> str:
        if next(first, False):
            return "on its way"
        raise KeyboardInterrupt

    work = notebook.followed(interrupted)(lambda progress=None: [progress(1), progress(2)])
    with pytest.raises(KeyboardInterrupt):
        work()
    assert cell.texts[0].startswith("on its way")
    assert cell.texts[-1] == ""
