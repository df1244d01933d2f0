"""In a notebook, long work shows a line below its cell that follows it, and is gone when the work ends.

IPython is never imported: where it is not there already, nobody looks. What is called inside other work stays silent.
"""

from __future__ import annotations  # help() shows types as they are written here

import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

PATIENCE = 0.7  # seconds of silence that need no explanation
OFTEN = 0.2  # seconds between two changes of the line

Given = ParamSpec("Given")
Found = TypeVar("Found")
_at_work: ContextVar[bool] = ContextVar("at_work", default=False)


def followed(words: Callable[..., str]) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """A function with an option `progress`, which in a notebook is a line unless given.

    Parameters
    ----------
    words
        What the line says: called with what `progress` is called with.
    """

    def wrapped(verb: Callable[Given, Found]) -> Callable[Given, Found]:
        @wraps(verb)
        def call(*given: Given.args, **options: Given.kwargs) -> Found:
            if "IPython" not in sys.modules or options.get("progress") is not None or _at_work.get():
                return verb(*given, **options)
            display = cell_display()
            if display is None:
                return verb(*given, **options)
            line, before = NotebookLine(display, words), _at_work.set(True)
            options["progress"] = line
            try:
                return verb(*given, **options)
            finally:
                _at_work.reset(before)
                line.close()

        return call

    return wrapped


def cell_display() -> Any:
    """IPython's `display`, where there is a notebook to show something in."""
    shell = sys.modules["IPython"].get_ipython()
    return sys.modules["IPython"].display.display if getattr(shell, "kernel", None) is not None else None


class NotebookLine:
    """What is told, as text below the cell; quick work never shows it."""

    def __init__(self, display: Any, words: Callable[..., str]) -> None:
        self.display, self.words = display, words
        self.begun = self.shown = time.perf_counter()
        self.handle: Any = None

    def __call__(self, *told: Any) -> None:
        now = time.perf_counter()
        if now - self.begun < PATIENCE or now - self.shown < OFTEN:
            return
        self.shown = now
        text = {"text/plain": f"{self.words(*told)}, {now - self.begun:.0f} s"}
        if self.handle is None:
            self.handle = self.display(text, raw=True, display_id=True)
        else:
            self.handle.update(text, raw=True)

    def close(self) -> None:
        """Nothing is left of it but an empty place."""
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)
