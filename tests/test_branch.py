"""Branches: folds and branch points located, stability, curves that branch off, and why they end."""

import json

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main

LINE, FIXED = {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]
BRATU = gx.Problem("u'' + k*exp(u) = 0", LINE, FIXED, k=1)
FOLD = 3.513830719125162
CURVE = gx.branch(BRATU, "k", (0.5, 4), show="max(u)")


def test_the_fold_of_bratu_is_passed_and_located():
    (fold,) = CURVE.folds
    assert fold.parameter == pytest.approx(FOLD, abs=1e-8)
    assert not CURVE.branch_points
    assert len(CURVE.reasons) == 1


def test_every_point_solves_its_member_to_the_tolerance():
    for point in CURVE.points:
        assert point.solution.converged
        assert point.solution.problem.parameters["k"] == pytest.approx(point.parameter, abs=1e-12)
        assert point.quantities[0] == pytest.approx(point.solution.maximum().value)


def test_stability_changes_at_the_fold_and_nowhere_else():
    stable = [point.stable for point in CURVE.points if not point.kind]
    place = [point.kind for point in CURVE.points].index("fold")
    assert stable == [True] * place + [False] * (len(stable) - place)
    assert CURVE.points[place].growth == pytest.approx(0.0, abs=1e-5)


def test_the_curve_ends_at_the_end_of_its_range():
    assert CURVE.points[0].parameter == CURVE.points[-1].parameter == 0.5
    assert "leaves its range" in CURVE.reasons[0]


@pytest.mark.parametrize("k", [1.0, 3.5])
def test_solutions_at_a_value_are_those_of_the_formula(k):
    """u(1/2) = 2 log cosh(theta/4) with theta = sqrt(2 k) cosh(theta/4)."""
    found = CURVE.at(k)
    assert len(found) == 2
    for solution in found:
        theta = 4.0 * np.arccosh(np.exp(0.5 * solution.maximum().value))
        assert theta == pytest.approx(np.sqrt(2.0 * k) * np.cosh(theta / 4.0), rel=1e-7)


def test_a_system_has_the_same_fold():
    system = gx.Problem(["u' = v", "v' = -k*exp(u)"], LINE, FIXED, k=1)
    found = gx.branch(system, "k", (2.5, 4), show="max(u)")
    assert [fold.parameter for fold in found.folds] == [pytest.approx(FOLD, abs=1e-8)]
    assert {point.stable for point in found.points} == {None}


def test_pitchforks_are_found_and_their_curves_followed():
    """Euler's column: the straight one loses its stability at n^2 pi^2."""
    column = gx.Problem("u'' + k*sin(u) = 0", LINE, FIXED, k=5)
    found = gx.branch(column, "k", (5, 15), show="u(0.3)", max_points=40)
    np.testing.assert_allclose([p.parameter for p in found.branch_points], [np.pi**2], rtol=1e-8)
    assert len(found.reasons) == 3
    ends = [found.curve(number)[-1].quantities[0] for number in range(3)]
    assert ends[0] == pytest.approx(0.0, abs=1e-10)
    assert ends[1] == pytest.approx(-ends[2], rel=1e-6)
    straight = [point for point in found.curve(0) if not point.kind]
    assert all(point.stable is (point.parameter < np.pi**2) for point in straight)
    assert found.curve(1)[-1].stable


def test_the_shape_of_the_elastica_is_followed_with_its_angle():
    """Fields that vanish on the straight column, and others that do not; no equation diffuses but one."""
    equations = ["t'' + k*sin(t) = 0", "X' = cos(t)", "Y' = sin(t)"]
    column = gx.Problem(equations, LINE, ["t(0) = 0", "t'(1) = 0", "X(0) = 0", "Y(0) = 0"], k=1)
    found = gx.branch(column, "k", (1, 30), show=["Y(1)", "X(1)"], switch=False)
    exact = [(0.5 * np.pi) ** 2, (1.5 * np.pi) ** 2]
    np.testing.assert_allclose([p.parameter for p in found.branch_points], exact, rtol=1e-8)


def test_a_transcritical_point_lets_the_other_curve_through():
    found = gx.branch(gx.Problem("u'' + k*u - u^2 = 0", LINE, FIXED, k=5), "k", (8, 14), show="integral(u)")
    assert [p.parameter for p in found.branch_points] == [pytest.approx(np.pi**2, rel=1e-8)]
    signs = {np.sign(found.curve(number)[-1].quantities[0]) for number in (1, 2)}
    assert signs == {-1.0, 1.0}


