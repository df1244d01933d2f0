"""What the studio draws beside solutions on an interval: rectangles, fronts in time, spectra, branches."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.studio.frames import pack
from gated_xtfc.apps.studio.gallery import gallery
from gated_xtfc.apps.studio.jobs import JOBS
from gated_xtfc.apps.studio.showcase import SHOWCASE
from gated_xtfc.apps.studio.statement import Located, problem_of

SQUARE = {
    "equations": ["-eps*(u_xx + u_yy) + u = 1"],
    "domain": {"x": [0, 1], "y": [0, 1]},
    "conditions": ["u = 0 on boundary"],
    "parameters": {"eps": 1e-4},
}
FRONT = {
    "equations": ["u_t + u*u_x = eps*u_xx"],
    "domain": {"x": [0, 1], "t": [0, 0.5]},
    "conditions": ["u(x, 0) = 0.6 - 0.5*tanh((x - 0.25)/(4*eps))", "u(0, t) = 1.1", "u(1, t) = 0.1"],
    "parameters": {"eps": 1e-3},
}
STRING = {
    "equations": ["u'' + lam*u = 0"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 0", "u(1) = 0"],
    "unknown": ["lam"],
}
BRATU = {
    "equations": ["u'' + k*exp(u) = 0"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 0", "u(1) = 0"],
    "parameters": {"k": 1},
}


TABLE = {
    "equations": ["u'' = a*f(x)"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 0", "u(1) = 0"],
    "tables": {"f": {"x": [0, 0.5, 1], "y": [0, 1, 0]}},
}


def ask(kind: str, statement: dict[str, Any], **more: Any) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    told: list[Any] = []
    header, arrays = JOBS[kind]({"statement": statement, "tol": "1e-5", **more}, told.append)
    pack(header, arrays)  # it can be sent
    return header, arrays, told


def test_the_image_of_a_rectangle_is_the_solution_on_a_grid_dense_in_its_layers() -> None:
    header, arrays, _ = ask("solve", SQUARE)
    x, y = arrays["place:0"], arrays["place:1"]
    values = arrays["u"].reshape(x.size, y.size)
    solution = gx.solve(problem_of(SQUARE)[0], tol=1e-5)
    assert np.allclose(values, solution(x[:, None], y[None, :]), atol=1e-4)
    assert header["view"] == "plane"
    assert (x < 0.01).mean() > 0.1  # of a layer that is as thick


def test_derivatives_of_a_rectangle_are_drawn_by_their_number() -> None:
    header = ask("solve", SQUARE, derivative=2)[0]
    assert header["choices"][header["derivative"]] == "u_y"
    assert header["range"][1] > 50.0  # the slope in a layer of thickness 0.01


@pytest.fixture(scope="module")
def front() -> tuple[dict[str, Any], dict[str, Any]]:
    return ask("solve", FRONT)[:2]


def test_every_time_of_a_film_has_places_of_its_own(front: tuple[dict[str, Any], dict[str, Any]]) -> None:
    header, arrays = front
    times, x = arrays["times"], arrays["frames:x"].reshape(arrays["times"].size, -1)
    values = arrays["frames:u"].reshape(x.shape)
    middle = [float(np.interp(0.6, values[k][::-1], x[k][::-1])) for k in range(times.size)]
    assert header["view"] == "evolution"
    assert middle == pytest.approx(0.25 + 0.6 * times, abs=1e-4)


def test_the_path_of_a_gate_is_that_of_its_front(front: tuple[dict[str, Any], dict[str, Any]]) -> None:
    (path,) = front[0]["paths"]
    assert path["x"] == pytest.approx([0.25 + 0.6 * t for t in path["t"]], abs=1e-3)


def test_eigenvalues_come_with_all_their_modes() -> None:
    header, arrays, _ = ask("eigen", STRING, count="3")
    assert [real for real, _ in header["values"]] == pytest.approx([(k * np.pi) ** 2 for k in (1, 2, 3)])
    assert np.abs(arrays["mode:u_2"]) == pytest.approx(np.abs(np.sin(2 * np.pi * arrays["x"])), abs=1e-4)


def test_a_table_is_a_function_and_no_parameter() -> None:
    header, arrays, _ = ask("solve", TABLE)
    assert header["parameters"] == {"a": 1.0}
    assert np.interp(0.5, arrays["x"], arrays["u:u"]) == pytest.approx(-1 / 12, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "statement", "more", "field"),
    [
        ("eigen", {**STRING, "unknown": [], "parameters": {"lam": 1}}, {}, "unknown"),
        ("eigen", STRING, {"count": 0}, "count"),
        ("eigen", STRING, {"count": "many"}, "count"),
        ("eigen", STRING, {"near": "here"}, "near"),
        ("eigen", {**STRING, "conditions": ["u(0) = 1", "u(1) = 0"]}, {}, "equation"),
        ("branch", BRATU, {}, "along"),
        ("branch", BRATU, {"along": "k", "first": 1, "last": 1}, "along"),
        ("branch", BRATU, {"along": "k", "first": 1, "last": ""}, "along"),
        ("branch", BRATU, {"along": "k", "first": 1, "last": 2, "show": "max(v)"}, "along"),
        ("solve", {**SQUARE, "conditions": ["u = 0 on bondary"]}, {}, "conditions"),
        ("solve", {**SQUARE, "equations": ["-eps*(u_xx + u_yy + u = 1"]}, {}, "equation"),
        ("solve", {**FRONT, "conditions": FRONT["conditions"][:2]}, {}, "conditions"),
        ("solve", {**TABLE, "tables": {"f": {"x": [0, 1], "y": [1]}}}, {}, "tables"),
        ("solve", {**TABLE, "tables": {"f": {"file": "secret.csv"}}}, {}, "tables"),
        ("solve", {**TABLE, "tables": {"f": "secret.csv"}}, {}, "tables"),
        ("solve", {**TABLE, "tables": {"f": {"x": [0.0] * 9000, "y": [0.0] * 9000}}}, {}, "tables"),
        ("data", SQUARE, {"count": 3, "noise": 0.1, "seed": 1}, "data"),
    ],
)
def test_what_cannot_be_drawn_is_said_at_its_field(
    kind: str, statement: dict[str, Any], more: dict[str, Any], field: str
) -> None:
    with pytest.raises(Located) as caught:
        ask(kind, statement, **more)
    assert caught.value.field == field


def test_a_branch_is_told_point_by_point_and_holds_every_solution() -> None:
    header, arrays, told = ask("branch", BRATU, along="k", first="1", last="4", show="max(u)")
    peaks = arrays["u:u"].reshape(len(header["points"]), -1).max(axis=1)
    assert peaks == pytest.approx([point["quantities"][0] for point in header["points"]], rel=1e-3)
    (fold,) = [point["parameter"] for point in header["points"] if point["kind"] == "fold"]
    assert fold == pytest.approx(3.513830719, rel=1e-6)
    assert len(told) > 10
    assert set(told[0]["point"]) >= {"parameter", "quantities", "x", "fields"}


@pytest.mark.parametrize(("verb", "statement"), [("eigen", STRING), ("branch", BRATU), ("solve", SQUARE)])
def test_the_python_text_of_every_verb_runs(
    verb: str, statement: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = {"verb": verb, "count": "2", "near": "", "along": "k", "first": "1", "last": "2", "show": "max(u)"}
    header, _, _ = ask("texts", statement, **asked)
    exec(header["texts"]["python"], {})
    assert list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("verb", ["eigen", "branch"])
def test_the_figure_of_a_spectrum_and_of_a_branch_is_drawn(verb: str) -> None:
    statement, more = (STRING, {"count": 2}) if verb == "eigen" else (BRATU, {"along": "k", "first": 1, "last": 2})
    _, arrays, _ = ask("figure", statement, verb=verb, format="png", **more)
    assert arrays["image"][:4].tobytes() == b"\x89PNG"


@pytest.mark.parametrize("entry", SHOWCASE, ids=lambda entry: entry["name"])
def test_every_problem_of_the_showcase_is_read_as_it_stands(entry: dict[str, Any]) -> None:
    keys = ("equations", "domain", "conditions", "unknown", "parameters")
    problem, _ = problem_of({key: entry[key] for key in keys})
    assert dict(problem.parameters) == entry["parameters"]
    assert entry in gallery()["families"]  # type: ignore[operator]
