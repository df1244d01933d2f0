"""A section of the paper is a list of named tasks; a task is a pure function of settings, with a guess at its cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

Settings = Mapping[str, Any]  # JSON-able
Result = dict[str, Any]  # JSON-able
Chosen = TypeVar("Chosen")


class Size(StrEnum):
    """How large the calculations are: as in the paper, small enough for a quick look, or as small as a test needs."""

    FULL = "full"
    QUICK = "quick"
    TINY = "tiny"

    def choose(self, full: Chosen, quick: Chosen, tiny: Chosen) -> Chosen:
        return {Size.FULL: full, Size.QUICK: quick, Size.TINY: tiny}[self]


@dataclass(frozen=True)
class Task:
    section: str
    name: str  # letters, digits, - and . only: it names a file
    title: str  # for people
    cost: float  # seconds on one core, roughly: for the estimate of what is left
    function: Callable[[Settings], Result]
    settings: Settings = field(default_factory=dict)
    seed: int | None = None  # None where nothing is random
    files: bool = False  # whether it keeps files beside the records: it is then told the folder
    rest: Callable[[Path], float] | None = None  # which part of it the files in the folder leave to be done

    @property
    def key(self) -> str:
        return f"{self.section}/{self.name}"

    def left(self, folder: Path) -> float:
        """The cost of what is still to be done, in seconds."""
        return self.cost if self.rest is None else self.cost * self.rest(folder)

    def run(self, folder: Path | None = None) -> Result:
        """What the task finds; `folder` is where a task with files keeps them."""
        given = self.settings if self.seed is None else {**self.settings, "seed": self.seed}
        return self.function({**given, "folder": folder} if self.files else given)


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    tasks: Callable[[Size], tuple[Task, ...]]
