"""What came of the claims on Poisson's equation."""

import math
from typing import Any

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.expected import Claim
from gated_xtfc.paper.outcome import DIFFERS, NOT_RUN, REPRODUCED, TO_THE_EYE, Outcome, judged, lines
from gated_xtfc.paper.poisson import FAMILY, NAME, NU
from gated_xtfc.paper.wording import number

SHORT = {"text": "text", "scripts": "scripts’ variant"}
CONTRAST = 3.0  # median width of the global kernels over that of the local ones: from here on it is marked


def poisson(claim: Claim, what: str, _: str, book: Book) -> Outcome:
    results = {variant: book.result(f"{NAME}/{variant}") for variant in SHORT}
    known = {SHORT[variant]: result for variant, result in results.items() if result is not None}
    ours = book.default(FAMILY, NU)
    first = next(iter(known.values()), None)
    if first is None:
        return Outcome(claim, ("–",), ("–",), NOT_RUN)
    if what in ("grid", "disk"):
        name = "global" if what == "grid" else "local"
        neurons = (f"{number(ours['neurons'])} unknowns in all" if ours else "–",)
        values = {title: math.sqrt(result[name]) if what == "grid" else result[name] for title, result in known.items()}
        return Outcome(claim, lines(values, number)[:1], neurons, judged(claim, next(iter(values.values()))))
    if what == "search":
        told = {title: travelled(result) for title, result in known.items()}
        arrived = distance(first["centre"]) < distance((0.4, 0.6)) / 2 and first["radius"] < 0.12
        here = tuple(f"{title}: {text}" for title, text in told.items())
        return Outcome(claim, here, ("read off the source, no search",), REPRODUCED if arrived else DIFFERS)
    if what == "widths":
        contrasts = {title: result["contrast"] for title, result in known.items()}
        marked = all(contrast >= CONTRAST for contrast in contrasts.values())
        here = tuple(f"{title}: {number(value)} to 1 (medians)" for title, value in contrasts.items())
        return Outcome(claim, here, ("–",), REPRODUCED if marked else DIFFERS)
    return agreement(claim, known, book)


def agreement(claim: Claim, known: dict[str, dict[str, Any]], book: Book) -> Outcome:
    """With finite differences, as the paper has it; and what both are worth."""
    ours, reference = book.default(FAMILY, NU), book.result(f"{NAME}/differences")
    height = abs(min(next(iter(known.values()))["line"]["exact"]))
    apart = next(iter(known.values()))["from_differences"] / height
    here = [f"{title}: {number(result['from_differences'])} apart" for title, result in known.items()]
    here += [f"{title}: {number(result['max_error_layer'])} from the exact series" for title, result in known.items()]
    if reference is not None:
        here.append(f"finite differences: {number(reference['max_error'])} from the exact series")
    own = (f"{number(ours['max_error_layer'])} from the exact series" if ours else "–",)
    return Outcome(claim, tuple(here), own, REPRODUCED if apart <= TO_THE_EYE else DIFFERS)


def travelled(result: dict[str, Any]) -> str:
    trace = result["trace"]
    first = f"({trace['x'][0]:.3f}, {trace['y'][0]:.3f}), r = {trace['radius'][0]:.3f}"
    x, y = result["centre"]
    return f"{first} to ({x:.3f}, {y:.3f}), r = {result['radius']:.3f}"


def distance(centre: tuple[float, float] | list[float]) -> float:
    """From the peak."""
    return math.hypot(centre[0] - 0.5, centre[1] - 0.5)
