"""Branches in the store of a sweep: a row for every point, and beside it how the curve goes on from there.

The rows are those of a sweep that keeps its solutions, so that `open_sweep` reads them. A way along a curve has a name:
`0+` and `0-` are those from the first solution, `0+/7+` and `0+/7-` those aside from point 7 of `0+`, and so on. What a
step brought is there with one commit, and a call that finds it goes on from there.
"""

import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gated_xtfc.branches.branch import BranchPoint
from gated_xtfc.errors import InputError
from gated_xtfc.solution.archive import unpack_solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.sweeps.point import packed, row_of
from gated_xtfc.sweeps.store import Store, explained
from gated_xtfc.sweeps.study import FIGURES, Study

TABLES = (
    "CREATE TABLE IF NOT EXISTS trail "
    "(key BLOB PRIMARY KEY, way TEXT, number INTEGER, kind TEXT, growth REAL, step REAL, travelled REAL)",
    "CREATE TABLE IF NOT EXISTS ends (way TEXT PRIMARY KEY, reason TEXT)",
)


@dataclass(frozen=True, eq=False)
class StoredPoint:
    """A point, and how the curve goes on where it is the last one of a step."""

    point: BranchPoint
    step: float | None = None
    travelled: float = 0.0


class BranchStore(Store):
    """`BranchStore(path, study, about)` makes the file, or opens it if it holds the same branch."""

    def __init__(self, path: str | Path, study: Study, about: dict[str, object]) -> None:
        identity = study.identity()
        identity["options"] = {**identity["options"], **json.loads(json.dumps(about))}
        self.study = study
        super().__init__(path, identity, study.columns)
        with explained(path), self._transaction():
            for table in TABLES:
                self.database.execute(table)

    def arrived_at(self, way: str, first: int, points: Sequence[StoredPoint], seconds: float) -> None:
        """Points of a way, the first of them with this number: all of them, or where that fails none."""
        marks = ", ".join("?" * (1 + len(self.columns)))
        with explained(self.path), self._transaction():
            for number, stored in enumerate(points, start=first):
                point, key = stored.point, f"{way}:{number:06d}".encode()
                found = point.solution
                row = row_of(self.study, key, (point.parameter,), found, point.quantities, (), seconds, packed(found))
                self.database.execute(f"INSERT OR REPLACE INTO points VALUES ({marks})", row)
                self.database.execute(
                    "INSERT OR REPLACE INTO trail VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (key, way, number, point.kind, point.growth, stored.step, stored.travelled),
                )

    def ended(self, way: str, reason: str) -> None:
        """A way has come to its end."""
        with explained(self.path), self._transaction():
            self.database.execute("INSERT OR REPLACE INTO ends VALUES (?, ?)", (way, reason))

    def end_of(self, way: str) -> str | None:
        """Why a way ends; None where it may go on."""
        with explained(self.path):
            found = self.database.execute("SELECT reason FROM ends WHERE way = ?", (way,)).fetchone()
        return None if found is None else str(found[0])

    def points_of(self, way: str, curve: int) -> list[StoredPoint]:
        """The points of a way, in order."""
        with explained(self.path):
            rows = self.database.execute(
                "SELECT trail.kind, trail.growth, trail.step, trail.travelled, points.* FROM trail "
                "JOIN points ON trail.key = points.key WHERE way = ? ORDER BY number",
                (way,),
            ).fetchall()
        return [self._point(row[:4], row[5:], curve) for row in rows]

    def _point(self, trail: Sequence[Any], row: Sequence[Any], curve: int) -> StoredPoint:
        kind, growth, step, travelled = trail
        solution = unpack_solution(io.BytesIO(row[-1]), f"a solution in {self.path}")
        if not isinstance(solution, IntervalSolution):
            raise InputError(f"{self.path} holds a solution that is on no interval: it is damaged, give another file")
        quantities = tuple(math.nan if one is None else float(one) for one in row[1 + len(FIGURES) : -1])
        point = BranchPoint.made(curve, float(row[0]), kind, growth, quantities, solution)
        return StoredPoint(point, step, travelled)
