"""One solve, one row. Whatever happens at a point is recorded in its row: nothing stops the sweep."""

import io
import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.solution.archive import pack
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import RowStatus, Status
from gated_xtfc.solver.interval.batch import BatchFamily, BatchResult
from gated_xtfc.solver.solve import solve
from gated_xtfc.solver.verdict import within
from gated_xtfc.sweeps.quantities import Quantity
from gated_xtfc.sweeps.study import SolverOptions, Study, key_of

Point = tuple[float, ...]
Value = float | str | bytes | None  # of a row, as SQLite keeps it
Row = tuple[Value, ...]  # key, then the columns of the study

TOGETHER = 512  # members that go through the core in one call
AGAIN = 0.5  # seconds after which an alarm that went unheard rings again


class TimeIsUp(BaseException):
    """No Exception: nothing on the way may take it for a failure of its own."""


def solve_blocks(study: Study, blocks: Sequence[Sequence[Point]]) -> tuple[list[Row], float]:
    """The rows of some blocks of points, and the seconds they took: what a worker is given to do."""
    begun = time.perf_counter()
    quantities = study.asked()
    rows: list[Row] = []
    if study.together:
        rows, alone = solve_together(study, [point for block in blocks for point in block])
        blocks = [[point] for point in alone]
    for block in blocks:
        before: Solution | None = None
        for point in block:
            row, solution = solve_point(study, quantities, point, before)
            rows.append(row)
            if study.chained and solution is not None and solution.converged:
                before = solution
    return rows, time.perf_counter() - begun


def solve_together(study: Study, points: Sequence[Point]) -> tuple[list[Row], list[Point]]:
    """Rows of points that go through the compiled core side by side, and the points that have to be solved alone.

    Members with as many elements go together, so that a row does not depend on which points are in hand.
    """
    try:
        family = BatchFamily.of(study.problem, study.names)
    except InputError:
        family = None
    if family is None:
        return [], list(points)
    rows: list[Row] = []
    alone: list[Point] = []
    table = np.array(points)
    with np.errstate(all="ignore"):
        counts = family.counts(dict(zip(study.names, np.ascontiguousarray(table.T), strict=True)))
        for count in np.unique(counts).tolist():
            where = np.flatnonzero(counts == count)
            for first in range(0, where.size, TOGETHER):
                some = where[first : first + TOGETHER]
                found = family.solve(
                    dict(zip(study.names, np.ascontiguousarray(table[some].T), strict=True)), study.tol
                )
                for member, at in enumerate(some.tolist()):
                    if found.certified[member]:
                        rows.append(_row(study, points[at], found, member))
                    else:
                        alone.append(points[at])
    return rows, alone


def _row(study: Study, point: Point, found: BatchResult, member: int) -> Row:
    error = float(found.figures[0, member])
    told = within(error, study.tol)
    gates = json.dumps(plain_gates((found.coordinate(member),)))
    return key_of(point), *point, Status.CONVERGED.value, told, error, found.neurons, 1, found.seconds, gates


def solve_point(
    study: Study, quantities: Sequence[Quantity], point: Point, before: Solution | None
) -> tuple[Row, Solution | None]:
    """`before` is a neighbour's solution, a guess that may or may not lead anywhere."""
    begun = time.perf_counter()
    try:
        with limited(study.time_limit) as check:
            found: Solution | None = None
            if before is not None:
                warm: SolverOptions = {**study.options, "guess": before}
                found = solve(study.member(point), study.tol, progress=check, **warm)
            if found is None or not found.converged:
                found = solve(study.member(point), study.tol, progress=check, **study.options)
            values, reasons = measured(quantities, found)
            blob = packed(found) if study.solutions else None
    except TimeIsUp:
        message = f"the solve took more than the {study.time_limit:g} seconds that a point may take"
        return unsolved(study, point, RowStatus.TIME_LIMIT, message, time.perf_counter() - begun), None
    except Exception as failure:  # recorded, and the sweep goes on
        told = str(failure) if isinstance(failure, InputError) else f"{type(failure).__name__}: {failure}"
        return unsolved(study, point, RowStatus.FAILED, told, time.perf_counter() - begun), None
    return row_of(study, key_of(point), point, found, values, reasons, time.perf_counter() - begun, blob), found


def row_of(
    study: Study,
    key: bytes,
    point: Point,
    found: Solution,
    values: Sequence[float],
    reasons: Sequence[str],
    seconds: float,
    blob: bytes | None,
) -> Row:
    """A solution as a row; `reasons` say why quantities are missing among its values."""
    figures = (
        found.status.value,
        "; ".join([found.message, *reasons]),
        found.error,
        found.neurons,
        found.rounds,
        seconds,
        written_gates(found),
    )
    return (key, *point, *figures, *values, *((blob,) if study.solutions else ()))


def unsolved(study: Study, point: Point, status: RowStatus, message: str, seconds: float) -> Row:
    missing = [math.nan] * len(study.quantities)
    return (
        key_of(point), *point, status.value, message, math.inf, 0, 0, seconds, "[]", *missing,
        *((None,) if study.solutions else ()),
    )  # fmt: skip


def measured(quantities: Sequence[Quantity], found: Solution) -> tuple[list[float], list[str]]:
    """The quantities, NaN where one cannot be had, and why."""
    values, reasons = [], []
    for quantity in quantities:
        value = math.nan
        try:
            # a solution that was not found is no source of numbers
            if math.isfinite(found.error):
                value = quantity(found)
        except InputError as error:
            reasons.append(f"{quantity.text}: {error}")
        values.append(value)
    return values, reasons


@contextmanager
def limited(seconds: float | None) -> Iterator[Callable[[object], None] | None]:
    """Ends what is inside after so many seconds: by an alarm where there is one, and at every round of the solver.

    Alarms ring in the main thread only; elsewhere the time is looked at between two rounds.
    """
    if seconds is None:
        yield None
        return
    end = time.perf_counter() + seconds

    def check(_: object = None) -> None:
        if time.perf_counter() >= end:
            raise TimeIsUp

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield check
        return

    def ring(*_: object) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        yield check
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def written_gates(found: Solution) -> str:
    """As JSON: every piece of the coordinate with its kernel width, then its layers and its blocks; of a rectangle the
    gates with the name of their axis."""
    plain: list[dict[str, object]] = []
    if isinstance(found.gates, Mapping):
        for axis, gates in found.gates.items():
            plain += [{"kind": type(gate).__name__.lower(), "axis": axis, **vars(gate)} for gate in gates]
        return json.dumps(plain)
    return json.dumps(plain_gates(found.charts[0].coordinates))


def plain_gates(coordinates: AxisCoordinates) -> list[dict[str, object]]:
    plain: list[dict[str, object]] = []
    for piece in coordinates:
        plain.append({"kind": "piece", "left": piece.left, "right": piece.right, "width": piece.width})
        plain += [{"kind": "layer", **vars(layer)} for layer in piece.layers]
        plain += [{"kind": "block", **vars(block)} for block in piece.blocks]
    return plain


def packed(found: Solution) -> bytes:
    file = io.BytesIO()
    pack(found, file)
    return file.getvalue()
