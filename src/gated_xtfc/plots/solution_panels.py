"""The solution twice: over x, and below it along the gated coordinate, in which every layer opens up.

Without layers the lower view is a piece of the upper one, where waves are too many to see, or not there at all.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from gated_xtfc.plots.panel import title
from gated_xtfc.plots.samples import Array, Samples
from gated_xtfc.plots.stretched_ticks import Tick, set_ticks
from gated_xtfc.plots.style import BLUE, ORANGE, PALE
from gated_xtfc.solution import Solution

STRETCHED = 4.0  # widest over narrowest kernel: below this the gated coordinate shows nothing new
MANY_WAVES = 60  # turning points that can still be told apart over x
FEW_WAVES = 12  # shown in the piece
MARGIN = 0.02  # of the axis, on both sides, in every panel


def solution_panels(figure: Figure, cell: SubplotSpec, solution: Solution, samples: Samples, ticks: list[Tick]) -> None:
    layered = samples.width.max() >= STRETCHED * samples.width.min()
    turns = samples.turns()
    if not layered and len(turns) <= MANY_WAVES:
        only = figure.add_subplot(cell)
        over_x(only, solution, samples)
        only.set_xlabel(solution.problem.axis.name)
        title(only, f"Solution over {solution.problem.axis.name}")
        return
    parts = cell.subgridspec(3, 1, height_ratios=(1, 0.3, 1), hspace=0)
    top, middle, bottom = (figure.add_subplot(parts[place]) for place in range(3))
    over_x(top, solution, samples, crowded=len(turns) > MANY_WAVES)
    top.xaxis.tick_top()
    along = (samples.x - samples.x[0]) / (samples.x[-1] - samples.x[0])
    if layered:
        curves(bottom, solution, samples.xi, samples)
        set_ticks(bottom, ticks)
        bottom.set_xlabel(f"{solution.problem.axis.name}, along the gated coordinate")
        lines = (np.linspace(0, 1, 61), PALE, 0.6), (np.array([tick.at for tick in ticks]), BLUE, 0.8)
        for below, colour, thickness in lines:
            strip(middle, np.interp(below, samples.xi, along), below, colour, thickness)
    else:
        first = max((len(turns) - FEW_WAVES) // 2, 0)
        piece = samples.x[turns[first]], samples.x[turns[first + FEW_WAVES]]
        over_x(bottom, solution, samples, piece)
        bottom.set_xlabel(f"{solution.problem.axis.name}, a piece of it")
        strip(middle, np.interp(piece, samples.x, along), np.array([0.0, 1.0]), BLUE, 0.8)
    title(top, f"Solution over {solution.problem.axis.name}", 1.11, legend_of=bottom)


def over_x(
    axes: Axes, solution: Solution, samples: Samples, piece: tuple[float, float] | None = None, crowded: bool = False
) -> None:
    left, right = piece or (samples.x[0], samples.x[-1])
    shown = samples.between(left, right)
    curves(axes, solution, shown.x, shown, crowded)
    axes.set_xlim(left - MARGIN * (right - left), right + MARGIN * (right - left))


def curves(axes: Axes, solution: Solution, at: Array, samples: Samples, crowded: bool = False) -> None:
    """Drawn over each other the curves would hide one another where waves are crowded: then only the solution."""
    axes.plot(at, samples.u, color=BLUE, linewidth=0.4 if crowded else None, label="solution")
    if samples.exact is not None and not crowded:
        axes.plot(at, samples.exact, color=ORANGE, linestyle=(0, (1.2, 2.4)), linewidth=2.2, label="exact")
    axes.set_ylabel(solution.problem.fields[0])
    axes.yaxis.set_label_coords(-0.095, 0.5)
    axes.yaxis.get_offset_text().set_x(-0.1)


def strip(axes: Axes, above: Array, below: Array, colour: str, thickness: float) -> None:
    """Lines that lead from a place in the upper view to the same place in the lower one, both from 0 to 1."""
    axes.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(0, 1))
    axes.set_axis_off()
    axes.plot(np.stack([above, below]), np.array([[1.0], [0.0]]), color=colour, linewidth=thickness)
