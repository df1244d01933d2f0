"""X-TFC without gates: one constrained expression, features that know nothing of the layer, least squares."""

import time

from gated_xtfc.baselines.constrained import Constrained
from gated_xtfc.baselines.dirichlet import dirichlet
from gated_xtfc.baselines.feature_sets import FeatureSet
from gated_xtfc.baselines.least_squares import least_squares
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

NAME = "X-TFC"
METHODS = {"gaussian": "cholesky", "tanh": "rank", "chebyshev": "rank"}


def solve(
    problem: Problem,
    *,
    features: str = "gaussian",
    neurons: int = 1000,
    points: int | None = None,
    layout: str = "uniform",
    multiplier: float = 1.5,
    spread: float | None = None,
    ridge: float = 1e-10,
    method: str | None = None,
    seed: int = 0,
) -> Surrogate:
    """`features`: "gaussian", "tanh" or "chebyshev"; `points` as many as neurons; `method` as least_squares has them.

    Without a method, Gaussians are fitted by Cholesky with the ridge, the others by QR with pivoting and without it.
    """
    begun = time.perf_counter()
    ends = dirichlet(problem, NAME)
    chosen = FeatureSet(features, neurons, neurons if points is None else points, layout, multiplier, spread, seed)
    how = METHODS[chosen.kind] if method is None else method
    sites = chosen.sites(problem.axis)
    trial = Constrained(chosen.features(problem.axis, 2), ends)
    linear = Operator(problem)(sites)
    coefficients = linear.coefficients[0][0]
    target = linear.source[0] - trial.boundary(sites, coefficients)
    fitted = least_squares(trial, sites, coefficients, target, ridge, how)

    def evaluate(x: Array, order: int) -> Array:
        return trial.value(x, order, fitted.weights)

    return Surrogate(
        name=f"{NAME} ({chosen.kind})",
        problem=problem,
        evaluate=evaluate,
        neurons=neurons,
        points=sites.size,
        seconds=time.perf_counter() - begun,
        settings={**chosen.record(), "ridge": ridge, "method": how},
        details=fitted.record(),
    )
