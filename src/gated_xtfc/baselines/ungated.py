"""The methods without gates: features that know nothing of the layer, and one least-squares solve for their weights.

X-TFC puts the features into a constrained expression, so that only the equation is left to fit. PIELM takes them as
they are, and the conditions are further rows with a weight:
min (1/n) sum_k r_k^2 + weight sum_j (L_j[u] - b_j)^2 + ridge |c|^2
"""

import time

import numpy as np

from gated_xtfc.baselines.checks import check_positive
from gated_xtfc.baselines.constrained import ConstrainedFeatures, dirichlet, require_linear
from gated_xtfc.baselines.feature_sets import FeatureSet
from gated_xtfc.baselines.features import Features, derivative, matrix, unit
from gated_xtfc.baselines.least_squares import dense_least_squares, least_squares
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.types import Array

X_TFC, PIELM = "X-TFC", "PIELM"
USUAL = {"gaussian": "cholesky", "tanh": "rank", "chebyshev": "rank"}  # method of least squares by kind of features


def xtfc(
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
    ends = dirichlet(problem, X_TFC)
    chosen = FeatureSet(features, neurons, neurons if points is None else points, layout, multiplier, spread, seed)
    how = USUAL[chosen.kind] if method is None else method
    (axis,) = problem.axes
    sites = chosen.sites(axis)
    trial = ConstrainedFeatures(chosen.features(axis, 2), ends)
    fitted = least_squares(trial, sites, *trial.equation_at(problem, sites), ridge, how)
    return Surrogate(
        name=f"{X_TFC} ({chosen.kind})",
        problem=problem,
        evaluate=lambda x, order: trial.value(x, order, fitted.weights),
        neurons=neurons,
        points=sites.size,
        seconds=time.perf_counter() - begun,
        settings={**chosen.record(), "ridge": ridge, "method": how},
        details=fitted.record(),
    )


def pielm(
    problem: Problem,
    *,
    features: str = "tanh",
    neurons: int = 1000,
    points: int | None = None,
    layout: str = "random",
    multiplier: float = 1.5,
    spread: float | None = None,
    weight: float = 1.0,
    ridge: float = 1e-10,
    method: str = "rank",
    seed: int = 0,
) -> Surrogate:
    """Any linear equation with conditions at points; `weight` is that of the conditions, the others as in X-TFC."""
    begun = time.perf_counter()
    require_linear(problem, PIELM)
    check_positive(weight=weight)
    chosen = FeatureSet(features, neurons, neurons if points is None else points, layout, multiplier, spread, seed)
    axis = require_interval(problem, f"{PIELM} solves problems")
    sites, basis = chosen.sites(axis), chosen.features(axis, 0)
    linear = Operator(problem)((sites,))
    strength = np.sqrt(weight * sites.size)  # against the 1/n of the physics
    conditions = np.stack([_row(condition, basis) for condition in problem.conditions])
    values = np.array([condition.value for condition in problem.conditions])
    rows = np.concatenate([matrix(basis, sites, linear.by_order[0][0]), strength * conditions])
    target = np.concatenate([linear.source[0], strength * values])
    fitted = dense_least_squares(np.asfortranarray(rows), target, ridge, method)
    return Surrogate(
        name=PIELM,
        problem=problem,
        evaluate=lambda x, order: derivative(basis, x, order, fitted.weights),
        neurons=neurons,
        points=sites.size,
        seconds=time.perf_counter() - begun,
        settings={**chosen.record(), "weight": weight, "ridge": ridge, "method": method},
        details={**fitted.record(), "missed_conditions": float(np.abs(conditions @ fitted.weights - values).max())},
    )


def _row(condition: Condition, basis: Features) -> Array:
    """What the condition gives for every feature, (size,)."""
    if condition.integrals:
        raise InputError(f'{PIELM} has no integral conditions such as "{condition.text}": use the default solver')
    row = np.zeros(basis.size)
    for term in condition.terms:
        row += term.weight * matrix(basis, np.array([term.point]), unit(term.order))[0]
    return row
