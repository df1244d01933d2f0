"""The command line as its users meet it: exit codes, one sentence for bad input, JSON, files."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gated_xtfc
from gated_xtfc.apps import display, solve_command
from gated_xtfc.apps.cli import main
from gated_xtfc.core.compiled import core
from gated_xtfc.solution.round import Round

ROOT = Path(__file__).parents[1]
EXAMPLE = str(ROOT / "examples" / "convection_diffusion.toml")
STATED = ["--equation", "u' - nu*u'' = 0", "--domain", "x=0:1", "--condition", "u(0)=0", "--condition", "u(1)=1"]
BRATU = [
    "--equation", "u'' + k*exp(u) = 0", "--domain", "x=0:1", "--condition", "u(0)=0", "--condition", "u(1)=0",
    "--set", "k=3.5",
]  # fmt: skip
SHOCK = str(ROOT / "examples" / "burgers_shock.toml")
FILES = ["solution.csv", "solution.json", "solution.png", "solution.svg"]

Refused = Callable[..., str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """Runs the command, checks exit code 2 with one line on stderr and nothing on stdout, returns the line."""

    def run(*arguments: str) -> str:
        assert main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert re.fullmatch(r"gated-xtfc: [^\n]+\n", printed.err)
        assert "Traceback" not in printed.err
        return printed.err

    return run


def solved(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    code = main(["solve", *arguments, "--json"])
    printed = capsys.readouterr()
    assert printed.err == ""
    report: dict[str, object] = json.loads(printed.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert code == (0 if report["status"] == "converged" else 1)
    return report


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gated-xtfc {gated_xtfc.__version__} ({core()} core)\n"


@pytest.mark.parametrize("arguments", [["--help"], ["solve", "--help"]])
def test_help_names_the_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert "gated-xtfc solve" in capsys.readouterr().out


def test_a_file_is_solved_and_the_table_tells_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", EXAMPLE]) == 0
    table = capsys.readouterr().out
    for row in (
        "neurons",
        "sites",
        "gates",
        "rounds",
        "error estimate",
        "true error",
        "seconds",
        "status",
        "converged",
    ):
        assert row in table


def test_the_true_error_is_shown_only_where_the_exact_solution_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *STATED, "--set", "nu=0.1"]) == 0
    assert "true error" not in capsys.readouterr().out


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    report = solved(capsys, EXAMPLE, "--set", "nu=1e-3", "--tol", "1e-9")
    assert report["status"] == "converged"
    assert float(str(report["true_error"])) <= 1e-9


def test_options_state_the_same_problem_as_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    from_file = solved(capsys, EXAMPLE, "--set", "nu=1e-3")
    from_options = solved(capsys, *STATED, "--set", "nu=1e-3")
    assert from_options["neurons"] == from_file["neurons"]
    assert from_options["error"] == from_file["error"]


def test_set_takes_expressions_and_the_last_value_of_a_name_counts(capsys: pytest.CaptureFixture[str]) -> None:
    report = solved(capsys, EXAMPLE, "--set", "nu=7", "--set", "nu = 1/10^2")
    assert report["neurons"] == solved(capsys, EXAMPLE, "--set", "nu=0.01")["neurons"]


def test_an_equation_may_begin_with_a_minus_sign(capsys: pytest.CaptureFixture[str]) -> None:
    report = solved(
        capsys, "--equation", "-u''+u=0", "--domain", "t=-1:1", "--condition", "-u(-1)=-1", "--condition", "u(1)=1"
    )
    assert report["status"] == "converged"


def test_exact_from_the_command_line_gives_the_true_error(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--equation", "u''=-u", "--domain", "x=0:pi/2", "--condition", "u(0)=0", "--condition", "u(pi/2)=1"]
    assert float(str(solved(capsys, *arguments, "--exact", "sin(x)")["true_error"])) < 1e-8


def test_a_system_is_solved_from_its_equations_and_guesses(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--equation", "u' = v", "--equation", "v' = -k*exp(u)", *BRATU[2:]]
    cool = solved(capsys, *arguments)
    hot = solved(capsys, *arguments, "--guess", "u = 16*x*(1-x)", "--guess", "v=16-32*x")
    assert cool["status"] == hot["status"] == "converged"
    for report, highest in ((cool, 1.0851589), (hot, 1.2945855)):
        scales = report["scale"]
        assert isinstance(scales, list)
        assert scales[0] == pytest.approx(highest, abs=1e-2)


def test_an_option_replaces_what_the_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "examples" / "mathieu.toml")
    found = [solved(capsys, file, *more)["constants"] for more in ([], ["--guess", "cos(2*x)"])]
    assert found[0] == {"lam": pytest.approx(17.0965816843, abs=1e-8)}
    assert found[1] == {"lam": pytest.approx(7.4491097395, abs=1e-8)}
    assert main(["solve", file]) == 0
    assert "lam = 17.096581684" in capsys.readouterr().out


def test_an_unknown_constant_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--equation", "u''+lam*u=0", "--domain", "x=0:pi", *BRATU[4:6], "--condition", "u(pi)=0"]
    report = solved(capsys, *arguments, "--condition", "u'(0)=1", "--unknown", "lam", "--guess", "x*(pi-x)/pi")
    assert report["constants"] == {"lam": pytest.approx(1.0, abs=1e-8)}


def test_the_way_of_a_continuation_is_in_the_table_and_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    report = solved(capsys, SHOCK)
    assert report["continuation"] == "eps"
    history = report["history"]
    assert isinstance(history, list)
    begun = history[0]["value"]
    assert begun >= 0.1  # where the member is easy
    assert history[-1]["value"] == 1e-4
    assert len(history) == report["rounds"]
    assert main(["solve", SHOCK]) == 0
    assert re.search(rf"continuation +\S+ eps from {begun:g} to 0.0001 in \d+ levels", capsys.readouterr().out)


def test_no_solution_is_exit_code_one_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hopeless = ["--equation", "u'' + 60*exp(u) = 0", *BRATU[2:8]]  # a number and no parameter: nothing to follow
    assert main(["solve", *hopeless, "--max-steps", "8", "--out", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "not found" in printed
    assert "found no solution" in printed.replace("\n", " ")
    report = json.loads((tmp_path / "solution.json").read_text(encoding="utf-8"))
    assert (report["status"], report["error"], report["history"]) == ("not found", None, [])


class Terminal(io.StringIO):
    """A screen that obeys what it is told: `rows` are what stands there, `seen` are the texts that were erased."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.row, self.cursor, self.seen = [""], 0, True, list[str]()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        for number, order, sign in re.findall(r"\x1b\[(\??[\d;]*)([A-Za-z])|([^\x1b])", text):
            if order == "A":
                self.row -= int(number or 1)
            elif order == "K":
                self.seen.append(self.rows[self.row])
                self.rows[self.row] = ""
            elif number == "?25":
                self.cursor = order == "h"
            elif sign == "\n":
                self.row += 1
                self.rows += [""] * (self.row == len(self.rows))
            elif sign and sign != "\r":  # rich draws a line from its beginning, after erasing it
                self.rows[self.row] += sign
        return super().write(text)


@pytest.mark.parametrize(("patience", "more", "shown"), [(0.0, [], True), (1e9, [], False), (0.0, ["--json"], False)])
def test_a_line_follows_long_solves_and_is_taken_back(
    patience: float, more: list[str], shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(display, "PATIENCE", patience)
    assert main(["solve", SHOCK, *more]) == 0
    capsys.readouterr()
    assert (screen.getvalue() != "") is shown
    if shown:
        line = r"(eps = \S+, on the way to 0.0001: )?\d+ neurons, error \de[-+]\d+, \d+ s"
        assert re.match(line, screen.seen[0])
        assert all(len(line) < 80 for line in screen.seen)
    assert (set(screen.rows), screen.row, screen.cursor) == ({""}, 0, True)


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """stderr as a terminal of 79 columns, whatever the tests themselves run in."""
    for name, value in {"TERM": "xterm", "COLUMNS": "79"}.items():
        monkeypatch.setenv(name, value)
    for name in ("TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (gated_xtfc.InputError("no more"), 2)])
def test_the_line_is_taken_back_before_anything_else_is_said(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(problem: gated_xtfc.Problem, tol: float, progress: Callable[[Round], None], **_: object) -> None:
        progress(Round(12, 1e-3, 0.0))
        raise error

    screen = watched(monkeypatch)
    monkeypatch.setattr(display, "PATIENCE", 0.0)
    monkeypatch.setattr(solve_command, "solve", stopped)
    assert main(["solve", EXAMPLE]) == code
    assert re.match(r"12 neurons, error 1e-03, \d+ s", screen.seen[0])
    assert screen.rows[0] in ("gated-xtfc: interrupted", "gated-xtfc: no more")
    assert (set(screen.rows[1:]), screen.cursor) == ({""}, True)


def test_no_line_where_nobody_looks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(display, "PATIENCE", 0.0)
    assert main(["solve", SHOCK]) == 0
    assert capsys.readouterr().err == ""


def test_a_tolerance_out_of_reach_gives_exit_code_one_and_says_what_was_reached(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["solve", EXAMPLE, "--tol", "1e-17", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["status"] != "converged"
    assert report["message"]


def test_out_writes_figure_table_and_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "er"
    assert main(["solve", EXAMPLE, "--out", str(folder)]) == 0
    assert "converged" in capsys.readouterr().out
    assert sorted(os.listdir(folder)) == FILES
    assert (folder / "solution.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "solution.svg").read_text(encoding="utf-8")
    assert json.loads((folder / "solution.json").read_text(encoding="utf-8"))["status"] == "converged"
    with (folder / "solution.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:2] == ["x", "u"]
    assert [float(rows[0][0]), float(rows[-1][0])] == [0.0, 1.0]


def test_other_files_in_the_output_folder_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    solved(capsys, EXAMPLE, "--out", str(tmp_path))
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["notes.txt", *FILES]


def test_an_unwritable_output_folder_is_found_before_solving(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solve_command, "solve", lambda *_, **__: pytest.fail("solved before the folder was checked"))
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "solution.png").mkdir(parents=True)
    assert "not a folder" in refused("solve", EXAMPLE, "--out", str(tmp_path / "file"))
    assert "cannot write" in refused("solve", EXAMPLE, "--out", str(tmp_path / "file" / "below"))
    assert "in the way" in refused("solve", EXAMPLE, "--out", str(tmp_path / "taken"))
    assert "folder" in refused("solve", EXAMPLE, "--out", "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(refused: Refused, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot write" in refused("solve", EXAMPLE, "--out", str(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "no command"),
        (["sovle"], "not a command"),
        (["solve"], "missing"),
        (["solve", "--frobnicate"], "there is no option --frobnicate"),
        (["solve", EXAMPLE, "--tol"], "expected one argument"),
        (["solve", EXAMPLE, "--tol", "small"], "invalid float"),
        (["solve", EXAMPLE, "--tol", "0"], "tol"),
        (["solve", EXAMPLE, "--tol", "-1e-3"], "tol"),
        (["solve", EXAMPLE, "--tol", "nan"], "tol"),
        (["solve", EXAMPLE, "--tol", "inf"], "tol"),
        (["solve", EXAMPLE, "--max-neurons", "0"], "neurons"),
        (["solve", EXAMPLE, "--max-neurons", "many"], "invalid int"),
        (["solve", EXAMPLE, "--equation", "u' = 1"], "not both"),
        (["solve", EXAMPLE, "--set", "mu=1"], "nu"),
        (["solve", EXAMPLE, "--set", "nu"], "NAME=VALUE"),
        (["solve", EXAMPLE, "--set", "nu="], "NAME=VALUE"),
        (["solve", EXAMPLE, "--set", "nu=oops"], "oops"),
        (["solve", EXAMPLE, "--set", "nu=nan"], "nan"),
        (["solve", EXAMPLE, "--set", "nu=1/0"], "finite"),
        (["solve", EXAMPLE, "--set", "nu=9^9^9"], "finite"),
        (["solve", EXAMPLE, "--set", "nu=0"], "zero"),
        (["solve", "no/such/file.toml"], "no problem file"),
        (["solve", "."], "cannot be read"),
        (["solve", *STATED], "nu"),
        (["solve", *STATED[:2], "--domain", "x=0", *STATED[4:], "--set", "nu=1"], "NAME=LEFT:RIGHT"),
        (["solve", *STATED[:2], "--domain", "x=1:0", *STATED[4:], "--set", "nu=1"], "reversed"),
        (["solve", *STATED[:2], "--domain", "x=0:1e999", *STATED[4:], "--set", "nu=1"], "large"),
        (["solve", *STATED, "--domain", "y=0:1", "--set", "nu=1"], "along which axis"),
        (["solve", *STATED, "--domain", "x=0:2", "--set", "nu=1"], "twice"),
        (["solve", *STATED, "--equation", "v' = 1", "--set", "nu=1"], "condition"),
        (["solve", *STATED, "--equation", "u' = 1", "--set", "nu=1"], "equations"),
        (["solve", *STATED, "--condition", "u(0.5)=0", "--set", "nu=1"], "condition"),
        (["solve", *STATED[:6], "--set", "nu=1"], "condition"),
        (["solve", *STATED[:6], "--condition", "u(2)=1", "--set", "nu=1"], "outside"),
        (["solve", "--equation", "u' - u''", *STATED[2:]], "="),
        (["solve", "--equation", "u'' = tann(x)", *STATED[2:]], "tan"),
        (["solve", "--equation", "u'' = __import__(1)", *STATED[2:]], "unknown function"),
        (["solve", *STATED, "--set", "nu=1", "--unknown", "lam"], "lam"),
        (["solve", *STATED, "--set", "nu=1", "--exact", "v=x"], "not a field"),
        (["solve", *STATED, "--set", "nu=1", "--exact", "u=x", "--exact", "1"], "NAME=TEXT"),
        (["solve", *STATED, "--set", "nu=1", "--exact", "u=x", "--exact", "u=1"], "twice"),
        (["solve", *BRATU, "--guess", "v=x"], "not a field"),
        (["solve", *BRATU, "--guess", "1/x - 1/x + oops"], "oops"),
        (["solve", *BRATU, "--guess", "log(x - 0.5)"], "finite"),
        (["solve", *BRATU, "--continuation", "mu"], "mu"),
        (["solve", *BRATU, "--continuation"], "expected one argument"),
        (["solve", *BRATU, "--max-rounds", "0"], "rounds"),
        (["solve", *BRATU, "--max-steps", "-1"], "steps"),
        (["solve", "--equation", "u'' = 1/(x - 0.5)", *STATED[2:]], "0.5"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(arguments: list[str], sentence: str, refused: Refused) -> None:
    assert sentence in refused(*arguments)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "UTF-8"),
        (b"equation = ", "TOML"),
        (b"equation = 3\ndomain = 4\nconditions = 5", "text"),
        (b"equation = \"u' = 1\"\ndomain = {x = [0, 1]}\ncondition = ['u(0) = 0']", "conditions"),
        (b"equation = \"u' = 1\"\ndomain = {x = [0, 1]}\nconditions = ['u(0) = 0']\nparameters = {k = 'one'}", "k"),
    ],
)
def test_a_bad_file_is_one_sentence_and_exit_code_two(
    content: bytes, sentence: str, refused: Refused, tmp_path: Path
) -> None:
    (tmp_path / "problem.toml").write_bytes(content)
    assert sentence in refused("solve", str(tmp_path / "problem.toml"))


def test_a_message_stays_on_one_line_whatever_the_input_contains(refused: Refused) -> None:
    refused("solve", "--equation", "u'' =\n\n\x1b[31m [bold] \u2028 $x$", *STATED[2:])


def test_interrupting_gives_exit_code_130_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(solve_command, "solve", interrupted)
    assert main(["solve", EXAMPLE]) == 130
    assert capsys.readouterr().err == "gated-xtfc: interrupted\n"


def test_a_bug_of_ours_is_not_mistaken_for_a_result(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("inside out")

    monkeypatch.setattr(solve_command, "solve", broken)
    assert main(["solve", EXAMPLE]) == 70
    message = capsys.readouterr().err
    assert "inside out" in message
    assert "test_cli.py" in message


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["solve", "--help"], ["solve", EXAMPLE], ["solve", EXAMPLE, "--json"]]
)
def test_a_closed_pipe_is_not_an_error_to_talk_about(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "gated_xtfc", *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_title_that_the_terminal_cannot_show_is_shown_escaped(tmp_path: Path) -> None:
    problem = (
        "title = 'heat \u2202'\nequation = \"u'' = 1\"\ndomain = {x = [0, 1]}\nconditions = ['u(0) = 0', 'u(1) = 1']"
    )
    (tmp_path / "problem.toml").write_text(problem, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "gated_xtfc", "solve", str(tmp_path / "problem.toml")],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"heat \\u2202" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gated_xtfc", "solve", EXAMPLE, "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("gated-xtfc: cannot write the output: ")
    assert done.stderr.count("\n") == 1
