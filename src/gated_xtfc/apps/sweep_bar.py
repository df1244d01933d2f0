"""How far a sweep is: a bar with rate, failures and time left on a terminal; elsewhere a plain line now and then."""

import sys
import time

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

from gated_xtfc.apps.live_lines import LiveLines
from gated_xtfc.sweeps.run import Progress

SELDOM = 30.0  # seconds between two plain lines


class SweepBar(LiveLines):
    def __init__(self, quiet: bool = False) -> None:
        columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False)
        super().__init__(*columns, quiet=quiet)
        self.task = self.live.add_task("", total=None) if self.live is not None else None
        self.quiet, self.told = quiet, time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if self.live is not None and self.task is not None:
            self.live.update(self.task, completed=progress.done, total=progress.total, description=words(progress))
        elif not self.quiet and sys.stderr is not None and time.monotonic() - self.told >= SELDOM:
            self.told = time.monotonic()
            sys.stderr.write(f"{progress.done}/{progress.total} {words(progress)}\n")
            sys.stderr.flush()


def words(progress: Progress) -> str:
    """`412 a second, 3 not converged, 12 s left`."""
    if not progress.solved:
        return "starting"
    rate = f"{progress.rate:.0f} a second" if progress.rate >= 10.0 else f"{progress.rate:.2g} a second"
    failed = [f"{progress.failed} not converged"] if progress.failed else []
    return ", ".join([rate, *failed, f"{duration(progress.left)} left"])


def duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
