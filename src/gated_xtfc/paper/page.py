"""What the report is written with: a few pieces of HTML, and the page that chapters write on.

Text is escaped here and nowhere else; `Html` is left as it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.claims import Reproduction
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.task import Result
from gated_xtfc.paper.wording import duration, number


class Html(str):
    """Text that is markup already."""

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


def paragraphs(chapter: str) -> list[Html]:
    """What the chapter says first."""
    return [paragraph(one) for one in prose().paragraphs[chapter]]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", kind: str = "numbers") -> Html:
    """A table with a caption below it; nothing where there are no rows."""
    if not rows:
        return Html("")
    head = element("thead", element("tr", *(element("th", cell, scope="col") for cell in header)))
    body = element("tbody", *(row if isinstance(row, Html) else element("tr", *cells(row)) for row in rows))
    title = element("caption", caption) if caption else Html("")
    return element("div", element("table", title, head, body, kind=kind), kind="scroll")


def cells(row: Sequence[str]) -> list[Html]:
    """The cells of a row, the first of which is its name."""
    return [element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])]


def numbers(result: Result, *names: str) -> list[str]:
    """These numbers of a result as cells of a row, with a dash for what it does not have."""
    return [(duration if name == "seconds" else number)(result.get(name)) for name in names]


def group(title: str, columns: int) -> Html:
    """A row that names those below it."""
    return element("tr", element("th", title, colspan=str(columns), scope="colgroup"), kind="group")


@dataclass
class Page:
    """The records, the drawings, what came of the claims, and a count of figures."""

    book: Book
    drawings: Mapping[str, str]
    found: tuple[Reproduction, ...]
    drawn: list[str] = field(default_factory=list)  # in the order of their numbers

    def figure(self, name: str) -> Html:
        """The drawing with its number and caption; nothing where there is no drawing."""
        if name not in self.drawings:
            return Html("")
        self.drawn.append(name)
        label = element("b", f"Figure {len(self.drawn)}. ")
        return element("figure", Html(self.drawings[name]), element("figcaption", label, prose().figures[name]))

    def differences(self, section: str) -> Html:
        """A list of what came out otherwise than printed, with the likely reason."""
        items = [
            element("li", element("b", f"{one.claim.what}: {one.verdict}. "), one.why)
            for one in self.found
            if one.claim.section == section and one.differs and one.why
        ]
        return join([element("h3", "Where it differs, and why"), element("ul", *items)]) if items else Html("")

    def troubles(self, section: str) -> Html:
        """Tasks without a result, with the reason: a missing package, a failure."""
        items = {
            one.message: element("li", element("b", f"{one.title}: "), one.message)
            for one in self.book
            if one.section == section and not one.done
        }
        return element("ul", *items.values(), kind="troubles") if items else Html("")
