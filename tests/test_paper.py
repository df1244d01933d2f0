"""The reproduction of the paper: records, resuming, claims, the page. Sizes are as small as they can be."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gated_xtfc.apps import paper_command
from gated_xtfc.apps.arguments import SECTIONS as OFFERED
from gated_xtfc.apps.cli import main
from gated_xtfc.errors import InputError
from gated_xtfc.paper import run as running
from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.claims import KINDS, Verdict, paper, same
from gated_xtfc.paper.prose import prose
from gated_xtfc.paper.records import Record, RecordStore, check, plain
from gated_xtfc.paper.report import render, reproductions
from gated_xtfc.paper.run import SECTIONS, all_tasks, chosen, run
from gated_xtfc.paper.task import Size, Task
from gated_xtfc.paper.wording import duration, number, power, readable, times

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
VOID = {"meta", "br", "img", "link", "hr", "input", "col"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Table 1, with the forward searches it shows, and the maps, all tiny."""
    place = tmp_path_factory.mktemp("paper")
    assert paper_command.produce(place, Size.TINY, ["table1", "sensitivity"]) == 0
    return place


def counted(task: Task, calls: list[str], stop_at: int = -1) -> Task:
    def function(settings: Any) -> dict[str, Any]:
        if len(calls) == stop_at:
            raise KeyboardInterrupt
        calls.append(task.name)
        return {"value": 1.0}

    return replace(task, function=function)


def some_tasks(calls: list[str], stop_at: int = -1) -> list[Task]:
    bare = (Task("forward", f"task{k}", f"task {k}", 1.0, dict, {"k": k}, seed=k) for k in range(4))
    return [counted(task, calls, stop_at) for task in bare]


def records_in(folder: Path) -> Iterator[tuple[Path, Any]]:
    for path in folder.rglob("*.json"):
        yield path, json.loads(path.read_text(encoding="utf-8"))


