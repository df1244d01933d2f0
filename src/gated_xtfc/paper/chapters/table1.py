"""Table 1 again, with the ratios."""

import math

from gated_xtfc.paper.book import DEFAULT, Book, tag
from gated_xtfc.paper.claims import Claim, Reproduction, Verdict, judged, lines, same
from gated_xtfc.paper.forward import SHORT, SMALLEST
from gated_xtfc.paper.measure import MODEL
from gated_xtfc.paper.page import Html, Page, join, numbers, paragraphs, table
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.wording import duration, number, times

UNGATED = {"k = 1.5": f"table1/xtfc-k1.5-{tag(SMALLEST)}", "k = 1": f"table1/xtfc-k1-{tag(SMALLEST)}"}
FIRST = UNGATED["k = 1.5"]
GATED = {title: f"forward/{variant}-{tag(SMALLEST)}" for variant, title in SHORT.items()}
OURS = f"{DEFAULT}/{MODEL.name}-{tag(SMALLEST)}"


def chapter(page: Page) -> Html:
    return join([*paragraphs("table1"), measured(page), ratios(page), page.figure("table1")])


def measured(page: Page) -> Html:
    rows: list[tuple[str, ...]] = [
        ("X-TFC, as printed", "10,000", "10,000", "O(10⁻³)", "–", "153 s"),
        ("gated X-TFC, as printed", "2,000", "2,000", "O(10⁻⁴)", "–", "52 s"),
    ]
    keys = {f"X-TFC, {title}": key for title, key in UNGATED.items()}
    keys |= {f"gated X-TFC, {title}": key for title, key in GATED.items()} | {"our default": OURS}
    for name, one in page.book.results(keys).items():
        rows.append((name, *numbers(one, "points", "neurons", "max_error", "max_error_layer", "seconds")))
    header = ("", "training points", "neurons", "largest error", "in the layer", "time")
    return table(header, rows, prose().tables["methods"])


def ratios(page: Page) -> Html:
    pairs = {f"X-TFC over gated, {title}": (FIRST, key) for title, key in GATED.items()}
    pairs["X-TFC over our default"] = FIRST, OURS
    pairs |= {f"gated, {title} over our default": (key, OURS) for title, key in GATED.items()}
    rows: list[tuple[str, ...]] = [("X-TFC over gated, as printed", "5×", "10×", "–", "2.9×")]
    for name, (above, below) in pairs.items():
        if page.book.result(above) and page.book.result(below):
            quantities = ("neurons", "max_error", "max_error_layer", "seconds")
            rows.append((name, *(times(page.book.ratio(above, below, one)) for one in quantities)))
    header = ("ratio of", "neurons", "largest error", "in the layer", "time")
    return table(header, rows, prose().tables["ratios"])


def reproduced(claim: Claim, what: str, quantity: str, book: Book) -> Reproduction:
    name = {"neurons": "neurons", "error": "max_error", "seconds": "seconds"}[quantity]
    if what == "ratio":
        ratios = {label: book.ratio(FIRST, key, name) for label, key in GATED.items()}
        first = next(iter(ratios.values()))
        verdict = Verdict.NOT_RUN if first is None else same(1 / first, 1 / (claim.value or math.nan), 2.0)
        return Reproduction(claim, lines(ratios, times), (times(book.ratio(FIRST, OURS, name)),), verdict)
    show = duration if quantity == "seconds" else number
    values = {label: book.value(key, name) for label, key in (UNGATED if what == "xtfc" else GATED).items()}
    verdict = judged(claim, next(iter(values.values())))
    return Reproduction(claim, lines(values, show), (show(book.value(OURS, name)),), verdict)
