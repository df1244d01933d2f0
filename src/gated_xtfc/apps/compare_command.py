"""`gated-xtfc compare`: one problem, this solver and its peers, a table or JSON."""

from argparse import Namespace
from dataclasses import asdict

from gated_xtfc.apps.display import Display
from gated_xtfc.apps.output import json_text, tell
from gated_xtfc.apps.statement import amended
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.paper.comparison import METHODS, OURS, PAPER, Sizes, compare
from gated_xtfc.paper.records import environment
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.problem.problem import Problem, require_interval


def run(arguments: Namespace) -> int:
    statement = amended(read(arguments.file), arguments.set)
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    require_interval(problem, "compare works on problems")
    methods = wanted(arguments.skip)
    sizes = PAPER if arguments.full else Sizes()
    with Display(quiet=arguments.json) as display:
        lines = compare(
            problem, arguments.tol, methods=methods, sizes=sizes, guidance=vars(guidance),
            progress=lambda name: display.show(f"{name} ..."),
        )  # fmt: skip
    if arguments.json:
        report = {
            "problem": problem.to_dict(), "tol": arguments.tol, "reference": reference(problem), "sizes": asdict(sizes),
            "methods": [line.record() for line in lines], "environment": environment(),
        }  # fmt: skip
        tell(json_text(report))
    else:
        from gated_xtfc.apps.tables import comparison_table, parameters, shortened, show

        equations = "; ".join(equation.text for equation in problem.equations)
        told = f"   ({parameters(problem)})" if problem.parameters else ""
        measured = f"error: largest, relative to max(1, max|u|), against {reference(problem)}"
        show(comparison_table(lines), shortened(equations + told), measured)
    return 0 if all(line.converged for line in lines if line.method == OURS) else 1


def wanted(skipped: list[str]) -> tuple[str, ...]:
    """The methods less those left out; `x-tfc` stands for all whose name begins so."""
    left = list(METHODS)
    for name in skipped:
        given = name.strip().lower().replace("_", "-")
        matching = [method for method in METHODS[1:] if given and method.lower().replace("_", "-").startswith(given)]
        if not matching:
            known = [method.lower().split(" (")[0] for method in METHODS[1:]]
            unique = ", ".join(dict.fromkeys(known))
            raise InputError(f"--skip {quoted(name)} is no method: {suggestion(given, known, f'they are {unique}')}")
        left = [method for method in left if method not in matching]
    return tuple(left)


def reference(problem: Problem) -> str:
    return "the exact solution" if problem.exacts else "our own certified solution"
