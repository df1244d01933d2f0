"""The sections of the report, in its order."""

from collections.abc import Iterable

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.paper import forward, inverse, meta, poisson, sensitivity, state_of_the_art, table1, twin
from gated_xtfc.paper.task import Section, Size, Task

SECTIONS = {
    one.SECTION.name: one.SECTION
    for one in (forward, state_of_the_art, table1, inverse, meta, twin, poisson, sensitivity)
}


def chosen(names: Iterable[str]) -> tuple[Section, ...]:
    """Those named, all where none is; in the order of the report."""
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
