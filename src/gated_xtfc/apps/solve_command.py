"""`gated-xtfc solve`: options -> Problem -> Solution -> table or JSON, and files."""

import json
import math
import re
from argparse import Namespace
from dataclasses import asdict
from typing import Any

from gated_xtfc import __version__
from gated_xtfc.apps.display import SolveLine
from gated_xtfc.apps.output_folder import OutputFolder
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.equation import parse
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.solution.interval import Solution
from gated_xtfc.solver.solve import solve

NAMED = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<text>.*)", re.DOTALL)  # where(x <= 1, ...) is not


def run(arguments: Namespace) -> int:
    statement = stated(arguments)
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    folder = OutputFolder.prepare(arguments.out) if arguments.out is not None else None
    limits = {name: getattr(arguments, name) for name in ("max_neurons", "max_rounds", "max_steps", "max_memory")}
    options = {**vars(guidance), **{name: value for name, value in limits.items() if value is not None}}
    with SolveLine(problem, guidance.continuation, quiet=arguments.json) as line:
        solution = solve(problem, arguments.tol, progress=line, **options)
    report = json_report(solution)
    if folder is not None:
        write(solution, report, folder)
    if arguments.json:
        print(report)  # noqa: T201
    else:
        # rich is for the eyes only: a script that asks for JSON does not wait for it.
        from gated_xtfc.apps.summary_table import show

        show(solution, folder)
    return 0 if solution.converged else 1


def stated(arguments: Namespace) -> dict[str, Any]:
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
        statement = {
            "equations": arguments.equation, "domain": axes(arguments.domain), "conditions": arguments.condition,
        }  # fmt: skip
    settings = dict(setting(text) for text in arguments.set)
    parameters = statement.get("parameters", {})
    # what is not a table is left for the reader of the statement to refuse
    if settings and isinstance(parameters, dict):
        statement["parameters"] = {**parameters, **settings}
    replaced = {
        "unknown": arguments.unknown,
        "exact": by_field(arguments.exact, "--exact"),
        "guess": by_field(arguments.guess, "--guess"),
        "continuation": arguments.continuation,
    }
    return {**statement, **{key: value for key, value in replaced.items() if value not in (None, [])}}


def by_field(texts: list[str], option: str) -> str | dict[str, str] | None:
    """["x"] -> "x"; ["u=x", "v = 1"] -> {"u": "x", "v": "1"}."""
    found: dict[str, str] = {}
    for text in texts:
        named = NAMED.fullmatch(text)
        if named is None and len(texts) == 1:
            return text
        if named is None:
            raise InputError(f"of several {option} each takes NAME=TEXT such as u=1-x, not {quoted(text)}")
        name = named["name"]
        if name in found:
            raise InputError(f"{option} {name} is given twice: give it once")
        found[name] = named["text"]
    return found or None


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
    report = {
        **solution.summary(),
        "continuation": solution.continuation,
        "history": [asdict(entry) for entry in solution.history],
        "problem": solution.problem.to_dict(),
        "version": __version__,
    }
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
