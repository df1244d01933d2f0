"""`gated-xtfc infer`: problem file, data and unknowns -> Posterior -> table or JSON, and files."""

import csv
import json
import re
from argparse import Namespace
from typing import Any

import numpy as np

from gated_xtfc import __version__
from gated_xtfc.apps.display import InferLine
from gated_xtfc.apps.output_folder import OutputFolder
from gated_xtfc.apps.solve_command import by_field, setting, strict
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.inverse.data_file import read_data
from gated_xtfc.inverse.infer import infer
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.priors import LogNormal, LogUniform, Normal, Prior, Uniform
from gated_xtfc.problem.equation import parse
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.problem.problem import Problem

FILES = ("posterior.png", "posterior.svg", "posterior.csv", "posterior.json", "posterior.npz", "field.csv")
POINTS = 401  # of field.csv


def run(arguments: Namespace) -> int:
    problem, guidance = stated(arguments)
    columns = [name.strip() for name in arguments.columns.split(",")] if arguments.columns else []
    unknown = unknowns(arguments.unknown, arguments.prior)
    noise = None if arguments.noise is None else number(arguments.noise, "the noise")
    data = read_data(arguments.data, problem, columns)
    folder = OutputFolder.prepare(arguments.out, FILES) if arguments.out is not None else None
    options = {
        "student": arguments.student, "discrepancy": arguments.discrepancy, "tol": arguments.tol,
        "seed": arguments.seed, **vars(guidance),
    }  # fmt: skip
    with InferLine(quiet=arguments.json) as line:
        posterior = infer(problem, data, unknown, noise, progress=line, **options)
    sites = None if arguments.sites is None else posterior.next_sites(arguments.sites).tolist()
    report = {
        **posterior.summary(), **({} if sites is None else {"next_sites": sites}),
        "problem": problem.to_dict(), "version": __version__,
    }  # fmt: skip
    text = json.dumps(strict(report), indent=2, allow_nan=False)
    if folder is not None:
        write(posterior, text, folder)
    if arguments.json:
        print(text)  # noqa: T201
    else:
        from gated_xtfc.apps.posterior_table import show  # rich is for the eyes only

        show(posterior, sites, folder, FILES)
    return 1 if posterior.status == "approximate" else 0


def stated(arguments: Namespace) -> tuple[Problem, Guidance]:
    statement = read(arguments.file)
    settings, parameters = dict(setting(text) for text in arguments.set), statement.get("parameters", {})
    if isinstance(parameters, dict):
        # what is unknown needs no value in the file
        names = {text.partition("=")[0].strip() for text in arguments.unknown}
        open_ones = {name: 1.0 for name in sorted(names) if name not in parameters and _in_text(name, statement)}
        statement["parameters"] = {**open_ones, **parameters, **settings}
    replaced = {"guess": by_field(arguments.guess, "--guess"), "continuation": arguments.continuation}
    statement |= {key: value for key, value in replaced.items() if value is not None}
    return from_mapping(statement), Guidance.stated(statement)


def _in_text(name: str, statement: dict[str, Any]) -> bool:
    texts = [statement.get("equation", ""), *statement.get("equations", []), *statement.get("conditions", [])]
    return any(isinstance(text, str) and re.search(rf"\b{re.escape(name)}\b", text) for text in texts)


def unknowns(texts: list[str], priors: list[str]) -> dict[str, Any]:
    """{"nu": (1e-4, 1)} or {"nu": LogNormal(...)} from `nu=1e-4:1` and `nu=lognormal:1e-2:0.5`."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, bounds = (part.strip() for part in text.partition("="))
        if not name.isidentifier() or bool(equals) != bool(bounds):
            raise InputError(f"--unknown takes NAME=LOW:HIGH such as nu=1e-4:1, not {quoted(text)}")
        if name in found:
            raise InputError(f"--unknown {name} is given twice: give it once")
        found[name] = bounds_of(name, bounds) if bounds else None
    for text in priors:
        name, equals, kind = (part.strip() for part in text.partition("="))
        if not equals or name not in found:
            raise InputError(f"--prior {quoted(text)} names no unknown: write NAME=PRIOR for one of {', '.join(found)}")
        found[name] = prior(name, kind, found[name])
    for name, given in found.items():
        if given is None:
            raise InputError(f"--unknown {name} has no bounds: write {name}=LOW:HIGH such as {name}=1e-4:1")
    return found


def bounds_of(name: str, text: str) -> tuple[float, float]:
    parts = text.split(":")
    if len(parts) != 2:
        raise InputError(f"--unknown takes NAME=LOW:HIGH such as nu=1e-4:1, not {quoted(f'{name}={text}')}")
    return number(parts[0], f"the lower bound of {name}"), number(parts[1], f"the upper bound of {name}")


def prior(name: str, text: str, bounds: tuple[float, float] | None) -> Prior:
    kind, *numbers = (part.strip() for part in text.split(":"))
    values = [number(part, f"the prior of {name}") for part in numbers]
    if kind in ("uniform", "loguniform") and not values:
        if bounds is None:
            raise InputError(f"a {kind} prior of {name} needs bounds: write --unknown {name}=LOW:HIGH")
        return (Uniform if kind == "uniform" else LogUniform)(*bounds)
    if kind in ("normal", "lognormal") and len(values) == 2:
        return (Normal if kind == "normal" else LogNormal)(*values, *(bounds or ()))
    raise InputError(
        f"--prior {quoted(f'{name}={text}')} is not understood: it takes uniform, loguniform, normal:MEAN:STD or "
        f"lognormal:MEDIAN:SPREAD"
    )


def number(text: str, what: str) -> float:
    """A number, or an expression such as 1/101."""
    return float(parse(text, parameters=(), coordinates=(), what=what).run({}))


def write(posterior: Posterior, report: str, folder: OutputFolder) -> None:
    from gated_xtfc.plots.posterior_figure import plot

    plot(posterior, folder["posterior.png"], folder["posterior.svg"])
    posterior.to_csv(folder["posterior.csv"])
    posterior.save(folder["posterior.npz"])
    folder["posterior.json"].write_text(report + "\n", encoding="utf-8")
    write_field(posterior, folder)


def write_field(posterior: Posterior, folder: OutputFolder) -> None:
    """x, and mean, standard deviation and 95 % band of every field, at points dense in the layers."""
    problem, model = posterior.problem, posterior.field_model
    along = np.linspace(0.0, model.member.pieces.length, POINTS)
    x = np.clip(model.member.pieces.inverse(along) + model.member.origin, problem.axis.left, problem.axis.right)
    header, columns = [problem.axis.name], [x]
    for name in problem.fields:
        header += [name, f"{name}_std", f"{name}_low", f"{name}_high"]
        columns += [*posterior.predict(x, name), *posterior.band(x, 0.95, name)]
    with folder["field.csv"].open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows(zip(*(column.tolist() for column in columns), strict=True))
