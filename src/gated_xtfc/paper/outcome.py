"""What came of a claim, and the rules of the verdict: it is by rule, not by hand.

An error counts as reproduced within a factor of ten of the order printed; a failure when the error exceeds a tenth;
agreement to the eye when it stays below a hundredth.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gated_xtfc.paper.expected import Claim

REPRODUCED, BETTER, WORSE, DIFFERS = "reproduced", "better here", "worse here", "differs"
AS_CHOSEN, OTHER_MACHINE, SMALLER, NOT_RUN = "as chosen", "other machine", "smaller sizes", "not run"
SAME_ORDER = 10.0
FAILED, TO_THE_EYE = 0.1, 0.01


@dataclass(frozen=True)
class Outcome:
    claim: Claim
    here: tuple[str, ...]  # lines, the one that counts first
    ours: tuple[str, ...]
    verdict: str
    why: str = ""  # in plain words, where it differs


def judged(claim: Claim, value: float | None) -> str:
    if value is None:
        return NOT_RUN
    if claim.kind == "count":
        return AS_CHOSEN if value == claim.value else SMALLER
    if claim.kind == "seconds":
        return OTHER_MACHINE
    return same(value, claim.value or math.nan, SAME_ORDER)


def same(value: float, printed: float, factor: float) -> str:
    """Smaller is better."""
    if value > printed * factor:
        return WORSE
    return BETTER if value < printed / factor else REPRODUCED


def lines(values: Mapping[str, float | None], show: Callable[[float | None], str]) -> tuple[str, ...]:
    shown = {label: show(value) for label, value in values.items()}
    if len(set(shown.values())) == 1 and len(shown) > 1:  # the same for all readings of the method
        return (next(iter(shown.values())),)
    return tuple(f"{label}: {text}" for label, text in shown.items())
