"""How good it is: scaled residual, true error where it is known, the estimate and the tolerance."""

import numpy as np
from matplotlib.axes import Axes

from gated_xtfc.plots.panel import title
from gated_xtfc.plots.samples import Array, Samples
from gated_xtfc.plots.style import BLUE, GREY, PURPLE, VERMILION
from gated_xtfc.solution.interval import IntervalSolution

LEAST = 1e-18  # stands for an exact zero


def accuracy_panel(axes: Axes, solution: IntervalSolution, samples: Samples) -> None:
    cells = int(np.clip(solution.neurons, 40, 240))
    curve(axes, *samples.envelope(samples.residual, cells), PURPLE, "scaled residual")
    if samples.error is not None:
        curve(axes, *samples.envelope(samples.error, cells), BLUE, "true error")
    if np.isfinite(solution.error):
        axes.axhline(max(solution.error, LEAST), color=VERMILION, linestyle="--", linewidth=1.4, label="estimate")
    axes.axhline(solution.tol, color=GREY, linestyle=":", linewidth=1.6, label="tolerance")
    several = len(samples.fields) > 1
    axes.set(yscale="log", ylabel="relative, largest of all" if several else "relative to max|u|")
    axes.set_xlabel(f"{solution.problem.axes[0].name}, along the gated coordinate")
    title(axes, "Accuracy")


def curve(axes: Axes, xi: Array, values: Array, colour: str, label: str) -> None:
    axes.plot(xi, np.maximum(values, LEAST), color=colour, linewidth=1.5, label=label)
