"""One page a posterior: every unknown and every pair; the field with data and bands, its layers stretched open."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.plots.figure import choose_ticks, save
from gated_xtfc.plots.headline import fitted
from gated_xtfc.plots.pair_panels import pair_panels
from gated_xtfc.plots.panel import plural, shortened, title
from gated_xtfc.plots.posterior_over_time import at_times, over_time
from gated_xtfc.plots.samples import Array, Samples
from gated_xtfc.plots.solution_panels import STRETCHED
from gated_xtfc.plots.stretched_ticks import Tick, set_ticks
from gated_xtfc.plots.style import BLUE, DARK, GREY, STYLE, VERMILION
from gated_xtfc.solution.interval import IntervalSolution

POINTS = 700
SHOWN = 2  # measured quantities with panels of their own


def plot(posterior: Posterior, *paths: str | Path) -> None:
    """Draw once, write to each path; the ending of its name says the format."""
    save(lambda: draw(posterior), *paths)


def draw(posterior: Posterior) -> Figure:
    with matplotlib.rc_context(STYLE):
        if posterior.problem.evolution is not None:
            return draw_over_time(posterior)
        solution = posterior.solution(1e-6)
        assert isinstance(solution, IntervalSolution)
        samples = Samples.of(solution)
        ticks = choose_ticks(solution, samples)
        layered = bool(samples.width.max() >= STRETCHED * samples.width.min())
        figure = Figure(figsize=(12.5, 7.0))
        header(figure, posterior)
        columns = figure.add_gridspec(1, 2, left=0.06, right=0.985, top=0.83, bottom=0.085, wspace=0.16)
        pair_panels(figure, columns[0], posterior)
        shown = range(min(len(posterior.observations.series), SHOWN))
        # one quantity has room for a third view; the last one, of the residuals, is where narrow bands can be seen
        views = [over_x, *([along] if layered else []), residuals] if len(shown) == 1 else [along, residuals]
        rows = columns[1].subgridspec(len(shown) * len(views), 1, hspace=0.5)
        panels = [figure.add_subplot(rows[place]) for place in range(len(shown) * len(views))]
        for place, axes in enumerate(panels):
            views[place % len(views)](axes, posterior, samples, ticks, place // len(views))
            axes.yaxis.set_label_coords(-0.105, 0.5)
        title(panels[0], "Field")
        return figure


def draw_over_time(posterior: Posterior) -> Figure:
    """Of equations that evolve: fields at some of the times, and what the data leave over at all of them."""
    figure = Figure(figsize=(12.5, 7.0))
    header(figure, posterior)
    columns = figure.add_gridspec(1, 2, left=0.06, right=0.985, top=0.83, bottom=0.085, wspace=0.16)
    pair_panels(figure, columns[0], posterior)
    shown = range(min(len(posterior.observations.series), SHOWN))
    rows = columns[1].subgridspec(2 * len(shown), 1, hspace=0.4)
    for place in shown:
        above, below = (figure.add_subplot(rows[2 * place + k]) for k in (0, 1))
        at_times(above, posterior, place)
        over_time(below, posterior, place)
        title(above, "Field")
    return figure


def on_axes(posterior: Posterior, ax: Axes | None, quantity: str | None) -> Axes:
    """The field with its bands and what was measured, in axes that are given or the current ones of pyplot."""
    known = [one.quantity for one in posterior.observations.series]
    if quantity is not None and quantity not in known:
        raise InputError(f"{quoted(str(quantity))} was not measured: measured were {', '.join(known)}")
    place = 0 if quantity is None else known.index(quantity)
    axes = pyplot.gca() if ax is None else ax
    if posterior.problem.evolution is not None:
        at_times(axes, posterior, place)
        return axes
    solution = posterior.solution(1e-6)
    assert isinstance(solution, IntervalSolution)
    over_x(axes, posterior, Samples.of(solution), [], place)
    axes.legend()
    return axes


def header(figure: Figure, posterior: Posterior) -> None:
    problem = posterior.problem
    equations = ",   ".join(problem.texts)
    text, size = fitted(": ".join(filter(None, (problem.title, equations))))
    figure.text(0.012, 0.955, text, size=size, weight="bold", parse_math=False)
    fixed = [f"{name} = {value:.4g}" for name, value in problem.parameters.items() if name not in posterior.priors]
    found = [f"{name} = {one.mean:.4g} \u00b1 {one.std:.1g}" for name, one in posterior.distributions.items()]
    facts = [*found, *fixed, plural(posterior.observations.size, "measurement")]
    figure.text(0.012, 0.92, "     ".join(facts), size=10, color=GREY, parse_math=False)
    if posterior.status != "determined":
        figure.text(0.012, 0.89, shortened(posterior.message, 165), size=10, color=VERMILION, parse_math=False)


def over_x(axes: Axes, posterior: Posterior, samples: Samples, ticks: list[Tick], place: int) -> None:
    series = posterior.observations.series[place]
    x = thinned(samples)
    bands(axes, posterior, x, x, series.quantity)
    measured(axes, posterior, place, series.x)
    axes.set_xlabel(posterior.problem.axes[0].name)


def along(axes: Axes, posterior: Posterior, samples: Samples, ticks: list[Tick], place: int) -> None:
    series = posterior.observations.series[place]
    x = thinned(samples)
    bands(axes, posterior, np.interp(x, samples.x, samples.xi), x, series.quantity)
    measured(axes, posterior, place, np.interp(series.x, samples.x, samples.xi))
    set_ticks(axes, ticks)
    axes.set_xlabel(f"{posterior.problem.axes[0].name}, along the gated coordinate")


def residuals(axes: Axes, posterior: Posterior, samples: Samples, ticks: list[Tick], place: int) -> None:
    """Everything less the mean."""
    series = posterior.observations.series[place]
    x = thinned(samples)
    here, there = (posterior.predict(at, series.quantity)[0] for at in (x, series.x))
    bands(axes, posterior, np.interp(x, samples.x, samples.xi), x, series.quantity, here)
    measured(axes, posterior, place, np.interp(series.x, samples.x, samples.xi), there)
    set_ticks(axes, ticks)
    axes.set_xlabel(f"{posterior.problem.axes[0].name}, along the gated coordinate")
    axes.set_ylabel(f"{series.quantity} less its mean")


def thinned(samples: Samples) -> Array:
    step = max(samples.x.size // POINTS, 1)
    return np.union1d(samples.x[::step], samples.x[-1:])


def bands(axes: Axes, posterior: Posterior, at: Array, x: Array, quantity: str, base: Array | float = 0.0) -> None:
    for level, depth in ((0.95, 0.22), (0.5, 0.45)):
        low, high = posterior.band(x, level, quantity)
        label = f"{100 * level:.0f} % band"
        axes.fill_between(at, low - base, high - base, color=BLUE, alpha=depth, linewidth=0, label=label)
    axes.plot(at, posterior.predict(x, quantity)[0] - base, color=BLUE, linewidth=1.2, label="mean")
    axes.set_ylabel(quantity)


def measured(axes: Axes, posterior: Posterior, place: int, at: Array, base: Array | float = 0.0) -> None:
    series, scatter = posterior.observations.series[place], posterior.noise.scatters[place]
    sigma = posterior.mean[scatter.name] if scatter.sigma is None else scatter.sigma
    axes.errorbar(
        at, series.y - base, sigma, fmt="o", markersize=2.8, color=DARK, ecolor=GREY, elinewidth=0.7, label="data",
        zorder=1,
    )  # fmt: skip
