"""The inverse method as published: one unknown parameter and the gate, by the evidence of data and physics together.

Rows of the data and of the equation are divided by their standard deviations and stacked; the prior precision of the
weights is optimised inside, (log of the unknown, split, transition scale) outside, by Bayesian optimisation.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.baselines.constrained import ConstrainedFeatures, dirichlet
from gated_xtfc.baselines.features import matrix
from gated_xtfc.baselines.kernels import Gaussians
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.evidence import METHODS, PriorPrecision, Stacked
from gated_xtfc.published.expected_improvement import minimise
from gated_xtfc.published.fit import physical_scale
from gated_xtfc.published.soft_split import SoftSplit, SplitLayout
from gated_xtfc.ranges import Range
from gated_xtfc.types import Array

NAME = "the published inverse method"


@dataclass(frozen=True)
class Inverse:
    split: SoftSplit = field(default_factory=lambda: SoftSplit(centres=300, sites=400))
    bounds: tuple[float, float] = (1e-3, 10.0)  # of the unknown, searched by its logarithm
    places: tuple[float, float] = (0.85, 0.995)  # of the split, in domain lengths from the left end
    scales: tuple[float, float] = (10.0, 100.0)
    evaluations: int = 30
    initial: int = 4
    exploration: float = 0.5  # the "plus" of expected improvement
    physics: float = 1e2  # precision of the rows of the equation
    prior: PriorPrecision = field(default_factory=PriorPrecision)
    method: str = "svd"  # of the evidence; "cholesky" with jitter

    def __post_init__(self) -> None:
        if not 0.0 < self.bounds[0] < self.bounds[1] < math.inf:
            raise InputError(
                f"the bounds of the unknown are [{self.bounds[0]:g}, {self.bounds[1]:g}]: give 0 < low < high"
            )
        if not self.physics > 0.0:
            raise InputError(f"the precision of the physics is {self.physics!r}: give a positive number")
        if self.method not in METHODS:
            raise InputError(f"the method {quoted(self.method)} is not known: it is one of {', '.join(METHODS)}")


TEXT = Inverse(SoftSplit(centres=300, sites=400, closed=False))  # the grids of the formulas, without the right end
TEXT_CLOSED = Inverse()


@dataclass(frozen=True)
class InverseEvaluation:
    """The evidence at one value of the unknown and one gate: an evaluation of the search."""

    value: float  # of the unknown
    split: float
    scale: float
    eta: float
    log_evidence: float
    jitter: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Inferred:
    best: InverseEvaluation
    history: tuple[InverseEvaluation, ...]
    model: "Model"
    seconds: float

    @property
    def value(self) -> float:
        """The value of the unknown at which the evidence was largest."""
        return self.best.value

    def mean(self, x: ArrayLike) -> Array:
        """The posterior mean of the field at x."""
        return self.model.trial.value(np.asarray(x, dtype=float), 0, self.model.stacked.mean(self.best.eta))

    def std(self, x: ArrayLike) -> Array:
        """The standard deviation of the field, unknown and gate being as found: the model band of the paper."""
        points = np.asarray(x, dtype=float)
        order = np.argsort(points, kind="stable")
        features = matrix(self.model.trial, points[order], [1.0])
        result = np.empty(points.shape)
        result[order] = np.sqrt(self.model.stacked.variance(features, self.best.eta))
        return result


@dataclass(frozen=True, eq=False)
class Model:
    """The linear model for one value of the unknown and one gate."""

    trial: ConstrainedFeatures
    stacked: Stacked

    @classmethod
    def of(cls, problem: Problem, split: SoftSplit, x: Array, y: Array, sigma: Array, physics: float) -> "Model":
        """The model for data y (n,) at ascending x (n,), and for an equation with this precision."""
        layout = SplitLayout.of(split, problem.axes[0], physical_scale(problem, split))
        trial = ConstrainedFeatures(Gaussians(layout.centres, layout.slopes), dirichlet(problem, NAME))
        (coefficients, left), root = trial.equation_at(problem, layout.sites), math.sqrt(physics)
        seen = matrix(trial, x, [1.0]) / sigma[:, None]
        obeyed = root * matrix(trial, layout.sites, coefficients)
        target = np.concatenate([(y - trial.boundary(x, [1.0])) / sigma, root * left])
        return cls(trial, Stacked(np.vstack([seen, obeyed]), target))


def infer(
    problem: Problem,
    x: ArrayLike,
    y: ArrayLike,
    sigma: ArrayLike,
    unknown: str = "nu",
    settings: Inverse | None = None,
    *,
    seed: int = 0,
    progress: Callable[[InverseEvaluation], None] | None = None,
) -> Inferred:
    """The unknown parameter from values y (n,) of the field at x (n,); sigma, of the noise, is a number or (n,)."""
    begun, chosen = time.perf_counter(), settings or Inverse()
    sites, values, deviations = checked(problem, x, y, sigma, unknown)
    history: list[InverseEvaluation] = []
    kept: list[Model] = []  # of the best evaluation alone

    def loss(point: tuple[float, ...]) -> float:
        evaluation, model = evaluate(problem, unknown, point, sites, values, deviations, chosen)
        if not history or evaluation.log_evidence > max(one.log_evidence for one in history):
            kept[:] = [model]
        history.append(evaluation)
        if progress is not None:
            progress(evaluation)
        return -evaluation.log_evidence

    box = (Range(*chosen.bounds, "log"), Range(*chosen.places), Range(*chosen.scales))
    minimise(loss, box, chosen.evaluations, initial=chosen.initial, seed=seed, exploration=chosen.exploration)
    best = max(history, key=lambda one: one.log_evidence)
    return Inferred(best, tuple(history), kept[0], time.perf_counter() - begun)


def evaluate(
    problem: Problem,
    unknown: str,
    point: tuple[float, ...],
    x: Array,
    y: Array,
    sigma: Array,
    settings: Inverse,
) -> tuple[InverseEvaluation, Model]:
    """The evidence at (unknown, split as a fraction of the domain, scale), the prior precision optimised."""
    begun, (value, fraction, scale) = time.perf_counter(), point
    member, axis = problem(**{unknown: value}), problem.axes[0]
    place = axis.left + axis.length * fraction
    model = Model.of(member, replace(settings.split, splits=(place,), scale=scale), x, y, sigma, settings.physics)
    eta = model.stacked.precision(settings.prior)
    if settings.method == "cholesky":
        log_evidence, _, jitter = model.stacked.cholesky(eta)
    else:
        log_evidence, jitter = model.stacked.log_evidence(eta), 0.0
    return InverseEvaluation(value, place, scale, eta, log_evidence, jitter, time.perf_counter() - begun), model


def checked(problem: Problem, x: ArrayLike, y: ArrayLike, sigma: ArrayLike, unknown: str) -> tuple[Array, Array, Array]:
    """The data in ascending order; one InputError that names what is wrong with them."""
    dirichlet(problem, NAME)
    if unknown not in problem.parameters:
        known = f"its parameters are {', '.join(problem.parameters)}" if problem.parameters else "it has none"
        raise InputError(
            f"the problem has no parameter {quoted(unknown)}: {suggestion(unknown, problem.parameters, known)}"
        )
    places, values = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if places.ndim != 1 or places.shape != values.shape or places.size == 0:
        raise InputError(f"the data have places of shape {places.shape} and values of shape {values.shape}: pair them")
    deviations = np.broadcast_to(np.asarray(sigma, dtype=float), places.shape)
    if not (np.isfinite(places).all() and np.isfinite(values).all()):
        raise InputError("the data contain NaN or infinity: leave those points out")
    if not (np.isfinite(deviations).all() and (deviations > 0.0).all()):
        raise InputError("the noise must have a positive standard deviation at every point")
    axis = problem.axes[0]
    if places.min() < axis.left or places.max() > axis.right:
        outside = places[(places < axis.left) | (places > axis.right)][0]
        raise InputError(f"a point at {outside:g} is outside the domain [{axis.left:g}, {axis.right:g}]: leave it out")
    order = np.argsort(places, kind="stable")
    return places[order], values[order], np.array(deviations[order])
