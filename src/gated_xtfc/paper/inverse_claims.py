"""What came of the claims on inverse inference.

A percentage is that of one run on one set of noise: it counts as reproduced when it lies within the range over the
seeds here, or within a factor of two of their median.
"""

from typing import Any

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.expected import Claim
from gated_xtfc.paper.inverse import MAIN, NAME, NUS, READINGS
from gated_xtfc.paper.outcome import DIFFERS, NOT_RUN, REPRODUCED, TO_THE_EYE, WORSE, Outcome, judged, lines, same
from gated_xtfc.paper.wording import duration, number, power

CALIBRATED = (0.90, 0.99)  # share of the field inside its 95 % band


def inverse(claim: Claim, what: str, quantity: str, book: Book) -> Outcome:
    if what == "error":
        return error(claim, quantity, book)
    results = {nu: book.result(f"{NAME}/{MAIN}-{tag(nu)}") for nu in NUS}
    known = {nu: result for nu, result in results.items() if result is not None}
    ours = {nu: result for nu in NUS if (result := book.result(f"{NAME}/default-{tag(nu)}")) is not None}
    if not known:
        return Outcome(claim, ("–",), ("–",), NOT_RUN)
    if what == "seconds":
        here = lines({f"ν = {power(nu)}": one["seconds"] for nu, one in known.items()}, duration)
        own = lines({f"ν = {power(nu)}": one["seconds"] for nu, one in ours.items()}, duration)
        return Outcome(claim, here, own or ("–",), judged(claim, max(one["seconds"] for one in known.values())))
    if what == "split":
        splits = [one["split"] for one in known.values()]
        here = tuple(f"ν = {power(nu)}: split {one['split']:.4f} (median)" for nu, one in known.items())
        moves = splits == sorted(splits) and splits[-1] > splits[0]
        return Outcome(claim, here, ("read off the equation, no search",), REPRODUCED if moves else DIFFERS)
    if what == "field":
        own = lines({f"ν = {power(nu)}": one["field_error"] for nu, one in ours.items()}, number)
        here = lines({f"ν = {power(nu)}": one["field_error"] for nu, one in known.items()}, number)
        good = all(one["field_error"] <= 10 * TO_THE_EYE for one in known.values())
        return Outcome(claim, here, own or ("–",), REPRODUCED if good else WORSE)
    return bands(claim, known, ours)


def error(claim: Claim, nu: str, book: Book) -> Outcome:
    found = {title: book.result(f"{NAME}/{key}-nu{nu}") for key, title in READINGS.items()}
    known = {title: result for title, result in found.items() if result is not None}
    ours = book.result(f"{NAME}/default-nu{nu}")
    own = (spread(ours),) if ours else ("–",)
    first = known.get(READINGS[MAIN])
    if first is None or claim.value is None:
        return Outcome(claim, ("–",), own, NOT_RUN)
    inside = first["least"] <= claim.value <= first["most"]
    verdict = REPRODUCED if inside else same(first["error"], claim.value, 2.0)
    return Outcome(claim, tuple(f"{title}: {spread(one)}" for title, one in known.items()), own, verdict)


def spread(result: dict[str, Any]) -> str:
    """7.4 % (1.2 to 9.8)"""
    return f"{percent(result['error'])} ({number(result['least'])} to {number(result['most'])})"


def percent(value: float) -> str:
    return f"{value:.1f}\N{NO-BREAK SPACE}%" if value < 99.95 else f"{value:.0f}\N{NO-BREAK SPACE}%"


def bands(claim: Claim, known: dict[float, dict[str, Any]], ours: dict[float, dict[str, Any]]) -> Outcome:
    """Of the field: the published method gives none for nu."""
    here = tuple(
        f"ν = {power(nu)}: the 95 % band holds {one['field_cover']:.0%} of the field (median)"
        for nu, one in known.items()
    )
    own = tuple(
        f"ν = {power(nu)}: the 95 % interval holds ν in {one['covered']} of {one['seeds']}" for nu, one in ours.items()
    )
    low, high = CALIBRATED
    good = all(low <= one["field_cover"] <= high for one in known.values())
    return Outcome(claim, here, own or ("–",), REPRODUCED if good else DIFFERS)
