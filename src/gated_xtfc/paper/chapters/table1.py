"""Table 1 again, with the ratios."""

from gated_xtfc.paper.book import tag
from gated_xtfc.paper.chapters.page import Page
from gated_xtfc.paper.forward import SHORT
from gated_xtfc.paper.html import Html, join, paragraph, table
from gated_xtfc.paper.table1 import NAME, NU
from gated_xtfc.paper.wording import duration, number, times

UNGATED = f"{NAME}/xtfc-k1.5-{tag(NU)}"


def chapter(page: Page) -> Html:
    return join([
        paragraph(
            "ν = 10⁻⁴. X-TFC without a gate spreads its kernels evenly; the gated method has a fifth as many and "
            "searches where to put them; our default reads from the equation where the layer is. Times include the "
            "searches; they were measured on this machine, the printed ones on the authors’."
        ),
        lines(page),
        ratios(page),
        page.figure(
            "table1",
            "Error against time; areas grow with the number of neurons. Dashed circles: as printed in the paper, "
            "where the error is an order of magnitude and the time is that of the authors’ machine.",
        ),
        page.differences(NAME),
        page.troubles([NAME]),
    ])  # fmt: skip


def keys() -> dict[str, str]:
    """What has a line, and where its record is."""
    return {
        "X-TFC, k = 1.5": UNGATED,
        "X-TFC, k = 1": f"{NAME}/xtfc-k1-{tag(NU)}",
        **{f"gated X-TFC, {SHORT[variant]}": f"forward/{variant}-{tag(NU)}" for variant in SHORT},
        "our default": f"default/convection_diffusion-{tag(NU)}",
    }


def lines(page: Page) -> Html:
    rows = [
        ("X-TFC, as printed", "10,000", "10,000", "O(10⁻³)", "–", "153 s"),
        ("gated X-TFC, as printed", "2,000", "2,000", "O(10⁻⁴)", "–", "52 s"),
    ]
    for name, key in keys().items():
        one = page.book.result(key)
        if one is not None:
            rows.append((
                name, number(one["points"]), number(one["neurons"]), number(one["max_error"]),
                number(one["max_error_layer"]), duration(one["seconds"]),
            ))  # fmt: skip
    header = ("", "training points", "neurons", "largest error", "in the layer", "time")
    return table(header, rows, "Largest error on 20,000 uniform points; and with half of them in the layer.", "numbers")


def ratios(page: Page) -> Html:
    rows: list[tuple[str, ...]] = [("X-TFC over gated, as printed", "5×", "10×", "–", "2.9×")]
    gated = {f"gated, {SHORT[variant]}": f"forward/{variant}-{tag(NU)}" for variant in SHORT}
    ours = f"default/convection_diffusion-{tag(NU)}"
    pairs = [(f"X-TFC over {name}", UNGATED, key) for name, key in gated.items()]
    pairs.append(("X-TFC over our default", UNGATED, ours))
    pairs += [(f"{name} over our default", key, ours) for name, key in gated.items()]
    for name, above, below in pairs:
        if page.book.result(above) and page.book.result(below):
            quantities = (
                page.book.ratio(above, below, one) for one in ("neurons", "max_error", "max_error_layer", "seconds")
            )
            rows.append((name, *(times(ratio) for ratio in quantities)))
    return table(
        ("ratio of", "neurons", "largest error", "in the layer", "time"),
        rows,
        "More than 1× is in favour of the second.",
        "numbers",
    )
