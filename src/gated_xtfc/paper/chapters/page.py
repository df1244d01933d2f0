"""What a chapter writes on: the records, the drawings, and a count of figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.html import Html, element, figure, join
from gated_xtfc.paper.outcome import BETTER, DIFFERS, WORSE, Outcome


@dataclass
class Page:
    book: Book
    drawings: Mapping[str, str]
    outcomes: tuple[Outcome, ...]
    drawn: list[str] = field(default_factory=list)  # in the order of their numbers

    def figure(self, name: str, caption: str) -> Html:
        if name not in self.drawings:
            return Html("")
        self.drawn.append(name)
        return figure(self.drawings[name], caption, len(self.drawn))

    def differences(self, section: str) -> Html:
        """A list of what came out otherwise than printed, with the likely reason."""
        items = [
            element("li", element("b", f"{one.claim.what}: {one.verdict}. "), one.why)
            for one in self.outcomes
            if one.claim.section == section and one.verdict in (BETTER, WORSE, DIFFERS) and one.why
        ]
        return join([element("h3", "Where it differs, and why"), element("ul", *items)]) if items else Html("")

    def troubles(self, sections: Iterable[str]) -> Html:
        """Tasks without a result, with the reason: a missing package, a failure."""
        wanted = set(sections)
        items = {
            one.message: element("li", element("b", f"{one.title}: "), one.message)
            for one in self.book
            if one.section in wanted and not one.done
        }
        return element("ul", *items.values(), kind="troubles") if items else Html("")
