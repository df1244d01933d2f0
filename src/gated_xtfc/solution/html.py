"""Small pieces of HTML that notebooks show: a verdict, a table. Styles stand in them, so that they need no page."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from numpy.typing import NDArray

LONGEST = 40  # characters of a cell
ROWS = 5  # at the beginning and at the end
GOOD, MIDDLING, BAD = "#0a7d4f", "#8a6100", "#b3261e"  # legible on white; a notebook's dark cells keep their own ground
CELL = "text-align:right;padding:2px 10px;white-space:nowrap"


def verdict(status: str, colour: str, facts: Iterable[str]) -> str:
    """The status in a colour, and what else is to be said."""
    mark = f"background:{colour};color:#fff;border-radius:4px;padding:1px 7px;font-weight:600"
    return f'<div style="margin:4px 0"><span style="{mark}">{escape(status)}</span> {escape("; ".join(facts))}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f'<th style="{CELL}">{escape(name)}</th>' for name in header)
    lines = ("".join(f'<td style="{CELL}">{cell(one)}</td>' for one in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def cell(value: object) -> str:
    text = f"{value:.5g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ...")


def table_html(columns: Mapping[str, NDArray[Any]], caption: str) -> str:
    """The first and the last rows of long columns, and what they come to."""
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    shown = rows if len(rows) <= 2 * ROWS else [*rows[:ROWS], ("⋮",) * len(columns), *rows[-ROWS:]]
    return f"{table(tuple(columns), shown)}<div>{len(rows)} rows: {escape(caption)}</div>"
