"""The state of the art: six methods over five values of nu."""

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.claims import FAILED, TO_THE_EYE, Claim, Reproduction, Verdict, judged, paper
from gated_xtfc.paper.measure import MODEL
from gated_xtfc.paper.page import Html, Page, element, join, paragraphs, table
from gated_xtfc.paper.state_of_the_art import METHODS, NAME, NUS
from gated_xtfc.paper.task import Result
from gated_xtfc.paper.wording import at, duration, number, power, readable

QUOTED = {"pinn": "PINN", "deep_tfc": "Deep-TFC", "pielm": "PIELM", "xtfc": "X-TFC"}
FACTS = (
    "layers", "width", "neurons", "points", "layout", "adam_steps", "adam_rate", "lbfgs_steps", "boundary_weight",
    "method", "ridge", "seed",
)  # fmt: skip


def chapter(page: Page) -> Html:
    return join([*paragraphs(NAME), page.figure("methods"), errors(page), budgets(page)])


def errors(page: Page) -> Html:
    rows: list[tuple[str, ...]] = []
    for key, title in METHODS.items():
        names = [f"{NAME}/{key}-{tag(nu)}" for nu in NUS]
        rows.append((title, *(cell(page.book.result(name), page.book.why_not(name)) for name in names)))
    rows.append(("our default", *(cell(page.book.default(MODEL.name, nu), "not run") for nu in NUS)))
    rows += [(f"{title}, quoted", *(said(method, nu) for nu in NUS)) for method, title in QUOTED.items()]
    return table(("mean error", *(at(nu) for nu in NUS)), rows)


def cell(result: Result | None, why_not: str) -> Html:
    if result is None:
        return element("span", why_not, kind="small")
    more = f"largest {number(result['max_error_layer'])}, {duration(result['seconds'])}"
    return join([number(result["mean_error"]), element("div", more, kind="small")])


def said(method: str, nu: float) -> str:
    name = f"{NAME}.{method}.{tag(nu).removeprefix('nu')}"
    claim = next((claim for claim in paper().claims if claim.id == name), None)
    if claim is None:
        return "–"
    quotation = element("span", readable(claim.printed), kind="small")
    return quotation if claim.value is None else f"~{power(claim.value)}"


def budgets(page: Page) -> Html:
    """What the trainings and fits may use, from the settings that were recorded."""
    parts = []
    for key, title in METHODS.items():
        found = page.book.results({nu: f"{NAME}/{key}-{tag(nu)}" for nu in NUS})
        if found:
            told = next(iter(found.values()))["settings"]
            facts = ", ".join(f"{name.replace('_', ' ')} {told[name]}" for name in FACTS if name in told)
            parts.append(element("li", element("b", f"{title}: "), facts))
    return join([element("h3", "Budgets"), element("ul", *parts)]) if parts else Html("")


def reproduced(claim: Claim, method: str, nu: str, book: Book) -> Reproduction:
    """The verdict is on the best line of the method."""
    keys = {METHODS[key]: f"{NAME}/{key}-nu{nu}" for key in METHODS if key.split("-")[0] == method}
    ours = book.default(MODEL.name, float(nu))
    own = (number(ours["mean_error"] if ours else None),)
    known = {label: one for label, one in book.results(keys).items() if one["mean_error"] is not None}
    if not known:
        return Reproduction(claim, (book.why_not(next(iter(keys.values()))),), own, Verdict.NOT_RUN)
    best = min(one["max_error"] for one in known.values())
    if claim.kind in ("failure", "trend"):
        verdict = Verdict.REPRODUCED if best > (FAILED if claim.kind == "failure" else TO_THE_EYE) else Verdict.BETTER
    else:
        verdict = judged(claim, min(one["mean_error"] for one in known.values()))
    told = []
    for label, one in sorted(known.items(), key=lambda pair: (pair[1]["mean_error"], pair[0])):
        numbers = f"mean {number(one['mean_error'])}, largest {number(one['max_error'])}"
        told.append(f"{label}: {numbers}" if len(known) > 1 else numbers)
    return Reproduction(claim, tuple(told), own, verdict)
