"""The data set of the meta-learner: what is swept, and the file with one line for each optimum.

A line is written as soon as its search ends, in an order that spreads over the range from the start: a run that is cut
off leaves a smaller data set, not a part of the range, and the next one computes what is missing.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.paper.forward import VARIANTS
from gated_xtfc.published.search import NestedSearch

SCHEMA = 1


@dataclass(frozen=True)
class Sweep:
    """What is swept, and how; the range is that of the released scripts, as the text gives none."""

    count: int = 500
    low: float = 1e-4  # of nu
    high: float = 1e-3
    variant: str = "closed"  # a reading of the forward method
    centres: int = 1000
    places: tuple[float, float] = (0.80, 0.999)
    scales: tuple[float, float] = (10.0, 100.0)
    tolerances: tuple[float, float] = (1e-4, 1e-1)

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or self.count < 2:
            raise InputError(f"count is {self.count!r}: give a whole number of at least 2")
        if not (0.0 < self.low < self.high and math.isfinite(self.high)):
            raise InputError(f"the range of nu is [{self.low:g}, {self.high:g}]: give two positive ends, low < high")
        if self.variant not in VARIANTS:
            raise InputError(f"the variant {quoted(self.variant)} is not known: it is one of {', '.join(VARIANTS)}")

    def nu(self, index: int) -> float:
        return float(self.low * (self.high / self.low) ** (index / (self.count - 1)))

    @property
    def order(self) -> list[int]:
        """Bits reversed: any beginning of it is spread over the range."""
        bits = max(1, (self.count - 1).bit_length())
        return sorted(range(self.count), key=lambda index: int(f"{index:0{bits}b}"[::-1], 2))

    def settings(self) -> NestedSearch:
        chosen = VARIANTS[self.variant]
        sized = replace(chosen.split, centres=self.centres, sites=self.centres)
        place, scale = self.tolerances
        box = replace(chosen, places=self.places, scales=self.scales)
        return replace(box, split=sized, place_tolerance=place, scale_tolerance=scale)

    def record(self) -> dict[str, Any]:
        """Ready for JSON; `read` takes it back."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Sweep":
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
        }
        return cls(**values)


@dataclass(frozen=True)
class Optimum:
    index: int
    nu: float
    split: float
    scale: float
    value: float  # J
    bound: bool  # the transition is at 5 nu there: the scale has no effect
    evaluations: int
    solves: int
    seconds: float


class OptimaFile:
    """The first line says what was swept; each other line is an optimum."""

    def __init__(self, path: Path, sweep: Sweep) -> None:
        self.path, self.sweep = path, sweep
        self.found: dict[int, Optimum] = {}
        if path.exists():
            self._read()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._append({"schema": SCHEMA, **sweep.record()})

    @property
    def missing(self) -> list[int]:
        return [index for index in self.sweep.order if index not in self.found]

    @property
    def optima(self) -> tuple[Optimum, ...]:
        """By nu."""
        return tuple(self.found[index] for index in sorted(self.found))

    def add(self, optimum: Optimum) -> None:
        if optimum.index not in self.found:
            self.found[optimum.index] = optimum
            self._append(asdict(optimum))

    def take_over(self, path: Path) -> int:
        """What another file of the same sweep has; how many were new."""
        if not path.is_file():
            raise InputError(f"there is no file of optima at {quoted(str(path))}")
        before = len(self.found)
        for optimum in OptimaFile(path, self.sweep).optima:
            self.add(optimum)
        return len(self.found) - before

    def _append(self, content: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(content) + "\n")
            lines.flush()
            os.fsync(lines.fileno())

    def _read(self) -> None:
        text = self.path.read_text(encoding="utf-8")
        lines = text.splitlines()
        if text and not text.endswith("\n"):  # cut off in mid-line: that optimum is computed again
            lines.pop()
            self.path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        try:
            head, *rows = [json.loads(line) for line in lines]
            if head != {"schema": SCHEMA, **self.sweep.record()}:
                raise InputError(
                    f"{quoted(str(self.path))} holds optima of another sweep ({head}): name another file, "
                    "or ask for the same count, range and sizes"
                )
            self.found = {row["index"]: Optimum(**row) for row in rows}
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{quoted(str(self.path))} is not a file of optima: name another one") from error
