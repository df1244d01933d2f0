"""What the terminal shows during long work: a line that follows it, and is gone when the work ends.

Nothing is shown where stderr is no terminal. rich does the drawing, and is imported when there is something to draw:
neither a quick solve nor a script that asks for JSON waits for it.
"""

import sys
import time
from typing import TYPE_CHECKING, Self

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.continuation import small_parameter
from gated_xtfc.solver.spaces import space_of

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from gated_xtfc.branches.branch import BranchPoint
    from gated_xtfc.paper.records import Record
    from gated_xtfc.paper.run import TaskProgress
    from gated_xtfc.paper.task import Task
    from gated_xtfc.solution.round import Round
    from gated_xtfc.sweeps.run import SweepProgress

PATIENCE = 0.7  # seconds of silence that need no explanation
SELDOM = 30.0  # seconds between two plain lines of a sweep, where there is no terminal


class Display:
    """`show` changes the line and `close` takes it back, also where the work ends in an error or by Ctrl-C."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet  # where JSON is asked for
        self.watched = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.begun = time.perf_counter()
        self.live: Progress | None = None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    def show(self, text: str, done: int | None = None, total: int | None = None) -> None:
        if not self.watched:
            return
        if self.live is None:
            from rich.console import Console
            from rich.progress import Progress

            console = Console(stderr=True, highlight=False, markup=False, emoji=False)
            blind = not console.is_interactive  # a terminal that cannot take a line back gets none
            self.live = Progress(*self.columns(), console=console, transient=True, disable=blind)
            self.live.add_task("", total=None)
        self.live.update(self.live.task_ids[0], description=text, completed=done, total=total)
        self.live.start()  # does nothing where it has begun

    def columns(self) -> "tuple[ProgressColumn, ...]":
        from rich.progress import TextColumn

        return (TextColumn("{task.description}", markup=False),)

    def say(self, text: str) -> None:
        """A line that stays."""
        if not self.quiet and sys.stderr is not None:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def close(self) -> None:
        if self.live is not None:
            self.live.stop()
            self.live = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SolveLine(Display):
    """`eps = 0.00316, on the way to 1e-06: 419 neurons, error 3e-04, 2 s`; quick solves never show it."""

    def __init__(self, problem: Problem, continuation: str | None, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.problem = problem
        self.continuation = continuation

    def __call__(self, fitted: "Round") -> None:
        if self.seconds >= PATIENCE:
            fit = f"{fitted.neurons} neurons, error {fitted.error:.0e}, {self.seconds:.0f} s"
            self.show(fit if fitted.value is None else f"{self.place(fitted.value)}: {fit}")

    def place(self, value: float) -> str:
        if self.problem.evolution is not None:
            clock = self.problem.evolution.time
            return f"{clock.name} = {value:.3g}, on the way to {clock.right:.3g}"
        name = self.continuation = self.continuation or small_parameter(space_of(self.problem, 1e-8))
        target = self.problem.parameters.get(name or "", value)
        return f"{name} = {value:.3g}" + ("" if value == target else f", on the way to {target:.3g}")


class EigenLine(Display):
    """`419 neurons, 8 eigenvalues found again, error 3e-04, 2 s`; quick searches never show it."""

    def __call__(self, neurons: int, found: int, error: float) -> None:
        if self.seconds >= PATIENCE:
            self.show(f"{neurons} neurons, {found} eigenvalues found again, error {error:.0e}, {self.seconds:.0f} s")


class BranchLine(Display):
    """`k = 3.41, 25 solutions, 2 s`; quick branches never show it."""

    def __init__(self, name: str, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.name = name
        self.count = 0

    def __call__(self, point: "BranchPoint") -> None:
        self.count += 1
        if self.seconds >= PATIENCE:
            self.show(f"{self.name} = {point.parameter:.6g}, {self.count} solutions, {self.seconds:.0f} s")


class InferLine(Display):
    """`120 solves, 2 s`; quick inferences never show it."""

    def __call__(self, solves: int) -> None:
        if self.seconds >= PATIENCE:
            self.show(f"{solves} solves, {self.seconds:.0f} s")


class SweepBar(Display):
    """A bar with rate, failures and time left; where there is no terminal a plain line now and then.

    `progress` is how far the sweep got, None where it did not begin.
    """

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.progress: SweepProgress | None = None
        self.told = time.monotonic()

    def __call__(self, progress: "SweepProgress") -> None:
        self.progress = progress
        self.show(words(progress), progress.done, progress.total)
        if not self.watched and time.monotonic() - self.told >= SELDOM:
            self.told = time.monotonic()
            self.say(f"{progress.done}/{progress.total} {words(progress)}")

    def columns(self) -> "tuple[ProgressColumn, ...]":
        from rich.progress import BarColumn, MofNCompleteColumn

        return BarColumn(), MofNCompleteColumn(), *super().columns()


class TaskLines(Display):
    """Which task of the paper is running, for how long, and how much is left; every task that ends leaves a line."""

    place = ""

    def begin(self, progress: "TaskProgress") -> None:
        self.place = f"{progress.place} of {progress.count}, about {duration(progress.left)} left"
        self.show(f"{self.place}: {progress.task.title}")

    def end(self, task: "Task", record: "Record") -> None:
        self.close()
        told = f"{record.seconds:.1f} s" if record.done else f"{record.status}: {record.message}"
        self.say(f"{self.place}: {task.title}: {told}")

    def columns(self) -> "tuple[ProgressColumn, ...]":
        from rich.progress import SpinnerColumn, TimeElapsedColumn

        return SpinnerColumn(), *super().columns(), TimeElapsedColumn()


def words(progress: "SweepProgress") -> str:
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
