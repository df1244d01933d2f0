"""What is handed out: wheel and source distribution hold what they should, and the papers beside the code agree."""

import email
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import gated_xtfc as gx
from gated_xtfc.gallery import scripts

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both, made by the build backend itself from a copy of the tree, without an environment of its own."""
    setuptools = pytest.importorskip("setuptools", reason="the build backend is not installed here")
    if int(setuptools.__version__.split(".")[0]) < 77:
        pytest.skip("the build backend is too old")
    folder = tmp_path_factory.mktemp("dist")
    copy = tmp_path_factory.mktemp("tree") / "copy"
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if names.returncode:
        pytest.skip("this is no clone")
    for name in names.stdout.splitlines():
        if (ROOT / name).is_file() and name.split("/")[0] not in ("benchmarks", "tests"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    for kind in ("sdist", "wheel"):  # the backend does not like to be asked twice in one process
        code = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv[1])"
        made = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=copy, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr[-2000:]
    return folder


def test_the_wheel_has_the_code_the_page_the_gallery_and_its_types(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    tree = ROOT / "src"
    for one in scripts():
        assert one.path.relative_to(tree).as_posix() in names
    wanted = [
        *tree.glob("gated_xtfc/**/*.py"),
        *tree.glob("gated_xtfc/apps/studio/page/*"),
        tree / "gated_xtfc/py.typed",
    ]
    wanted += [*tree.glob("gated_xtfc/paper/*.toml"), *tree.glob("gated_xtfc/paper/*.html")]
    missing = {file.relative_to(tree).as_posix() for file in wanted if file.is_file()} - names
    assert not missing
    assert not any(name.startswith(("tests", "docs", "benchmarks")) for name in names)


def test_the_metadata_say_what_the_project_says(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (name,) = (one for one in archive.namelist() if one.endswith("/METADATA"))
    told = email.message_from_bytes(archive.read(name))
    assert told["Version"] == gx.__version__
    assert told["Requires-Python"] == ">=3.11"
    assert {*(told.get_all("Provides-Extra") or ())} == {*PROJECT["optional-dependencies"]}
    assert "Typing :: Typed" in (told.get_all("Classifier") or ())


def test_the_source_distribution_can_be_built_again(built: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "src/gated_xtfc/__init__.py", "src/gated_xtfc/py.typed"} <= names


def test_the_citation_has_the_version_and_all_authors() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {gx.__version__}\n" in text
    assert re.findall(r"family-names: (\w+)", text) == ["Dwivedi", "Schiassi", "Sigovan", "Sixou"]


def test_the_workflows_run_what_the_makefile_has() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    workflows = [file.read_text(encoding="utf-8") for file in (ROOT / ".github" / "workflows").glob("*.yml")]
    called = {target for text in workflows for target in re.findall(r"\bmake ([a-z-]+) ", text)}
    assert {"test", "test-browser", "docs"} <= called <= targets
    versions = {version for text in workflows for version in re.findall(r'"(3\.\d+)"', text)}
    named = set(re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"])))
    assert versions == named
