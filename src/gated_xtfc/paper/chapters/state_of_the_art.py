"""The state of the art: six methods over five values of nu."""

from typing import Any

from gated_xtfc.paper.book import tag
from gated_xtfc.paper.chapters.page import Page
from gated_xtfc.paper.expected import paper
from gated_xtfc.paper.html import Html, element, join, paragraph, table
from gated_xtfc.paper.state_of_the_art import METHODS, NAME, NUS
from gated_xtfc.paper.wording import duration, number, power, readable

FACTS = (
    "layers", "width", "neurons", "points", "layout", "adam_steps", "adam_rate", "lbfgs_steps", "boundary_weight",
    "method", "ridge", "seed",
)  # fmt: skip


def chapter(page: Page) -> Html:
    return join([
        paragraph(
            "The paper quotes mean absolute errors of four methods from a benchmark study. They were run here, each "
            "with one set-up for all ν: PINN and Deep-TFC as real trainings in double precision (Adam, then L-BFGS), "
            "PIELM and X-TFC with the same random features, X-TFC also with uniform Gaussians and with Chebyshev "
            "polynomials."
        ),
        paragraph(
            "Random features were tried with as many points as neurons first, as Table 1 has them. They then meet the "
            "equation at the points and go astray in between; twice as many points cure it. The line of PIELM with as "
            "many is kept to show it. Verdicts are for the best line of a method."
        ),
        page.figure(
            "methods",
            "Mean absolute error on 20,000 uniform points. Diamonds: what the paper quotes, in the colour of the "
            "method (X-TFC: that of its random features).",
        ),
        errors(page),
        budgets(page),
        page.differences(NAME),
        page.troubles([NAME]),
    ])  # fmt: skip


def errors(page: Page) -> Html:
    rows = []
    for key, title in METHODS.items():
        names = [f"{NAME}/{key}-{tag(nu)}" for nu in NUS]
        rows.append((title, *(cell(page.book.result(name), page.book.why_not(name)) for name in names)))
    ours = [page.book.default("convection_diffusion", nu) for nu in NUS]
    rows.append(("our default", *(cell(one, "not run") for one in ours)))
    for method, title in {"pinn": "PINN", "deep_tfc": "Deep-TFC", "pielm": "PIELM", "xtfc": "X-TFC"}.items():
        rows.append((f"{title}, quoted", *(said(method, nu) for nu in NUS)))
    return table(("mean error", *(f"ν = {power(nu)}" for nu in NUS)), rows, kind="numbers")


def cell(result: dict[str, Any] | None, why_not: str) -> Html:
    if result is None:
        return element("span", why_not, kind="small")
    more = f"largest {number(result['max_error_layer'])}, {duration(result['seconds'])}"
    return join([number(result["mean_error"]), element("div", more, kind="small")])


def said(method: str, nu: float) -> str:
    name = f"{NAME}.{method}.{tag(nu).removeprefix('nu')}"
    claim = next((claim for claim in paper().claims if claim.id == name), None)
    if claim is None:
        return "–"
    return (
        f"~{power(claim.value)}" if claim.value is not None else element("span", readable(claim.printed), kind="small")
    )


def budgets(page: Page) -> Html:
    """What the trainings and fits may use, from the settings that were recorded."""
    parts = []
    for key, title in METHODS.items():
        found = (page.book.result(f"{NAME}/{key}-{tag(nu)}") for nu in NUS)
        told = next((result["settings"] for result in found if result is not None), None)
        if told is not None:
            facts = ", ".join(f"{name.replace('_', ' ')} {told[name]}" for name in FACTS if name in told)
            parts.append(element("li", element("b", f"{title}: "), facts))
    return join([element("h3", "Budgets"), element("ul", *parts)]) if parts else Html("")
