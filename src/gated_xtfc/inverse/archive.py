"""Posteriors as files: one .npz that gives back the same numbers, draws as CSV, the summary as JSON."""

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.inverse.discrepancy import Mix, Softness
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.field_model import FieldModel, Interpolated, Interpolation
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.hermite import Hermite
from gated_xtfc.inverse.measure import Marginal, Measure
from gated_xtfc.inverse.mixture import Patchwork
from gated_xtfc.inverse.nodes import Fields
from gated_xtfc.inverse.noise import Noise, Scatter
from gated_xtfc.inverse.observations import Observations, Series
from gated_xtfc.inverse.polynomial import Polynomial
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.priors import LogNormal, LogUniform, Normal, Prior, Uniform
from gated_xtfc.inverse.soft_field import SoftField, Surface
from gated_xtfc.inverse.target import Target
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

FORMAT = "gated-xtfc posterior 1"
PLAIN = ("evidence", "status", "message", "solves", "failures", "seconds", "discrepancy")
PRIORS = {"Uniform": Uniform, "LogUniform": LogUniform, "Normal": Normal, "LogNormal": LogNormal}


def write(posterior: Posterior, path: str | Path) -> None:
    """Numbers as arrays and JSON: no pickled objects, so that a stranger's file can be read safely."""
    arrays: dict[str, Array] = {"residuals": posterior.residuals}
    about: dict[str, Any] = {
        "format": FORMAT,
        "problem": posterior.problem.to_dict(),
        "priors": {name: {"kind": type(prior).__name__, **vars(prior)} for name, prior in posterior.priors.items()},
        **{name: getattr(posterior, name) for name in PLAIN},
    }
    about["series"] = [{"quantity": one.quantity, "field": one.field, "order": one.order} for one in _series(posterior)]
    for i, one in enumerate(_series(posterior)):
        _put(arrays, f"series{i}", {"x": one.x, "y": one.y, "sigma": one.sigma})
    about["scatters"] = [
        {"name": one.name, "low": one.low, "high": one.high, "student": one.student, "best": one.best}
        for one in posterior.noise.scatters
    ]
    for i, scatter in enumerate(posterior.noise.scatters):
        _put(arrays, f"scatter{i}", {"sigma": scatter.sigma})
    about["distributions"] = [
        {"name": name, "mean": one.mean, "std": one.std, "logarithmic": one.logarithmic}
        for name, one in posterior.distributions.items()
    ]
    for i, (name, distribution) in enumerate(posterior.distributions.items()):
        _put(arrays, f"distribution{i}", vars(distribution.curve))
        arrays[f"samples{i}"] = posterior.samples[name]
    arrays |= {"points": posterior.measure.points, "weights": posterior.measure.weights}
    about["measure"] = posterior.measure.evidence
    for i, marginal in enumerate(posterior.measure.marginals):
        _put(arrays, f"marginal{i}", vars(marginal))
    about["model"] = _packed(posterior.field_model, arrays)
    with Path(path).open("wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]


def unpacked(about: Mapping[str, Any], file: Mapping[str, Array]) -> Posterior:
    """What `write` wrote."""
    if about["format"] != FORMAT:
        raise ValueError(about["format"])
    problem = Problem.from_dict(about["problem"])
    priors = {name: _prior(dict(entry)) for name, entry in about["priors"].items()}
    series = tuple(
        Series(**entry, x=file[f"series{i}.x"], y=file[f"series{i}.y"], sigma=_get(file, f"series{i}.sigma"))
        for i, entry in enumerate(about["series"])
    )
    observations = Observations(series)
    noise = Noise(
        tuple(
            Scatter(**entry, part=part, sigma=_get(file, f"scatter{i}.sigma"))
            for i, (entry, part) in enumerate(zip(about["scatters"], observations.slices, strict=True))
        )
    )
    distributions, samples = {}, {}
    for i, entry in enumerate(about["distributions"]):
        curve = _marginal(file, f"distribution{i}")
        distributions[entry["name"]] = Distribution(entry["mean"], entry["std"], curve, entry["logarithmic"])
        samples[entry["name"]] = file[f"samples{i}"]
    marginals = tuple(_marginal(file, f"marginal{i}") for i in range(len(priors)))
    measure = Measure(file["points"], file["weights"], about["measure"], marginals)
    target = Target(observations.y, noise, priors)
    forward = ForwardMap(problem, priors, observations, noise.reference)
    return Posterior(
        problem=problem,
        priors=priors,
        observations=observations,
        noise=noise,
        distributions=distributions,
        measure=measure,
        samples=samples,
        field_model=_model(about["model"], file, measure, forward, target),
        residuals=file["residuals"],
        **{name: about[name] for name in PLAIN},
    )


def _packed(model: FieldModel, arrays: dict[str, Array]) -> dict[str, Any]:
    if isinstance(model, SoftField):
        # its members are solved again when they are asked for
        arrays["places"] = model.places
        return {"kind": "soft", "seed": model.seed, "spread": model.surface.softness.spread}
    assert isinstance(model, Interpolated)
    interpolation: Any = model.interpolation
    arrays |= {"places": interpolation.places, "drawn": model.drawn}
    nodes = [_fields(f"node{i}", node, arrays) for i, node in enumerate(model.nodes)]
    about: dict[str, Any] = {"kind": "line", "nodes": nodes}
    if isinstance(interpolation, Patchwork):
        about |= {"kind": "patchwork", "patches": []}
        for i, patch in enumerate(interpolation.patches):
            _put(arrays, f"patch{i}", {"centre": patch.centre, "spread": patch.spread, "places": patch.places})
            about["patches"].append(patch.degree)
    return about


def _model(
    about: Mapping[str, Any], file: Mapping[str, Array], measure: Measure, forward: ForwardMap, target: Target
) -> FieldModel:
    if about["kind"] == "soft":
        softness = Softness(forward, target, about["spread"])
        return SoftField(Surface(softness, Mix.of(target.noise.scatters[0])), file["places"], about["seed"])
    interpolation: Interpolation = Hermite(file["places"])
    if about["kind"] == "patchwork":
        interpolation = Patchwork(
            tuple(
                Polynomial(file[f"patch{i}.centre"], file[f"patch{i}.spread"], degree, file[f"patch{i}.places"])
                for i, degree in enumerate(about["patches"])
            )
        )
    nodes = tuple(_restored(f"node{i}", entry, file) for i, entry in enumerate(about["nodes"]))
    return Interpolated(interpolation, nodes, measure, file["drawn"], len(forward.problem.fields))


def _fields(key: str, fields: Fields, arrays: dict[str, Array]) -> dict[str, Any]:
    arrays[f"{key}.weights"] = fields.weights
    return {
        "pieces": [asdict(basis) for basis in fields.chart.basis.bases],
        "origin": fields.chart.origin,
        "sides": [
            [i, _fields(f"{key}.below{i}", below, arrays), _fields(f"{key}.above{i}", above, arrays), width]
            for i, below, above, width in fields.sides
        ],
    }


def _restored(key: str, entry: Mapping[str, Any], file: Mapping[str, Array]) -> Fields:
    chart = Chart(Piecewise(tuple(Gaussian.restored(basis) for basis in entry["pieces"])), entry["origin"])
    sides = tuple(
        (i, _restored(f"{key}.below{i}", below, file), _restored(f"{key}.above{i}", above, file), width)
        for i, below, above, width in entry["sides"]
    )
    return Fields(chart, file[f"{key}.weights"], sides)


def _prior(entry: dict[str, Any]) -> Prior:
    found: Prior = PRIORS[entry.pop("kind")](**entry)
    return found


def _series(posterior: Posterior) -> tuple[Series, ...]:
    return posterior.observations.series


def _put(arrays: dict[str, Array], key: str, values: Mapping[str, Array | None]) -> None:
    arrays.update({f"{key}.{name}": value for name, value in values.items() if value is not None})


def _get(file: Mapping[str, Array], key: str) -> Array | None:
    return file[key] if key in file else None  # noqa: SIM401


def _marginal(file: Mapping[str, Array], key: str) -> Marginal:
    return Marginal(file[f"{key}.grid"], file[f"{key}.density"], file[f"{key}.total"])


def write_csv(posterior: Posterior, path: str | Path) -> None:
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(posterior.names)
        table.writerows(zip(*(posterior.samples[name].tolist() for name in posterior.names), strict=True))


def report(posterior: Posterior) -> str:
    return json.dumps({**posterior.summary(), "problem": posterior.problem.to_dict()}, indent=2, allow_nan=False)


def write_json(posterior: Posterior, path: str | Path) -> None:
    Path(path).write_text(report(posterior) + "\n", encoding="utf-8")
