"""Poisson's equation with a sharp source."""

from gated_xtfc.paper.chapters.page import Page
from gated_xtfc.paper.html import Html, join, paragraph, table
from gated_xtfc.paper.poisson import FAMILY, INTERVALS, NAME, NU, TITLES
from gated_xtfc.paper.wording import duration, number

HEADER = (
    "", "centre", "radius", "neurons", "J", "largest error", "over max |u|", "from finite differences", "evaluations",
    "time",
)  # fmt: skip


def chapter(page: Page) -> Html:
    return join([
        paragraph(
            "u_xx + u_yy = S on the unit square with u = 0 on its sides, S a Gaussian of mass one and width ν = 10⁻² "
            "in the middle: a peak like a logarithm, round within ν. A global grid of wide kernels covers the square, "
            "narrow ones are scattered in a disk, and Bayesian optimisation moves the disk and its radius. All of "
            "them are multiplied by x(1 − x)y(1 − y), so that the sides are met exactly."
        ),
        paragraph(
            "Two readings were run. The text prints neither the blend of the Chebyshev grid (one half here), nor the "
            "sites (70 × 70, as in the scripts), nor the number of evaluations (50, likewise). “As in the text”: the "
            "disk is searched from centre (0.4, 0.6) and radius 0.2 within [0.4, 0.6]² × [0.1, 0.2], the objective "
            "is the mean squared residual on a uniform grid of 200 × 200. “As in the released scripts”: the box is "
            "[0.45, 0.55]² × [0.1, 0.2], the objective the largest residual on 200 × 200 points that gather "
            "(quadratically here) towards the middle. The random points of the disk are drawn once, so that the "
            "objective is a function of the disk alone."
        ),
        paragraph(
            "The paper compares with finite differences and has no exact solution. There is one, a double sine "
            f"series, and it shows what the reference is worth: with {INTERVALS} × {INTERVALS} cells the mesh is as "
            "wide as the source. Errors in the table are against the series."
        ),
        page.figure(
            "poisson-history",
            "Every evaluation of the searches and the best so far. The objective jumps from disk to disk, as the "
            "local kernels and the sites happen to fall.",
        ),
        page.figure(
            "poisson-solution",
            "The published solution (text) and finite differences; right, a line through the peak and, below, how far "
            "each is from the exact solution. Agreement of the two would not be accuracy: both miss the exact peak.",
        ),
        page.figure(
            "poisson-widths",
            "Left: the kernels of the disk that the search chose (text), coloured by width; + is the peak. Right: the "
            "residual; both axes are stretched around the middle, the disk is outlined in white.",
        ),
        page.figure(
            "poisson-errors",
            "Error against the exact series, the same colours for all, axes stretched around the peak. Disks in white.",
        ),
        results(page),
        page.differences(NAME),
        page.troubles([NAME]),
    ])  # fmt: skip


def results(page: Page) -> Html:
    rows = []
    for key, title in TITLES.items():
        one = page.book.result(f"{NAME}/{key}")
        if one is not None:
            rows.append((
                f"published, {title}", f"({one['centre'][0]:.3f}, {one['centre'][1]:.3f})", f"{one['radius']:.3f}",
                number(one["neurons"]), number(one["objective"]), number(one["max_error_layer"]),
                f"{100 * one['relative']:.2g} %", number(one["from_differences"]), number(one["evaluations"]),
                duration(one["seconds"]),
            ))  # fmt: skip
    reference = page.book.result(f"{NAME}/differences")
    if reference is not None:
        rows.append((
            f"finite differences, {INTERVALS} × {INTERVALS}", "–", "–", number(reference["neurons"]), "–",
            number(reference["max_error"]), f"{100 * reference['relative']:.2g} %", "–", "–", "–",
        ))  # fmt: skip
    ours = page.book.default(FAMILY, NU)
    if ours is not None:
        rows.append((
            "our default", "–", "–", number(ours["neurons"]), "–", number(ours["max_error_layer"]),
            f"{number(100 * ours['relative'])} %", "–", "–", duration(ours["seconds"]),
        ))  # fmt: skip
    caption = (
        "Largest error against the double sine series, on a uniform grid and on one dense in the peak; for finite "
        "differences at their own nodes. J is the mean squared residual for the text, the largest for the scripts."
    )
    return table(HEADER, rows, caption, "numbers") if rows else Html("")
