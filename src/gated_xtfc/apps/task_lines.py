"""What is running and how much is left: a live line on a terminal, one plain line for each task elsewhere."""

import sys

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from gated_xtfc.apps.live_lines import LiveLines
from gated_xtfc.paper.records import Record
from gated_xtfc.paper.run import TaskProgress
from gated_xtfc.paper.task import Task


class TaskLines(LiveLines):
    def __init__(self) -> None:
        super().__init__(SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        self.current = ""

    def begin(self, progress: TaskProgress) -> None:
        self.current = f"{progress.place} of {progress.count}, about {left(progress.left)} left"
        if self.live is not None:
            for old in self.live.task_ids:
                self.live.remove_task(old)
            self.live.add_task(f"{self.current}: {progress.task.title}")

    def end(self, task: Task, record: Record) -> None:
        told = f"{record.seconds:.1f} s" if record.done else f"{record.status}: {record.message}"
        line = f"{self.current}: {task.title}: {told}"
        if self.live is not None:
            self.live.console.print(line, soft_wrap=True)
        elif sys.stderr is not None:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()


def left(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
