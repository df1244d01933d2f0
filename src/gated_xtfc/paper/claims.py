"""Claim by claim: what the paper printed, what its method gives here, what our default gives, and the verdict."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.expected import Claim, paper
from gated_xtfc.paper.forward import NUS, SHORT
from gated_xtfc.paper.inverse_claims import inverse
from gated_xtfc.paper.meta_claims import meta
from gated_xtfc.paper.outcome import (
    BETTER,
    DIFFERS,
    FAILED,
    NOT_RUN,
    REPRODUCED,
    SMALLER,
    TO_THE_EYE,
    WORSE,
    Outcome,
    judged,
    lines,
    same,
)  # fmt: skip
from gated_xtfc.paper.poisson_claims import poisson
from gated_xtfc.paper.reasons import reason
from gated_xtfc.paper.state_of_the_art import METHODS
from gated_xtfc.paper.task import Size
from gated_xtfc.paper.wording import duration, number, power, times

MODEL, NU = "convection_diffusion", 1e-4
UNGATED = {"k = 1.5": f"table1/xtfc-k1.5-{tag(NU)}", "k = 1": f"table1/xtfc-k1-{tag(NU)}"}


def outcomes(book: Book) -> tuple[Outcome, ...]:
    """One for each claim; what was not run says so."""
    return tuple(outcome(claim, book) for claim in paper().claims)


def outcome(claim: Claim, book: Book) -> Outcome:
    _, what, *rest = claim.id.split(".")
    found = RULES[claim.section](claim, what, rest[0] if rest else "", book)
    if found.verdict == NOT_RUN:
        return found
    if book.size is not Size.FULL and claim.kind != "count":
        return replace(found, verdict=SMALLER)
    return replace(found, why=reason(claim.id, found.verdict))


def table1(claim: Claim, what: str, quantity: str, book: Book) -> Outcome:
    name = {"neurons": "neurons", "error": "max_error", "seconds": "seconds"}[quantity]
    gated = {SHORT[variant]: f"forward/{variant}-{tag(NU)}" for variant in SHORT}
    ours = book.default(MODEL, NU)
    if what == "ratio":
        ungated = UNGATED["k = 1.5"]
        ratios = {label: book.ratio(ungated, key, name) for label, key in gated.items()}
        own = (book.value(ungated, name) or math.nan) / ours[name] if ours else math.nan
        first = next(iter(ratios.values()))
        verdict = NOT_RUN if first is None else same(1 / first, 1 / (claim.value or math.nan), 2.0)
        return Outcome(claim, lines(ratios, times), (times(own),), verdict)
    keys = UNGATED if what == "xtfc" else gated
    show = duration if quantity == "seconds" else number
    values = {label: book.value(key, name) for label, key in keys.items()}
    first = next(iter(values.values()))
    return Outcome(claim, lines(values, show), (show(ours[name]) if ours else "–",), judged(claim, first))


def forward(claim: Claim, what: str, _: str, book: Book) -> Outcome:
    results = {nu: book.result(f"forward/closed-{tag(nu)}") for nu in NUS}
    known = {nu: result for nu, result in results.items() if result is not None}
    defaults = {nu: book.default(MODEL, nu) for nu in NUS}
    ours = tuple(f"ν = {power(nu)}: {number(one['max_error'])}" for nu, one in defaults.items() if one)
    if not known:
        return Outcome(claim, ("–",), ours or ("–",), NOT_RUN)
    if what == "accuracy":
        here = {f"ν = {power(nu)}": result["max_error"] for nu, result in known.items()}
        good = all(value <= TO_THE_EYE for value in here.values())
        return Outcome(claim, lines(here, number), ours, REPRODUCED if good else WORSE)
    if what == "split":
        splits = [result["split"] for result in known.values()]
        transitions = [result["transition"] for result in known.values()]
        moves = splits == sorted(splits) and transitions == sorted(transitions, reverse=True)
        text = tuple(
            f"ν = {power(nu)}: split {result['split']:.4f}, transition {number(result['transition'])}"
            for nu, result in known.items()
        )
        gates = "a gate at x = 1 as thick as the layer: read off the equation, no search"
        return Outcome(claim, text, (gates,), REPRODUCED if moves else DIFFERS)
    peaks = {nu: peak(result["curves"]) for nu, result in known.items()}
    near = all(1 / 3 < peaks[nu][0] / (1 - known[nu]["split"]) < 3 for nu in known)
    text = tuple(
        f"ν = {power(nu)}: largest residual {number(size)} at 1 − x = {number(at)}, split at 1 − x = "
        f"{number(1 - known[nu]['split'])}"
        for nu, (at, size) in peaks.items()
    )
    own = {nu: peak(one["curves"]) for nu, one in defaults.items() if one}
    ours = tuple(f"ν = {power(nu)}: {number(size)} at {number(at)}" for nu, (at, size) in own.items())
    return Outcome(claim, text, ours, REPRODUCED if near else DIFFERS)


def peak(curves: Mapping[str, list[float]]) -> tuple[float, float]:
    """(distance, size) of the largest residual."""
    size = max(curves["residual"])
    return curves["distance"][curves["residual"].index(size)], size


def state_of_the_art(claim: Claim, method: str, nu: str, book: Book) -> Outcome:
    keys = {METHODS[key]: f"state_of_the_art/{key}-nu{nu}" for key in METHODS if key.split("-")[0] == method}
    values = {label: book.value(key, "mean_error") for label, key in keys.items()}
    ours = book.default(MODEL, float(nu))
    own = (number(ours["mean_error"]) if ours else "–",)
    known = [value for value in values.values() if value is not None]
    if not known:
        return Outcome(claim, (book.why_not(next(iter(keys.values()))),), own, NOT_RUN)
    worst = [book.value(key, "max_error") for key in keys.values()]
    best = min(value for value in worst if value is not None)
    if claim.kind == "failure":
        verdict = REPRODUCED if best > FAILED else BETTER
    elif claim.kind == "trend":
        verdict = REPRODUCED if best > TO_THE_EYE else BETTER
    else:
        verdict = judged(claim, min(known))
    ranked = sorted((value, label) for label, value in values.items() if value is not None)
    shown = {
        label: f"mean {number(value)}, largest {number(book.value(keys[label], 'max_error'))}"
        for value, label in ranked
    }
    return Outcome(
        claim, tuple(f"{label}: {text}" if len(shown) > 1 else text for label, text in shown.items()), own, verdict
    )


def twin(claim: Claim, what: str, _: str, book: Book) -> Outcome:
    results = {"right end included": "twin/closed", "grid as printed": "twin/literal"}
    ours = book.default("twin_layers", NU)
    if what == "neurons":
        values = {label: (book.value(key, "neurons") or math.nan) / 3 for label, key in results.items()}
        first = next(iter(values.values()))
        own = (f"{ours['neurons']} in all" if ours else "–",)
        return Outcome(claim, lines(values, number)[:1], own, judged(claim, None if math.isnan(first) else first))
    name, show = ("seconds", duration) if what == "seconds" else ("max_error", number)
    found = {label: book.value(key, name) for label, key in results.items()}
    value = found["right end included"]
    own = (show(ours[name]) if ours else "–",)
    if what == "accuracy":
        verdict = NOT_RUN if value is None else REPRODUCED if value <= TO_THE_EYE else WORSE
        return Outcome(claim, lines(found, show), own, verdict)
    return Outcome(claim, lines(found, show), own, judged(claim, value))


RULES: Mapping[str, Callable[[Claim, str, str, Book], Outcome]] = {
    "table1": table1,
    "forward": forward,
    "state_of_the_art": state_of_the_art,
    "twin": twin,
    "poisson": poisson,
    "inverse": inverse,
    "meta": meta,
}
