"""`gated-xtfc compare`: one problem, this solver and its peers, a table or JSON."""

import json
import sys
from argparse import Namespace
from dataclasses import asdict

from gated_xtfc import __version__
from gated_xtfc.apps.progress_line import watched
from gated_xtfc.apps.solve_command import setting, strict
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.paper.comparison import METHODS, OURS, PAPER, Sizes, compare
from gated_xtfc.paper.records import environment
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.problem.problem import Problem


def run(arguments: Namespace) -> int:
    statement = read(arguments.file)
    settings, parameters = dict(setting(text) for text in arguments.set), statement.get("parameters", {})
    if settings and isinstance(parameters, dict):
        statement["parameters"] = {**parameters, **settings}
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    if len(problem.domain.axes) > 1:
        raise InputError("compare works on problems with one coordinate only, and this one has two: use solve")
    methods = wanted(arguments.skip)
    sizes = PAPER if arguments.full else Sizes()
    say = now_running if watched() and not arguments.json else None
    lines = compare(problem, arguments.tol, methods=methods, sizes=sizes, guidance=vars(guidance), progress=say)
    if say is not None:
        say("")
    if arguments.json:
        report = {
            "problem": problem.to_dict(), "tol": arguments.tol, "reference": reference(problem), "sizes": asdict(sizes),
            "methods": [line.record() for line in lines], "environment": environment(), "version": __version__,
        }  # fmt: skip
        print(json.dumps(strict(report), indent=2, allow_nan=False))  # noqa: T201
    else:
        from gated_xtfc.apps.comparison_table import show  # rich is for the eyes only

        show(lines, problem, reference(problem))
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


def now_running(name: str) -> None:
    sys.stderr.write(f"\r{f'{name} ...' if name else '':<40}" + ("" if name else "\r"))
    sys.stderr.flush()
