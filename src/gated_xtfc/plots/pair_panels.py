"""Unknowns against each other: on the diagonal the density of each, below it the draws of every pair."""

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.plots.panel import title
from gated_xtfc.plots.style import BLUE, GREY, ORANGE

DRAWS = 1500  # shown in a pair
MOST = 5  # unknowns shown


def pair_panels(figure: Figure, cell: SubplotSpec, posterior: Posterior) -> None:
    names = posterior.names[:MOST]
    grid = cell.subgridspec(len(names), len(names), hspace=0.12 + 0.1 * (len(names) == 1), wspace=0.14)
    for row, below in enumerate(names):
        for column, across in enumerate(names[: row + 1]):
            axes = figure.add_subplot(grid[row, column])
            limits = shown(posterior.distributions[across])
            if row == column:
                density(axes, posterior, across)
            else:
                pair(axes, posterior, across, below)
                axes.set_ylim(*shown(posterior.distributions[below]))
            axes.set_xlim(*limits)
            scaled(axes, "x", posterior.distributions[across], len(names))
            last, first = row == len(names) - 1, column == 0
            axes.tick_params(labelbottom=last, labelleft=first and row != column)
            axes.set_xlabel(across if last else "", parse_math=False)
            if not last:
                axes.xaxis.get_offset_text().set_visible(False)
            axes.set_ylabel(below if first and row != column else "", parse_math=False)
            if row > column:
                scaled(axes, "y", posterior.distributions[below], len(names))
            if row == column == 0:
                name(axes, len(names))


def name(axes: Axes, count: int) -> None:
    """The legend beside the first panel, where there is room for it next to a triangle."""
    if count == 1:
        title(axes, "Posterior")
        return
    axes.annotate(
        "Posterior", (0, 1), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points", weight="bold",
        size=10.5,
    )  # fmt: skip
    axes.legend(loc="upper left", bbox_to_anchor=(1.05, 1.0), borderaxespad=0.0)


def magnitudes(one: Distribution) -> bool:
    """Whether it spans orders of magnitude, and is drawn over them."""
    low, high = one.interval(0.95)
    return one.logarithmic and high > 10.0 * low


def scaled(axes: Axes, which: Literal["x", "y"], one: Distribution, count: int) -> None:
    axis = axes.xaxis if which == "x" else axes.yaxis
    if magnitudes(one):
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        axis.set_major_locator(LogLocator(numticks=6))
        axis.set_minor_locator(NullLocator())
        return
    axis.set_major_locator(MaxNLocator(5 if count == 1 else 3, prune="both" if count > 1 else None))
    axes.ticklabel_format(axis=which, style="sci", scilimits=(-3, 4), useMathText=True)


def shown(one: Distribution) -> tuple[float, float]:
    """Where nearly all of it is, with a little room."""
    low, high = one.curve.quantile(0.0005), one.curve.quantile(0.9995)
    if magnitudes(one):
        return low, high
    room = 0.06 * (high - low)
    return max(low - room, min(low, float(one.curve.grid[0]))), min(high + room, max(high, float(one.curve.grid[-1])))


def density(axes: Axes, posterior: Posterior, name: str) -> None:
    one = posterior.distributions[name]
    grid, height = one.curve.grid, one.curve.density * (one.curve.grid if magnitudes(one) else 1.0)
    height = height / max(float(height.max()), 1e-300)
    axes.plot(grid, height, color=BLUE)
    for level, depth in ((0.95, 0.18), (0.5, 0.4)):
        low, high = one.interval(level)
        inside = np.union1d(grid[(grid > low) & (grid < high)], [low, high])
        label = f"{100 * level:.0f} % interval"
        axes.fill_between(inside, np.interp(inside, grid, height), color=BLUE, alpha=depth, linewidth=0, label=label)
    axes.axvline(one.mean, color=ORANGE, linewidth=1.2, label="mean")
    axes.set_ylim(0.0, 1.08)
    axes.set_yticks([])


def pair(axes: Axes, posterior: Posterior, across: str, below: str) -> None:
    x, y = posterior.samples[across][:DRAWS], posterior.samples[below][:DRAWS]
    axes.plot(x, y, ".", color=BLUE, markersize=1.6, alpha=0.35, markeredgewidth=0, rasterized=True)
    i, j = posterior.names.index(across), posterior.names.index(below)
    text = f"{posterior.correlation[i, j]:+.2f}"
    axes.annotate(
        text, (1, 1), xycoords="axes fraction", xytext=(-3, -3), textcoords="offset points", ha="right", va="top",
        color=GREY, size=8,
    )  # fmt: skip
