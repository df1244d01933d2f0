"""The few pieces of HTML the report is made of. Text is escaped here and nowhere else; `Html` is left as it is."""

from collections.abc import Iterable, Sequence
from html import escape


class Html(str):
    """Markup already."""

    __slots__ = ()


def text(content: str) -> Html:
    return content if isinstance(content, Html) else Html(escape(content, quote=False))


def join(parts: Iterable[str]) -> Html:
    return Html("\n".join(text(part) for part in parts if part))


def element(tag: str, *content: str, **attributes: str) -> Html:
    """<tag class="...">content</tag>; `kind` stands for class."""
    names = {"kind": "class"}
    given = "".join(f' {names.get(name, name)}="{escape(value)}"' for name, value in attributes.items() if value)
    return Html(f"<{tag}{given}>{''.join(text(part) for part in content)}</{tag}>")


def paragraph(*content: str, kind: str = "") -> Html:
    return element("p", *content, kind=kind)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", kind: str = "") -> Html:
    head = element("thead", element("tr", *(element("th", cell, scope="col") for cell in header)))
    body = element("tbody", *(row if isinstance(row, Html) else element("tr", *cells(row)) for row in rows))
    title = element("caption", caption) if caption else Html("")
    return element("div", element("table", title, head, body, kind=kind), kind="scroll")


def cells(row: Sequence[str]) -> list[Html]:
    """The first cell of a row is its name."""
    return [element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])]


def figure(drawing: str | None, caption: str, number: int = 0) -> Html:
    """Nothing where there is no drawing."""
    if drawing is None:
        return Html("")
    label = element("b", f"Figure {number}. ") if number else Html("")
    return element("figure", Html(drawing), element("figcaption", label, caption))
