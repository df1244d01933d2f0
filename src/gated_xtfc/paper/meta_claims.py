"""What came of the claims on meta-learning: medians over all values of nu at which both searches were run."""

from typing import Any

import numpy as np

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.expected import Claim
from gated_xtfc.paper.meta import NAME, SEARCHES, search_name
from gated_xtfc.paper.outcome import DIFFERS, NOT_RUN, REPRODUCED, Outcome, judged
from gated_xtfc.paper.wording import number, times

NO_SEARCH = ("no search: the gates are read off the equation",)
COMPARED = {"evaluations": "fewer", "seconds": "shorter", "objective": "not larger"}
EQUAL = 1.05  # a final J this much larger still counts as equal


def searches(book: Book) -> list[dict[str, Any]]:
    """The comparisons that were run, by nu."""
    found = (book.result(f"{NAME}/{search_name(place)}") for place in range(1, SEARCHES + 1))
    return [one for one in found if one is not None]


def ratios(found: list[dict[str, Any]], name: str) -> np.ndarray:
    """Bounded over global."""
    return np.array([one["bounded"][name] / one["global"][name] for one in found])


def meta(claim: Claim, what: str, _: str, book: Book) -> Outcome:
    maps = book.result(f"{NAME}/maps")
    if what == "samples":
        here = (number(maps["count"]),) if maps else ("–",)
        return Outcome(claim, here, NO_SEARCH, judged(claim, maps["count"] if maps else None))
    if what == "bands":
        return bands(claim, maps)
    found = searches(book)
    if not found:
        return Outcome(claim, ("–",), NO_SEARCH, NOT_RUN)
    values = ratios(found, "value" if what == "objective" else what)
    middle, limit = float(np.median(values)), EQUAL if what == "objective" else 1.0
    better = int((values <= limit).sum())
    share = f"{better} of {values.size} {COMPARED[what]}"
    ends = f"{times(float(values.min()))} to {times(float(values.max()))}"
    return Outcome(
        claim, (f"{times(middle)} (median), {ends}", share), NO_SEARCH, REPRODUCED if middle <= limit else DIFFERS
    )


def bands(claim: Claim, maps: dict[str, Any] | None) -> Outcome:
    """Their width at the smallest nu beside the median over the range."""
    if maps is None:
        return Outcome(claim, ("–",), NO_SEARCH, NOT_RUN)
    told, narrow = [], []
    for name in ("split", "scale"):
        widths = np.array(maps["curves"][name]["high"]) - np.array(maps["curves"][name]["low"])
        narrow.append(widths[0] <= 0.75 * np.median(widths))
        first, middle = number(float(widths[0])), number(float(np.median(widths)))
        told.append(f"{name}: {first} wide at the smallest ν, {middle} over the range (median)")
    return Outcome(claim, tuple(told), NO_SEARCH, REPRODUCED if all(narrow) else DIFFERS)
