"""The studio without a server: what it reads, what it draws, what it refuses, what can be taken away."""

import contextlib
import io
import shlex
import tomllib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gated_xtfc as gx
from gated_xtfc.apps.arguments import parse
from gated_xtfc.apps.solve_command import stated
from gated_xtfc.apps.studio.frames import pack, unpack
from gated_xtfc.apps.studio.gallery import entry, gallery
from gated_xtfc.apps.studio.guard import COOKIE, Guard
from gated_xtfc.apps.studio.jobs import JOBS
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.statement import NEW, USUAL, Located, problem_of
from gated_xtfc.apps.studio.take_away import texts
from gated_xtfc.apps.studio.view import view
from gated_xtfc.problem.file import Guidance, from_mapping
from gated_xtfc.zoo import NAMES, family
from studio_process import LAYER

BEAM = {
    "equations": ["u' = v", "v' = -k*exp(u)"],
    "domain": {"s": [0, "L"]},
    "conditions": ["u(0) = 0", "u(L) = 0"],
    "parameters": {"k": 1, "L": 1.5},
    "guess": {"u": "s*(L-s)", "v": "L - 2*s"},
    "exact": {"u": "0*s + L"},
    "continuation": "k",
}
EIGENVALUE = {
    "equations": ["u'' + lam*u = 0"],
    "domain": {"x": [0, "pi"]},
    "conditions": ["u(0) = 0", "u(pi) = 0", "u'(0) = 1"],
    "unknown": ["lam"],
    "guess": "sin(x)",
}


def quiet(told: dict[str, Any]) -> None:
    pass


def solve(statement: Any, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return JOBS["solve"]({"statement": statement, "tol": "1e-8", **more}, quiet)


# ---- frames


@given(
    st.dictionaries(
        st.text(max_size=8), st.none() | st.text() | st.integers() | st.floats(allow_nan=False), max_size=4
    ),
    st.lists(st.sampled_from(["f8", "f4", "u1"]), max_size=4),
    st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_frame_gives_back_header_and_arrays(header: dict[str, Any], kinds: list[str], size: int) -> None:
    header.pop("arrays", None)
    arrays = {f"{k}:{kind}": np.arange(size + k).astype(kind) for k, kind in enumerate(kinds)}
    found, values = unpack(pack(header, arrays))
    finite = {key: None if value in (np.inf, -np.inf) else value for key, value in header.items()}
    assert found == finite
    assert list(values) == list(arrays)
    assert all(values[name].dtype == arrays[name].dtype for name in arrays)
    assert all(np.array_equal(values[name], arrays[name]) for name in arrays)


def test_arrays_stand_at_multiples_of_eight_bytes_where_the_browser_needs_them() -> None:
    frame = pack({"odd": "é" * 3}, {"a": np.zeros(3, dtype=np.float32), "b": np.full(2, np.pi)})
    assert frame[-16:] == np.full(2, np.pi).tobytes()
    assert len(frame) % 8 == 0


# ---- what is wrong, and where


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"equations": ["u' - nu*u'' == 0"]}, "equation"),
        ({"equations": ["u' - nu*u''"]}, "equation"),
        ({"equations": ["siin(x)*u'' = nu"]}, "equation"),
        ({"equations": []}, "equation"),
        ({"parameters": {"nu": 0}}, "equation"),  # the leading coefficient is zero
        ({"domain": {"x": [1, 0]}}, "domain"),
        ({"domain": {"x": [0, "1/0"]}}, "domain"),
        ({"domain": {"": [0, 1]}}, "domain"),
        ({"domain": {"x": [0, 1], "y": [0, 1], "z": [0, 1]}}, "domain"),
        ({"domain": {"x": [0, 1], "y": [1, 1]}}, "domain"),
        ({"conditions": ["u(0) = 0"]}, "conditions"),
        ({"conditions": ["u(0) = 0", "u(2) = 1"]}, "conditions"),
        ({"conditions": ["u(0) = 0", "u(0) = 1"]}, "conditions"),
        ({"parameters": {"nu": "1/"}}, "parameter:nu"),
        ({"parameters": {"nu": None}}, "parameter:nu"),
        ({"parameters": {"nu": "1e400"}}, "parameter:nu"),
        ({"unknown": ["lam"]}, "unknown"),
        ({"exact": "x +"}, "exact"),
        ({"exact": {"v": "x"}}, "exact"),
        ({"equations": ["u' = " + "+".join(["1"] * LIMITS.text)]}, "equation"),
        ({"conditions": ["u(0) = 0"] * (LIMITS.texts + 1)}, "conditions"),
    ],
)
def test_bad_input_is_said_at_the_field_that_caused_it(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Located) as caught:
        solve({**LAYER, **change})
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("change", "more", "field"),
    [
        ({}, {"tol": "-1"}, "tol"),
        ({}, {"tol": "tiny"}, "tol"),
        ({"equations": ["nu*u'' = u*u'"], "guess": "log(x - 0.5)"}, {}, "guess"),
        ({"guess": "sin("}, {}, "guess"),
        ({"equations": ["nu*u'' = u*u'"], "continuation": "mu"}, {}, "continuation"),
        ({"equations": ["nu*u'' = 1/(x - 0.5)"]}, {}, "equation"),
    ],
)
def test_what_the_solver_refuses_is_said_at_its_field_too(
    change: dict[str, Any], more: dict[str, Any], field: str
) -> None:
    with pytest.raises(Located) as caught:
        solve({**LAYER, **change}, **more)
    assert caught.value.field == field


