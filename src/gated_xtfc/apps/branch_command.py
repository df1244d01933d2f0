"""`gated-xtfc branch`: options -> Problem -> Branch -> table or JSON, and files."""

from argparse import Namespace

from gated_xtfc.apps.display import BranchLine
from gated_xtfc.apps.output import OutputFolder, json_text, tell
from gated_xtfc.apps.statement import amended, named, number, those_given
from gated_xtfc.branches.branch import Branch
from gated_xtfc.branches.follow import branch
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.problem.file import Guidance, from_mapping, read

FILES = ("branch.png", "branch.svg", "branch.csv", "branch.json")
TAKES = "--along takes NAME=FIRST:LAST such as k=0:10"


def run(arguments: Namespace) -> int:
    name, between = along(arguments.along)
    statement = amended(read(arguments.file), arguments.set, missing={name: between[0]})
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    folder = OutputFolder.asked(arguments.out, FILES)
    limits = those_given(max_points=arguments.max_points, max_seconds=arguments.max_seconds)
    with BranchLine(name, quiet=arguments.json) as line:
        found = branch(
            problem, name, between, arguments.tol, show=arguments.show, guess=guidance.guess,
            switch=not arguments.no_switch, store=arguments.store, progress=line, **limits,
        )  # fmt: skip
    report = json_text({**found.summary(), "problem": problem.to_dict()})
    if folder is not None:
        write(found, report, folder)
    if arguments.json:
        tell(report)
    else:
        tell(found.table())
        tell(f"{found.message}, {found.seconds:.3g} s")
    return 0


def along(text: str) -> tuple[str, tuple[float, float]]:
    """`k=0:10` -> ("k", (0.0, 10.0))."""
    name, ends = named(text, TAKES)
    parts = [part.strip() for part in ends.split(":")]
    if len(parts) != 2 or not all(parts):
        raise InputError(f"{TAKES}, not {quoted(text)}")
    return name, (number(parts[0], f"the first value of {name}"), number(parts[1], f"the last value of {name}"))


def write(found: Branch, report: str, folder: OutputFolder) -> None:
    from gated_xtfc.plots.branch_figure import plot_branch  # matplotlib takes longer to import than most branches

    plot_branch(found, folder["branch.png"], folder["branch.svg"])
    found.to_csv(folder["branch.csv"])
    write_text(folder["branch.json"], report + "\n")
