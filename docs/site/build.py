"""python docs/site/build.py [OUT]: the site. Pages are laid out in one folder with those made from the code, and built.

The pages of docs/ are taken as they are, those that nobody has listed here too; the reference of the library comes from
its docstrings, that of the command line from its parser, the gallery from its scripts.
"""

import re
import shutil
import sys
from pathlib import Path

from check import faults
from gallery_pages import write_gallery
from notebook_pages import notebook_page
from reference import api_page, command_page
from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
START = {"": ["why", "tutorial", "gallery"]}
GUIDES = {
    "How to": [
        "howto/refused",
        "howto/not_converged",
        "howto/units_and_tolerances",
        "howto/from_scipy",
        "howto/from_deepxde",
        "howto/cluster",
    ],
    "Notebooks": ["notebooks/forward", "notebooks/inverse", "notebooks/sweep"],
    "What it does": ["method", "rectangle", "inverse", "sweeps", "studio"],
    "Reference": ["api", "command_line", "problem_files", "glossary"],
    "The project": ["scoreboard", "benchmarks", "paper", "changelog", "contributing", "citation"],
}
OUTSIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
LONG = 12  # rows of a table that a page of benchmarks shows unfolded
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`|^ {4}[^\n]*$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def build(out: Path) -> int:
    source = out / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        place = page.relative_to(ROOT / "docs")
        if place.parts[0] != "site":
            lay(page, source, place)
    tables = source / "benchmarks.md"
    tables.write_text(fold(tables.read_text(encoding="utf-8")), encoding="utf-8")
    for name, place in OUTSIDE.items():
        lay(ROOT / name, source, Path(place))
    for folder, name in ((ROOT / "docs" / "images", "images"), (HERE / "_static", "_static")):
        shutil.copytree(folder, source / name)
    for file in ("conf.py", "mathml.py"):
        shutil.copy(HERE / file, source / file)
    wall = write_gallery(source / "gallery", cache=out / "gallery")
    for name, made in (("api", api_page()), ("command_line", command_page()), ("gallery", wall)):
        with (source / f"{name}.md").open("a", encoding="utf-8") as page:
            page.write(f"\n{made}")
    (source / "notebooks").mkdir()
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        (source / "notebooks" / f"{notebook.stem}.md").write_text(notebook_page(notebook), encoding="utf-8")
    (source / "index.md").write_text(index(source), encoding="utf-8")
    code = sphinx(["-W", "--keep-going", "-q", "-b", "html", str(source), str(out / "html")])
    complaints = faults(out / "html") if code == 0 else []
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return code or int(bool(complaints))


def lay(page: Path, source: Path, place: Path) -> None:
    """A page, with links that lead out of docs/ turned to where they lead on the site."""
    back = "../" * (len(place.parts) - 1)

    def turned(match: re.Match[str]) -> str:
        picture, text, target = match.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path or picture:
            return match.group(0)
        found = (page.parent / path).resolve()
        hash_anchor = f"#{anchor}" if anchor else ""
        if found.is_relative_to(ROOT / "docs"):
            return f"[{text}]({back}{found.relative_to(ROOT / 'docs').as_posix()}{hash_anchor})"
        name = found.relative_to(ROOT).as_posix()
        if name in OUTSIDE:
            return f"[{text}]({back}{OUTSIDE[name]}{hash_anchor})"
        return text if text.startswith("`") or text == name else f"{text} (`{name}`)"  # in the repository, not here

    (source / place).parent.mkdir(parents=True, exist_ok=True)
    # every second part is code, in which solution["u"](0.5) is no link
    parts = CODE.split(page.read_text(encoding="utf-8"))
    text = "".join(part if k % 2 else LINK.sub(turned, part) for k, part in enumerate(parts))
    (source / place).write_text(text, encoding="utf-8")


def fold(text: str) -> str:
    """Long tables, folded: a page of pictures and sentences, with every figure below."""

    def folded(match: re.Match[str]) -> str:
        rows = match.group(0).count("\n") - 2
        if rows <= LONG:
            return match.group(0)
        return f"<details>\n<summary>Table of {rows} rows</summary>\n\n{match.group(0)}\n</details>\n"

    return re.sub(r"(?:^\|.*\n)+", folded, text, flags=re.MULTILINE)


def index(source: Path) -> str:
    """The first page: what it is, and where everything stands; pages that are not listed get a list of their own."""
    listed = {name for group in (START | GUIDES).values() for name in group}
    there = {page.relative_to(source).with_suffix("").as_posix() for page in source.rglob("*.md")}
    further = sorted(name for name in there - listed if not name.startswith("gallery/"))
    groups = {**START, **GUIDES}
    groups["What it does"] = [*groups["What it does"], *further]
    trees = "".join(
        f"```{{toctree}}\n:hidden:\n{f':caption: {caption}' + chr(10) if caption else ''}\n"
        + "\n".join(names)
        + "\n```\n\n"
        for caption, names in groups.items()
    )
    return (HERE / "index.md.in").read_text(encoding="utf-8") + "\n" + trees


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"
    code = build(target)
    if code == 0:
        print(f"the site is at {target / 'html' / 'index.html'}")
    sys.exit(code)
