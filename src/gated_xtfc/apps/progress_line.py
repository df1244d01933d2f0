"""One line on the terminal that follows a long solve, and is gone when it ends. Quick solves never show it."""

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, cast

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round
from gated_xtfc.solver.continuation import small_parameter

if TYPE_CHECKING:
    from gated_xtfc.problem.plane_problem import PlaneProblem

PATIENCE = 0.7  # seconds of silence that need no explanation


class ProgressLine:
    """Called with every fit on the way: `eps = 0.00316, on the way to 1e-06: 419 neurons, error 3e-04, 2 s`."""

    def __init__(self, problem: Problem, continuation: str | None) -> None:
        self.problem = problem
        self.continuation = continuation
        self.begun = time.perf_counter()
        self.shown = 0  # characters on the line

    def __call__(self, fitted: Round) -> None:
        seconds = time.perf_counter() - self.begun
        if seconds >= PATIENCE:
            self.write(f"{self.place(fitted.value)}{fitted.neurons} neurons, error {fitted.error:.0e}, {seconds:.0f} s")

    def place(self, value: float | None) -> str:
        if value is None:
            return ""
        self.continuation = self.continuation or followed(self.problem)
        target = self.problem.parameters.get(self.continuation or "", value)
        onwards = "" if value == target else f", on the way to {target:.3g}"
        return f"{self.continuation} = {value:.3g}{onwards}: "

    def write(self, text: str) -> None:
        text = text[: line_width()]
        sys.stderr.write("\r" + text.ljust(self.shown))
        sys.stderr.flush()
        self.shown = len(text)

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()


def followed(problem: Problem) -> str | None:
    """The parameter that is followed unless another one is named."""
    if len(problem.domain.axes) == 2:
        from gated_xtfc.solver.rectangle.continuation import small_parameter as on_a_rectangle

        return on_a_rectangle(cast("PlaneProblem", problem))
    return small_parameter(problem)


def watched() -> bool:
    """Whether stderr goes to a screen."""
    return sys.stderr is not None and sys.stderr.isatty()


def line_width() -> int:
    """A line that reached the edge would be wrapped, and could not be taken back."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns - 1 if columns > 1 else 79
