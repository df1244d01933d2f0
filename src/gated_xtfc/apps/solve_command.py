"""`gated-xtfc solve`: options -> Problem -> Solution -> table or JSON, and files."""

import json
import math
from argparse import Namespace
from typing import Any

from gated_xtfc import __version__
from gated_xtfc.apps.output_folder import OutputFolder
from gated_xtfc.equation import parse
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.forward import solve
from gated_xtfc.problem import Problem
from gated_xtfc.problem_file import from_mapping, read
from gated_xtfc.solution import Solution


def run(arguments: Namespace) -> int:
    problem = stated(arguments)
    folder = OutputFolder.prepare(arguments.out) if arguments.out is not None else None
    limits = {} if arguments.max_neurons is None else {"max_neurons": arguments.max_neurons}
    solution = solve(problem, arguments.tol, **limits)
    report = json_report(solution)
    if folder is not None:
        write(solution, report, folder)
    if arguments.json:
        print(report)  # noqa: T201
    else:
        # rich is for the eyes only: a script that asks for JSON does not wait for it.
        from gated_xtfc.apps.summary_table import show

        show(solution, folder)
    return 0 if solution.status == "converged" else 1


def stated(arguments: Namespace) -> Problem:
    """The problem of the file, or of the options, with the values of --set."""
    options = {"--equation": arguments.equation, "--domain": arguments.domain, "--condition": arguments.condition}
    given = [name for name, value in options.items() if value]
    if arguments.file is not None and given:
        raise InputError(f"give a problem file or {given[0]}, not both")
    if arguments.file is None and len(given) < len(options):
        missing = " and ".join(name for name in options if name not in given)
        raise InputError(f"{missing} missing: give a problem file, or --equation, --domain and --condition")
    settings = dict(setting(text) for text in arguments.set)
    exact = {} if arguments.exact is None else {"exact": arguments.exact}
    if arguments.file is not None:
        statement = read(arguments.file)
        parameters = statement.get("parameters", {})
        # what is not a table is left for the reader of the statement to refuse
        changed = {**parameters, **settings} if isinstance(parameters, dict) else parameters
        return from_mapping({**statement, **({"parameters": changed} if settings else {}), **exact})
    return from_mapping({
        "equations": arguments.equation,
        "domain": axes(arguments.domain),
        "conditions": arguments.condition,
        "parameters": settings,
        **exact,
    })  # fmt: skip


def axes(texts: list[str]) -> dict[str, list[str]]:
    """`x=0:1` -> {"x": ["0", "1"]}."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, ends = (part.strip() for part in text.partition("="))
        parts = [part.strip() for part in ends.split(":")]
        if not (equals and name and len(parts) == 2 and all(parts)):
            raise InputError(f"--domain takes NAME=LEFT:RIGHT such as x=0:1, not {quoted(text)}")
        if name in found:
            raise InputError(f"--domain {name} is given twice: give it once")
        found[name] = parts
    return found


def setting(text: str) -> tuple[str, float]:
    """`nu=1/101` -> ("nu", 0.0099...)."""
    name, equals, expression = (part.strip() for part in text.partition("="))
    if not (equals and name.isidentifier() and expression):
        raise InputError(f"--set takes NAME=VALUE such as nu=1e-4, not {quoted(text)}")
    value = float(parse(expression, parameters=(), coordinates=(), what=f"the value of {name}").run({}))
    if not math.isfinite(value):
        raise InputError(f"the value of {name} in --set {quoted(text)} is not a finite number")
    return name, value


def write(solution: Solution, report: str, folder: OutputFolder) -> None:
    from gated_xtfc.plots import plot  # matplotlib takes longer to import than most problems take to solve

    plot(solution, folder["solution.png"], folder["solution.svg"])
    solution.to_csv(folder["solution.csv"])
    folder["solution.json"].write_text(report + "\n", encoding="utf-8")


def json_report(solution: Solution) -> str:
    report = {**solution.summary(), "problem": solution.problem.to_dict(), "version": __version__}
    return json.dumps(strict(report), indent=2, allow_nan=False)


def strict(value: Any) -> Any:
    """JSON has no NaN and no infinity: null stands for them."""
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
