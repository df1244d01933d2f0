"""Bad data, bad unknowns, bad files: one sentence each, that says what was given and what to do."""

import json
from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.inverse.data_file import read_table
from gated_xtfc.inverse.data_table import Columns

FLOW = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
SYSTEM = gx.Problem(["u' = v", "nu*v' = v"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.1)
X = np.linspace(0.9, 1.0, 6)
Y = np.exp((X - 1.0) / 0.02)
FILE = """\
equation = "u' - nu*u'' = 0"
domain = { x = [0, 1] }
conditions = ["u(0) = 0", "u(1) = 1"]
parameters = { nu = 1e-2 }
"""


@pytest.mark.parametrize(
    ("data", "unknown", "noise", "says"),
    [
        (([0.5, 1.5], [0, 0]), {"nu": (1e-3, 1)}, 0.01, "measurement 2 of u is at x = 1.5, outside the domain"),
        (([0.5, np.nan], [0, 0]), {"nu": (1e-3, 1)}, 0.01, "x of the data of u has nan at measurement 2"),
        ((X, Y * np.inf), {"nu": (1e-3, 1)}, 0.01, "y of the data of u has inf at measurement 1"),
        ((["a", "b"], [0, 0]), {"nu": (1e-3, 1)}, 0.01, "x of the data of u must be numbers"),
        (([0.5, 0.6], [0]), {"nu": (1e-3, 1)}, 0.01, "different lengths: 2, 1"),
        (([], []), {"nu": (1e-3, 1)}, 0.01, "the data of u are empty"),
        ((X,), {"nu": (1e-3, 1)}, 0.01, r"must be \(x, y\) or \(x, y, sigma\)"),
        ({"w": (X, Y)}, {"nu": (1e-3, 1)}, 0.01, '"w" is not a field of the problem'),
        ({"u'''": (X, Y)}, {"nu": (1e-3, 1)}, 0.01, "up to derivative 2 only"),
        ((X, Y), {"nu": (1e-3, 1)}, 0.0, "the noise must be positive, not 0"),
        ((X, Y), {"nu": (1e-3, 1)}, -1, "the noise must be positive, not -1"),
        ((X, Y), {"nu": (1e-3, 1)}, [0.1, 0.2], "2 values for 6 measurements"),
        ((X, Y, 0.0 * X), {"nu": (1e-3, 1)}, None, "the standard deviations of u must be positive"),
        ((X, Y, 0.1 + X), {"nu": (1e-3, 1)}, 0.1, "given twice"),
        ((X, Y), {"mu": (1e-3, 1)}, 0.01, 'no parameter "mu" to be inferred: its parameters are nu'),
        ((X, Y), {"Nu": (1e-3, 1)}, 0.01, "did you mean 'nu'"),
        ((X, Y), {}, 0.01, "say what is unknown"),
        ((X, Y), {"nu": (1, 1e-3)}, 0.01, "of the unknown nu the bounds 1 and 0.001 are reversed"),
        ((X, Y), {"nu": (1, 1)}, 0.01, "are equal"),
        ((X, Y), {"nu": (0, np.inf)}, 0.01, "must be finite numbers"),
        ((X, Y), {"nu": 0.1}, 0.01, "the unknown nu takes two bounds"),
        ((X, Y), {"nu": (-2, -1)}, 0.01, "could be solved|determine|nu"),
    ],
)
def test_bad_data_and_unknowns_are_refused_in_a_sentence(
    data: object, unknown: dict[str, object], noise: object, says: str
) -> None:
    if unknown == {"nu": (-2, -1)}:
        # a layer on the other side is a problem like any other
        assert gx.infer(FLOW, data, unknown, noise).status != "determined"
        return
    with pytest.raises(gx.InputError, match=says):
        gx.infer(FLOW, data, unknown, noise)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: gx.LogUniform(0, 1), "must be positive for a log scale"),
        (lambda: gx.LogNormal(1, 0.5, low=-1), "must be positive for a log-normal prior"),
        (lambda: gx.LogNormal(-1, 0.5), "the median of a log-normal prior is -1"),
        (lambda: gx.Normal(0, 0), "the standard deviation of a normal prior is 0"),
        (lambda: gx.Normal(0, 1, 3, 2), "reversed"),
    ],
)
def test_bad_priors_are_refused_in_a_sentence(make: object, says: str) -> None:
    with pytest.raises(gx.InputError, match=says):
        make()  # type: ignore[operator]


