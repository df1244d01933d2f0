"""The published solves with a gate that is given: kernels where it puts them, weights by regularised least squares.

On a line the kernels stand in a constrained expression, on a rectangle they vanish on the sides by themselves.
"""

import time

import numpy as np

from gated_xtfc.baselines.constrained import ConstrainedFeatures, dirichlet
from gated_xtfc.baselines.kernels import Gaussians
from gated_xtfc.baselines.least_squares import dense_least_squares, least_squares
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.bubbles import Bubbles
from gated_xtfc.published.disk import Disk, DiskLayout
from gated_xtfc.published.plane_surrogate import PlaneSurrogate
from gated_xtfc.published.rectangle import Rectangle, rectangle
from gated_xtfc.published.soft_split import SoftSplit, SplitLayout

ON_A_LINE = "gated X-TFC (published)"
ON_A_RECTANGLE = "gated X-TFC, disk (published)"
PHYSICAL = 5.0  # least transition over the coefficient of u''
PROBES = 1001


def fit(problem: Problem, split: SoftSplit) -> Surrogate:
    """The surrogate with this layout; `details` has the layout and what the linear algebra did."""
    begun = time.perf_counter()
    ends = dirichlet(problem, ON_A_LINE)
    layout = SplitLayout.of(split, problem.axes[0], physical_scale(problem, split))
    trial = ConstrainedFeatures(Gaussians(layout.centres, layout.slopes), ends)
    equation = trial.equation_at(problem, layout.sites)
    fitted = least_squares(trial, layout.sites, *equation, split.ridge, split.method)
    return Surrogate(
        name=ON_A_LINE,
        problem=problem,
        evaluate=lambda x, order: trial.value(x, order, fitted.weights),
        neurons=trial.size,
        points=layout.sites.size,
        seconds=time.perf_counter() - begun,
        settings=split.record(),
        details={**fitted.record(), **vars(layout), "weights": fitted.weights},
    )


def physical_scale(problem: Problem, split: SoftSplit) -> float:
    """The least width that a transition may have."""
    if split.physical is not None:
        return split.physical
    axis = problem.axes[0]
    leading = Operator(problem)((np.linspace(axis.left, axis.right, PROBES),)).by_order[0][0][2]
    return PHYSICAL * float(np.abs(leading).max())


def fit_disk(problem: Problem | Rectangle, disk: Disk) -> PlaneSurrogate:
    """The surrogate on a rectangle with this disk: least squares on a uniform tensor grid of sites."""
    begun = time.perf_counter()
    stated = rectangle(problem, ON_A_RECTANGLE)
    layout = DiskLayout.of(disk, stated.axes)
    features, (x, y) = Bubbles(stated.axes, layout.centres, layout.slopes), layout.sites
    coefficients, source = stated.operator(x[:, None], y)
    target = np.broadcast_to(source, (x.size, y.size))
    if stated.lift is not None:
        for orders, values in coefficients.items():
            target = target - values * stated.lift(x[:, None], y, orders)
    if not all(np.isfinite(values).all() for values in (target, *coefficients.values())):
        raise InputError("a coefficient or the source of the equation is not finite: it must be on the whole rectangle")
    fitted = dense_least_squares(features.rows(x, y, coefficients), target.ravel(), disk.ridge, disk.method)
    return PlaneSurrogate(
        name=ON_A_RECTANGLE,
        rectangle=stated,
        features=features,
        weights=fitted.weights,
        points=x.size * y.size,
        seconds=time.perf_counter() - begun,
        settings=disk.record(),
        details={**fitted.record(), **vars(layout)},
    )
