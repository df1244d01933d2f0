"""Meta-learning: the maps, how well their bands cover, and what bounding the search brings.

Verdicts are on medians over all values of nu at which both searches were run.
"""

from collections.abc import Sequence

import numpy as np

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.claims import Claim, Reproduction, judged, upheld
from gated_xtfc.paper.meta import NAME, SEARCHES, search_name
from gated_xtfc.paper.page import Html, Page, element, join, paragraph, paragraphs, table
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.task import Result
from gated_xtfc.paper.wording import duration, number, times
from gated_xtfc.types import Array

NO_SEARCH = ("no search: the gates are read off the equation",)
COMPARED = {"evaluations": "fewer", "seconds": "shorter", "objective": "not larger"}
EQUAL = 1.05  # a final J this much larger still counts as equal


def chapter(page: Page) -> Html:
    return join([
        *paragraphs(NAME),
        data_set(page),
        page.figure("meta-maps"),
        coverage(page),
        page.figure("meta-traces"),
        page.figure("meta-ratios"),
        comparison(page),
    ])  # fmt: skip


def data_set(page: Page) -> Html:
    one = page.book.result(f"{NAME}/optima")
    if one is None:
        return Html("")
    return paragraph(
        f"{one['count']} optima, {duration(one['total_seconds'])} of one core in all, "
        f"{number(float(np.median(one['solves'])))} solves each (median). At {one['share_bound']:.0%} of them the "
        "transition is at its bound 5ν, and the search has no preference among the scales that leave it there: the "
        "first that it tried is what the regression is given."
    )


def coverage(page: Page) -> Html:
    maps = page.book.result(f"{NAME}/maps")
    if maps is None:
        return Html("")
    told = maps["coverage"]
    rows = [
        (title, f"{told[name]:.1%}", f"{told[f'{name}_transformed']:.1%}", f"{told[f'{name}_width']:.0%}")
        for name, title in (("split", "split"), ("scale", "transition scale"))
    ]
    header = ("95 % band of", "holds", "before the back-transform", "median width, of the global box")
    caption = f"Shares of {told['held_out']} held-out optima inside the bands of a fit to the other {told['trained']}."
    return table(header, rows, caption)


def comparison(page: Page) -> Html:
    found = searches(page.book)
    if not found:
        return Html("")
    rows: list[Sequence[str]] = [line(one) for one in found]
    for title, of in (("median ratio", np.median), ("smallest", np.min), ("largest", np.max)):
        shown = [times(float(of(ratios(found, name)))) for name in ("evaluations", "solves", "seconds", "value")]
        rows.append((f"{title}, bounded over global", "", "", *shown))
    header = ("ν", "box of the split", "box of the scale", "evaluations", "solves", "time", "final J")
    title = element("h3", f"Both searches at {len(found)} values of ν")
    return join([title, table(header, rows, prose().tables["both-searches"])])


def line(one: Result) -> tuple[str, ...]:
    box, wide, bounded = one["box"], one["global"], one["bounded"]
    return (
        number(one["nu"], 3), f"{box['places'][0]:.4f} to {box['places'][1]:.4f}",
        f"{box['scales'][0]:.1f} to {box['scales'][1]:.1f}", f"{wide['evaluations']} / {bounded['evaluations']}",
        f"{wide['solves']} / {bounded['solves']}", f"{duration(wide['seconds'])} / {duration(bounded['seconds'])}",
        f"{number(wide['value'])} / {number(bounded['value'])}",
    )  # fmt: skip


def searches(book: Book) -> list[Result]:
    """The comparisons of both searches that were run, by nu."""
    return list(book.results({place: f"{NAME}/{search_name(place)}" for place in range(1, SEARCHES + 1)}).values())


def ratios(found: list[Result], name: str) -> Array:
    """The bounded search over the global one."""
    return np.array([one["bounded"][name] / one["global"][name] for one in found])


def reproduced(claim: Claim, what: str, _: str, book: Book) -> Reproduction:
    maps = book.result(f"{NAME}/maps")
    if what == "samples":
        count = (number(maps["count"]),) if maps else ()
        return Reproduction(claim, count, NO_SEARCH, judged(claim, maps["count"] if maps else None))
    if what == "bands":
        return bands(claim, maps)
    found = searches(book)
    if not found:
        return Reproduction(claim, ours=NO_SEARCH)
    values = ratios(found, "value" if what == "objective" else what)
    middle, limit = float(np.median(values)), EQUAL if what == "objective" else 1.0
    better = int((values <= limit).sum())
    share = f"{better} of {values.size} {COMPARED[what]}"
    ends = f"{times(float(values.min()))} to {times(float(values.max()))}"
    here = f"{times(middle)} (median), {ends}", share
    return Reproduction(claim, here, NO_SEARCH, upheld(middle <= limit))


def bands(claim: Claim, maps: Result | None) -> Reproduction:
    """The width of the bands at the smallest nu beside the median over the range."""
    if maps is None:
        return Reproduction(claim, ours=NO_SEARCH)
    told, narrow = [], []
    for name in ("split", "scale"):
        widths = np.array(maps["curves"][name]["high"]) - np.array(maps["curves"][name]["low"])
        narrow.append(widths[0] <= 0.75 * np.median(widths))
        first, middle = number(float(widths[0])), number(float(np.median(widths)))
        told.append(f"{name}: {first} wide at the smallest ν, {middle} over the range (median)")
    return Reproduction(claim, tuple(told), NO_SEARCH, upheld(all(narrow)))
