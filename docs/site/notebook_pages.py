"""Notebooks as pages: every cell is run here, in this process, and what it shows is put below it."""

import ast
import base64
import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook and what came of it."""

    kind: str  # "markdown" or "code"
    source: str
    printed: str = ""
    shown: str = ""  # HTML
    pictures: tuple[bytes, ...] = ()  # PNG


def executed(notebook: Path) -> list[Cell]:
    """The cells with what they print, show and draw, as a notebook would."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            cells.append(Cell("markdown", source))
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            last = run(source, names)
        cells.append(Cell("code", source, printed.getvalue(), html_of(last), tuple(drawn())))
    return cells


def run(source: str, names: dict[str, Any]) -> Any:
    """The value of the last expression; nothing where it ends in a semicolon, or in something else."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr) or source.rstrip().endswith(";"):
        exec(compile(tree, "cell", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def html_of(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "_repr_html_"):
        found: str = value._repr_html_()
        return found
    return f"<pre>{str(value).replace('&', '&amp;').replace('<', '&lt;')}</pre>"


def drawn() -> list[bytes]:
    """The figures of pyplot, which are closed."""
    found = []
    for number in plt.get_fignums():
        content = io.BytesIO()
        plt.figure(number).savefig(content, format="png", dpi=110)
        found.append(content.getvalue())
    plt.close("all")
    return found


def notebook_page(notebook: Path) -> str:
    """The text of the page."""
    parts = []
    for cell in executed(notebook):
        if cell.kind == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        if cell.printed:
            parts.append(f"```text\n{cell.printed}```")
        shown = [cell.shown] if cell.shown else []
        shown += [
            f'<img alt="what the cell draws" src="data:image/png;base64,{base64.b64encode(one).decode("ascii")}">'
            for one in cell.pictures
        ]
        parts += [f'````{{raw}} html\n<div class="shown">{one}</div>\n````' for one in shown]
    return "\n\n".join(parts) + "\n"
