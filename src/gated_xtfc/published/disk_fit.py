"""The published solve on a rectangle: bubbles laid out by the disk, least squares on a uniform tensor grid of sites."""

import time

import numpy as np

from gated_xtfc.baselines.least_squares import dense_least_squares
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.bubbles import Bubbles
from gated_xtfc.published.disk import Disk
from gated_xtfc.published.disk_layout import DiskLayout
from gated_xtfc.published.plane_statement import rectangle
from gated_xtfc.published.plane_surrogate import PlaneSurrogate
from gated_xtfc.published.rectangle import Rectangle

NAME = "gated X-TFC, disk (published)"


def fit_disk(problem: Problem | Rectangle, disk: Disk) -> PlaneSurrogate:
    """The surrogate with this layout; `details` has the layout and what the linear algebra did."""
    begun = time.perf_counter()
    stated = rectangle(problem, NAME)
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
        name=NAME,
        rectangle=stated,
        features=features,
        weights=fitted.weights,
        points=x.size * y.size,
        seconds=time.perf_counter() - begun,
        settings=disk.record(),
        details={
            **fitted.record(),
            "sites": layout.sites,
            "centres": layout.centres,
            "widths": layout.widths,
        },
    )
