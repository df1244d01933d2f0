"""Two equations, the same data: which one explains them better, by the evidence.

P(equation | data) = p(data | equation) / sum over all of them, each being as likely as the others beforehand
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.posterior import Posterior


@dataclass(frozen=True)
class Candidate:
    name: str
    evidence: float  # log p(data)
    behind: float  # log evidence of the best one less this one
    probability: float


@dataclass(frozen=True)
class Comparison:
    """From the most to the least probable."""

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    def __str__(self) -> str:
        width = max(len(one.name) for one in self.candidates)
        lines = [f"{'equation':<{max(width, 8)}}  log evidence  behind  probability"]
        lines += [
            f"{one.name:<{max(width, 8)}}  {one.evidence:12.2f}  {one.behind:6.2f}  {one.probability:11.3g}"
            for one in self.candidates
        ]
        return "\n".join(lines)


def compare(*posteriors: Any, **named: Any) -> Comparison:
    """Posteriors from the same data, in order or by name, as a table of evidence and probability."""
    given = {_name(one, i): one for i, one in enumerate(posteriors)} | named
    if len(given) < 2:
        raise InputError("compare needs two posteriors or more")
    for name, one in given.items():
        if not isinstance(one, Posterior):
            raise InputError(f"compare takes what infer returns, not {type(one).__name__} ({name})")
    first = next(iter(given.values()))
    for name, one in given.items():
        if not _same_data(first, one):
            raise InputError(f"the posterior {name} comes from other data than the first: evidences need the same data")
    evidence = {name: one.evidence for name, one in given.items()}
    top = max(evidence.values())
    total = sum(np.exp(value - top) for value in evidence.values())
    found = [
        Candidate(name, value, top - value, float(np.exp(value - top) / total)) for name, value in evidence.items()
    ]
    return Comparison(tuple(sorted(found, key=lambda one: one.behind)))


def _name(posterior: Any, i: int) -> str:
    if not isinstance(posterior, Posterior):
        return str(i + 1)
    problem = posterior.problem
    text = problem.title or "; ".join(equation.text for equation in problem.equations)
    return f"{i + 1}: {text}{' (soft)' if posterior.discrepancy else ''}"


def _same_data(one: Posterior, other: Posterior) -> bool:
    mine, theirs = one.observations.series, other.observations.series
    return len(mine) == len(theirs) and all(
        a.quantity == b.quantity and np.array_equal(a.x, b.x) and np.array_equal(a.y, b.y)
        for a, b in zip(mine, theirs, strict=True)
    )
