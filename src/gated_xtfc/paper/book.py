"""The records of a run, by key, with what chapters and figures ask of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from gated_xtfc.paper.records import Record
from gated_xtfc.paper.task import Result, Size

DEFAULT = "default"  # stands in the keys for this project's own solver
Label = TypeVar("Label")


def tag(nu: float) -> str:
    """1e-4 -> "nu1e-4": part of a task's name."""
    mantissa, exponent = f"{nu:.0e}".split("e")
    return f"nu{mantissa}" + (f"e{int(exponent)}" if int(exponent) else "")


@dataclass(frozen=True)
class Book:
    records: dict[str, Record]
    size: Size

    @classmethod
    def of(cls, records: Iterable[Record], size: Size) -> "Book":
        return cls({f"{record.section}/{record.task}": record for record in records}, size)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records.values())

    def result(self, key: str) -> Result | None:
        """What a task found; None where it was not run, or not finished."""
        record = self.records.get(key)
        return record.result if record is not None and record.done else None

    def results(self, keys: Mapping[Label, str]) -> dict[Label, Result]:
        """The results that there are, under the labels of their keys."""
        return {label: result for label, key in keys.items() if (result := self.result(key)) is not None}

    def value(self, key: str, name: str) -> float | None:
        """One number of a result."""
        found = (self.result(key) or {}).get(name)
        return None if found is None else float(found)

    def ratio(self, one: str, other: str, name: str) -> float | None:
        above, below = self.value(one, name), self.value(other, name)
        return above / below if above is not None and below else None

    def default(self, family: str, nu: float) -> Result | None:
        return self.result(f"{DEFAULT}/{family}-{tag(nu)}")

    def defaults(self, family: str, nus: Iterable[float]) -> dict[float, Result]:
        return self.results({nu: f"{DEFAULT}/{family}-{tag(nu)}" for nu in nus})

    def why_not(self, key: str) -> str:
        """The reason why there is no result."""
        record = self.records.get(key)
        return "not run" if record is None else record.message or "not run"
