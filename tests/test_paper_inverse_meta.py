"""The sections on inverse inference and meta-learning of the paper's report, as small as they can be."""

import json
from pathlib import Path

import pytest

from gated_xtfc.apps import paper_command
from gated_xtfc.apps.cli import main
from gated_xtfc.paper import meta
from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.claims import Verdict, paper
from gated_xtfc.paper.inverse import NUS, READINGS
from gated_xtfc.paper.optima import OptimaFile, Sweep
from gated_xtfc.paper.records import Record, RecordStore
from gated_xtfc.paper.report import reproductions
from gated_xtfc.paper.run import all_tasks, chosen
from gated_xtfc.paper.task import Size

MINE = ["inverse", "meta"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paper")
    assert paper_command.produce(place, Size.TINY, MINE) == 0
    return place


@pytest.fixture(scope="module")
def records(folder: Path) -> list[Record]:
    return [Record.read(json.loads(path.read_text(encoding="utf-8"))) for path in folder.rglob("*.json")]


def test_every_task_is_done_and_recorded(records: list[Record]) -> None:
    assert {f"{one.section}/{one.task}" for one in records} == {task.key for task in all_tasks(chosen(MINE), Size.TINY)}
    assert all(one.done for one in records)


def test_page_shows_both_chapters_with_their_figures(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    for text in ("Inverse inference", "meta-learning", "Why it misses", "held-out optima", "bounded over global"):
        assert text in page
    assert page.count("<svg") == 6
    assert "our default, 2 seeds" in page
    for name in READINGS.values():
        assert name in page or name == READINGS["wide"]


def test_small_sizes_give_no_verdict_and_full_ones_do(records: list[Record]) -> None:
    small = {one.claim.id: one.verdict for one in reproductions(Book.of(records, Size.TINY))}
    full = {one.claim.id: one for one in reproductions(Book.of(records, Size.FULL))}
    mine = [claim.id for claim in paper().claims if claim.section in MINE]
    run = [name for name in mine if name not in ("inverse.error.1e-2", "inverse.error.1e-3")]  # the tiny run has two nu
    assert {small[name] for name in run} == {"smaller sizes"}
    assert {full[name].verdict for name in run} <= {
        Verdict.REPRODUCED,
        Verdict.BETTER,
        Verdict.WORSE,
        Verdict.DIFFERS,
        "other machine",
        "smaller sizes",
    }
    assert full["inverse.error.1e-3"].verdict == Verdict.NOT_RUN
    assert full["meta.samples"].verdict == "smaller sizes"


def test_inverse_results_have_every_seed_and_our_default_beside_them(records: list[Record]) -> None:
    book = Book.of(records, Size.TINY)
    for nu in (1e-1, 5e-3):
        published, ours = (book.result(f"inverse/{part}-{tag(nu)}") for part in ("closed", "default"))
        assert published is not None
        assert ours is not None
        assert len(published["runs"]["value"]) == published["seeds"] == ours["seeds"] == 2
        assert len(published["trace"]["value"]) == published["evaluations"]
        assert published["least"] <= published["error"] <= published["most"]
        assert ours["error"] < 10.0  # percent
        assert published["panel"]["data"]["y"]
    assert set(NUS) == {1e-1, 1e-2, 5e-3, 1e-3}


def test_searches_are_compared_at_values_the_data_set_does_not_have(records: list[Record]) -> None:
    book = Book.of(records, Size.TINY)
    data = book.result("meta/optima")
    assert data is not None
    assert len(data["nu"]) == data["count"] == 8
    for place in (1, 2):
        one = book.result(f"meta/{meta.search_name(place)}")
        assert one is not None
        assert one["nu"] not in data["nu"]
        for which in ("global", "bounded"):
            assert one[which]["value"] == pytest.approx(min(one[which]["trace"]), rel=1e-4)
            assert len(one[which]["trace"]) == one[which]["evaluations"]
        assert one["box"]["places"][0] <= one["bounded"]["split"] <= one["box"]["places"][1]


def test_optima_made_elsewhere_are_used(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("nothing is missing")

    made = meta.path(RecordStore(folder, Size.TINY).root / "meta")
    monkeypatch.setattr("gated_xtfc.paper.optima.optimum", refuse)
    monkeypatch.setattr(paper_command, "write_report", lambda book, folder: folder)
    monkeypatch.setattr(
        paper_command, "all_tasks", lambda sections, size: [one for one in meta.tasks(size) if one.name == "optima"]
    )
    assert paper_command.produce(tmp_path, Size.TINY, ["meta"], optima=made) == 0


def test_optima_that_are_there_do_not_count_as_time_left(folder: Path, tmp_path: Path) -> None:
    task = next(one for one in meta.tasks(Size.TINY) if one.name == "optima")
    assert task.left(tmp_path) == task.cost > 0.0
    assert task.left(RecordStore(folder, Size.TINY).root / "meta") == 0.0


def test_fresh_makes_the_data_set_again(folder: Path, tmp_path: Path) -> None:
    store = RecordStore(tmp_path, Size.TINY)
    path = meta.path(store.root / "meta")
    OptimaFile(path, meta.swept(Size.TINY))
    store.forget(meta.tasks(Size.TINY))
    assert not path.exists()


@pytest.mark.parametrize(("content", "said"), [(None, "no file of optima"), ("hello\n", "not a file of optima")])
def test_bad_file_of_optima_is_one_sentence(
    content: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "optima.jsonl"
    if content is not None:
        given.write_text(content)
    assert main(["paper", "--quick", "--only", "meta", "--out", str(tmp_path / "out"), "--optima", str(given)]) == 2
    assert said in capsys.readouterr().err


def test_full_data_set_is_the_papers() -> None:
    assert meta.swept(Size.FULL) == Sweep(500, 1e-4, 1e-3, "closed", 1000)
