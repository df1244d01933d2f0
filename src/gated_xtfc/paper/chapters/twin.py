"""Twin boundary layers."""

from gated_xtfc.paper.chapters.page import Page
from gated_xtfc.paper.html import Html, join, paragraph, table
from gated_xtfc.paper.twin import NAME, NU
from gated_xtfc.paper.wording import duration, number


def chapter(page: Page) -> Html:
    return join([
        paragraph(
            "2(2x − 1) u′ − ν u″ + 4u = 0 with u = 1 at both ends and ν = 10⁻⁴: the flow leaves the domain at both "
            "ends, with a layer of thickness ν/2 at each. Two splits, three blocks; both distances from the ends and "
            "the transition scale by Bayesian optimisation with 60 evaluations. The text does not give the box: it "
            "is that of the released scripts, distances from 0.01 to 0.1 and scales from 10 to 100."
        ),
        page.figure("twin-profile", "The published method on the exact solution, with both layers stretched by 1/ν."),
        page.figure("twin-accuracy", "Residual and error from both ends to the middle, the largest in narrow bins."),
        page.figure("twin-widths", "Widths of the kernels, the spacing of their centres, and the two gates."),
        results(page),
        page.differences(NAME),
        page.troubles([NAME]),
    ])  # fmt: skip


def results(page: Page) -> Html:
    rows = []
    for key, title in {"closed": "right end included", "literal": "grid as printed"}.items():
        one = page.book.result(f"{NAME}/{key}")
        if one is not None:
            splits = ", ".join(f"{split:.4f}" for split in one["splits"])
            rows.append((
                title, splits, number(one["scale"]), number(one["neurons"]), number(one["objective"]),
                number(one["max_error"]), number(one["max_error_layer"]), number(one["evaluations"]),
                duration(one["seconds"]),
            ))  # fmt: skip
    ours = page.book.default("twin_layers", NU)
    if ours is not None:
        rows.append((
            "our default", "–", "–", number(ours["neurons"]), "–", number(ours["max_error"]),
            number(ours["max_error_layer"]), "–", duration(ours["seconds"]),
        ))  # fmt: skip
    header = ("", "splits", "scale", "neurons", "J", "largest error", "in the layers", "evaluations", "seconds")
    return table(header, rows, kind="numbers") if rows else Html("")
