"""The gallery: every script is run, what it prints and draws is put below it; a wall of pictures leads to them.

What a script made is kept, and used again while neither the script nor the package has changed.
"""

import contextlib
import hashlib
import io
import os
import runpy
from itertools import groupby
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"

import matplotlib.pyplot as plt

import gated_xtfc
from gated_xtfc.gallery import GalleryScript, scripts


def write_gallery(folder: Path, cache: Path) -> str:
    """A page and a picture of each script into `folder`; gives the wall of pictures, for the page above them."""
    folder.mkdir(parents=True)
    cache.mkdir(parents=True, exist_ok=True)
    known = scripts()
    package = hashlib.sha256(b"".join(file.read_bytes() for file in package_files())).digest()
    walls = []
    for subject, some in groupby(known, key=lambda one: one.subject):
        links = []
        for one in some:
            printed = run(one, folder / f"{one.name}.svg", cache, package)
            (folder / f"{one.name}.md").write_text(page(one, printed), encoding="utf-8")
            picture = f'<img src="_images/{one.name}.svg" alt="" loading="lazy">'
            links.append(f'<a href="gallery/{one.name}.html">{picture}<span>{one.title}</span></a>')
        heading = subject.replace("_", " ").capitalize()
        walls.append("\n".join([f"## {heading}\n", '<div class="gallery">', *links, "</div>\n"]))
    pages = "\n".join(f"gallery/{one.name}" for one in known)
    return "\n".join([*walls, f"```{{toctree}}\n:hidden:\n\n{pages}\n```\n"])


def package_files() -> list[Path]:
    """What decides how an example looks, but for the other examples."""
    root = Path(gated_xtfc.__file__).parent
    return [file for file in sorted(root.rglob("*.py")) if "gallery" not in file.parts and "apps" not in file.parts]


def page(script: GalleryScript, printed: str) -> str:
    parts = [f"# {script.title}\n", script.about, f"```python\n{script.code}```"]
    if printed:
        parts.append(f"It prints\n\n```text\n{printed}```")
    parts.append(f"![{script.title}]({script.name}.svg)\n")
    return "\n\n".join(parts)


def run(script: GalleryScript, picture: Path, cache: Path, package: bytes) -> str:
    """What the script prints; what it draws goes to `picture`."""
    key = hashlib.sha256(package + script.path.read_bytes()).hexdigest()[:32]
    drawn, told = cache / f"{key}.svg", cache / f"{key}.txt"
    if not (drawn.exists() and told.exists()):
        printed = io.StringIO()
        plt.show = lambda *_, **__: None
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(script.path), run_name="__main__")
        plt.gcf().savefig(drawn, metadata={"Date": None})
        plt.close("all")
        told.write_text(printed.getvalue(), encoding="utf-8")
    picture.write_bytes(drawn.read_bytes())
    return told.read_text(encoding="utf-8")
