"""How fragile the layout is."""

from gated_xtfc.paper.chapters.page import Page
from gated_xtfc.paper.html import Html, join, paragraph, table
from gated_xtfc.paper.sensitivity import NAME
from gated_xtfc.paper.wording import number

VARIANTS = {
    "closed-k1.5": "right end included, k = 1.5",
    "closed-k1": "right end included, k = 1",
    "literal-k1.5": "grid as printed, k = 1.5",
    "literal-k1": "grid as printed, k = 1",
}


def chapter(page: Page) -> Html:
    return join([
        paragraph(
            "No search here: the published layout at ν = 10⁻⁴ on a grid over the box that the paper searches, the "
            "split from 0.8 to 0.999 and the transition scale from 10 to 100. If the method were robust, the maps "
            "would be of one colour."
        ),
        page.figure("maps", "Largest error, layer included, over the box; stars: the smallest. One scale of colours."),
        results(page),
        page.troubles([NAME]),
    ])  # fmt: skip


def results(page: Page) -> Html:
    rows = []
    for key, title in VARIANTS.items():
        one = page.book.result(f"{NAME}/{key}")
        if one is not None:
            rows.append((
                title, number(one["least"]), number(one["median"]), number(one["worst"]), f"{one['good']:.0%}",
                f"{one['bad']:.0%}", f"{one['regularised']:.0%}",
            ))  # fmt: skip
    header = ("", "smallest", "median", "largest", "below 10⁻³", "above 0.1", "Cholesky failed at 10⁻¹⁰")
    return table(header, rows, "Errors over the box, and shares of it.", "numbers") if rows else Html("")
