"""Whether a built site stands by itself: its links lead somewhere, and nothing is fetched from elsewhere."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The links of a page, what it fetches, and the places in it that can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = {""}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.places.add(value)
            elif (tag, name) in FETCHED and value:
                self.fetched.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)


def faults(html: Path) -> list[str]:
    """One sentence for each link that leads nowhere and each thing that is fetched from elsewhere."""
    pages = {file.resolve(): Page(file) for file in html.rglob("*.html")}
    found = []
    for file, page in pages.items():
        name = file.relative_to(html.resolve())
        for target in (*page.links, *page.fetched):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.fetched and parts.scheme != "data":
                    found.append(f"{name} fetches {target}")
                continue
            goal = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not goal.exists():
                found.append(f"{name} links to {target}, which is not there")
            elif goal in pages and unquote(parts.fragment) not in pages[goal].places:
                found.append(f"{name} links to {target}, where no such place is")
    return found


if __name__ == "__main__":
    complaints = faults(Path(sys.argv[1]))
    print("\n".join(complaints) or "every link leads somewhere")
    sys.exit(bool(complaints))
