"""What the documentation shows is what happens: its Python runs, has types, and its links and paths lead somewhere."""

import doctest
import inspect
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import gated_xtfc as gx
from gated_xtfc.apps.arguments import parse
from gated_xtfc.problem.file import from_mapping
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.rectangle import RectangleSolution

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "gated_xtfc"
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

# Names whose docstrings are written elsewhere at this moment.
PUBLIC = sorted({*gx.__all__} - {"__version__"})


def blocks(document: Path, language: str) -> list[tuple[int, str]]:
    """The fenced blocks of one language: the number of their first line, and their text."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [(match.string.count("\n", 0, match.start(1)) + 1, match.group(1)) for match in found]


def script(document: Path) -> str:
    """All Python of a document, each line where it stands there: then a complaint names the line of the document."""
    lines: list[str] = []
    for number, text in blocks(document, "python"):
        lines += [""] * (number - 1 - len(lines)) + text.splitlines()
    return "\n".join(lines) + "\n"


SCRIPTS = {document.stem: script(document) for document in PROSE if blocks(document, "python")}
STATEMENTS = [
    pytest.param(text, id=f"{document.name}:{number}")
    for document in PROSE
    for number, text in blocks(document, "toml")
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the examples in it; figures go to files, and sweeps stay in this process."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    return tmp_path


@pytest.mark.parametrize("document", SCRIPTS)
@pytest.mark.usefixtures("folder")
def test_the_python_of_a_document_runs_from_its_first_line_to_its_last(document: str) -> None:
    exec(compile(SCRIPTS[document], f"{document}.md", "exec"), {"__name__": "__main__"})


def test_the_python_of_all_documents_passes_the_strictest_type_check(tmp_path: Path) -> None:
    for name, text in SCRIPTS.items():
        (tmp_path / f"{name.lower()}_md.py").write_text(text, encoding="utf-8")
    # the settings, the folder and the cache of the project's own check: what that has seen is not looked at again
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, sorted(tmp_path.glob("*.py")))]
    environment = {**os.environ, "MYPYPATH": "src"}
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("document", PROSE, ids=lambda document: document.name)
def test_python_stands_in_fenced_blocks_where_it_is_tested(document: Path) -> None:
    lines = document.read_text(encoding="utf-8").splitlines()
    fenced = False
    for number, line in enumerate(lines, start=1):
        fenced ^= line.startswith("```")
        python = re.match(r"    (import |from \w+ import |print\(|gx\.|\w+ = gx\.)", line)
        assert fenced or not python, f"{document.name}:{number}: {line}"


COMMAND = re.compile(r"^(?: {4}|  )gated-xtfc ((?:.*\\\n)*.*)$", re.MULTILINE)


@pytest.mark.parametrize("document", PROSE, ids=lambda document: document.name)
def test_the_commands_of_a_document_are_understood(document: Path) -> None:
    for line in COMMAND.findall(document.read_text(encoding="utf-8")):
        first, *rest = shlex.split(line.replace("\\\n", " "), comments=True)
        if first not in ("--help", "--version") and "[" not in line:  # which is a synopsis
            parse(first, rest)  # exits where it is not


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_problem_files_of_the_documents_state_problems(statement: str) -> None:
    from_mapping(tomllib.loads(statement))


@pytest.mark.parametrize("document", PROSE, ids=lambda document: document.name)
def test_links_and_paths_lead_to_files(document: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]*`", "", text)):
        assert (document.parent / link).exists(), link
    # folders, and files with a folder before them; what commands write is not there
    for path in re.findall(r"`(?!out/|DIR/)([\w/]+/(?:\w+\.(?:py|toml|csv|md))?)`", text):
        assert any((place / path).exists() for place in (ROOT, PACKAGE)), path


def test_the_help_of_the_package_names_everything_public() -> None:
    words = set(re.findall(r"\w+", gx.__doc__ or ""))
    assert {*gx.__all__} - {"__version__"} <= words
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} <= words


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_examples_and_they_run(name: str, folder: Path) -> None:
    examples = doctest.DocTestFinder().find(getattr(gx, name), name, globs={})
    assert "Examples" in sections(getattr(gx, name))
    assert any(one.name == name and one.examples for one in examples)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for one in examples:
        report: list[str] = []
        runner.run(one, out=report.append)
        assert not runner.failures, "".join(report)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_documents_its_arguments_and_what_it_gives(name: str) -> None:
    value = getattr(gx, name)
    found = sections(value)
    arguments, attributes = (entries(found.get(heading, "")) for heading in ("Parameters", "Attributes"))
    if "Parameters" in found or isinstance(value, FunctionType):
        assert arguments == set(inspect.signature(value).parameters)
    if isinstance(value, FunctionType):
        assert "Returns" in found
    elif not issubclass(value, Exception):
        declared = {attribute for kind in value.__mro__ for attribute in inspect.get_annotations(kind)}
        assert attributes <= {*dir(value), *declared}
        assert {
            *getattr(value, "__dataclass_fields__", ()),
            *getattr(value, "__members__", ()),
        } <= arguments | attributes


@pytest.mark.parametrize("kind", [gx.Problem, gx.Solution, IntervalSolution, RectangleSolution])
def test_public_methods_of_problems_and_solutions_say_what_they_do(kind: type) -> None:
    for name, member in inspect.getmembers(kind):
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert inspect.getdoc(member), name
            if isinstance(member, FunctionType) and len(inspect.signature(member).parameters) > 1:
                assert "Parameters" in sections(member), name


def sections(value: Any) -> dict[str, str]:
    """The sections of a docstring in the style of numpydoc, by their headings."""
    parts = re.split(r"^([A-Z]\w+)\n-+\n", inspect.getdoc(value) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> set[str]:
    """The names that a section explains."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for line in lines for name in line.split(" : ")[0].split(",")}


def test_the_guide_quotes_sentences_that_are_said() -> None:
    guide = (ROOT / "docs" / "howto" / "refused.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| `([^`]+)` \|", guide, re.MULTILINE)
    source = "\n".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py"))
    assert len(quoted) >= 5
    assert [sentence for sentence in quoted if sentence not in source] == []
