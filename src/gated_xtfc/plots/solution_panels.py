"""The solution twice: over x, and below it along the gated coordinate, in which every layer opens up.

Without layers the lower view is a piece of the upper one, where waves are too many to see, or not there at all. Fields
of a system share axes as far as each of them can still be read.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from gated_xtfc.plots.panel import steady, title
from gated_xtfc.plots.samples import Array, Samples
from gated_xtfc.plots.stretched_ticks import Tick, set_ticks
from gated_xtfc.plots.style import BLUE, DARK, FIELDS, ORANGE, PALE
from gated_xtfc.solution.interval import IntervalSolution

STRETCHED = 4.0  # widest over narrowest kernel: below this the gated coordinate shows nothing new
MANY_WAVES = 60  # turning points that can still be told apart over x
FEW_WAVES = 12  # shown in the piece
MARGIN = 0.02  # of the axis, on both sides, in every panel
READABLE = 1 / 50  # of the height of its axes: what a field's own range must fill

Groups = list[list[str]]  # names of the fields that share axes


def solution_panels(
    figure: Figure, cell: SubplotSpec, solution: IntervalSolution, samples: Samples, ticks: list[Tick], groups: Groups
) -> None:
    axis = solution.problem.axes[0].name
    shown = "Guess" if solution.status == "not found" else "Solution"
    layered = samples.width.max() >= STRETCHED * samples.width.min()
    turns = samples.turns()
    if not layered and len(turns) <= MANY_WAVES:
        only = stack(figure, cell, len(groups))
        over_x(only, groups, samples)
        only[-1].set_xlabel(axis)
        title(only[0], f"{shown} over {axis}", legend_of=only, names=samples.fields)
        return
    parts = cell.subgridspec(3, 1, height_ratios=(1, 0.3 / len(groups) ** 0.5, 1), hspace=0)
    top, bottom = stack(figure, parts[0], len(groups), ticks_above=True), stack(figure, parts[2], len(groups))
    middle = figure.add_subplot(parts[1])
    over_x(top, groups, samples, crowded=len(turns) > MANY_WAVES)
    along = (samples.x - samples.x[0]) / (samples.x[-1] - samples.x[0])
    if layered:
        for axes, names in zip(bottom, groups, strict=True):
            curves(axes, names, samples.xi, samples)
            set_ticks(axes, ticks)
        bottom[-1].set_xlabel(f"{axis}, along the gated coordinate")
        lines = (np.linspace(0, 1, 61), PALE, 0.6), (np.array([tick.at for tick in ticks]), BLUE, 0.8)
        for below, colour, thickness in lines:
            strip(middle, np.interp(below, samples.xi, along), below, colour, thickness)
    else:
        first = max((len(turns) - FEW_WAVES) // 2, 0)
        piece = samples.x[turns[first]], samples.x[turns[first + FEW_WAVES]]
        over_x(bottom, groups, samples, piece)
        bottom[-1].set_xlabel(f"{axis}, a piece of it")
        strip(middle, np.interp(piece, samples.x, along), np.array([0.0, 1.0]), BLUE, 0.8)
    title(top[0], f"{shown} over {axis}", above=16, legend_of=bottom, names=samples.fields)


def grouped(fields: dict[str, Array]) -> Groups:
    """Each field joins the first axes on which it, and all that are there, can still be read."""
    groups: Groups = []
    for name in fields:
        for group in groups:
            together = [fields[one] for one in (*group, name)]
            height = max(float(u.max()) for u in together) - min(float(u.min()) for u in together)
            if all(float(np.ptp(u)) >= READABLE * height for u in together):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def stack(figure: Figure, cell: SubplotSpec, count: int, ticks_above: bool = False) -> list[Axes]:
    """Axes one above the other, with the labels of x at the outermost only."""
    rows = cell.subgridspec(count, 1, hspace=0.14)
    axes = [figure.add_subplot(rows[place]) for place in range(count)]
    for place, one in enumerate(axes):
        if ticks_above:
            one.xaxis.tick_top()
        outermost = place == (0 if ticks_above else count - 1)
        one.tick_params(axis="x", labeltop=outermost and ticks_above, labelbottom=outermost and not ticks_above)
    return axes


def over_x(
    stacked: list[Axes],
    groups: Groups,
    samples: Samples,
    piece: tuple[float, float] | None = None,
    crowded: bool = False,
) -> None:
    left, right = piece or (samples.x[0], samples.x[-1])
    shown = samples.between(left, right)
    for axes, names in zip(stacked, groups, strict=True):
        curves(axes, names, shown.x, shown, crowded)
        axes.set_xlim(left - MARGIN * (right - left), right + MARGIN * (right - left))


def curves(axes: Axes, names: list[str], at: Array, samples: Samples, crowded: bool = False) -> None:
    """Drawn over each other the curves would hide one another where waves are crowded: then only the solution."""
    several = len(samples.fields) > 1
    for name in names:
        place = list(samples.fields).index(name)
        colour, turn = FIELDS[place % len(FIELDS)], place // len(FIELDS)
        line = ("-", "--", ":")[turn % 3]
        label = name if several else "solution"
        axes.plot(at, samples.fields[name], line, color=colour, linewidth=0.4 if crowded else None, label=label)
    for name in names:
        if name in samples.exacts and not crowded:
            colour, width = (DARK, 1.2) if several else (ORANGE, 2.2)
            dots = (0, (1.2, 2.4))
            axes.plot(at, samples.exacts[name], color=colour, linewidth=width, linestyle=dots, label="exact")
    steady(axes, [samples.fields[name] for name in names])
    axes.set_ylabel(names[0] if len(names) == 1 else "")
    axes.yaxis.set_label_coords(-0.106, 0.5)
    axes.yaxis.get_offset_text().set_x(-0.1)


def strip(axes: Axes, above: Array, below: Array, colour: str, thickness: float) -> None:
    """Lines that lead from a place in the upper view to the same place in the lower one, both from 0 to 1."""
    axes.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(0, 1))
    axes.set_axis_off()
    axes.plot(np.stack([above, below]), np.array([[1.0], [0.0]]), color=colour, linewidth=thickness)
