"""Where to measure next: the sites that add most to what is known, by the sensitivities.

    information gain = mean over the posterior of log det(A + sum_j s(x_j) s(x_j)'/sigma^2),    s = du/dp

A is the inverse of the posterior's covariance. Sites are chosen one after the other from a grid that is dense in the
layers.
"""

from typing import TYPE_CHECKING

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.evolving import TravellingFields
from gated_xtfc.inverse.field_model import InterpolatedField
from gated_xtfc.inverse.observations import quantity as read_quantity
from gated_xtfc.types import Array

if TYPE_CHECKING:
    from gated_xtfc.inverse.posterior import Posterior

MEMBERS = 48  # draws over which the gain is averaged
TIMES, PLACES = 24, 60  # where equations evolve
CANDIDATES = 400  # evenly in x, and again in the gated coordinate


def next_sites(posterior: "Posterior", count: int, quantity: str | None, noise: float | None) -> Array:
    """(count,) in the order of their worth; (count, 2), place and time, where equations evolve."""
    if isinstance(count, bool) or not (isinstance(count, int) and count >= 1):
        raise InputError(f"{count!r} sites were asked for: give a whole number of at least 1")
    if noise is not None and not (isinstance(noise, float | int) and noise > 0.0):
        raise InputError(f"the noise of new measurements is {noise!r}: give a positive number")
    problem = posterior.problem
    if quantity is None and len(problem.fields) > 1 and len(posterior.observations.series) > 1:
        raise InputError(f"say what will be measured: {', '.join(problem.fields)}")
    name = posterior.observations.series[0].quantity if quantity is None else quantity
    field, order = read_quantity(problem, name)
    x = candidates(posterior)
    sigma = expected_noise(posterior, name) if noise is None else float(noise)
    slopes = posterior.field_model.slopes(x, field, order, MEMBERS) / sigma  # (members, n, p)
    information = np.linalg.inv(posterior.measure.covariance)
    known = np.broadcast_to(information, (slopes.shape[0], *information.shape)).copy()
    chosen = []
    for _ in range(count):
        inverse = np.linalg.inv(known)
        gains = np.log1p(np.einsum("mni,mij,mnj->mn", slopes, inverse, slopes)).mean(axis=0)
        best = int(np.argmax(gains))
        chosen.append(x[..., best].tolist())
        known += np.einsum("mi,mj->mij", slopes[:, best], slopes[:, best])
    return np.array(chosen)


def candidates(posterior: "Posterior") -> Array:
    """Points of the domain, half of them dense in the layers of one of the members; (n,), or (2, n) with times."""
    if isinstance(posterior.field_model, InterpolatedField):
        node = posterior.field_model.nearest
        if isinstance(node, TravellingFields):
            times = np.linspace(node.record.times[0], node.record.times[-1], TIMES + 1)[1:]
            x = np.stack([node.record.piece(float(t)).places(float(t), PLACES) for t in times])
            return np.stack([x.ravel(), np.repeat(times, PLACES)])
    (axis,) = posterior.problem.axes
    along = posterior.field_model.chart.points(CANDIDATES)
    return np.unique(
        np.clip(np.concatenate([np.linspace(axis.left, axis.right, CANDIDATES), along]), axis.left, axis.right)
    )


def expected_noise(posterior: "Posterior", name: str) -> float:
    """As the measurements so far have it."""
    for one, scatter in zip(posterior.observations.series, posterior.noise.scatters, strict=True):
        if one.quantity == name:
            return posterior.mean[scatter.name] if scatter.sigma is None else float(np.median(scatter.sigma))
    raise InputError(f"how noisy measurements of {name} would be is not known: give noise")
