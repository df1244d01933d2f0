"""Posteriors as files: one .npz that gives back the same numbers, and holds nothing that could be run.

What a value is made of is said in JSON; its arrays stand beside it, under its key. `put_...` writes a value and returns
what is said of it, `get_...` below it reads both back.
"""

from pathlib import Path

from gated_xtfc.files import replacing
from gated_xtfc.inverse.discrepancy import SoftEquation
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.field_archive import Arrays, Entry, File, get_model, put_arrays, put_model
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
from gated_xtfc.solution.archive import POSTERIOR, write_envelope

PLAIN = ("evidence", "message", "solves", "failures", "seconds", "discrepancy")
PRIORS = {"Uniform": Uniform, "LogUniform": LogUniform, "Normal": Normal, "LogNormal": LogNormal}
PLACES_ONLY = "soft"  # the model of files from before members were kept


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
    """What `write` wrote."""
    problem = Problem.from_dict(about["problem"])
    priors = {name: get_prior(entry) for name, entry in about["priors"].items()}
    series = tuple(get_series(entry, f"series{i}", file) for i, entry in enumerate(about["series"]))
    observations = Observations(series)
    parts = enumerate(zip(about["scatters"], observations.slices, strict=True))
    noise = Noise(tuple(get_scatter(entry, f"scatter{i}", part, file) for i, (entry, part) in parts))
    distributions = {
        entry["name"]: get_distribution(entry, f"distribution{i}", file)
        for i, entry in enumerate(about["distributions"])
    }
    measure = get_measure(about["measure"], len(priors), file)
    model: FieldModel
    if about["model"]["kind"] == PLACES_ONLY:
        forward = ForwardMap(problem, priors, observations, noise.reference)
        model = solved(about["model"], forward, Target(observations.y, noise, priors), file)
    else:
        model = get_model(about["model"], measure, file)
    return Posterior(
        problem=problem,
        priors=priors,
        observations=observations,
        noise=noise,
        distributions=distributions,
        measure=measure,
        samples={name: file[f"samples{i}"] for i, name in enumerate(distributions)},
        field_model=model,
        residuals=file["residuals"],
        status=PosteriorStatus(about["status"]),
        **{name: about[name] for name in PLAIN},
    )


def put_prior(prior: Prior) -> Entry:
    return {"kind": type(prior).__name__, **vars(prior)}


def get_prior(entry: Entry) -> Prior:
    values = dict(entry)
    found: Prior = PRIORS[values.pop("kind")](**values)
    return found


def put_series(series: Series, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, x=series.x, y=series.y, sigma=series.sigma)
    return {"quantity": series.quantity, "field": series.field, "order": series.order}


def get_series(entry: Entry, key: str, file: File) -> Series:
    return Series(**entry, x=file[f"{key}.x"], y=file[f"{key}.y"], sigma=file.get(f"{key}.sigma"))


def put_scatter(scatter: Scatter, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, sigma=scatter.sigma)
    return {name: getattr(scatter, name) for name in ("name", "low", "high", "student", "best")}


def get_scatter(entry: Entry, key: str, part: slice, file: File) -> Scatter:
    return Scatter(**entry, part=part, sigma=file.get(f"{key}.sigma"))


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
    return Measure(file["points"], file["weights"], evidence, marginals)


def put_marginal(marginal: Marginal, key: str, arrays: Arrays) -> None:
    put_arrays(key, arrays, grid=marginal.grid, density=marginal.density, total=marginal.total)


def get_marginal(key: str, file: File) -> Marginal:
    return Marginal(file[f"{key}.grid"], file[f"{key}.density"], file[f"{key}.total"])


def solved(entry: Entry, forward: ForwardMap, target: Target, file: File) -> SoftField:
    """The members whose places alone a file has: solved here, once."""
    equation = SoftEquation(target, forward.observations, entry["spread"])
    return SoftField.solved(file["places"], Journal(forward), equation, entry["seed"])
