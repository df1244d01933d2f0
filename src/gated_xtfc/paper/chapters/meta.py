"""Meta-learning: the maps, how well their bands cover, and what bounding the search brings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gated_xtfc.paper.chapters.page import Page
from gated_xtfc.paper.html import Html, element, join, paragraph, table
from gated_xtfc.paper.meta import NAME
from gated_xtfc.paper.meta_claims import ratios, searches
from gated_xtfc.paper.wording import duration, number, times


def chapter(page: Page) -> Html:
    return join([
        paragraph(
            "The published forward search is run at many ν; two cubic ridge regressions on log₁₀ ν, of the logit of "
            "the split between 0.80 and 0.999 and of log₁₀ of the transition scale, learn from its optima where the "
            "next search should look. Squared residuals, smoothed by a Gaussian a tenth of the range wide, give a "
            "variance that depends on ν and the weights of the next of three passes; generalised cross-validation "
            "chooses the ridge at each. The 95 % bands, brought back by the delta method, clipped to the global box "
            "and padded (5 × 10⁻³ in the split, 0.5 in the scale), are the box of the next search; a band wider than "
            "three quarters of the global box is moved towards it."
        ),
        paragraph(
            "The text names no range of ν: that of the released scripts is used, 10⁻⁴ to 10⁻³. It has two boxes for "
            "the split, up to 0.99 in section 4.3 and up to 0.999 in the appendix and everywhere else; the second is "
            "used. The forward method is the reading with the right end included."
        ),
        data_set(page),
        page.figure(
            "meta-maps",
            "The two maps: mean and 95 % band in physical units, training optima. Pale dots: the transition is at its "
            "physical bound 5ν there, and the scale has no effect.",
        ),
        coverage(page),
        page.figure(
            "meta-traces",
            "Global and bounded search at the three smallest of the values tried: the objective at every evaluation "
            "(dots), the best so far (lines), the end (stars).",
        ),
        page.figure(
            "meta-ratios",
            "Bounded over global search at every ν tried: below the line the bounded one is better.",
        ),
        comparison(page),
        page.differences(NAME),
        page.troubles([NAME]),
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
        (
            title,
            f"{told[name]:.1%}",
            f"{told[f'{name}_transformed']:.1%}",
            f"{told[f'{name}_width']:.0%}",
        )
        for name, title in (("split", "split"), ("scale", "transition scale"))
    ]
    header = ("95 % band of", "holds", "before the back-transform", "median width, of the global box")
    caption = f"Shares of {told['held_out']} held-out optima inside the bands of a fit to the other {told['trained']}."
    return table(header, rows, caption, "numbers")


def comparison(page: Page) -> Html:
    found = searches(page.book)
    if not found:
        return Html("")
    rows: list[Sequence[str]] = [line(one) for one in found]
    for title, of in (("median ratio", np.median), ("smallest", np.min), ("largest", np.max)):
        shown = [times(float(of(ratios(found, name)))) for name in ("evaluations", "solves", "seconds", "value")]
        rows.append((f"{title}, bounded over global", "", "", *shown))
    header = ("ν", "box of the split", "box of the scale", "evaluations", "solves", "time", "final J")
    caption = (
        "Global / bounded. An evaluation with the same layout as one before is counted but not solved again. Brent’s "
        "method stops at the same tolerances in both boxes."
    )
    parts = [element("h3", f"Both searches at {len(found)} values of ν"), table(header, rows, caption, "numbers")]
    return join(parts)


def line(one: dict[str, Any]) -> tuple[str, ...]:
    box, wide, bounded = one["box"], one["global"], one["bounded"]
    return (
        number(one["nu"], 3), f"{box['places'][0]:.4f} to {box['places'][1]:.4f}",
        f"{box['scales'][0]:.1f} to {box['scales'][1]:.1f}", f"{wide['evaluations']} / {bounded['evaluations']}",
        f"{wide['solves']} / {bounded['solves']}", f"{duration(wide['seconds'])} / {duration(bounded['seconds'])}",
        f"{number(wide['value'])} / {number(bounded['value'])}",
    )  # fmt: skip
