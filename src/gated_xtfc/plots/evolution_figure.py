"""One page a solution that evolves: fields at several times and over space and time, layers opened, error and gates."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.plots.headline import header
from gated_xtfc.plots.panel import title
from gated_xtfc.plots.plane_figure import bar
from gated_xtfc.plots.style import BLUE, GREY, VERMILION
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.types import Array

CURVES = 7  # times
PLACES = 601  # on a curve
CELLS = 201  # times of the picture over space and time


def draw_evolution(solution: EvolutionSolution) -> Figure:
    fields = solution.problem.fields
    rows = len(fields) + 1
    figure = Figure(figsize=(11.5, 1.6 + 3.3 * rows))
    header(figure, solution)
    cells = figure.add_gridspec(
        rows, 2, left=0.07, right=0.925, top=1.0 - 1.25 / (1.6 + 3.3 * rows), bottom=0.07, wspace=0.38, hspace=0.42
    )
    for f, field in enumerate(fields):
        curves(figure.add_subplot(cells[f, 0]), solution, f)
        picture = figure.add_subplot(cells[f, 1])
        space_time(picture, solution, f)
        title(picture, f"{field} over space and time, and the paths of its gates")
    opened(figure.add_subplot(cells[rows - 1, 0]), solution)
    accuracy(figure.add_subplot(cells[rows - 1, 1]), solution)
    return figure


def shown_times(solution: EvolutionSolution, count: int) -> Array:
    start, end = float(solution.times[0]), solution.reached
    return np.linspace(start, end, count)


def told_times(solution: EvolutionSolution) -> Array:
    """Times of the curves: half of what lies between neighbours is time, half is change, so that none coincide where
    a field hurries at first and then rests.
    """
    ends, last = solution.times, solution.record.pieces[-1]
    x = np.linspace(last.coordinate.left, last.coordinate.right, CELLS)
    values = np.stack([piece.at(x, float(t)) for piece, t in zip(solution.record.pieces, ends[:-1], strict=True)])
    values = np.concatenate([values, last.at(x, float(ends[-1]))[None]])
    change = (np.abs(np.diff(values, axis=0)).mean(axis=2) / np.array(solution.scales)).max(axis=1)
    if not 0.0 < change.sum() < np.inf:
        return shown_times(solution, CURVES)
    gone = (ends - ends[0]) / (ends[-1] - ends[0]) + np.append(0.0, np.cumsum(change)) / change.sum()
    found: Array = np.interp(np.linspace(0.0, gone[-1], CURVES), gone, ends)
    return found


def curves(axes: Axes, solution: EvolutionSolution, f: int) -> None:
    """One field over space at several times."""
    evolution, field = solution.problem.evolution, solution.problem.fields[f]
    assert evolution is not None
    draw_curves(axes, solution, f)
    axes.legend(
        title=evolution.time.name, fontsize=8, title_fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5),
        handlelength=1.2,
    )  # fmt: skip
    axes.annotate(
        f"{field} at several times", (0, 1), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points",
        weight="bold", size=10.5,
    )  # fmt: skip


def draw_curves(axes: Axes, solution: EvolutionSolution, f: int) -> None:
    """The curves alone, each with its time as label."""
    evolution, field = solution.problem.evolution, solution.problem.fields[f]
    assert evolution is not None
    times = told_times(solution)
    for t, colour in zip(times, colormaps["viridis"](np.linspace(0.0, 0.9, CURVES)), strict=True):
        x = dense_places(solution, float(t))
        axes.plot(x, solution.record.piece(float(t)).at(x, float(t))[f], color=colour, label=f"{t:.3g}", linewidth=1.5)
    axes.set(xlabel=evolution.space.name, ylabel=field)


def dense_places(solution: EvolutionSolution, t: float) -> Array:
    """Dense in the layers, and not too far apart elsewhere."""
    evolution = solution.problem.evolution
    assert evolution is not None
    uniform = np.linspace(evolution.space.left, evolution.space.right, CELLS)
    return np.unique(np.concatenate([solution.places(t, PLACES), uniform]))


def space_time(axes: Axes, solution: EvolutionSolution, f: int) -> None:
    """One field over space and time, with the paths of the gates."""
    evolution = solution.problem.evolution
    assert evolution is not None
    times = shown_times(solution, CELLS)
    x = np.linspace(evolution.space.left, evolution.space.right, 2 * CELLS)
    values = np.stack([solution.record.piece(float(t)).at(x, float(t))[f] for t in times])
    mesh = axes.pcolormesh(x, times, values, cmap="viridis", shading="nearest", rasterized=True)
    for front in solution.fronts:
        if front.thickness.min() < 0.1 * evolution.space.length:
            axes.plot(front.x, front.t, color=VERMILION, linewidth=1.0, linestyle="--")
    axes.set(xlabel=evolution.space.name, ylabel=evolution.time.name)
    axes.set(xlim=(x[0], x[-1]), ylim=(times[0], times[-1]))
    axes.grid(False)
    bar(axes, mesh)


def opened(axes: Axes, solution: EvolutionSolution) -> None:
    """The first field along the moving coordinate, in which a layer that travels stands still."""
    times = told_times(solution)
    eta = np.linspace(0.0, 1.0, PLACES)
    for t, colour in zip(times, colormaps["viridis"](np.linspace(0.0, 0.9, CURVES)), strict=True):
        piece = solution.record.piece(float(t))
        axes.plot(eta, piece.at(solution.places(float(t), PLACES), float(t))[0], color=colour, linewidth=1.5)
    axes.set(xlabel="the moving coordinate, from end to end", ylabel=solution.problem.fields[0], xlim=(0.0, 1.0))
    title(axes, f"{solution.problem.fields[0]} at the same times, layers opened")


def accuracy(axes: Axes, solution: EvolutionSolution) -> None:
    """The estimated error as time goes on, the steps, and the thickness of the thinnest gate."""
    evolution = solution.problem.evolution
    assert evolution is not None
    ends = solution.times[1:]
    floor = 1e-17
    axes.semilogy(ends, np.maximum(solution.estimates, floor), color=BLUE, marker=".", markersize=3, label="error")
    axes.axhline(solution.tol, color=GREY, linestyle=":", linewidth=1.2, label="tolerance")
    axes.semilogy(ends, np.diff(solution.times), color=GREY, linewidth=1.0, marker=".", markersize=3, label="step")
    thinnest = [piece.gates_at(piece.start + piece.length)[1].min(initial=np.inf) for piece in solution.record.pieces]
    if np.isfinite(thinnest).any():
        axes.semilogy(ends, thinnest, color=VERMILION, linestyle="--", linewidth=1.2, label="thinnest gate")
    axes.set(xlabel=evolution.time.name, xlim=(solution.times[0], solution.reached))
    title(axes, "Accuracy", legend_of=[axes])
