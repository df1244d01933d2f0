"""The table `gated-xtfc infer` prints."""

import io
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gated_xtfc.apps.output_folder import OutputFolder
from gated_xtfc.apps.summary_table import shortened
from gated_xtfc.inverse.posterior import Posterior


def show(posterior: Posterior, sites: list[float] | None, folder: OutputFolder | None, files: tuple[str, ...]) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    # Printed as one text by Python itself: rich would answer a closed pipe with an exit code of its own.
    with console.capture() as printed:
        console.print(estimates(posterior))
        console.print(facts(posterior, sites))
        if folder is not None:
            console.print(f"written to {folder.path}: {', '.join(files)}", soft_wrap=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title may hold what the terminal cannot show
    print(printed.get(), end="")  # noqa: T201


def estimates(posterior: Posterior) -> Table:
    table = Table(pad_edge=False)
    for name in ("unknown", "mean", "std", "95 % interval"):
        table.add_column(name, overflow="fold")
    for name, one in posterior.distributions.items():
        interval = " .. ".join(f"{end:.6g}" for end in one.interval(0.95))
        table.add_row(name, f"{one.mean:.6g}", f"{one.std:.2g}", interval)
    return table


def facts(posterior: Posterior, sites: list[float] | None) -> Table:
    table = Table(show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    problem, measured = posterior.problem, posterior.observations
    quantities = ", ".join(f"{one.x.size} of {one.quantity}" for one in measured.series)
    rows = [
        *([("title", shortened(problem.title))] if problem.title else []),
        *(("equation", shortened(equation.text)) for equation in problem.equations),
        ("measurements", quantities),
        ("log evidence", f"{posterior.evidence:.2f}"),
        *([("next sites", ", ".join(f"{x:.6g}" for x in sites))] if sites else []),
        ("solves", f"{posterior.solves}"),
        ("seconds", f"{posterior.seconds:.3g}"),
    ]
    for name, value in rows:
        table.add_row(name, value)
    good = posterior.status == "determined"
    table.add_row("status", Text(posterior.status, style="bold green" if good else "bold yellow"))
    table.add_row("message", posterior.message)
    return table
