"""The table `gated-xtfc solve` prints."""

import io
import math
import sys
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gated_xtfc.apps.output_folder import NAMES, OutputFolder
from gated_xtfc.solution.interval import Solution

LONGEST = 200


def show(solution: Solution, folder: OutputFolder | None) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    # Printed as one text by Python itself: rich would answer a closed pipe with an exit code of its own.
    with console.capture() as printed:
        console.print(summary_table(solution))
        if folder is not None:
            console.print(f"written to {folder.path}: {', '.join(NAMES)}", soft_wrap=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title may hold what the terminal cannot show
    print(printed.get(), end="")  # noqa: T201


def summary_table(solution: Solution) -> Table:
    table = Table(show_header=False, title=None, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows(solution):
        table.add_row(name, Text(value, style=style(name, solution)))
    return table


def rows(solution: Solution) -> list[tuple[str, str]]:
    problem = solution.problem
    true_error = solution.true_error()
    return [
        *([("title", shortened(problem.title))] if problem.title else []),
        *(("equation", shortened(equation.text)) for equation in problem.equations),
        *([("parameters", shortened(", ".join(f"{k} = {v:.6g}" for k, v in problem.parameters.items())))]
          if problem.parameters else []),
        *(("constant", f"{name} = {value:.12g}") for name, value in solution.constants.items()),
        ("neurons", f"{solution.neurons}"),
        ("sites", f"{solution.sites}"),
        ("gates", gates(solution)),
        *([("continuation", path(solution))] if solution.continuation else []),
        ("rounds", f"{solution.rounds}"),
        ("error estimate", f"{estimate(solution)}  (tolerance {solution.tol:.1e})"),
        *([("true error", f"{true_error:.1e}")] if true_error is not None else []),
        ("seconds", f"{solution.seconds:.3g}"),
        ("status", solution.status),
        ("message", solution.message),
    ]  # fmt: skip


def gates(solution: Solution) -> str:
    """How many, and the first few of them in words."""
    shown = 4
    if isinstance(solution.gates, Mapping):  # on a rectangle by axis
        found = [f"{name}: {gate.describe()}" for name, some in solution.gates.items() for gate in some]
    else:
        found = [gate.describe() for gate in solution.gates]
    lines = found[:shown]
    if len(found) > shown:
        lines.append(f"and {len(found) - shown} more")
    return "; ".join([f"{len(found)}", *lines]).replace(";", ":", 1) if lines else "0"


def path(solution: Solution) -> str:
    """How far the parameter was followed: `eps from 1 to 1e-06 in 9 levels`."""
    values = list(dict.fromkeys(entry.value for entry in solution.history if entry.value is not None))
    steps = "1 level" if len(values) == 1 else f"{len(values)} levels"
    return f"{solution.continuation} from {values[0]:.4g} to {values[-1]:.4g} in {steps}"


def estimate(solution: Solution) -> str:
    return f"{solution.error:.1e}" if math.isfinite(solution.error) else "none"


def style(name: str, solution: Solution) -> str:
    if name != "status":
        return ""
    return "bold green" if solution.converged else "bold yellow" if math.isfinite(solution.error) else "bold red"


def shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 4]} ..."
