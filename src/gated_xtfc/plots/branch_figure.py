"""A branch as a page: the diagram over the parameter, and solutions along it."""

from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gated_xtfc.branches.branch import Branch, BranchPoint
from gated_xtfc.plots.figure import save
from gated_xtfc.plots.headline import headline
from gated_xtfc.plots.panel import plural, title
from gated_xtfc.plots.style import BLUE, DARK, GREY, STYLE, VERMILION

SHOWN = 9  # solutions along the curves


def plot_branch(branch: Branch, *paths: str | Path) -> None:
    """Draw once, write to each path."""
    save(lambda: draw_branch(branch), *paths)


def draw_branch(branch: Branch) -> Figure:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(11.5, 6.0))
        facts = [f"{len(branch)} solutions on {plural(len(branch.reasons), 'curve')}"]
        facts += [plural(len(found), noun) for found, noun in _special(branch) if found]
        headline(figure, branch.problem, facts, varied=branch.name)
        columns = figure.add_gridspec(
            1, 2, left=0.067, right=0.985, top=0.82, bottom=0.1, wspace=0.18, width_ratios=(1.25, 1)
        )
        _diagram(figure.add_subplot(columns[0]), branch)
        _solutions(figure.add_subplot(columns[1]), branch)
        return figure


def _special(branch: Branch) -> list[tuple[tuple[BranchPoint, ...], str]]:
    return [(branch.folds, "fold"), (branch.branch_points, "branch point")]


def _diagram(axes: Axes, branch: Branch) -> None:
    for number in range(len(branch.reasons)):
        points = branch.curve(number)
        for stable, run in _runs(points):
            colour, line = (DARK, "-") if stable is None else (BLUE, "-") if stable else (VERMILION, "--")
            x, y = [point.parameter for point in run], [point.quantities[0] for point in run]
            axes.plot(x, y, line, color=colour, linewidth=1.6)
    for (found, _), marker, size in zip(_special(branch), ("o", "D"), (6, 6), strict=True):
        axes.plot(
            [point.parameter for point in found], [point.quantities[0] for point in found], marker, color=DARK,
            markersize=size, markerfacecolor="white", linestyle="none", zorder=5,
        )  # fmt: skip
    known = [point.stable for point in branch.points if point.stable is not None]
    handles = []
    if known:
        handles += [Line2D([], [], color=BLUE, label="stable")] if any(known) else []
        handles += [Line2D([], [], color=VERMILION, linestyle="--", label="unstable")] if not all(known) else []
    for (found, noun), marker in zip(_special(branch), ("o", "D"), strict=True):
        if found:
            style = {"color": DARK, "marker": marker, "markerfacecolor": "white", "linestyle": "none"}
            handles.append(Line2D([], [], label=noun, **style))  # type: ignore[arg-type]
    axes.set(xlabel=branch.name, ylabel=branch.show[0])
    title(axes, "The branch")
    axes.legend(handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncols=4, borderaxespad=0.1)


def _runs(points: tuple[BranchPoint, ...]) -> list[tuple[bool | None, list[BranchPoint]]]:
    """Stretches of one stability; where it changes, at a fold or a branch point, one ends and the next begins."""
    runs: list[tuple[bool | None, list[BranchPoint]]] = []
    for a, b in pairwise(points):
        stable = b.stable if a.kind else a.stable
        if runs and runs[-1][0] == stable:
            runs[-1][1].append(b)
        else:
            runs.append((stable, [a, b]))
    return runs


def _solutions(axes: Axes, branch: Branch) -> None:
    """Solutions along all curves, as evenly as their points are; paler ones have a smaller parameter."""
    chosen = sorted({int(i) for i in np.linspace(0, len(branch) - 1, SHOWN)})
    field, axis = branch.problem.fields[0], branch.problem.axes[0].name
    span = max(branch.high - branch.low, 1e-300)
    for i in chosen:
        point = branch.points[i]
        x = point.solution.points(1001)
        part = 0.25 + 0.75 * (point.parameter - branch.low) / span
        colour = BLUE if point.stable or point.stable is None else VERMILION
        axes.plot(x, point.solution[field](x), color=colour, alpha=float(np.clip(part, 0.2, 1.0)), linewidth=1.3)
    axes.set(xlabel=axis, ylabel=field)
    title(axes, "Solutions along it")
    legend = axes.get_legend()
    if legend is not None:
        legend.remove()
    axes.annotate(
        f"paler: smaller {branch.name}", (1, 1), xycoords="axes fraction", xytext=(0, 6), textcoords="offset points",
        ha="right", size=8.5, color=GREY,
    )  # fmt: skip
