"""Posteriors as files: one .npz that gives back the same numbers, and holds nothing that could be run.

What a value is made of is said in JSON; its arrays stand beside it, under its key. `put_...` writes a value and returns
what is said of it, `get_...` below it reads both back.
"""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from gated_xtfc.errors import SHOWN
from gated_xtfc.files import replacing
from gated_xtfc.inverse.discrepancy import SoftEquation
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.field_archive import Arrays, Entry, get_model, put_arrays, put_model
from gated_xtfc.inverse.field_model import FieldModel
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.identifiability import PosteriorStatus
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import Marginal, Measure
from gated_xtfc.inverse.node import Target
from gated_xtfc.inverse.noise import Noise, Scatter
from gated_xtfc.inverse.observations import Observations, Series
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.priors import LogNormal, LogUniform, Normal, Prior, Uniform
from gated_xtfc.inverse.soft_field import SoftField
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.archive import POSTERIOR, axes_of, get_problem
from gated_xtfc.solution.entry import (
    finite,
    flag,
    number,
    numbers,
    one_of,
    perhaps,
    positive,
    record,
    several,
    size,
    table,
    text,
    whole,
)
from gated_xtfc.solution.envelope import Arrays as File
from gated_xtfc.solution.envelope import Unfit, write_envelope
from gated_xtfc.types import Array

PLAIN = ("evidence", "message", "solves", "failures", "seconds", "discrepancy")
PRIORS = {"Uniform": Uniform, "LogUniform": LogUniform, "Normal": Normal, "LogNormal": LogNormal}
PLACES_ONLY = "soft"  # the model of files from before members were kept
TOLD = record(
    problem=table, priors=table, model=table, status=one_of(PosteriorStatus), measure=number,
    series=several(record(quantity=text, field=whole(0), order=whole(0)), least=1),
    scatters=several(record(
        name=text, low=finite, high=finite, student=perhaps(positive), best=perhaps(positive),
    )),
    distributions=several(record(name=text, mean=finite, std=size, logarithmic=flag), least=1),
    evidence=number, message=text, solves=whole(0), failures=whole(0), seconds=size, discrepancy=flag,
)  # fmt: skip


def write(posterior: Posterior, path: str | Path) -> None:
    arrays: Arrays = {"residuals": posterior.residuals}
    arrays |= {f"samples{i}": posterior.samples[name] for i, name in enumerate(posterior.names)}
    about = {
        "format": POSTERIOR,
        "problem": posterior.problem.to_dict(),
        "priors": {name: put_prior(prior) for name, prior in posterior.priors.items()},
        "series": [put_series(one, f"series{i}", arrays) for i, one in enumerate(posterior.observations.series)],
        "scatters": [put_scatter(one, f"scatter{i}", arrays) for i, one in enumerate(posterior.noise.scatters)],
        "distributions": [
            {"name": name, **put_distribution(one, f"distribution{i}", arrays)}
            for i, (name, one) in enumerate(posterior.distributions.items())
        ],
        "measure": put_measure(posterior.measure, arrays),
        "model": put_model(posterior.field_model, arrays),
        "status": str(posterior.status),
        **{name: getattr(posterior, name) for name in PLAIN},
    }
    with replacing(path) as file:
        write_envelope(file, about, arrays)


def unpacked(about: Entry, file: File) -> Posterior:
    """What `write` wrote; raises `Unfit` where something in it is not what `write` writes."""
    told = TOLD(about, "it")
    problem = get_problem(told["problem"])
    axes_of(problem, 1 if problem.evolution is None else 2)
    priors = {name: get_prior(entry, f"its prior of {name}") for name, entry in told["priors"].items()}
    for name in priors:
        if name not in problem.parameters:
            raise Unfit(f"its problem has no parameter {name[:SHOWN]!r}")
    series = tuple(get_series(entry, f"series{i}", problem, file) for i, entry in enumerate(told["series"]))
    observations = Observations(series)
    if len(told["scatters"]) != len(series):
        raise Unfit("its noise is not that of its measurements")
    parts = enumerate(zip(told["scatters"], observations.slices, strict=True))
    noise = Noise(tuple(get_scatter(entry, f"scatter{i}", part, file) for i, (entry, part) in parts))
    distributions = {
        entry["name"]: get_distribution(entry, f"distribution{i}", file)
        for i, entry in enumerate(told["distributions"])
    }
    if len(distributions) != len(told["distributions"]) or list(distributions)[: len(priors)] != list(priors):
        raise Unfit("its distributions are not those of its unknowns")
    measure = get_measure(told["measure"], len(priors), file)
    model: FieldModel
    if told["model"].get("kind") == PLACES_ONLY:
        forward = ForwardMap(problem, priors, observations, noise.reference, kernels=True)
        model = solved(told["model"], forward, Target(observations.y, noise, priors), file)
    else:
        model = get_model(told["model"], measure, problem, file)
    draws = len(np.atleast_1d(file["samples0"]))
    samples = {name: numbers(file[f"samples{i}"], f"samples{i}", draws) for i, name in enumerate(distributions)}
    return Posterior(
        problem=problem,
        priors=priors,
        observations=observations,
        noise=noise,
        distributions=distributions,
        measure=measure,
        samples=samples,
        field_model=model,
        residuals=numbers(file["residuals"], "residuals", observations.size),
        status=PosteriorStatus(told["status"]),
        **{name: told[name] for name in PLAIN},
    )


