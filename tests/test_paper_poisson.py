"""The section on Poisson's equation, as small as it can be: records, claims, figures."""

import json
from pathlib import Path

import numpy as np
import pytest

from gated_xtfc.paper.book import Book
from gated_xtfc.paper.claims import Verdict
from gated_xtfc.paper.poisson import TITLES, finite_differences, stretched, true
from gated_xtfc.paper.records import Record, RecordStore, check
from gated_xtfc.paper.report import reproductions
from gated_xtfc.paper.run import all_tasks, chosen, run
from gated_xtfc.paper.task import Size
from gated_xtfc.plots.paper_figures import figures


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    store = RecordStore(tmp_path_factory.mktemp("poisson"), Size.TINY)
    return run(all_tasks(chosen(["poisson"]), Size.TINY), store)


def result(records: list[Record], task: str) -> dict:
    return next(record.result for record in records if record.task == task)


def test_every_task_is_done_and_its_record_follows_the_schema(records: list[Record], tmp_path: Path) -> None:
    store = RecordStore(tmp_path, Size.TINY)
    for record in records:
        assert record.status == "done", record.message
        check(json.loads(store.write(record).read_text(encoding="utf-8")))


def test_finite_differences_on_the_paper_s_grid_are_wrong_by_the_known_amount(records: list[Record]) -> None:
    assert result(records, "differences")["relative"] == pytest.approx(0.0173, abs=1e-4)


def test_the_default_solver_is_right_where_the_reference_is_not(records: list[Record]) -> None:
    ours = result(records, "poisson_peak-nu1e-2")
    assert ours["status"] == "converged"
    assert ours["max_error_layer"] <= 1e-8
    assert ours["max_error_layer"] <= 3 * ours["estimate"]


@pytest.mark.parametrize("variant", TITLES)
def test_the_whole_search_is_recorded(records: list[Record], variant: str) -> None:
    one = result(records, variant)
    assert {len(values) for values in one["trace"].values()} == {one["evaluations"]} == {3}
    assert one["objective"] == pytest.approx(min(one["trace"]["objective"]), rel=1e-5)
    assert one["neurons"] == one["global"] + one["local"] == len(one["kernels"]["width"])


def test_verdicts_on_full_sizes(records: list[Record]) -> None:
    found = {one.claim.id: one for one in reproductions(Book.of(records, Size.FULL))}
    assert found["poisson.agreement"].verdict == Verdict.DIFFERS  # 69 kernels
    assert found["poisson.search"].verdict in (Verdict.REPRODUCED, Verdict.DIFFERS)
    assert found["poisson.grid"].verdict != Verdict.AS_CHOSEN
    assert any("finite differences: 0.011" in line for line in found["poisson.agreement"].here)


def test_there_is_a_drawing_for_each_figure_of_the_paper(records: list[Record]) -> None:
    drawings = figures(Book.of(records, Size.TINY))
    assert {"poisson-history", "poisson-solution", "poisson-widths", "poisson-errors"} <= drawings.keys()
    assert all(drawing.startswith("<svg") for drawing in drawings.values())


def test_the_stretched_axis_has_both_ends_and_the_peak() -> None:
    at = stretched({"nu": 1e-2, "pixels": 81})
    assert (at[0], at[40], at[-1]) == (0.0, 0.5, 1.0)
    assert np.all(np.diff(at) > 0)


def test_finite_differences_converge_to_the_series() -> None:
    errors = []
    for intervals in (200, 400):
        nodes, values = finite_differences(1e-2, intervals)
        errors.append(np.abs(values - true(nodes, nodes, 1e-2)).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.2)
