"""Two equations, the same data: which one explains them better, by the evidence.

P(equation | data) = p(data | equation) / sum over all of them, each being as likely as the others beforehand
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.posterior import Posterior


@dataclass(frozen=True)
class Candidate:
    """One equation of a comparison.

    Attributes
    ----------
    name
        As it was given, or the number and the text of the equation.
    evidence
        log p(data).
    behind
        The log evidence of the best one less that of this one.
    probability
        Under the data, all equations being as likely beforehand.
    """

    name: str
    evidence: float
    behind: float
    probability: float


@dataclass(frozen=True)
class ModelComparison:
    """What `compare_models` returns; printed it is a table.

    Attributes
    ----------
    candidates
        From the most to the least probable.
    """

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The most probable one."""
        return self.candidates[0]

    def __str__(self) -> str:
        width = max(len("equation"), *(len(one.name) for one in self.candidates))
        lines = [f"{'equation':<{width}}  log evidence  behind  probability"]
        lines += [
            f"{one.name:<{width}}  {one.evidence:12.2f}  {one.behind:6.2f}  {one.probability:11.3g}"
            for one in self.candidates
        ]
        return "\n".join(lines)


def compare_models(*posteriors: Posterior, **named: Posterior) -> ModelComparison:
    """Which equation explains the data better, by the evidence.

    Evidence depends on the bounds of the unknowns: wide ones cost more than narrow ones, so they must be meant.

    Parameters
    ----------
    *posteriors
        From the same data, two or more; each is called by its number and its equation.
    **named
        The same with names of your own.

    Returns
    -------
    ModelComparison
        Log evidence and probability of each, from the most probable down.

    Raises
    ------
    InputError
        Where there are fewer than two, or they come from different data.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> plain = gx.Problem("u'' + k*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], k=1)
    >>> damped = gx.Problem("u'' + u' + k*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], k=1)
    >>> x = np.linspace(0, 1, 20)
    >>> y = gx.solve(damped(k=4))(x) + 0.01 * np.random.default_rng(0).standard_normal(20)
    >>> found = {
    ...     name: gx.infer(problem, (x, y), {"k": (0, 8)}, noise=0.01)
    ...     for name, problem in (("plain", plain), ("damped", damped))
    ... }
    >>> gx.compare_models(**found).best.name
    'damped'
    """
    given = {_name(one, i): one for i, one in enumerate(posteriors)} | named
    if len(given) < 2:
        raise InputError("compare_models needs two posteriors or more")
    for name, one in given.items():
        if not isinstance(one, Posterior):
            raise InputError(f"compare_models takes what infer returns, not {type(one).__name__} ({name})")
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
    return ModelComparison(tuple(sorted(found, key=lambda one: one.behind)))


def _name(posterior: object, i: int) -> str:
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