def put_prior(prior: Prior) -> Entry:
    return {"kind": type(prior).__name__, **vars(prior)}


def get_prior(entry: Any, what: str) -> Prior:
    kind = PRIORS[record(kind=one_of(PRIORS))(entry, what)["kind"]]
    found: Prior = kind(**record(**{one.name: finite for one in fields(kind)})(entry, what))
    return found


def put_series(series: Series, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, x=series.x, y=series.y, sigma=series.sigma, t=series.t)
    return {"quantity": series.quantity, "field": series.field, "order": series.order}


def get_series(entry: Entry, key: str, problem: Problem, file: File) -> Series:
    if entry["field"] >= len(problem.fields) or entry["order"] > max(problem.order.values()):
        raise Unfit(f"its problem has nothing like {entry['quantity'][:SHOWN]!r}")
    x = numbers(file[f"{key}.x"], f"{key}.x", None)
    t = None if problem.evolution is None else numbers(file[f"{key}.t"], f"{key}.t", x.size)
    y = numbers(file[f"{key}.y"], f"{key}.y", x.size)
    return Series(**entry, x=x, y=y, sigma=get_sigma(key, x.size, file), t=t)


def get_sigma(key: str, size: int, file: File) -> Array | None:
    """Standard deviations, where there are any."""
    if f"{key}.sigma" not in file:
        return None
    sigma = numbers(file[f"{key}.sigma"], f"{key}.sigma", size)
    if not (sigma > 0.0).all():
        raise Unfit(f"{key}.sigma has numbers that are not positive")
    return sigma


def put_scatter(scatter: Scatter, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, sigma=scatter.sigma)
    return {name: getattr(scatter, name) for name in ("name", "low", "high", "student", "best")}


def get_scatter(entry: Entry, key: str, part: slice, file: File) -> Scatter:
    return Scatter(**entry, part=part, sigma=get_sigma(key, part.stop - part.start, file))


def put_distribution(distribution: Distribution, key: str, arrays: Arrays) -> Entry:
    put_marginal(distribution.curve, key, arrays)
    return {"mean": distribution.mean, "std": distribution.std, "logarithmic": distribution.logarithmic}


def get_distribution(entry: Entry, key: str, file: File) -> Distribution:
    return Distribution(entry["mean"], entry["std"], get_marginal(key, file), entry["logarithmic"])


def put_measure(measure: Measure, arrays: Arrays) -> float:
    arrays |= {"points": measure.points, "weights": measure.weights}
    for i, marginal in enumerate(measure.marginals):
        put_marginal(marginal, f"marginal{i}", arrays)
    return measure.evidence


def get_measure(evidence: float, unknowns: int, file: File) -> Measure:
    marginals = tuple(get_marginal(f"marginal{i}", file) for i in range(unknowns))
    points = numbers(file["points"], "points", None, unknowns)
    return Measure(points, numbers(file["weights"], "weights", len(points)), evidence, marginals)


def put_marginal(marginal: Marginal, key: str, arrays: Arrays) -> None:
    put_arrays(key, arrays, grid=marginal.grid, density=marginal.density, total=marginal.total)


def get_marginal(key: str, file: File) -> Marginal:
    grid = numbers(file[f"{key}.grid"], f"{key}.grid", None)
    rest = (numbers(file[f"{key}.{name}"], f"{key}.{name}", grid.size) for name in ("density", "total"))
    return Marginal(grid, *rest)


def solved(entry: Entry, forward: ForwardMap, target: Target, file: File) -> SoftField:
    """The members whose places alone a file has: solved here, once."""
    told = record(spread=positive, seed=whole(0))(entry, "its model")
    equation = SoftEquation(target, forward.observations, told["spread"])
    places = numbers(file["places"], "places", None, len(forward.priors))
    return SoftField.solved(places, Journal(forward), equation, told["seed"])