def test_options_are_checked() -> None:
    for options, says in (
        ({"student": 0.5}, "student is 0.5"),
        ({"tol": -1}, "tol is -1"),
        ({"student": 4, "discrepancy": True}, "cannot be combined"),
    ):
        with pytest.raises(gx.InputError, match=says):
            gx.infer(FLOW, (X, Y), {"nu": (1e-3, 1)}, 0.01, **options)  # type: ignore[arg-type]
    with pytest.raises(gx.InputError, match="say which one was measured"):
        gx.infer(SYSTEM, (X, Y), {"nu": (1e-3, 1)}, 0.01)
    eigen = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "u'(0) = c"], unknown=["lam"], c=1)
    with pytest.raises(gx.InputError, match="lam is a constant that the solution fixes"):
        gx.infer(eigen, (X, Y), {"lam": (1, 2)}, 0.01)


def test_a_problem_in_the_plane_is_refused() -> None:
    plane = gx.Problem("u_xx + u_yy = k", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"], k=1)
    with pytest.raises(gx.InputError, match="one coordinate only"):
        gx.infer(plane, ([0.5], [1.0]), {"k": (1, 2)}, 0.1)


def test_a_family_that_cannot_be_solved_at_all_says_so() -> None:
    bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    with pytest.raises(gx.InputError, match="could be solved"):
        gx.infer(bratu, ([0.5], [1.0]), {"k": (40, 50)}, 0.01)


@pytest.mark.parametrize(
    ("y", "noise", "student", "says"),
    [
        ([0.0, 1e300, -1e300], None, None, "in other units"),
        ([0.0, 0.5, 1.0], 1e-300, None, "in other units"),
        ([0.0, 0.5, 1.0], 1e300, None, "in other units"),
        ([0.0, 0.5, 1.0], 1e-20, 4.0, "in other units"),
        ([0.0, 1e20, 1.0], 1e6, None, "away from every member"),
        ([0.0, 1e-20, 1e-20], None, None, "away from every member"),
    ],
)
def test_data_that_double_precision_cannot_weigh_are_refused(
    y: list[float], noise: float | None, student: float | None, says: str
) -> None:
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1)
    with pytest.raises(gx.InputError, match=says):
        gx.infer(problem, ([0.0, 0.5, 1.0], y), {"nu": (0.1, 1)}, noise=noise, student=student)


def test_questions_to_a_posterior_are_checked() -> None:
    posterior = gx.infer(FLOW, (X, Y), {"nu": (1e-3, 1)}, 0.01)
    for ask, says in (
        (lambda: posterior.interval("mu"), 'no posterior of "mu"'),
        (lambda: posterior.interval("nu", 95), "level of an interval is 95"),
        (lambda: posterior.predict(2.0), "outside the domain"),
        (lambda: posterior.predict(0.5, "w"), '"w" is not a field'),
        (lambda: posterior.band(0.5, 0), "level of a band is 0"),
        (lambda: posterior.next_sites(0), "0 sites were asked for"),
        (lambda: posterior.plot("figure.doc"), "cannot draw"),
    ):
        with pytest.raises(gx.InputError, match=says):
            ask()
    assert all(isinstance(number, float) for number in posterior.predict(0.5))


