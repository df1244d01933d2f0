"""The published solve: constrained expression, Gaussian kernels laid out by the soft split, weighted least squares."""

import time
from collections.abc import Callable

import numpy as np

from gated_xtfc.baselines.constrained import Constrained
from gated_xtfc.baselines.dirichlet import dirichlet
from gated_xtfc.baselines.kernels import Gaussians
from gated_xtfc.baselines.least_squares import least_squares
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.layout import SplitLayout
from gated_xtfc.published.soft_split import SoftSplit
from gated_xtfc.types import Array

NAME = "gated X-TFC (published)"
PHYSICAL = 5.0  # least transition over the coefficient of u''
PROBES = 1001


def fit(problem: Problem, split: SoftSplit) -> Surrogate:
    """The surrogate with this layout; `details` has the layout and what the linear algebra did."""
    begun = time.perf_counter()
    ends = dirichlet(problem, NAME)
    layout = SplitLayout.of(split, problem.axis, physical_scale(problem, split))
    trial = Constrained(Gaussians(layout.centres, layout.slopes), ends)
    linear = Operator(problem)(layout.sites)
    coefficients = linear.coefficients[0][0]
    target = linear.source[0] - trial.boundary(layout.sites, coefficients)
    fitted = least_squares(trial, layout.sites, coefficients, target, split.ridge, split.method)
    return Surrogate(
        name=NAME,
        problem=problem,
        evaluate=_evaluated(trial, fitted.weights),
        neurons=trial.size,
        points=layout.sites.size,
        seconds=time.perf_counter() - begun,
        settings=split.record(),
        details={
            **fitted.record(),
            "transitions": layout.transitions,
            "sites": layout.sites,
            "centres": layout.centres,
            "widths": layout.widths,
            "gates": layout.gates,
            "weights": fitted.weights,
        },
    )


def physical_scale(problem: Problem, split: SoftSplit) -> float:
    if split.physical is not None:
        return split.physical
    axis = problem.axis
    leading = Operator(problem)(np.linspace(axis.left, axis.right, PROBES)).coefficients[0][0][2]
    return PHYSICAL * float(np.abs(leading).max())


def _evaluated(trial: Constrained, weights: Array) -> Callable[[Array, int], Array]:
    return lambda x, order: trial.value(x, order, weights)