def test_every_record_follows_the_schema_and_names_seed_versions_and_threads(folder: Path) -> None:
    found = list(records_in(folder))
    assert len(found) == len(all_tasks(chosen(["table1", "sensitivity"]), Size.TINY))
    for path, content in found:
        check(content)
        assert content["status"] == "done", content["message"]
        assert path.stem == content["task"]
        assert content["environment"]["threads"] >= 1
        assert {"gated-xtfc", "python", "numpy", "scipy"} <= content["environment"]["versions"].keys()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 0}, "schema"),
        ({"status": "perhaps"}, "status"),
        ({"size": "huge"}, "size"),
        ({"seconds": "long"}, "seconds"),
        ({"environment": {}}, "environment"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_record_that_does_not_follow_the_schema_is_refused(folder: Path, change: dict[str, Any], said: str) -> None:
    _, content = next(records_in(folder))
    with pytest.raises(InputError, match=said):
        check({**content, **change})


def test_results_that_json_cannot_hold_become_plain() -> None:
    assert plain({"a": (1.0, math.nan), "b": float("inf"), 3: {"c": [True]}}) == {
        "a": [1.0, None],
        "b": None,
        "3": {"c": [True]},
    }


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store, calls = RecordStore(tmp_path, Size.TINY), list[str]()
    with pytest.raises(KeyboardInterrupt):
        run(some_tasks(calls, stop_at=2), store)
    assert calls == ["task0", "task1"]
    records = run(some_tasks(calls), store)
    assert calls == ["task0", "task1", "task2", "task3"]
    assert [record.task for record in records] == ["task0", "task1", "task2", "task3"]


def test_other_settings_a_broken_record_or_a_failure_are_done_again(tmp_path: Path) -> None:
    store, calls = RecordStore(tmp_path, Size.TINY), list[str]()
    tasks = some_tasks(calls)
    run(tasks, store)
    store.path(tasks[0]).write_text("{ half of a rec", encoding="utf-8")
    changed = replace(tasks[1], settings={"k": 99})
    failed = replace(store.finished(tasks[2]), status="failed")  # type: ignore[type-var]
    store.write(failed)  # type: ignore[arg-type]
    calls.clear()
    run([tasks[0], changed, *tasks[2:]], store)
    assert calls == ["task0", "task1", "task2"]
    store.forget(tasks)
    calls.clear()
    run(tasks, store)
    assert len(calls) == 4


def test_a_task_that_fails_or_lacks_a_package_does_not_stop_the_others(tmp_path: Path) -> None:
    def broken(settings: Any) -> dict[str, Any]:
        raise ZeroDivisionError("by nothing")

    def lacking(settings: Any) -> dict[str, Any]:
        try:
            import no_such_package_anywhere  # type: ignore[import-not-found]  # noqa: F401
        except ImportError as error:
            raise InputError("needs a package: pip install gated-xtfc[deep]") from error
        return {}

    tasks = [
        replace(task, function=function) for task, function in zip(some_tasks([]), (broken, lacking), strict=False)
    ]
    records = run([*tasks, *some_tasks([])[2:]], RecordStore(tmp_path, Size.TINY))
    assert [record.status for record in records] == ["failed", "unavailable", "done", "done"]
    assert "by nothing" in records[0].message
    page = render(Book.of([replace(record, section="state_of_the_art") for record in records], Size.TINY), {})
    assert "pip install gated-xtfc[deep]" in page


def test_the_time_left_is_estimated_from_the_work_done(tmp_path: Path) -> None:
    seen: list[running.TaskProgress] = []
    run(some_tasks([]), RecordStore(tmp_path, Size.TINY), seen.append)
    assert [one.place for one in seen] == [1, 2, 3, 4]
    assert all(one.count == 4 for one in seen)
    assert seen[0].left > seen[1].left > seen[3].left > 0


def test_every_section_has_named_tasks_with_a_cost_and_settings_that_json_can_hold() -> None:
    assert tuple(SECTIONS) == OFFERED
    for size in Size:
        tasks = all_tasks(SECTIONS.values(), size)
        assert len({task.key for task in tasks}) == len(tasks)
        for task in tasks:
            assert re.fullmatch(r"[\w.-]+", task.name)
            assert task.cost > 0
            assert json.loads(json.dumps(plain(task.settings))) == plain(task.settings)
    # the data set of the meta-learner is a sweep of its own, made over all cores or elsewhere
    costs = {task.key: task.cost for task in all_tasks(SECTIONS.values(), Size.FULL) if task.key != "meta/optima"}
    assert sum(costs.values()) < 3600


def test_what_the_paper_printed_is_complete_and_says_where_it_stands() -> None:
    claims = paper().claims
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.kind in KINDS
        assert claim.section in SECTIONS
        assert claim.printed
        assert claim.place
        assert (claim.value is not None) == (claim.kind in ("count", "order", "percent", "seconds", "ratio"))
    assert [paper().claim(f"table1.ratio.{name}").value for name in ("neurons", "error", "seconds")] == [5, 10, 2.9]


def test_every_reason_belongs_to_a_claim_and_to_a_verdict() -> None:
    known = {claim.id for claim in paper().claims}
    for claim, verdict in prose().reasons:
        assert claim in known
        assert verdict in (Verdict.REPRODUCED, Verdict.BETTER, Verdict.WORSE, Verdict.DIFFERS)


def test_claims_without_records_are_said_not_to_be_run() -> None:
    assert {one.verdict for one in reproductions(Book.of([], Size.FULL))} == {Verdict.NOT_RUN}


@pytest.mark.parametrize(
    ("value", "verdict"), [(3e-4, Verdict.REPRODUCED), (2e-3, Verdict.WORSE), (2e-6, Verdict.BETTER)]
)
def test_an_order_of_magnitude_counts_within_a_factor_of_ten(value: float, verdict: str) -> None:
    assert same(value, 1e-4, 10.0) == verdict


def test_full_records_give_verdicts_and_small_ones_do_not(folder: Path) -> None:
    records = [Record.read(content) for _, content in records_in(folder)]
    small = {one.claim.id: one for one in reproductions(Book.of(records, Size.TINY))}
    full = {one.claim.id: one for one in reproductions(Book.of(records, Size.FULL))}
    assert small["table1.gated.error"].verdict == "smaller sizes"
    assert full["table1.gated.error"].verdict == Verdict.WORSE  # 40 kernels cannot do it
    assert full["table1.gated.seconds"].verdict == "other machine"
    assert full["twin.seconds"].verdict == Verdict.NOT_RUN


class Structure(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.references: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.references += [value or "" for name, value in given.items() if name in ("href", "src", "srcset", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag


def test_the_page_contains_every_claim_with_figures_and_needs_nothing_from_outside(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    structure = Structure(page)
    assert structure.open == []
    for claim in paper().claims:
        assert f'id="claim-{claim.id}"' in page
        assert claim.what in page
    assert "svg" in structure.tags
    assert structure.tags.isdisjoint({"script", "link", "iframe", "img", "object", "embed"})
    inside = {reference[1:] for reference in structure.references if reference.startswith("#")}
    assert inside <= set(structure.ids)
    others = [reference for reference in structure.references if not reference.startswith("#")]
    assert all(reference.startswith("data:image/png;base64,") for reference in others)  # bars of colours
    assert len(set(structure.ids)) == len(structure.ids)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", page)
    assert "Quick run" in page
    assert len(page) < 3_000_000


def test_the_page_gives_the_three_ratios_of_table_one(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    for row in ("X-TFC over gated, as printed", "X-TFC over gated, right end included", "X-TFC over our default"):
        assert row in page


def test_fresh_starts_over_and_otherwise_nothing_is_done_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    original = running.carry_out

    def watched(task: Task, store: RecordStore) -> Record:
        done.append(task.key)
        return original(task, store)

    monkeypatch.setattr(running, "carry_out", watched)
    monkeypatch.setattr(paper_command, "write_report", lambda book, folder: folder)  # drawing takes longer than this
    paper_command.produce(folder, Size.TINY, ["sensitivity"])
    assert done == []
    paper_command.produce(folder, Size.TINY, ["sensitivity"], fresh=True)
    assert len(done) == 4


def test_the_command_runs_a_quick_section_and_says_what_it_is_doing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_command, "Size", type("Small", (), {"QUICK": Size.TINY, "FULL": Size.FULL}))
    assert main(["paper", "--quick", "--only", "sensitivity", "--out", str(tmp_path / "here")]) == 0
    printed = capsys.readouterr()
    assert "1 of 4, about" in printed.err
    assert "left" in printed.err
    assert str(tmp_path / "here" / "report.html") in printed.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--only", "twim"], "did you mean 'twin'"), (["--out", __file__], "not a folder"), (["--no"], "--no")],
)
def test_bad_options_are_one_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_numbers_and_quotations_read_well() -> None:
    shown = [
        number(v).replace("\N{NO-BREAK SPACE}", " ") for v in (1.23e-4, 2000, 0.0312, 153, 12.34, 99.93, 5e-3, None)
    ]
    assert shown == ["1.2 × 10⁻⁴", "2,000", "0.031", "153", "12", "100", "5.0 × 10⁻³", "–"]
    assert [duration(v) for v in (0.0012, 0.05, 3.14, 152.6)] == ["1.2 ms", "50 ms", "3.1 s", "153 s"]
    assert [times(v) for v in (0.37, 2.91, 35000.0, None)] == ["0.37×", "2.9×", "35,000×", "–"]
    assert (power(1e-4), power(1.0)) == ("10⁻⁴", "1")
    assert readable(r"$\mathcal{O}(10^{-3})$") == "O(10⁻³)"
    assert readable(r"$10{,}000$") == "10,000"
    assert (tag(1.0), tag(1e-4), tag(5e-3)) == ("nu1", "nu1e-4", "nu5e-3")
    assert not any("\\" in readable(claim.printed) or "$" in readable(claim.printed) for claim in paper().claims)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed: the page is not looked at in a browser")
def test_a_browser_shows_the_page(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    command = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", "--hide-scrollbars",
        "--window-size=1100,1400", f"--screenshot={picture}", (folder / "report.html").as_uri(),
    ]  # fmt: skip
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run(command, check=True, timeout=120, capture_output=True, env=environment)
    from matplotlib.image import imread

    pixels = imread(picture)[:, :, :3]
    dark = (pixels.mean(axis=2) < 0.5).mean()
    assert pixels.shape[:2] == (1400, 1100)
    assert 0.002 < dark < 0.5  # neither blank nor black


def test_the_report_needs_neither_network_nor_display(folder: Path) -> None:
    code = "import sys; from gated_xtfc.apps import paper_command; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"  # drawn only after the work is done


@pytest.mark.parametrize("command", ["paper", "compare"])
def test_help_waits_for_no_numerics(command: str) -> None:
    code = (
        f"import sys; from gated_xtfc.apps import cli; cli.main(['{command}', '--help']); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"gated-xtfc {command}" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"
