"""One page: the first table says it all, the chapters show it. No script, nothing fetched, light enough to mail."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from itertools import groupby
from string import Template

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.chapters import forward, inverse, meta, poisson, state_of_the_art, table1, twin
from gated_xtfc.paper.claims import Claim, Reproduction, Verdict, paper
from gated_xtfc.paper.page import Html, Page, element, group, join, paragraph, table, text
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.run import SECTIONS
from gated_xtfc.paper.task import Size
from gated_xtfc.paper.wording import duration, readable

CHAPTERS: Mapping[str, Callable[[Page], Html]] = {
    "forward": forward.chapter,
    "state_of_the_art": state_of_the_art.chapter,
    "table1": table1.chapter,
    "inverse": inverse.chapter,
    "meta": meta.chapter,
    "twin": twin.chapter,
    "poisson": poisson.chapter,
    "sensitivity": forward.sensitivity,
}
RULES: Mapping[str, Callable[[Claim, str, str, Book], Reproduction]] = {
    "forward": forward.reproduced,
    "state_of_the_art": state_of_the_art.reproduced,
    "table1": table1.reproduced,
    "inverse": inverse.reproduced,
    "meta": meta.reproduced,
    "twin": twin.reproduced,
    "poisson": poisson.reproduced,
}
SCOPE = (
    "Every claim, table and figure again, by the method as published, beside what this project’s default solver does "
    "in the same run."
)
GOOD, BAD = (Verdict.REPRODUCED, Verdict.BETTER), (Verdict.WORSE, Verdict.DIFFERS)


def reproductions(book: Book) -> tuple[Reproduction, ...]:
    """What came of every claim; a claim whose tasks were not run says so."""
    return tuple(reproduction(claim, book) for claim in paper().claims)


def reproduction(claim: Claim, book: Book) -> Reproduction:
    _, what, *rest = claim.id.split(".")
    found = RULES[claim.section](claim, what, rest[0] if rest else "", book)
    if found.verdict == Verdict.NOT_RUN:
        return found
    if book.size is not Size.FULL and claim.kind != "count":
        return replace(found, verdict=Verdict.SMALLER)
    return replace(found, why=prose().reasons.get((claim.id, found.verdict), ""))


def render(book: Book, drawings: Mapping[str, str]) -> str:
    """The whole page; `drawings` are inline SVG by name, left out where there is none."""
    found = reproductions(book)
    page = Page(book, drawings, found)
    shown = [name for name in SECTIONS if any(record.section == name for record in book)]
    chapters = []
    for name in shown:
        words = join([CHAPTERS[name](page), page.differences(name), page.troubles(name)])
        chapters.append(element("section", element("h2", SECTIONS[name].title, id=name), words))
    body = join([head(book, shown), claims_table(found), *chapters, foot(book)])
    template = resources.files("gated_xtfc.paper").joinpath("report.html").read_text(encoding="utf-8")
    title = "The Gated X-TFC paper, reproduced"
    return Template(template).substitute(title=text(title), body=body)


def head(book: Book, shown: list[str]) -> Html:
    source = paper()
    smaller = paragraph(
        "Quick run: far fewer kernels, coarser searches and shorter trainings than in the paper. It shows that "
        "everything works; the numbers are not those of the reproduction. Run gated-xtfc paper without --quick for "
        "these.",
        kind="banner",
    )
    links = (element("a", SECTIONS[name].title, href=f"#{name}") for name in shown)
    return join([
        element("h1", "The Gated X-TFC paper, reproduced"),
        paragraph(f"{source.authors}: ", element("i", source.title), f". {SCOPE}", kind="lead"),
        smaller if book.size is not Size.FULL else Html(""),
        element("nav", *links),
    ])  # fmt: skip


def claims_table(found: tuple[Reproduction, ...]) -> Html:
    rows: list[Html] = []
    order = ["table1", *(name for name in SECTIONS if name != "table1")]  # what the abstract claims comes first
    by_section = sorted(found, key=lambda one: order.index(one.claim.section))
    for section, claims in groupby(by_section, key=lambda one: one.claim.section):
        rows += [group(SECTIONS[section].title, 5), *(row(one) for one in claims)]
    header = ("claim", "the paper", "published method here", "our default", "verdict")
    caption = (
        "Errors are the largest on 20,000 uniform points unless a mean is named. An order of magnitude counts as "
        "reproduced within a factor of ten, a ratio within a factor of two, a percentage within the range over the "
        "seeds or a factor of two of their median. Times are not comparable between machines."
    )
    return join([element("h2", "In one table", id="claims"), table(header, rows, caption, "claims")])


def row(one: Reproduction) -> Html:
    claim = one.claim
    first = element("th", claim.what, element("div", readable(claim.place), kind="small"), scope="row")
    said = element("td", readable(claim.printed), kind="small" if len(claim.printed) > 60 else "")
    other = "other" if one.verdict is Verdict.OTHER_MACHINE else "none"
    colour = "good" if one.verdict in GOOD else "bad" if one.verdict in BAD else other
    verdict = element("span", one.verdict, kind=f"verdict {colour}")
    last = element("td", verdict, element("div", one.why, kind="small") if one.why else Html(""))
    return element("tr", first, said, several(one.here), several(one.ours), last, id=f"claim-{claim.id}")


def several(lines: tuple[str, ...]) -> Html:
    """A cell with the line that counts, then the others smaller; a dash where there is none."""
    return element("td", *(element("div", line, kind="small" if k else "") for k, line in enumerate(lines or ("–",))))


def foot(book: Book) -> Html:
    """The conditions under which the records were made."""
    records = list(book)
    if not records:
        return Html("")
    versions: dict[str, set[str]] = {}
    for record in records:
        for name, version in record.environment["versions"].items():
            versions.setdefault(name, set()).add(version)
    told = ", ".join(f"{name} {' / '.join(sorted(found))}" for name, found in versions.items())
    threads = " or ".join(str(count) for count in sorted({record.environment["threads"] for record in records}))
    machine = records[-1].environment
    total = duration(sum(record.seconds for record in records))
    seeds = sorted({record.seed for record in records if record.seed is not None})
    seeded = f" Random numbers from seed {', '.join(map(str, seeds))}." if seeds else ""
    facts = (
        f"{len(records)} records, {total} in all; {machine['machine']}, {machine['cores']} cores, linear algebra on "
        f"{threads} thread{'' if threads == '1' else 's'}; {told}.{seeded} The paper’s machine: an i7-12700H laptop "
        "with 16 GB and MATLAB R2022b."
    )
    return element("footer", paragraph(facts, kind="small"))