def test_the_sentence_is_the_one_the_library_gives() -> None:
    wrong = {**LAYER, "conditions": ["u(0) = 0"]}
    with pytest.raises(gx.InputError) as library:
        from_mapping(wrong)
    with pytest.raises(Located) as studio:
        solve(wrong)
    assert str(studio.value) == str(library.value)


@pytest.mark.parametrize("statement", [None, 1, "u' = 1", [], {"equations": 3}, {"equations": ["u' = 1"], "domain": 0}])
def test_a_message_of_the_wrong_shape_is_refused_in_a_sentence(statement: Any) -> None:
    with pytest.raises(gx.InputError):
        solve(statement)


# ---- names become parameters


def test_a_new_name_becomes_a_parameter() -> None:
    problem, _ = problem_of({**LAYER, "equations": ["u' - eps*u'' + k*u = 0"]})
    assert dict(problem.parameters) == {"eps": USUAL["eps"], "k": NEW}


def test_a_parameter_that_occurs_no_more_is_left_out_and_the_others_keep_their_values() -> None:
    problem, _ = problem_of({**LAYER, "parameters": {"old": 3, "nu": 0.5}})
    assert dict(problem.parameters) == {"nu": 0.5}


def test_names_in_domain_conditions_and_integrals_count() -> None:
    stated_with = {"domain": {"x": [0, "L"]}, "conditions": ["u(0) = a", "integral(b*u) = 1"]}
    problem, _ = problem_of({**LAYER, **stated_with})
    assert set(problem.parameters) == {"nu", "L", "a", "b"}


def test_fields_functions_constants_and_the_coordinate_are_no_parameters() -> None:
    equation = "sin(x)*pi*u_xx + e*v + u = 1"
    system = {"equations": [equation, "v' = u"], "conditions": ["u(0) = 0", "u(1) = 1", "v(0) = 0"], "parameters": {}}
    problem, _ = problem_of({**LAYER, **system})
    assert not problem.parameters


# ---- what is drawn


@pytest.mark.parametrize("nu", [1e-1, 1e-4, 1e-8])
def test_the_curve_is_the_solution_at_ascending_points_dense_in_the_layer(nu: float) -> None:
    header, arrays = solve({**LAYER, "parameters": {"nu": nu}})
    x = arrays["x"]
    assert header["status"] == "converged"
    assert (np.diff(x) > 0).all()
    assert (np.diff(arrays["xi"]) >= 0).all()
    assert (arrays["xi"][0], arrays["xi"][-1]) == (0.0, 1.0)
    assert np.abs(arrays["u:u"] - np.exp((x - 1) / nu)).max() < 1e-4 + np.exp(-1 / nu)
    assert np.count_nonzero(x > 1 - 10 * nu) > 50


def test_figures_are_those_of_the_library() -> None:
    solution = gx.solve(problem_of(LAYER)[0], 1e-8, max_neurons=LIMITS.neurons)
    header, _ = solve(LAYER)
    assert {key: header[key] for key in ("status", "message", "error", "neurons", "rounds")} == {
        key: getattr(solution, key) for key in ("status", "message", "error", "neurons", "rounds")
    }


