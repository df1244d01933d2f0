"""What the paper claims, read from `expected.toml`, and what came of it here. The verdict is by rule, not by hand.

An error counts as reproduced within a factor of ten of the order printed; a failure when the error exceeds a tenth;
agreement to the eye when it stays below a hundredth.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

KINDS = ("count", "order", "percent", "seconds", "ratio", "trend", "failure")
SAME_ORDER = 10.0
FAILED, TO_THE_EYE = 0.1, 0.01


@dataclass(frozen=True)
class Claim:
    id: str
    section: str
    what: str  # in our words
    printed: str  # letter by letter
    kind: str
    place: str  # where in the paper
    value: float | None = None


@dataclass(frozen=True)
class Paper:
    title: str
    authors: str
    machine: str
    claims: tuple[Claim, ...]

    def claim(self, name: str) -> Claim:
        return next(claim for claim in self.claims if claim.id == name)


@cache
def paper() -> Paper:
    text = resources.files("gated_xtfc.paper").joinpath("expected.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    claims = tuple(Claim(**entry) for entry in content.pop("claim"))
    return Paper(claims=claims, **content)


class Verdict(StrEnum):
    REPRODUCED = "reproduced"
    BETTER = "better here"
    WORSE = "worse here"
    DIFFERS = "differs"
    AS_CHOSEN = "as chosen"
    OTHER_MACHINE = "other machine"
    SMALLER = "smaller sizes"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Reproduction:
    """What came of a claim: lines for the published method here and for ours, and the verdict."""

    claim: Claim
    here: tuple[str, ...] = ()  # lines, the one that counts first
    ours: tuple[str, ...] = ()
    verdict: Verdict = Verdict.NOT_RUN
    why: str = ""  # in plain words, where it differs

    @property
    def differs(self) -> bool:
        return self.verdict in (Verdict.BETTER, Verdict.WORSE, Verdict.DIFFERS)


def judged(claim: Claim, value: float | None) -> Verdict:
    if value is None:
        return Verdict.NOT_RUN
    if claim.kind == "count":
        return Verdict.AS_CHOSEN if value == claim.value else Verdict.SMALLER
    if claim.kind == "seconds":
        return Verdict.OTHER_MACHINE
    return same(value, claim.value or math.nan, SAME_ORDER)


def same(value: float, printed: float, factor: float) -> Verdict:
    """Compares with what is printed, up to a factor; smaller is better."""
    if value > printed * factor:
        return Verdict.WORSE
    return Verdict.BETTER if value < printed / factor else Verdict.REPRODUCED


def upheld(true: bool, otherwise: Verdict = Verdict.DIFFERS) -> Verdict:
    """The verdict on a statement that is true here or not."""
    return Verdict.REPRODUCED if true else otherwise


def lines(values: Mapping[str, float | None], show: Callable[[float | None], str]) -> tuple[str, ...]:
    """One for each label, or a single one where all readings of the method give the same."""
    shown = {label: show(value) for label, value in values.items()}
    if len(set(shown.values())) == 1 and len(shown) > 1:
        return (next(iter(shown.values())),)
    return tuple(f"{label}: {text}" for label, text in shown.items())
