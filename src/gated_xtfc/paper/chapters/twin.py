"""Twin boundary layers."""

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.claims import TO_THE_EYE, Claim, Reproduction, Verdict, judged, lines, upheld
from gated_xtfc.paper.forward import SHORT
from gated_xtfc.paper.page import Html, Page, join, numbers, paragraphs, table
from gated_xtfc.paper.twin import FAMILY, NAME, NU, VARIANTS
from gated_xtfc.paper.wording import duration, number

KEYS = {SHORT[variant]: f"{NAME}/{variant}" for variant in VARIANTS}
MEASURED = ("scale", "neurons", "objective", "max_error", "max_error_layer", "evaluations", "seconds")


def chapter(page: Page) -> Html:
    figures = (page.figure(f"twin-{name}") for name in ("profile", "accuracy", "widths"))
    return join([*paragraphs(NAME), *figures, results(page)])


def results(page: Page) -> Html:
    rows = []
    for title, one in page.book.results(KEYS).items():
        rows.append((title, ", ".join(f"{split:.4f}" for split in one["splits"]), *numbers(one, *MEASURED)))
    ours = page.book.default(FAMILY, NU)
    if ours is not None:
        rows.append(("our default", "–", *numbers(ours, *MEASURED)))
    header = ("", "splits", "scale", "neurons", "J", "largest error", "in the layers", "evaluations", "seconds")
    return table(header, rows)


def reproduced(claim: Claim, what: str, _: str, book: Book) -> Reproduction:
    name, show = ("seconds", duration) if what == "seconds" else ("max_error", number)
    ours = book.default(FAMILY, NU)
    if what == "neurons":
        counts = {label: book.value(key, what) for label, key in KEYS.items()}
        a_block = {label: None if count is None else count / 3 for label, count in counts.items()}
        own = (f"{ours[what]} in all",) if ours else ()
        return Reproduction(claim, lines(a_block, number)[:1], own, judged(claim, next(iter(a_block.values()))))
    found = {label: book.value(key, name) for label, key in KEYS.items()}
    value, own = next(iter(found.values())), (show(ours[name]),) if ours else ()
    if what == "accuracy":
        verdict = Verdict.NOT_RUN if value is None else upheld(value <= TO_THE_EYE, Verdict.WORSE)
    else:
        verdict = judged(claim, value)
    return Reproduction(claim, lines(found, show), own, verdict)