@pytest.mark.parametrize(
    ("ends", "eps", "places"),
    [(("-7/6", "3/2"), 1e-3, [1 / 3]), (("-1/3", "1/3"), 1e-4, [1 / 3, 2 / 3])],
)
def test_the_layers_listed_are_those_of_the_solution(ends: tuple[str, str], eps: float, places: list[float]) -> None:
    left, right = ends
    conditions = [f"u(0) = {left}", f"u(1) = {right}"]
    problem = gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, conditions, eps=eps)
    header, _ = view(gx.solve(problem, tol=1e-6), problem)
    assert sorted(gate["x"][0] for gate in header["gates"]) == pytest.approx(places, abs=0.02)


def test_gates_inside_the_domain_are_marked_on_both_axes() -> None:
    header, _ = solve(LAYER)
    assert [(gate["x"], gate["xi"]) for gate in header["gates"]] == [([1.0], [1.0])]


def test_derivatives_are_drawn_when_asked_for() -> None:
    header, arrays = solve(LAYER, derivative=1)
    assert header["derivative"] == 1
    assert arrays["u:u"][-1] == pytest.approx(100.0, rel=1e-6)


def test_of_a_solution_that_was_not_reached_the_parameters_asked_for_are_told_as_well() -> None:
    asked = problem_of(LAYER)[0]
    header, _ = view(gx.solve(asked(nu=0.5)), asked)
    assert (header["parameters"], header["shown"]) == ({"nu": 0.01}, {"nu": 0.5})


# ---- gallery


@pytest.mark.parametrize("name", NAMES)
def test_every_family_of_the_gallery_can_be_stated_with_its_exact_solution(name: str) -> None:
    shown = entry(family(name))
    keys = ("equations", "domain", "conditions", "parameters", "unknown")
    statement = {key: shown[key] for key in keys} | ({"exact": shown["exact"]} if shown["exact"] else {})
    problem, _ = problem_of({**statement, "family": name})
    assert problem == family(name).problem()
    assert set(problem.exacts) == set(family(name).problem().exacts)


def test_a_family_that_was_changed_loses_its_exact_solution() -> None:
    airy = entry(family("airy"))
    statement = {key: airy[key] for key in ("equations", "domain", "parameters")}
    assert not problem_of({**statement, "conditions": ["u(-1) = 2", "u(1) = 1"], "family": "airy"})[0].exacts
    assert gallery()["families"][0]["name"] == "convection_diffusion"


# ---- taking away


@pytest.mark.parametrize("statement", [LAYER, BEAM, EIGENVALUE])
def test_the_problem_file_states_the_same_problem(statement: dict[str, Any]) -> None:
    problem, guidance = problem_of(statement)
    read = tomllib.loads(texts(problem, guidance, 1e-8)["toml"])
    assert (from_mapping(read), Guidance.stated(read)) == (problem, guidance)


@pytest.mark.parametrize("statement", [LAYER, BEAM, EIGENVALUE])
def test_the_command_line_states_the_same_problem(statement: dict[str, Any]) -> None:
    problem, guidance = problem_of(statement)
    words = shlex.split(texts(problem, guidance, 1e-6)["command"].replace("\\\n", " "))
    assert words[:2] == ["gated-xtfc", "solve"]
    arguments = parse("solve", words[2:])
    read = stated(arguments)
    again = from_mapping(read)
    assert (again.equations[0].text, again.domain, dict(again.parameters), again.unknown) == (
        problem.equations[0].text, problem.domain, dict(problem.parameters), problem.unknown,
    )  # fmt: skip
    assert [one.text for one in again.conditions] == [one.text for one in problem.conditions]
    assert (Guidance.stated(read), arguments.tol) == (guidance, 1e-6)


@pytest.mark.parametrize("statement", [LAYER, EIGENVALUE, {**BEAM, "exact": None}])
def test_the_python_text_solves_the_same_problem(
    statement: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = {key: value for key, value in statement.items() if value is not None}
    problem, guidance = problem_of(statement)
    script = texts(problem, guidance, 1e-6)["python"].replace('solution.plot("solution.svg")', "")
    found: dict[str, Any] = {}
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(script, "taken away", "exec"), found)
    assert found["problem"] == problem
    assert found["solution"].tol == 1e-6
    assert found["u"].shape == (1001,)


