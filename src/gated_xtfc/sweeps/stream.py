"""A sweep by whole arrays: blocks of points through a batch into the store and, where wanted, into a data set.

A block is there when its rows are, and its values are in the data set: a sweep that was stopped goes on with the rest.
"""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gated_xtfc.batch.result import BatchSolutions
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.program import INTEGRAL, OVER_DOMAIN
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.verdict import within
from gated_xtfc.sweeps.dataset import PLACES, DatasetWriter
from gated_xtfc.sweeps.design import Design
from gated_xtfc.sweeps.engine import compile
from gated_xtfc.sweeps.point import Row
from gated_xtfc.sweeps.quantities import Quantity
from gated_xtfc.sweeps.run import SweepProgress
from gated_xtfc.sweeps.store import Store
from gated_xtfc.sweeps.study import Study, key_of
from gated_xtfc.types import Array, Orders

BLOCK = 4096  # points


def refuse_for_batch(study: Study) -> None:
    """What takes a solve for every point cannot be had of a batch."""
    asked = [name for name, value in study.options.items() if value is not None]
    asked += ["solutions"] * study.solutions + ["time_limit"] * (study.time_limit is not None)
    if asked:
        raise InputError(f'engine="batch" solves points side by side and takes no {asked[0]}: use the engine "solve"')
    for quantity in study.asked():
        if any(code in (INTEGRAL, OVER_DOMAIN) for code, _ in quantity.program.instructions):
            raise InputError(
                f'engine="batch" takes values at places, such as u(0.5), and not {quoted(quantity.text)}: '
                'use the engine "solve"'
            )


def stream(
    study: Study,
    design: Design,
    store: Store,
    dataset: DatasetWriter | None,
    report: Callable[[SweepProgress], None] | None,
    retry: bool,
    there: set[bytes],
) -> None:
    """All blocks that are missing."""
    begun = time.perf_counter()
    batch = compile(study.problem, study.names, study.tol)
    points = design.points
    keys = [key_of(point) for point in points.tolist()]
    total = len(set(keys))
    done, solved, failed = len(there.intersection(keys)), 0, 0
    for number, first in enumerate(range(0, len(points), BLOCK)):
        own = slice(first, first + BLOCK)
        missing = [key not in there for key in keys[own]]
        if not any(missing) and (dataset is None or dataset.has(number)):
            continue
        if dataset is None:
            numbers = first + np.flatnonzero(missing)
        else:
            numbers = np.arange(first, min(first + BLOCK, len(points)))
        given = dict(zip(study.names, points[numbers].T, strict=True))
        found = batch.verdicts(given)
        rows = rows_of(study, points[numbers], found)
        store.add(rows, retry)
        if dataset is not None:
            values = {name: found(dataset.x, field=name) for name in found.fields}
            dataset.write(number, values, found.error)
        fresh = {keys[i] for i in numbers.tolist()} - there
        there |= fresh
        done, solved = done + len(fresh), solved + len(numbers)
        failed += int((~found.converged).sum())
        if report is not None:
            report(SweepProgress(done, total, failed, solved, time.perf_counter() - begun))
    if dataset is not None:
        dataset.finish()


def rows_of(study: Study, points: Array, found: BatchSolutions) -> list[Row]:
    """As `sweep` keeps them; a member of a batch has no gates to speak of in a row."""
    columns = [measured(quantity, study.problem, found) for quantity in study.asked()]
    seconds, neurons = found.seconds / len(found), sum(study.problem.order.values())
    rows: list[Row] = []
    for i, (point, error, status) in enumerate(
        zip(points.tolist(), found.error.tolist(), found.status.tolist(), strict=True)
    ):
        told = found.messages.get(i) or within(error, study.tol)
        quantities = [float(column[i]) if math.isfinite(error) else math.nan for column in columns]
        rows.append((key_of(point), *point, str(status), told, error, neurons, 1, seconds, "[]", *quantities))
    return rows


def measured(quantity: Quantity, problem: Problem, found: BatchSolutions) -> Array:
    """A quantity of all members at once, (B,)."""

    class Asked(dict[tuple[str, Orders, float], Array]):
        def __missing__(self, key: tuple[str, Orders, float]) -> Array:
            field, (order,), point = key
            self[key] = found(float(point), order, field)
            return self[key]

    env = {**problem.given, **found.parameters}
    value = quantity.program.value(env, Asked())
    return np.broadcast_to(np.asarray(value, dtype=float), (len(found),))


def dataset_of(
    path: str | Path, study: Study, design: Design, x: Sequence[float] | Array | int | None
) -> DatasetWriter:
    """The writer of a data set; x is a number of places, or the places."""
    (axis,) = study.problem.axes
    if x is None or isinstance(x, int):
        places = np.linspace(axis.left, axis.right, PLACES if x is None else x)
    else:
        places = np.asarray(x, dtype=float)
    if places.ndim != 1 or places.size < 1 or places.min() < axis.left or places.max() > axis.right:
        raise InputError("the places of a data set are numbers inside the domain, or how many there are to be")
    return DatasetWriter(path, design, study.problem.fields, axis.name, places, BLOCK, dict(study.identity()))
