"""Forward solution: three values of nu, three readings of the method. And how fragile its layout is."""

from collections.abc import Sequence

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.claims import TO_THE_EYE, Claim, Reproduction, Verdict, lines, upheld
from gated_xtfc.paper.forward import NUS, TITLES
from gated_xtfc.paper.measure import MODEL
from gated_xtfc.paper.page import Html, Page, group, join, numbers, paragraphs, table
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.task import Result
from gated_xtfc.paper.wording import at, number

HEADER = (
    "", "split", "scale", "transition", "J", "largest error", "in the layer", "ridge used", "solves of evaluations",
    "time",
)  # fmt: skip
MEASURED = ("scale", "transition", "objective", "max_error", "max_error_layer", "ridge_used")
LAYOUTS = {
    "closed-k1.5": "right end included, k = 1.5",
    "closed-k1": "right end included, k = 1",
    "literal-k1.5": "grid as printed, k = 1.5",
    "literal-k1": "grid as printed, k = 1",
}


def chapter(page: Page) -> Html:
    figures = (page.figure(name) for name in ("sites", "accuracy", "widths", "profiles", "traces"))
    return join([*paragraphs("forward"), *figures, results(page)])


def results(page: Page) -> Html:
    rows: list[Sequence[str]] = []
    for nu in NUS:
        rows.append(group(at(nu), len(HEADER)))
        found = page.book.results({title: f"forward/{variant}-{tag(nu)}" for variant, title in TITLES.items()})
        for title, one in found.items():
            solves = f"{one['solves']} of {one['evaluations']}"
            rows.append((title, f"{one['split']:.4f}", *numbers(one, *MEASURED), solves, *numbers(one, "seconds")))
        ours = page.book.default(MODEL.name, nu)
        if ours is not None:
            title = f"our default, {ours['neurons']} neurons"
            rows.append((title, "–", *numbers(ours, *MEASURED), "–", *numbers(ours, "seconds")))
    return table(HEADER, rows, prose().tables["searches"])


def reproduced(claim: Claim, what: str, _: str, book: Book) -> Reproduction:
    known = book.results({nu: f"forward/closed-{tag(nu)}" for nu in NUS})
    defaults = book.defaults(MODEL.name, NUS)
    ours = tuple(f"{at(nu)}: {number(one['max_error'])}" for nu, one in defaults.items())
    if not known:
        return Reproduction(claim, ours=ours)
    if what == "accuracy":
        here = {at(nu): one["max_error"] for nu, one in known.items()}
        good = all(value <= TO_THE_EYE for value in here.values())
        return Reproduction(claim, lines(here, number), ours, upheld(good, Verdict.WORSE))
    if what == "split":
        splits = [one["split"] for one in known.values()]
        transitions = [one["transition"] for one in known.values()]
        moves = splits == sorted(splits) and transitions == sorted(transitions, reverse=True)
        told = tuple(
            f"{at(nu)}: split {one['split']:.4f}, transition {number(one['transition'])}" for nu, one in known.items()
        )
        gates = "a gate at x = 1 as thick as the layer: read off the equation, no search"
        return Reproduction(claim, told, (gates,), upheld(moves))
    return peaks(claim, known, defaults)


def peaks(claim: Claim, known: dict[float, Result], defaults: dict[float, Result]) -> Reproduction:
    """The claim that the residual is largest at the split."""
    here, near = [], True
    for nu, one in known.items():
        distance, size = peak(one["curves"])
        split = 1 - one["split"]
        near = near and 1 / 3 < distance / split < 3
        here.append(
            f"{at(nu)}: largest residual {number(size)} at 1 − x = {number(distance)}, split at 1 − x = {number(split)}"
        )
    own = {nu: peak(one["curves"]) for nu, one in defaults.items()}
    ours = tuple(f"{at(nu)}: {number(size)} at {number(distance)}" for nu, (distance, size) in own.items())
    return Reproduction(claim, tuple(here), ours, upheld(near))


def peak(curves: dict[str, list[float]]) -> tuple[float, float]:
    """The distance from the outflow and the size of the largest residual."""
    size = max(curves["residual"])
    return curves["distance"][curves["residual"].index(size)], size


def sensitivity(page: Page) -> Html:
    return join([*paragraphs("sensitivity"), page.figure("maps"), fragility(page)])


def fragility(page: Page) -> Html:
    found = page.book.results({title: f"sensitivity/{key}" for key, title in LAYOUTS.items()})
    rows = []
    for title, one in found.items():
        shares = (f"{one[name]:.0%}" for name in ("good", "bad", "regularised"))
        rows.append((title, *numbers(one, "least", "median", "worst"), *shares))
    header = ("", "smallest", "median", "largest", "below 10⁻³", "above 0.1", "Cholesky failed at 10⁻¹⁰")
    return table(header, rows, prose().tables["layouts"])