def test_the_figure_comes_as_svg_and_as_png() -> None:
    for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        _, arrays = JOBS["figure"]({"statement": LAYER, "tol": 1e-8, "format": kind}, quiet)
        assert arrays["image"].tobytes().startswith(start)


# ---- data


def make(**change: Any) -> dict[str, Any]:
    asked = {"statement": LAYER, "tol": 1e-8, "count": 50, "noise": 0.02, "seed": 3, "spread": "xi"}
    return JOBS["data"]({**asked, **change}, quiet)[1]


def test_made_data_follow_from_their_seed_and_scatter_as_asked() -> None:
    first, again, other = make(), make(), make(seed=4)
    assert np.array_equal(first["y"], again["y"])
    assert not np.array_equal(first["y"], other["y"])
    many = make(count=4000)
    off = many["y"] - gx.solve(problem_of(LAYER)[0])(many["x"])
    assert 0.019 < off.std() < 0.021


@pytest.mark.parametrize("change", [{"count": 0}, {"count": 2.5}, {"noise": -1}, {"seed": "x"}, {"count": 10**9}])
def test_data_that_cannot_be_made_are_refused_at_the_data(change: dict[str, Any]) -> None:
    with pytest.raises(Located) as caught:
        make(**change)
    assert caught.value.field == "data"


@pytest.mark.parametrize(
    "change",
    [{"x": []}, {"x": ["a"], "y": [1]}, {"unknown": {}}, {"unknown": {"nu": [1]}}, {"unknown": {"mu": [1, 2]}}],
)
def test_an_inference_that_cannot_be_made_is_refused_at_the_data(change: dict[str, Any]) -> None:
    asked = {"statement": LAYER, "x": [0.5, 0.9], "y": [0.0, 0.1], "unknown": {"nu": [1e-4, 1]}, "noise": 0.01}
    with pytest.raises(Located) as caught:
        JOBS["infer"]({**asked, **change}, quiet)
    assert caught.value.field == "data"


@pytest.mark.skipif("infer" not in gx.__all__, reason="this version does not infer")
def test_data_lead_back_to_the_parameter_they_were_made_with() -> None:
    data = make(noise=0.01)
    message = {"x": data["x"].tolist(), "y": data["y"].tolist(), "unknown": {"nu": [1e-6, 1]}, "noise": 0.01}
    header, arrays = JOBS["infer"]({"statement": LAYER, **message}, quiet)
    found = header["found"]["nu"]
    assert abs(found["mean"] - 0.01) < 4 * found["std"] < 0.004
    open_band = arrays["high"] - arrays["low"] > 1e-9  # elsewhere it is as thin as rounding
    assert open_band.any()
    assert (arrays["low"] < arrays["mean"])[open_band].all()
    assert (arrays["mean"] < arrays["high"])[open_band].all()


# ---- who may connect

HERE = {"host": "127.0.0.1:8760", "origin": "http://127.0.0.1:8760"}


@pytest.mark.parametrize(
    "headers",
    [
        HERE,
        {"host": "localhost:9", "origin": "http://localhost:9"},  # a forwarded port
        {"host": "[::1]:8760", "origin": "http://[::1]:8760"},
    ],
)
def test_the_page_of_this_machine_may_connect(headers: dict[str, str]) -> None:
    assert Guard("127.0.0.1").objection(headers, socket_wanted=True) is None


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {**HERE, "host": "evil.example"},
        {**HERE, "host": "127.0.0.1.evil.example:8760"},
        {**HERE, "host": "192.168.0.7:8760"},
        {**HERE, "host": "[::1"},
        {**HERE, "origin": "http://evil.example"},
        {**HERE, "origin": "http://127.0.0.1:9999"},
        {**HERE, "origin": "null"},
        {"host": "127.0.0.1:8760"},
    ],
)
def test_foreign_names_and_pages_may_not(headers: dict[str, str]) -> None:
    assert Guard("127.0.0.1").objection(headers, socket_wanted=True) is not None


def test_beyond_this_machine_a_token_is_needed() -> None:
    guard, away = Guard("0.0.0.0", "secret"), {"host": "192.168.0.7:8760"}
    assert guard.objection(away) is not None
    assert guard.objection({**away, "cookie": f"{COOKIE}=guess"}) is not None
    assert guard.objection({**away, "cookie": f"{COOKIE}=secret"}) is None
    assert guard.objection({"host": "evil.example", "cookie": f"{COOKIE}=secret"}) is not None
