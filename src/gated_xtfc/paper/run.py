"""The sections of the report and the work on their tasks. Each record is written as it is done, nothing is done twice.

A caller is told what is running and how much is left.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.paper import forward, inverse, meta, poisson, sensitivity, state_of_the_art, twin
from gated_xtfc.paper.records import Record, RecordStore, environment, plain
from gated_xtfc.paper.task import Section, Size, Task

IN_ORDER = (
    forward.SECTION, state_of_the_art.SECTION, forward.TABLE1, inverse.SECTION, meta.SECTION, twin.SECTION,
    poisson.SECTION, sensitivity.SECTION,
)  # fmt: skip
SECTIONS = {section.name: section for section in IN_ORDER}


def chosen(names: Iterable[str]) -> tuple[Section, ...]:
    """The sections named, or all where none is, in the order of the report."""
    wanted = list(names) or list(SECTIONS)
    for name in wanted:
        if name not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise InputError(f"there is no section {quoted(name)}: {suggestion(name, SECTIONS, f'they are {known}')}")
    return tuple(section for name, section in SECTIONS.items() if name in wanted)


def all_tasks(sections: Iterable[Section], size: Size) -> tuple[Task, ...]:
    """Each task once, also where two sections show it."""
    found = {task.key: task for section in sections for task in section.tasks(size)}
    return tuple(found.values())


@dataclass(frozen=True)
class TaskProgress:
    """Before a task: which one, its place among all, and an estimate of the seconds that all of the rest will take."""

    task: Task
    place: int  # from 1
    count: int
    left: float


def run(
    tasks: Sequence[Task],
    store: RecordStore,
    progress: Callable[[TaskProgress], None] | None = None,
    finished: Callable[[Task, Record], None] | None = None,
) -> list[Record]:
    """The records of all tasks, in order; what was done before with the same settings is not done again."""
    known = {task.key: store.finished(task) for task in tasks}
    costs = {task.key: task.left(store.folder_of(task)) for task in tasks if known[task.key] is None}
    left = sum(costs.values())
    estimated = spent = 0.0
    records = []
    for place, task in enumerate(tasks, 1):
        record = known[task.key]
        if record is None:
            if progress is not None:
                progress(TaskProgress(task, place, len(tasks), left * pace(spent, estimated)))
            record = carry_out(task, store)
            store.write(record)
            left -= costs[task.key]
            if record.done:
                estimated, spent = estimated + costs[task.key], spent + record.seconds
            if finished is not None:
                finished(task, record)
        records.append(record)
    return records


def pace(spent: float, estimated: float) -> float:
    """How slow this machine is against the estimates; believed only after some seconds of work."""
    doubt = 20.0
    return (spent + doubt) / (estimated + doubt)


def carry_out(task: Task, store: RecordStore) -> Record:
    begun = time.perf_counter()
    status, message, result = "done", "", {}
    try:
        result = plain(task.run(store.folder_of(task)))
    except InputError as error:
        # an optional package that is not there is no failure: the message says how to get it
        status, message = "unavailable" if isinstance(error.__cause__, ImportError) else "failed", str(error)
    except Exception as error:  # one failure must not cost the hour that the others take; the report shows it
        status, message = "failed", f"{type(error).__name__}: {error}"
    return Record(
        section=task.section,
        task=task.name,
        title=task.title,
        size=store.size.value,
        status=status,
        message=message,
        settings=plain(task.settings),
        seed=task.seed,
        seconds=time.perf_counter() - begun,
        environment=environment(),
        result=result,
    )
