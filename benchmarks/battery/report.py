"""Verdicts as tables: a row for each family, then what is to be looked at, as text that one can paste."""

from collections.abc import Iterable, Sequence

import numpy as np

from battery import FAMILIES, make
from battery.judge import OUTCOMES, Verdict
from measure import table

HEADER = (
    "family",
    "tried",
    *OUTCOMES,
    "refused though determined",
    "InputErrors",
    "with a warning",
    "largest error/estimate",
    "most seconds",
)


def ratio(verdict: Verdict) -> float:
    """True error over estimate where both are finite."""
    if not np.isfinite(verdict.error) or not np.isfinite(verdict.estimate):
        return 0.0
    return verdict.error / max(verdict.estimate, 1e-15)


def row(name: str, found: Sequence[Verdict]) -> tuple[str, ...]:
    return (
        name,
        str(len(found)),
        *(str(sum(one.outcome == outcome for one in found)) for outcome in OUTCOMES),
        str(sum(one.outcome == "refused" and one.determined for one in found)),
        str(sum(one.status.startswith("InputError") for one in found)),
        str(sum(bool(one.warned) for one in found)),
        f"{max(map(ratio, found), default=0.0):.2g}",
        f"{max((one.seconds for one in found), default=0.0):.1f}",
    )


def solved_share(found: Sequence[Verdict]) -> str:
    """How many of those that have a solution, and one that double precision determines, were solved."""
    possible = [one for one in found if one.outcome != "refused" or one.determined]
    right = sum(one.outcome == "right" for one in possible)
    share = right / max(len(possible), 1)
    return f"Of {len(possible)} that double precision determines, {right} are solved ({share:.1%})."


def by_family(found: Sequence[Verdict]) -> str:
    rows = [row(name, own) for name in FAMILIES if (own := [one for one in found if one.family == name])]
    return table(HEADER, [*rows, row("all", found)])


def pasteable(found: Iterable[Verdict], outcome: str, most: int) -> str:
    """The worst cases with this outcome, with what was said of each; at most so many of a family."""
    lines, shown = [], dict.fromkeys(FAMILIES, 0)
    for one in sorted(found, key=lambda verdict: -ratio(verdict)):
        if one.outcome != outcome or shown[one.family] >= most:
            continue
        shown[one.family] += 1
        said = f"{one.status}, estimate {one.estimate:.1e}, error {one.error:.1e}"
        lines += [f"# {said}, {one.seconds:.1f} s", str(make(one.family, one.seed))]
    return "\n".join(lines)
