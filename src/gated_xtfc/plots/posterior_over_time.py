"""A posterior of equations that evolve: the field at some times with data and bands, and what is left over time."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from gated_xtfc.inverse.evolving import TravellingFields
from gated_xtfc.inverse.field_model import InterpolatedField
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.plots.style import DARK, GREY

TIMES = 4  # curves
PLACES = 301
NEAR = 0.02  # of the time: data so close to a curve are shown with it


def at_times(axes: Axes, posterior: Posterior, place: int) -> None:
    """A field over space with its 95 % band at a few times, and the data near these times."""
    series, evolution = posterior.observations.series[place], posterior.problem.evolution
    assert evolution is not None
    assert series.t is not None
    model = posterior.field_model
    assert isinstance(model, InterpolatedField)
    node = model.nearest
    assert isinstance(node, TravellingFields)
    times = np.unique(np.quantile(series.t, np.linspace(0.05, 0.95, TIMES), method="nearest"))
    for t, colour in zip(times, colormaps["viridis"](np.linspace(0.0, 0.85, times.size)), strict=True):
        piece = node.record.piece(float(t))
        uniform = np.linspace(evolution.space.left, evolution.space.right, PLACES // 2)
        x = np.unique(np.concatenate([piece.places(float(t), PLACES), uniform]))
        low, high = posterior.band((x, t), 0.95, series.quantity)
        axes.fill_between(x, low, high, color=colour, alpha=0.3, linewidth=0)
        label = f"{evolution.time.name} = {t:.3g}"
        axes.plot(x, posterior.predict((x, t), series.quantity)[0], color=colour, linewidth=1.2, label=label)
        near = np.abs(series.t - t) <= NEAR * np.ptp(series.t)
        axes.plot(series.x[near], series.y[near], "o", markersize=3, color=colour)
    axes.set(xlabel=evolution.space.name, ylabel=series.quantity)
    axes.legend(fontsize=8)


def over_time(axes: Axes, posterior: Posterior, place: int) -> None:
    """Data less the mean of the field, in standard deviations of the noise, over time."""
    series, scatter = posterior.observations.series[place], posterior.noise.scatters[place]
    evolution = posterior.problem.evolution
    assert evolution is not None
    assert series.t is not None
    sigma = posterior.mean[scatter.name] if scatter.sigma is None else scatter.sigma
    mean, _ = posterior.predict((series.x, series.t), series.quantity)
    for level in (-2.0, 0.0, 2.0):
        axes.axhline(level, color=GREY, linewidth=0.8, linestyle=":" if level else "-")
    axes.plot(series.t, (series.y - mean) / sigma, "o", markersize=3, color=DARK)
    axes.set(xlabel=evolution.time.name, ylabel="data less mean, over the noise")
