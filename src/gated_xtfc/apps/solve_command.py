"""`gated-xtfc solve`: options -> Problem -> Solution -> table or JSON, and files."""

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from gated_xtfc.apps.display import SolveLine
from gated_xtfc.apps.output import OutputFolder, json_text, tell
from gated_xtfc.apps.statement import Statement, amended, axes, by_field, solver_options, tables
from gated_xtfc.errors import InputError
from gated_xtfc.files import write_text
from gated_xtfc.problem.file import Guidance, from_mapping, read, with_files
from gated_xtfc.solution.base import Solution
from gated_xtfc.solver.solve import solve

FILES = ("solution.png", "solution.svg", "solution.csv", "solution.json")
FILM = "solution"  # of what evolves


def run(arguments: Namespace) -> int:
    statement = stated(arguments)
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    film = f"{FILM}.{arguments.film}" if problem.evolution is not None else None
    files = FILES if film is None else (*FILES, film)
    if film is not None and arguments.out is not None and not film.endswith(".gif"):
        from gated_xtfc.plots import film_format  # matplotlib, which says so before any work is done

        film_format(Path(film))
    folder = OutputFolder.asked(arguments.out, files)
    with SolveLine(problem, guidance.continuation, quiet=arguments.json) as line:
        options = solver_options(guidance, arguments)
        solution = solve(problem, arguments.tol, stop=arguments.stop, progress=line, **options)
    report = json_report(solution)
    if folder is not None:
        write(solution, report, folder, film)
    if arguments.json:
        tell(report)
    else:
        from gated_xtfc.apps.tables import show, solution_table  # rich, which no script should wait for

        show(solution_table(solution), folder=folder)
    return 0 if solution.converged else 1


def stated(arguments: Namespace) -> Statement:
    """The keys and values of the file, or those that the options stand for, with what other options replace."""
    options = {"--equation": arguments.equation, "--domain": arguments.domain, "--condition": arguments.condition}
    given = [name for name, value in options.items() if value]
    if arguments.file is not None and given:
        raise InputError(f"give a problem file or {given[0]}, not both")
    if arguments.file is None and len(given) < len(options):
        missing = " and ".join(name for name in options if name not in given)
        raise InputError(f"{missing} missing: give a problem file, or --equation, --domain and --condition")
    if arguments.file is not None:
        statement = read(arguments.file)
    else:
        domain = axes(arguments.domain)
        statement = {"equations": arguments.equation, "domain": domain, "conditions": arguments.condition}
    if arguments.table:
        held = statement.get("tables", {})
        own = {"tables": tables(arguments.table)}
        statement = {**statement, "tables": {**(held if isinstance(held, dict) else {}), **with_files(own)["tables"]}}
    return amended(
        statement,
        arguments.set,
        unknown=arguments.unknown,
        exact=by_field(arguments.exact, "--exact"),
        guess=by_field(arguments.guess, "--guess"),
        continuation=arguments.continuation,
    )


def write(solution: Solution, report: str, folder: OutputFolder, film: str | None = None) -> None:
    from gated_xtfc.plots import plot  # matplotlib takes longer to import than most problems take to solve

    plot(solution, folder["solution.png"], folder["solution.svg"])
    solution.to_csv(folder["solution.csv"])
    write_text(folder["solution.json"], report + "\n")
    if film is not None:
        from gated_xtfc.plots import animate
        from gated_xtfc.solution.evolution import EvolutionSolution  # sparse matrices, which others need not wait for

        assert isinstance(solution, EvolutionSolution)
        animate(solution, folder[film])


def json_report(solution: Solution) -> str:
    return json_text(
        {
            **solution.summary(),
            "continuation": solution.continuation,
            "history": [asdict(entry) for entry in solution.history],
            "problem": solution.problem.to_dict(),
        }
    )
