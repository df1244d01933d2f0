"""`gated-xtfc paper`: tasks -> records -> figures -> one page."""

import sys
from argparse import Namespace
from collections import Counter
from pathlib import Path

from gated_xtfc.apps.display import TaskLines
from gated_xtfc.apps.output import OutputFolder, tell
from gated_xtfc.files import write_text
from gated_xtfc.paper import meta
from gated_xtfc.paper.book import Book
from gated_xtfc.paper.optima import OptimaFile
from gated_xtfc.paper.records import RecordStore
from gated_xtfc.paper.report import render, reproductions
from gated_xtfc.paper.run import SECTIONS, all_tasks, chosen
from gated_xtfc.paper.run import run as work
from gated_xtfc.paper.task import Size

REPORT = "report.html"


def run(arguments: Namespace) -> int:
    sections = chosen(arguments.only)
    folder = OutputFolder.prepare(arguments.out, (REPORT,)).path
    size = Size.QUICK if arguments.quick else Size.FULL
    given = None if arguments.optima is None else Path(arguments.optima)
    return produce(folder, size, [section.name for section in sections], fresh=arguments.fresh, optima=given)


def produce(folder: Path, size: Size, sections: list[str], fresh: bool = False, optima: Path | None = None) -> int:
    """The report in this folder, with all that is known of this size: also from runs before."""
    store, tasks = RecordStore(folder, size), all_tasks(chosen(sections), size)
    if fresh:
        store.forget(tasks)
    if optima is not None:
        OptimaFile(meta.path(store.root / meta.NAME), meta.swept(size)).take_over(optima)
    try:
        with TaskLines() as lines:
            records = work(tasks, store, lines.begin, lines.end)
    except KeyboardInterrupt:
        done = sum(store.finished(task) is not None for task in tasks)
        sys.stderr.write(f"{done} of {len(tasks)} are done; the same command goes on from there\n")
        raise
    others = (store.finished(task) for task in all_tasks(SECTIONS.values(), size))
    known = {f"{one.section}/{one.task}": one for one in (*(one for one in others if one is not None), *records)}
    page = write_report(Book.of(known.values(), size), folder)
    failed = [record for record in records if record.status == "failed"]
    tell(summary(Book.of(known.values(), size), page))
    return 1 if failed else 0


def write_report(book: Book, folder: Path) -> Path:
    from gated_xtfc.plots.paper_figures import figures  # matplotlib: not before the work is done

    page = folder / REPORT
    write_text(page, render(book, figures(book)))
    return page


def summary(book: Book, page: Path) -> str:
    counts = Counter(one.verdict for one in reproductions(book))
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    missing = sorted({record.message for record in book if record.status == "unavailable"})
    return "\n".join([f"{sum(counts.values())} claims: {told}", *missing, f"written to {page}"])