@pytest.mark.parametrize(
    ("text", "columns", "says"),
    [
        ("", (), "is empty"),
        ("x,u\n", (), "a header and no measurements"),
        ("0.1,0.2\n0.3,0.4\n", (), "has no header"),
        ("x,u\n0.1,0.2\n0.3,high\n", (), 'row 3, column u of the data file is "high", not a number'),
        ("x,u\n0.1,0.2\n,0.3\n", (), "row 3, column x of the data file is empty beside a value of u"),
        ("x,u\n0.1,nan\n", (), 'the column "u" of the data file has no measurement'),
        ("x,u\n0.1,inf\n", (), "row 2, column u of the data file is inf"),
        ("t,u\n0.1,0.2\n", (), 'has no column "x"'),
        ("x,w\n0.1,0.2\n", (), 'the column "w" of the data file is not a field'),
        ("x\n0.1\n", (), "no column with measurements"),
        ("x,temp\n0.1,0.2\n", ("x", "tmp"), "no column \"tmp\": did you mean 'temp'"),
        ("x,u\n0.1,0.2\n", ("x",), "two or three names"),
        ("x,u,u',sigma\n0.1,0.2,1,1\n", (), "fits one quantity only"),
    ],
)
def test_bad_files_are_refused_with_row_and_column(
    tmp_path: Path, text: str, columns: tuple[str, ...], says: str
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(gx.InputError, match=says):
        read_table(path).measured(FLOW, columns)


def read(path: Path, problem: gx.Problem, columns: Columns = ()) -> dict[str, tuple[list[float], ...]]:
    return {name: one.columns for name, one in read_table(path).measured(problem, columns).items()}


def test_columns_are_read_by_name_by_place_and_by_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x,u,sigma\n0.1,0.2,0.01\n\n0.3,0.4,0.02\n")
    assert read(path, FLOW) == {"u": ([0.1, 0.3], [0.2, 0.4], [0.01, 0.02])}
    path.write_text("where,temperature,flux,error\n0.1,0.2,3,0.01\n")
    assert read(path, FLOW, ("where", "temperature")) == {"u": ([0.1], [0.2])}
    found = read(path, FLOW, {"x": "where", "u'": "flux", "sigma": "error"})
    assert found == {"u'": ([0.1], [3.0], [0.01])}
    path.write_text("x,u,v,sigma_v\n0.1,0.2,3,0.01\n")
    assert read(path, SYSTEM) == {"u": ([0.1], [0.2]), "v": ([0.1], [3.0], [0.01])}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    problem, data = tmp_path / "flow.toml", tmp_path / "data.csv"
    problem.write_text(FILE)
    noise = 0.01 * np.random.default_rng(0).standard_normal(X.size)
    data.write_text("x,u\n" + "\n".join(f"{a},{b}" for a, b in zip(X, Y + noise, strict=True)))
    return str(problem), str(data)


def test_the_command_finds_nu_and_prints_json(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        ["infer", files[0], "--data", files[1], "--unknown", "nu=1e-3:1", "--noise", "0.01", "--sites", "2", "--json"]
    )
    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert report["parameters"]["nu"]["mean"] == pytest.approx(0.02, rel=0.1)
    assert len(report["next_sites"]) == 2
    assert report["status"] == "determined"


def test_the_command_prints_a_table_and_writes_its_files(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    prior = ["--unknown", "nu", "--prior", "nu=lognormal:0.02:1"]
    assert main(["infer", files[0], "--data", files[1], *prior, "--noise", "1/100", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "95 % interval" in printed
    names = {"posterior.png", "posterior.svg", "posterior.csv", "posterior.json", "posterior.npz", "field.csv"}
    assert {path.name for path in out.iterdir()} == names
    assert isinstance(gx.load(out / "posterior.npz"), gx.Posterior)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--unknown", "nu=1:1e-3"], "reversed"),
        (["--unknown", "nu=1e-3"], "NAME=LOW:HIGH"),
        (["--unknown", "nu"], "has no bounds"),
        (["--unknown", "nu=1e-3:1", "--noise", "-1"], "must be positive"),
        (["--unknown", "mu=1e-3:1"], 'no parameter "mu"'),
        (["--unknown", "nu=1e-3:1", "--prior", "nu=cauchy:1:2"], "is not understood"),
        (["--unknown", "nu=1e-3:1", "--prior", "b=uniform"], "names no unknown"),
        (["--unknown", "nu=0:1", "--prior", "nu=loguniform"], "positive for a log scale"),
        (["--unknown", "nu=1e-3:1", "--prior", "nu=uniform", "--prior", "nu=uniform"], "given twice"),
    ],
)
def test_the_command_refuses_bad_options_in_one_line(
    files: tuple[str, str], options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["infer", files[0], "--data", files[1], *options]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_problem_file_of_the_wrong_shape_is_refused_in_one_line(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shape.toml").write_text("equations = 3\ndomain = { x = [0, 1] }\nconditions = 5\n")
    shape = str(tmp_path / "shape.toml")
    assert main(["infer", shape, "--data", files[1], "--unknown", "nu=1e-3:1"]) == 2
    assert "equations in the problem file must be a list of texts" in capsys.readouterr().err