def test_two_folds_make_three_solutions():
    """A catalyst pellet with heat of reaction."""
    pellet = gx.Problem(
        "u'' = phi^2*u*exp(g*b*(1 - u)/(1 + b*(1 - u)))", LINE, ["u'(0) = 0", "u(1) = 1"], phi=0.1, g=20, b=0.6
    )
    found = gx.branch(pellet, "phi", (0.1, 0.4), show="u(0)")
    assert len(found.folds) == 2
    three = [solution(0.0) for solution in found.at(0.2)]
    assert len(three) == 3
    assert [point.stable for point in (found.points[0], found.points[-1])] == [True, True]


def test_a_curve_that_goes_to_the_end_of_its_range_for_ever_is_left():
    """The hot solutions of Bratu grow without bound as k goes to zero."""
    found = gx.branch(BRATU, "k", (0, 10), show="max(u)", tol=1e-6)
    assert "without getting there" in found.reasons[0]
    assert 0.0 < found.points[-1].parameter < 1e-5
    assert found.values()[-1] > 15.0


def test_a_closed_curve_is_recognised():
    """The amplitude of a parabola and the parameter go round a circle."""
    ends = ["u(-1) = 0", "u(1) = 0"]
    loop = gx.Problem("u'' + 2*a = 0", {"x": (-1, 1)}, [*ends, "(u(0) - 2)^2 + k^2 = 1"], unknown="a", k=0)
    found = gx.branch(loop, "k", (-2, 2), show="u(0)", guess={"u": "3 - 3*x^2", "a": 3.0})
    assert "closes" in found.reasons[0]
    np.testing.assert_allclose([fold.parameter for fold in found.folds], [1.0, -1.0], atol=1e-8)


def test_table_and_csv_have_a_line_for_each_point(tmp_path):
    assert len(CURVE.table().splitlines()) == len(CURVE) + 1
    CURVE.to_csv(tmp_path / "branch.csv")
    lines = (tmp_path / "branch.csv").read_text().splitlines()
    assert lines[0] == "curve,k,max(u),stable,growth,kind"
    assert len(lines) == len(CURVE) + 1


def test_the_summary_is_json_with_a_record_of_every_point():
    told = json.loads(json.dumps(CURVE.summary()))
    assert told["folds"] == [pytest.approx(FOLD, abs=1e-8)]
    assert [point["quantities"][0] for point in told["points"]] == CURVE.values().tolist()
    assert {point["stable"] for point in told["points"]} == {True, False, None}


def test_a_place_in_the_diagram_leads_to_the_solution_next_to_it():
    for point in CURVE.points:
        assert CURVE.nearest(point.parameter, point.quantities[0]) is point
    hot = CURVE.nearest(2.0, 3.0).solution
    assert hot.maximum().value > 2.0


def test_budgets_end_a_curve_with_a_reason():
    few = gx.branch(BRATU, "k", (0.5, 4), max_points=3)
    assert len(few) == 4
    assert "max_points" in few.reasons[0]
    assert few.show == ("integral(u^2)",)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("q", (0, 1)), 'no parameter "q"'),
        (("k", (1, 1)), "two different finite numbers"),
        (("k", 3), "give two numbers"),
        (("k", (0, float("inf"))), "two different finite numbers"),
        (("k", (20, 30)), "no solution was found at k = 20 and 30"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_one_sentence(arguments, told):
    with pytest.raises(gx.InputError, match=told):
        gx.branch(BRATU, *arguments)


@pytest.mark.parametrize("verb", [gx.eigen, gx.solutions, lambda given: gx.branch(given, "k", (0, 1))])
def test_what_is_no_problem_is_refused_in_one_sentence(verb):
    with pytest.raises(gx.InputError, match="takes a Problem, not str"):
        verb("bratu.toml")


def test_a_parameter_that_moves_an_end_cannot_be_followed():
    problem = gx.Problem("u'' + exp(u) = 0", {"x": (0, "b")}, ["u(0) = 0", "u(b) = 0"], b=1)
    with pytest.raises(gx.InputError, match="the parameter b moves an end"):
        gx.branch(problem, "b", (1, 2))


def test_command_follows_a_branch_and_writes_files(tmp_path, capsys):
    file = tmp_path / "bratu.toml"
    file.write_text(
        'equation = "u\'\' + k*exp(u) = 0"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 0"]\n'
    )
    out = tmp_path / "out"
    options = ["--show", "max(u)", "--max-points", "5"]
    assert main(["branch", str(file), "--along", "k=3:4", *options, "--out", str(out)]) == 0
    assert "curve" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {"branch.png", "branch.svg", "branch.csv", "branch.json"}
    assert main(["branch", str(file), "--along", "k=3:4", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameter"] == "k"
    assert main(["branch", str(file), "--along", "k=3"]) == 2
    assert "--along takes" in capsys.readouterr().err
