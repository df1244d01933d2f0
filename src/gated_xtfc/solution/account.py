"""The account of a solve: what was solved, how that ended, and what it took."""

from __future__ import annotations  # help() shows types as they are written here

from dataclasses import dataclass

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status


@dataclass(frozen=True, eq=False)
class Account:
    """What is known of a solution beside its values."""

    problem: Problem
    tol: float
    status: Status
    message: str
    error: float
    scales: tuple[float, ...]  # what the error of every field is relative to
    neurons: int
    sites: int
    seconds: float
    history: tuple[Round, ...]
    continuation: str | None

    @property
    def converged(self) -> bool:
        """Whether the status is "converged"."""
        return self.status == Status.CONVERGED

    @property
    def scale(self) -> float:
        """What the error of the first field is relative to."""
        return self.scales[0]

    @property
    def rounds(self) -> int:
        """The number of entries of `history`."""
        return len(self.history)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the statement itself, such as conditions that contradict each other at a corner."""
        return self.problem.warnings
