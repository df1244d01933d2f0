"""Poisson's equation with a sharp source."""

import math

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.claims import TO_THE_EYE, Claim, Reproduction, judged, lines, upheld
from gated_xtfc.paper.page import Html, Page, join, numbers, paragraphs, table
from gated_xtfc.paper.poisson import INTERVALS, NAME, NU, PEAK, TITLES
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.task import Result
from gated_xtfc.paper.wording import number

HEADER = (
    "", "centre", "radius", "neurons", "J", "largest error", "over max |u|", "from finite differences", "evaluations",
    "time",
)  # fmt: skip
LAST = ("from_differences", "evaluations", "seconds")
SHORT = {"text": "text", "scripts": "scripts’ variant"}
CONTRAST = 3.0  # median width of the global kernels over that of the local ones: from here on it is marked


def chapter(page: Page) -> Html:
    figures = (page.figure(f"poisson-{name}") for name in ("history", "solution", "widths", "errors"))
    return join([*paragraphs(NAME), *figures, results(page)])


def results(page: Page) -> Html:
    rows = []
    for title, one in page.book.results({title: f"{NAME}/{key}" for key, title in TITLES.items()}).items():
        disk = f"({one['centre'][0]:.3f}, {one['centre'][1]:.3f})", f"{one['radius']:.3f}"
        errors = *numbers(one, "neurons", "objective", "max_error_layer"), f"{100 * one['relative']:.2g} %"
        rows.append((f"published, {title}", *disk, *errors, *numbers(one, *LAST)))
    reference = page.book.result(f"{NAME}/differences")
    if reference is not None:
        title, off = f"finite differences, {INTERVALS} × {INTERVALS}", f"{100 * reference['relative']:.2g} %"
        rows.append((title, "–", "–", *numbers(reference, "neurons", "objective", "max_error"), off, "–", "–", "–"))
    ours = page.book.default(PEAK.name, NU)
    if ours is not None:
        errors = *numbers(ours, "neurons", "objective", "max_error_layer"), f"{number(100 * ours['relative'])} %"
        rows.append(("our default", "–", "–", *errors, *numbers(ours, *LAST)))
    return table(HEADER, rows, prose().tables["disks"])


def reproduced(claim: Claim, what: str, _: str, book: Book) -> Reproduction:
    known = book.results({title: f"{NAME}/{variant}" for variant, title in SHORT.items()})
    ours = book.default(PEAK.name, NU)
    first = next(iter(known.values()), None)
    if first is None:
        return Reproduction(claim)
    if what in ("grid", "disk"):
        counts = {title: math.sqrt(one["global"]) if what == "grid" else one["local"] for title, one in known.items()}
        neurons = (f"{number(ours['neurons'])} unknowns in all",) if ours else ()
        return Reproduction(claim, lines(counts, number)[:1], neurons, judged(claim, next(iter(counts.values()))))
    if what == "search":
        arrived = distance(first["centre"]) < distance((0.4, 0.6)) / 2 and first["radius"] < 0.12
        here = tuple(f"{title}: {travelled(result)}" for title, result in known.items())
        return Reproduction(claim, here, ("read off the source, no search",), upheld(arrived))
    if what == "widths":
        marked = all(result["contrast"] >= CONTRAST for result in known.values())
        here = tuple(f"{title}: {number(result['contrast'])} to 1 (medians)" for title, result in known.items())
        return Reproduction(claim, here, (), upheld(marked))
    return agreement(claim, known, book)


def agreement(claim: Claim, known: dict[str, Result], book: Book) -> Reproduction:
    """Agreement with finite differences, as the paper claims it, and the error of both."""
    ours, reference = book.default(PEAK.name, NU), book.result(f"{NAME}/differences")
    first = next(iter(known.values()))
    apart = first["from_differences"] / abs(min(first["line"]["exact"]))
    here = [f"{title}: {number(result['from_differences'])} apart" for title, result in known.items()]
    here += [f"{title}: {number(result['max_error_layer'])} from the exact series" for title, result in known.items()]
    if reference is not None:
        here.append(f"finite differences: {number(reference['max_error'])} from the exact series")
    own = (f"{number(ours['max_error_layer'])} from the exact series",) if ours else ()
    return Reproduction(claim, tuple(here), own, upheld(apart <= TO_THE_EYE))


def travelled(result: Result) -> str:
    trace = result["trace"]
    first = f"({trace['x'][0]:.3f}, {trace['y'][0]:.3f}), r = {trace['radius'][0]:.3f}"
    x, y = result["centre"]
    return f"{first} to ({x:.3f}, {y:.3f}), r = {result['radius']:.3f}"


def distance(centre: tuple[float, float] | list[float]) -> float:
    """The distance of this centre from the peak."""
    return math.hypot(centre[0] - 0.5, centre[1] - 0.5)
