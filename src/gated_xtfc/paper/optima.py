"""The data set of the meta-learner: what is swept, the file with one line for each optimum, and the searches for them.

A line is written as soon as its search ends, in an order that spreads over the range from the start: a run that is cut
off leaves a smaller data set, not a part of the range, and the next one computes what is missing.
"""

import json
import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from gated_xtfc.baselines.checks import check_one_of, check_whole
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.paper.forward import VARIANTS
from gated_xtfc.paper.measure import MODEL
from gated_xtfc.paper.task import Result, Settings
from gated_xtfc.published.search import FoundSplit, NestedSearch, SplitEvaluation, search
from gated_xtfc.threads import ONE, environment

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
        check_whole(2, count=self.count)
        if not (0.0 < self.low < self.high and math.isfinite(self.high)):
            raise InputError(f"the range of nu is [{self.low:g}, {self.high:g}]: give two positive ends, low < high")
        check_one_of(VARIANTS, variant=self.variant)

    def nu(self, index: int) -> float:
        return float(self.low * (self.high / self.low) ** (index / (self.count - 1)))

    @property
    def order(self) -> list[int]:
        """The indices with their bits reversed: any beginning of this order is spread over the range."""
        bits = max(1, (self.count - 1).bit_length())
        return sorted(range(self.count), key=lambda index: int(f"{index:0{bits}b}"[::-1], 2))

    def settings(self) -> NestedSearch:
        chosen = replace(VARIANTS[self.variant], places=self.places, scales=self.scales)
        return chosen.sized(self.centres, self.tolerances)

    def record(self) -> Result:
        """Ready for JSON; `read` takes it back."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def read(cls, record: Settings) -> "Sweep":
        values: Result = {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
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
        """The optima by increasing nu."""
        return tuple(self.found[index] for index in sorted(self.found))

    def add(self, optimum: Optimum) -> None:
        if optimum.index not in self.found:
            self.found[optimum.index] = optimum
            self._append(asdict(optimum))

    def take_over(self, path: Path) -> int:
        """Takes over what another file of the same sweep has, and says how many were new."""
        if not path.is_file():
            raise InputError(f"there is no file of optima at {quoted(str(path))}")
        before = len(self.found)
        for optimum in OptimaFile(path, self.sweep).optima:
            self.add(optimum)
        return len(self.found) - before

    def _append(self, content: Settings) -> None:
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(content) + "\n")
            lines.flush()
            os.fsync(lines.fileno())

    def _read(self) -> None:
        text = self.path.read_text(encoding="utf-8")
        lines = text.splitlines()
        if text and not text.endswith("\n"):  # cut off in mid-line: that optimum is computed again
            lines.pop()
            write_text(self.path, "".join(f"{line}\n" for line in lines))
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


def compute(
    file: OptimaFile,
    workers: int | None = None,
    budget: float = math.inf,
    progress: Callable[[Optimum, int, int], None] | None = None,
) -> bool:
    """Finds what is missing, over all cores with one thread each, within `budget` seconds; says whether all is done."""
    missing, deadline = file.missing, time.time() + budget

    def keep(found: Optimum | None) -> None:
        if found is not None:
            file.add(found)
            if progress is not None:
                progress(found, len(file.found), file.sweep.count)

    if missing and (workers or os.cpu_count() or 1) > 1:
        with environment(ONE), ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            futures = [pool.submit(optimum, file.sweep, index, deadline) for index in missing]
            try:
                for future in as_completed(futures):
                    keep(future.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    else:
        for index in missing:
            keep(optimum(file.sweep, index, deadline))
    return not file.missing


def optimum(sweep: Sweep, index: int, deadline: float = math.inf) -> Optimum | None:
    """The optimum at one nu; None when the deadline (seconds since the epoch) comes first."""
    nu = sweep.nu(index)
    try:
        found = searched(sweep.settings(), nu, deadline)
    except OutOfTime:
        return None
    split, transition = found.best, found.surrogate.details["transitions"][0]
    bound = transition > split.scale * min(split.splits[0], 1.0 - split.splits[0]) / split.centres * (1.0 + 1e-12)
    counts = len(found.evaluations), found.solves
    return Optimum(index, nu, split.splits[0], split.scale, found.value, bool(bound), *counts, found.seconds)


class OutOfTime(Exception):
    """The deadline of a search has come."""


def searched(settings: NestedSearch, nu: float, deadline: float = math.inf) -> FoundSplit:
    def watch(_: SplitEvaluation) -> None:
        if time.time() > deadline:
            raise OutOfTime

    if time.time() > deadline:
        raise OutOfTime
    return search(MODEL.problem(nu=nu), settings, watch)
