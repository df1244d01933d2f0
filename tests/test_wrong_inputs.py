"""Inputs that were once misunderstood, took for ever or took all memory, each with the sentence that it gets now."""

import json
import os
import re
import sqlite3

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.errors import InputError
from gated_xtfc.solver import adapt
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.sweeps.design import MOST
from gated_xtfc.sweeps.store import explained

LINE, SQUARE, PLANE = {"x": (0, 1)}, {"x": (0, 1), "y": (0, 1)}, {"x": (0, 1), "t": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
THREE = ["u(0, t) = 0", "u(1, t) = 0", "u(x, 0) = sin(pi*x)"]
TOWER = "u'' = " + "^".join("x" * 20_000)
LARGEST = "u'' = max(" + ", ".join(f"x+{k}" for k in range(5_000)) + ")"
CROWD = [f"u{k}' = u{(k + 1) % 300} - u{k}" for k in range(300)]
STARTS = [f"u{k}(0) = {k}" for k in range(300)]


def refused(equation, domain, conditions, **more):
    with pytest.raises(InputError) as told:
        gx.solve(gx.Problem(equation, domain, conditions, **more))
    sentence = str(told.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


@pytest.mark.parametrize(
    ("equation", "domain", "conditions", "more", "says"),
    [
        ("u_t = -u_xx", PLANE, THREE, {}, "as in a heat equation that runs backwards"),
        ("u_t = k*u_xx - u_x + u^3", PLANE, THREE, {"k": -1}, "is ill-posed"),
        ("u_tt = u_xx", PLANE, THREE, {}, "u_t has no value at t = 0"),
        ("eps*u'' = exp(x)*u", LINE, ENDS, {"eps": 1, "epz": 1}, "did you mean 'eps'?"),
        ("eps*u'' = exp(x)*u", LINE, ENDS, {"epz": 1}, "did you mean 'epz'"),
        ("u'' = u", {"x": (0, "2*inf")}, ENDS, {}, "it can be an end of the domain, or the point of a condition"),
        ("u'' = u*inf", {"x": (0, 1)}, ENDS, {}, "it can be an end of the domain, or the point of a condition"),
        ("u'' = u", {"x": (0, 1)}, ["u(0) = 0", "u(inf) = 1"], {}, "the point inf is outside the domain [0, 1]"),
        ("u'' = inf*u", {"x": (0, 1)}, ENDS, {"inf": 2.0}, '"inf" cannot be the name of a parameter'),
        (
            "u_xx + u_yy = 1",
            {"x": (0, 1), "y": (0, "inf")},
            ["u = 0 on boundary"],
            {},
            "infinite ends are supported in one coordinate only",
        ),
        (TOWER, LINE, ENDS, {}, "20001 values wait for their operators, more than 2000: nest it less deeply"),
        (LARGEST, LINE, ENDS, {}, "5002 values wait for their operators"),
        (CROWD, LINE, STARTS, {}, "20.8 GB of memory, more than the 4 GB of max_memory, for its 300 fields"),
    ],
)  # fmt: skip
def test_a_statement_that_is_not_for_this_program_is_told_so(equation, domain, conditions, more, says):
    assert says in refused(equation, domain, conditions, **more)


@pytest.mark.parametrize(
    "state",
    [
        lambda deep: gx.Problem("u'' = u", LINE, ENDS, exact=deep),
        lambda deep: gx.Problem("u'' = u", LINE, ["u(0) = 0", f"integral(u*{deep}) = 1"]),
        lambda deep: gx.solve(gx.Problem("u'' = u^2", LINE, ENDS), guess=deep),
        lambda deep: gx.solve(gx.Problem("u_xx + u_yy = u^2", SQUARE, ["u = 0 on boundary"]), guess=deep),
    ],
)
def test_no_other_text_may_be_so_deep_either(state):
    with pytest.raises(InputError, match="values wait for their operators, more than 2000"):
        state("^".join("x" * 5_000))


def test_a_linear_problem_is_told_nothing_of_newtons_method_however_large_its_data():
    assert refused("u'' = 0", LINE, ["u(0) = 0", "u(1) = 1e308"]).startswith("no solution is finite")


def test_a_first_guess_at_which_a_rectangle_has_no_equation_is_called_a_guess():
    says = refused("u*u_xx + u_yy = 1", SQUARE, ["u = 0 on boundary"])
    assert says.startswith("Newton's method cannot start, for at the first guess")


def test_powers_of_a_singular_point_are_named_without_rounding():
    one = gx.solve(gx.Problem("(x - 0.5)*u' = 3*u", LINE, ["u(0) = 1"]))
    two = gx.solve(gx.Problem("x*u'' + 0.75*u = x", LINE, ["u'(0) = 0", "u(1) = 0"]))
    assert "like the power 3 of the distance" in one.message
    assert "like the powers 1 and 0 of the distance" in two.message


def test_a_constant_that_a_condition_needs_is_a_field_as_the_sentence_says():
    system = gx.Problem(["u'' = -lam*u", "lam' = 0"], LINE, ["u(0) = 0", "u(1) = lam(0)/10", "u'(0) = 1"])
    solution = gx.solve(system)
    assert solution.converged
    assert solution["u"](1.0) == pytest.approx(solution["lam"](0.3) / 10)


def test_a_problem_that_does_not_change_in_time_is_not_taken_for_one_that_does():
    steady = gx.Problem("-0.1*(u_xx + u_yy) + u_x = 1", SQUARE, ["u = 0 on boundary"])
    assert gx.solve(steady, tol=1e-4).converged


def test_long_texts_that_are_not_deep_are_read():
    text = "u'' = " + " + ".join(f"{k}*x" for k in range(1, 4_000))
    solution = gx.solve(gx.Problem(text, LINE, ["u(0) = 0", "u(1) = 0"]))
    assert solution.converged
    assert solution(0.5) == pytest.approx(sum(range(1, 4_000)) * (0.5**3 - 0.5) / 6, rel=1e-6)


@pytest.mark.parametrize(
    "over",
    [
        {"nu": range(10**9)},
        {"nu": np.broadcast_to(1.0, 10**9)},
        {"nu": range(10**5), "a": range(10**5)},
    ],
)
def test_a_design_with_too_many_points_is_refused_before_it_is_made(monkeypatch, over):
    monkeypatch.setattr(np, "meshgrid", lambda *_, **__: pytest.fail("it was made"))
    monkeypatch.setattr("gated_xtfc.sweeps.design.real", lambda *_: pytest.fail("its values were looked at"))
    with pytest.raises(InputError, match=rf"points: at most {MOST} go into one sweep"):
        gx.Design.grid(over)


def test_values_without_number_are_not_asked_for_more_than_are_taken(monkeypatch):
    monkeypatch.setattr("gated_xtfc.sweeps.design.MOST", 100)
    with pytest.raises(InputError, match="the grid has 101 points: at most 100"):
        gx.Design.grid({"nu": iter(int, 1)})  # which never ends


def test_the_command_line_refuses_such_a_design_as_well(tmp_path, capsys, monkeypatch):
    (tmp_path / "layer.toml").write_text(
        'equation = "u\' - nu*u\'\' = 0"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 1"]\n'
    )
    monkeypatch.setattr(np, "geomspace", lambda *_: pytest.fail("it was made"))
    command = ["sweep", str(tmp_path / "layer.toml"), "--store", str(tmp_path / "s.sqlite")]
    assert main([*command, "--over", "nu=1e-8:1:1000000000"]) == 2
    assert "the grid has 1000000000 points" in capsys.readouterr().err
    assert main([*command, "--over", "nu=1e-8:1", "--sobol", "1000000000"]) == 2
    assert "1000000000 points were asked for" in capsys.readouterr().err


def test_a_damaged_store_is_not_called_safe(tmp_path):
    layer = gx.Problem("u' - nu*u'' = 0", LINE, ENDS, nu=1e-2)
    store = tmp_path / "s.sqlite"
    gx.sweep(layer, {"nu": np.geomspace(1e-3, 1, 60)}, store=store, workers=1)
    content = bytearray(store.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    store.write_bytes(content)
    with pytest.raises(InputError, match="it is damaged, and so may be what it holds") as told:
        gx.open_sweep(store)
    assert "safe" not in str(told.value)


@pytest.mark.parametrize(("code", "safe"), [(sqlite3.SQLITE_FULL, True), (sqlite3.SQLITE_CORRUPT, False)])
def test_what_was_stored_is_called_safe_where_it_is(code, safe):
    error = sqlite3.DatabaseError("no")
    error.sqlite_errorcode = code
    with pytest.raises(InputError) as told, explained("s.sqlite"):
        raise error
    assert ("what had been stored is safe" in str(told.value)) == safe


def test_a_highest_derivative_that_is_not_there_everywhere_is_named() -> None:
    problem = gx.Problem("where(x < 0.5, 1, 0)*u'' + u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    with pytest.raises(InputError, match=r"the highest derivative has no factor between 0\.5 and 1"):
        gx.solve(problem)


@pytest.mark.parametrize(
    ("header", "columns"),
    [("x,u,u", ""), ("x,x,u", ""), ("x,u,sigma,sigma", ""), ("a,b,b", "a,b"), ("a,b,b", "x=a,u=b")],
)
def test_a_column_that_is_there_twice_is_refused(tmp_path, capsys, header, columns):
    problem, data = tmp_path / "layer.toml", tmp_path / "data.csv"
    problem.write_text(
        'equation = "u\' - nu*u\'\' = 0"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 1"]\n'
    )
    data.write_text(f"{header}\n" + "".join(f"{','.join([f'0.{k}'] * (header.count(',') + 1))}\n" for k in range(1, 9)))
    chosen = ["--columns", columns] if columns else []
    assert main(["infer", str(problem), "--data", str(data), "--unknown", "nu=1e-3:1", *chosen]) == 2
    assert re.search(r"the data file has 2 columns \"\w+\": give each a name of its own", capsys.readouterr().err)


def test_columns_that_are_not_asked_for_may_be_there_twice(tmp_path, capsys):
    problem, data = tmp_path / "layer.toml", tmp_path / "data.csv"
    problem.write_text(
        'equation = "u\' - nu*u\'\' = 0"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 1"]\n'
    )
    data.write_text("x,u,note,note\n" + "".join(f"0.{k},0.0{k},0,0\n" for k in range(1, 9)))
    command = ["infer", str(problem), "--data", str(data), "--unknown", "nu=1e-2:1", "--noise", "0.1", "--json"]
    assert main([*command, "--columns", "x,u"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["measurements"] == 8


@pytest.mark.parametrize("ask", [lambda m: m.predict(1e-3), lambda m: m.save("m.json"), lambda m: m.plot("m.svg")])
def test_a_model_that_has_learned_nothing_says_so(ask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="the model has learned nothing yet: call its fit"):
        ask(gx.GateModel())
    assert list(tmp_path.iterdir()) == []


def test_gates_of_a_model_that_has_learned_nothing_are_refused():
    with pytest.raises(InputError, match="the model has learned nothing yet"):
        gx.solve(gx.Problem("u'' = u", LINE, ENDS), gates=gx.GateModel())


BEYOND = [
    ("k*u'' = u", ENDS, 1e307),
    ("k*u'' = 6*k*x", ENDS, 1e307),
    ("k*u'''' = 24*k", [*ENDS, "u'(0) = 0", "u''(0) = 0"], 1e305),
    ("u'' = k", ENDS, 1e200),
    ("u'' = k*u", ENDS, 1e307),
    ("u'' = u", ["u(0) = 0", "u(1) = k"], 1e300),
    ("u'' = u", ["u(0) = 0", "k*u(1) + u'(1) = 1"], 1e307),
    ("u'' = u", ["u(0) = 0", "integral(k*u) = 1"], 1e307),
    ("u'' = k*u^2 + 1", ENDS, 1e100),
    ("u'' = u^3", ["u(0) = 0", "u(1) = k"], 1e100),
    ("u'' = k*(u + x)*u", ENDS, 1e150),
]


@pytest.mark.parametrize(("equation", "conditions", "k"), BEYOND)
def test_numbers_at_the_edge_of_double_precision_end_in_a_verdict_or_a_sentence(capfd, equation, conditions, k):
    try:
        solution = gx.solve(gx.Problem(equation, LINE, conditions, k=k), max_steps=60)
    except InputError as error:
        said = str(error)
    else:
        assert np.isfinite(solution(solution.points(50))).all()
        # an estimate says nothing of a layer that numbers cannot show, and the verdict knows it
        assert solution.converged == (solution.error <= solution.tol) or "thinner than the spacing" in solution.message
        said = "finite"
    assert "finite" in said
    assert capfd.readouterr() == ("", "")  # and nothing is printed, by LAPACK or by NumPy


@pytest.mark.parametrize("k", [1e290, 1e300, 1e303, 1e305, 1e307])
def test_an_operator_that_rounding_makes_vanish_is_not_called_converged(k):
    problem = gx.Problem("k*u'''' = 24*k", LINE, ["u(0) = 0", "u(1) = 1", "u'(0) = 0", "u''(0) = 0"], "x^4", k=1.0)
    try:
        solution = gx.solve(problem(k=k))
    except InputError:
        return
    assert solution.true_error() <= 1e-8 or not solution.converged


def test_on_a_rectangle_nothing_is_printed_either(capfd):
    for equation in ("k*(u_xx + u_yy) = 4*k", "u_xx + u_yy = k", "k*(u_xx + exp(x*y)*u_yy) = 1"):
        solution = gx.solve(gx.Problem(equation, SQUARE, ["u = 0 on boundary"], k=1e305), tol=1e-3, max_rounds=2)
        # a solution of 1e304 is a solution; an operator that overflows has none
        assert solution.converged is (equation == "u_xx + u_yy = k"), equation
    assert capfd.readouterr() == ("", "")


def test_a_lack_of_memory_is_one_sentence(monkeypatch, capsys):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("gated_xtfc.solver.attempts.attempt_elements", full)
    monkeypatch.setattr("gated_xtfc.solver.bounded.found_at_once", lambda *_: None)
    with pytest.raises(InputError, match="there is not enough memory to solve this problem"):
        gx.solve(gx.Problem("u'' = u", LINE, ENDS))
    monkeypatch.setattr("gated_xtfc.solver.attempts.attempt_elements", lambda *_: None)
    monkeypatch.setattr(IntervalDiscretisation, "lay_out", full)
    with pytest.raises(InputError, match="there is not enough memory to solve this problem"):
        gx.solve(gx.Problem("u'' = u", LINE, ENDS))
    stated = ["--equation", "u''=u", "--domain", "x=0:1", "--condition", "u(0)=0", "--condition", "u(1)=1"]
    assert main(["solve", *stated]) == 2
    assert re.fullmatch(r"gated-xtfc: there is not enough memory .*\n", capsys.readouterr().err)


def test_a_lack_of_memory_in_the_middle_gives_what_was_found_before(monkeypatch):
    fitted, layouts = adapt._fitted, []

    def second(*given):
        layouts.append(given)
        if len(layouts) > 1:
            raise MemoryError
        return fitted(*given)

    monkeypatch.setattr(adapt, "_fitted", second)
    hard = gx.Problem("eps*u'' + (x - 0.3)*u' + u = cos(9*x)", LINE, ENDS, eps=1e-3)
    solution = gx.solve(hard, tol=1e-10, gates=[])
    assert len(layouts) == 2
    assert solution.status in (gx.Status.MAX_MEMORY, gx.Status.ROUNDING, gx.Status.RESOLUTION)
    assert not solution.converged


def test_a_slip_in_a_setting_is_compared_with_the_parameters(tmp_path, capsys):
    (tmp_path / "p.toml").write_text(
        'equation = "eps*u\'\' = exp(x)*u"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 1"]\n'
        "parameters = { eps = 1.0 }\n"
    )
    assert main(["solve", str(tmp_path / "p.toml"), "--set", "epz=1"]) == 2
    assert "did you mean 'eps'?" in capsys.readouterr().err
