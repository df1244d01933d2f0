"""The table `gated-xtfc compare` prints."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gated_xtfc.apps.summary_table import shortened
from gated_xtfc.paper.comparison import OURS, MethodResult
from gated_xtfc.paper.wording import duration
from gated_xtfc.problem.problem import Problem


def show(lines: tuple[MethodResult, ...], problem: Problem, reference: str) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    # Printed as one text by Python itself: rich would answer a closed pipe with an exit code of its own.
    with console.capture() as printed:
        console.print(comparison_table(lines))
        told = ", ".join(f"{name} = {value:.6g}" for name, value in problem.parameters.items())
        equations = "; ".join(equation.text for equation in problem.equations)
        console.print(shortened(f"{equations}{f'   ({told})' if told else ''}"), soft_wrap=True)
        console.print(f"error: largest, relative to max(1, max|u|), against {reference}", soft_wrap=True)
    print(printed.get(), end="")  # noqa: T201


def comparison_table(lines: tuple[MethodResult, ...]) -> Table:
    table = Table(pad_edge=False)
    table.add_column("method", no_wrap=True)
    for name in ("error", "neurons\nor nodes", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for line in lines:
        style = "bold" if line.method == OURS else "" if line.ran else "dim"
        cells = (
            line.method,
            "–" if line.error is None else f"{line.error:.1e}",
            "–" if line.neurons is None else f"{line.neurons}",
            "–" if line.seconds is None else duration(line.seconds),
            line.note,
        )
        table.add_row(*(Text(cell, style=style) for cell in cells))
    return table
