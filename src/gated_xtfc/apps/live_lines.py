"""Lines at the bottom of a terminal that follow the work and vanish after it; nothing where there is no terminal."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, ProgressColumn


class LiveLines:
    def __init__(self, *columns: ProgressColumn, quiet: bool = False) -> None:
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.live = Progress(*columns, console=console, transient=True) if console.is_terminal and not quiet else None

    def __enter__(self) -> Self:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live is not None:
            self.live.stop()
