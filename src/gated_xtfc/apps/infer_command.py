"""`gated-xtfc infer`: problem file, data and unknowns -> Posterior -> table or JSON, and files."""

import re
from argparse import Namespace

import numpy as np

from gated_xtfc.apps.display import InferLine
from gated_xtfc.apps.output import OutputFolder, json_text, tell
from gated_xtfc.apps.statement import Statement, amended, by_field, number, once
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.inverse.data_file import read_table
from gated_xtfc.inverse.data_table import Columns
from gated_xtfc.inverse.design import candidates
from gated_xtfc.inverse.infer import infer
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.priors import LogNormal, LogUniform, Normal, Prior, Uniform
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.solution.table import write_csv

FILES = ("posterior.png", "posterior.svg", "posterior.csv", "posterior.json", "posterior.npz", "field.csv")
POINTS = 401  # of field.csv

Bounds = tuple[float, float]


def run(arguments: Namespace) -> int:
    statement = stated(arguments)
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    unknown = unknowns(arguments.unknown, arguments.prior)
    noise = None if arguments.noise is None else number(arguments.noise, "the noise")
    data, columns = read_table(arguments.data), column_names(arguments.columns)
    data.measured(problem, columns)  # what is wrong with it is said before a folder is made
    folder = OutputFolder.asked(arguments.out, FILES)
    with InferLine(quiet=arguments.json) as line:
        posterior = infer(
            problem, data, unknown, noise, columns=columns, student=arguments.student,
            discrepancy=arguments.discrepancy,
            tol=arguments.tol, seed=arguments.seed, max_seconds=arguments.max_seconds, progress=line, **vars(guidance),
        )  # fmt: skip
    sites = None if arguments.sites is None else posterior.next_sites(arguments.sites).tolist()
    further = {} if sites is None else {"next_sites": sites}
    report = json_text({**posterior.summary(), **further, "problem": problem.to_dict()})
    if folder is not None:
        write(posterior, report, folder)
    if arguments.json:
        tell(report)
    else:
        from gated_xtfc.apps.tables import estimates, posterior_table, show  # rich, which no script should wait for

        show(estimates(posterior), posterior_table(posterior, sites), folder=folder)
    return 1 if posterior.status == "approximate" else 0


def stated(arguments: Namespace) -> Statement:
    """The keys and values of the file, with what options replace; what is unknown needs no value in it."""
    statement = read(arguments.file)
    names = sorted({text.partition("=")[0].strip() for text in arguments.unknown})
    return amended(
        statement,
        arguments.set,
        missing={name: 1.0 for name in names if occurs(name, statement)},
        guess=by_field(arguments.guess, "--guess"),
        continuation=arguments.continuation,
    )


def occurs(name: str, statement: Statement) -> bool:
    """Whether the name stands in an equation or a condition."""
    stated = (statement.get(key) for key in ("equation", "equations", "conditions"))
    texts = [text for one in stated for text in (one if isinstance(one, list) else [one])]
    return any(isinstance(text, str) and re.search(rf"\b{re.escape(name)}\b", text) for text in texts)


def column_names(text: str | None) -> Columns:
    """`x,temperature` -> ["x", "temperature"]; `x=place,u'=flux` -> {"x": "place", "u'": "flux"}."""
    names = [name.strip() for name in text.split(",")] if text else []
    if not any("=" in name for name in names):
        return names
    return {name.strip(): column.strip() for name, _, column in (one.partition("=") for one in names)}


def unknowns(texts: list[str], priors: list[str]) -> dict[str, Bounds | Prior]:
    """{"nu": (1e-4, 1)} or {"nu": LogNormal(...)} from `nu=1e-4:1` and `nu=lognormal:1e-2:0.5`."""
    bounds = once("--unknown", map(unknown, texts))

    def assigned(text: str) -> tuple[str, str]:
        name, equals, kind = (part.strip() for part in text.partition("="))
        if not equals or name not in bounds:
            known = ", ".join(bounds)
            raise InputError(f"--prior {quoted(text)} names no unknown: write NAME=PRIOR for one of {known}")
        return name, kind

    kinds, found = once("--prior", map(assigned, priors)), dict[str, Bounds | Prior]()
    for name, ends in bounds.items():
        one = prior(name, kinds[name], ends) if name in kinds else ends
        if one is None:
            raise InputError(f"--unknown {name} has no bounds: write {name}=LOW:HIGH such as {name}=1e-4:1")
        found[name] = one
    return found


def unknown(text: str) -> tuple[str, Bounds | None]:
    """`nu=1e-4:1` -> ("nu", (1e-4, 1)); `nu` -> ("nu", None), whose prior must then be given."""
    name, equals, ends = (part.strip() for part in text.partition("="))
    parts = ends.split(":")
    if not name.isidentifier() or (equals and len(parts) != 2):
        raise InputError(f"--unknown takes NAME=LOW:HIGH such as nu=1e-4:1, not {quoted(text)}")
    if not equals:
        return name, None
    return name, (number(parts[0], f"the lower bound of {name}"), number(parts[1], f"the upper bound of {name}"))


def prior(name: str, text: str, bounds: Bounds | None) -> Prior:
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


def write(posterior: Posterior, report: str, folder: OutputFolder) -> None:
    from gated_xtfc.plots.posterior_figure import plot

    plot(posterior, folder["posterior.png"], folder["posterior.svg"])
    posterior.to_csv(folder["posterior.csv"])
    posterior.save(folder["posterior.npz"])
    write_text(folder["posterior.json"], report + "\n")
    write_field(posterior, folder)


def write_field(posterior: Posterior, folder: OutputFolder) -> None:
    """x, and mean, standard deviation and 95 % band of every field, at points dense in the layers."""
    problem = posterior.problem
    if problem.evolution is not None:
        x = candidates(posterior)
        header, columns = [problem.evolution.space.name, problem.evolution.time.name], [*x]
    else:
        (axis,) = problem.axes
        x = np.clip(posterior.field_model.chart.points(POINTS), axis.left, axis.right)
        header, columns = [axis.name], [x]
    for name in problem.fields:
        header += [name, f"{name}_std", f"{name}_low", f"{name}_high"]
        columns += [*posterior.predict(x, name), *posterior.band(x, 0.95, name)]
    write_csv(folder["field.csv"], header, columns)
