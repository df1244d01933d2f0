"""One line on the terminal that follows a long solve, and is gone when it ends. Quick solves never show it."""

import os
import sys
import time
from types import TracebackType

from gated_xtfc.solution import Round

PATIENCE = 0.7  # seconds of silence that need no explanation


class ProgressLine:
    """Called with every member of the family that was solved on the way: `eps = 1e-3: level 5, 419 neurons ...`"""

    def __init__(self, parameter: str | None) -> None:
        self.name = f"{parameter} = " if parameter else "continuation at "
        self.begun = time.perf_counter()
        self.levels = 0
        self.shown = 0  # characters on the line

    def __call__(self, member: Round) -> None:
        self.levels += 1
        seconds = time.perf_counter() - self.begun
        if seconds < PATIENCE or member.value is None:
            return
        solved = f"{member.neurons} neurons, error {member.error:.0e}"
        self.write(f"{self.name}{member.value:.3g}: level {self.levels}, {solved}, {seconds:.0f} s")

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


def watched() -> bool:
    """Whether somebody sits before the screen that stderr goes to."""
    return sys.stderr is not None and sys.stderr.isatty()


def line_width() -> int:
    """A line that reached the edge would be wrapped, and could not be taken back."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns - 1 or 79
    except (OSError, ValueError):
        return 79
