"""One page a solution on a rectangle: u over the plane, u with its layers opened, kernel widths, residual.

All but the first panel run along the gated coordinates of both axes, with ticks labelled by x and y.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LogNorm, Normalize
from matplotlib.figure import Figure

from gated_xtfc.gates.gate import Layer
from gated_xtfc.plots.headline import header
from gated_xtfc.plots.panel import title
from gated_xtfc.plots.plane_samples import Array, PlaneSamples
from gated_xtfc.plots.stretched_ticks import StretchedTicks, Tick, spaced
from gated_xtfc.plots.style import VERMILION
from gated_xtfc.solution.rectangle import RectangleSolution

LEVELS = 21
LEAST = 1e-17  # of the scale: what is smaller is shown as this
LINES = 10  # contour lines
PIXELS = 400  # of a panel, about


def draw_plane(solution: RectangleSolution) -> Figure:
    samples = PlaneSamples.of(solution)
    figure = Figure(figsize=(11.5, 9.6))
    header(figure, solution)
    cells = figure.add_gridspec(2, 2, left=0.075, right=0.925, top=0.85, bottom=0.06, wspace=0.47, hspace=0.27)
    first, second, third, fourth = (figure.add_subplot(cells[place]) for place in range(4))
    names = [axis.name for axis in solution.problem.axes]
    shown = "Guess" if solution.status == "not found" else "Solution"
    surface(first, samples.x, samples.y, samples.values)
    hidden = " (layers thinner than a pixel do not show: on the right they are opened)" if samples.hides(PIXELS) else ""
    first.set(xlabel=names[0] + hidden, ylabel=names[1])
    title(first, f"{shown} over the plane")
    surface(second, samples.xi, samples.eta, samples.values)
    title(second, f"{shown}, layers opened")
    widths(third, solution, samples)
    gated = any(inside(solution, axis) for axis in (0, 1))
    title(third, f"Kernel width, the smaller of the two{'; dashed: gates' if gated else ''}")
    residual(fourth, samples)
    true = "" if samples.error is None else f" (the true error is at most {samples.error:.1e})"
    title(fourth, f"Scaled residual{true}")
    for axes in (second, third, fourth):
        set_plane_ticks(axes, solution, samples, (0.1, 0.06))
        axes.set(xlabel=f"{names[0]}, along the gated coordinate", ylabel=names[1], xlim=(0, 1), ylim=(0, 1))
    for axes in (first, second, third, fourth):
        axes.grid(False)
    return figure


def set_plane_ticks(axes: Axes, solution: RectangleSolution, samples: PlaneSamples, room: tuple[float, float]) -> None:
    """Along the gated coordinates, labelled by x and y; `room` is the share of each axis that a label may take."""
    for axis, place in ((0, axes.set_xticks), (1, axes.set_yticks)):
        ticks = spaced(choose_ticks(solution, samples, axis), room[axis])
        place([tick.at for tick in ticks], [tick.label for tick in ticks])


def choose_ticks(solution: RectangleSolution, samples: PlaneSamples, axis: int) -> list[Tick]:
    where = solution.problem.axes[axis]
    layers = [gate for gate in solution.gates[where.name] if isinstance(gate, Layer)]
    thickness = {gate.location: gate.thickness for gate in sorted(layers, key=lambda gate: -gate.thickness)}
    return StretchedTicks(lambda x: samples.at(axis, x), (where.left, where.right), thickness).choose()


def inside(solution: RectangleSolution, axis: int) -> list[float]:
    """Where layers stand along an axis, but for its ends: a line there would be half hidden by the frame."""
    where = solution.problem.axes[axis]
    layers = [gate for gate in solution.gates[where.name] if isinstance(gate, Layer)]
    return [layer.location for layer in layers if where.left < layer.location < where.right]


def surface(axes: Axes, x: Array, y: Array, u: Array) -> None:
    low, high = float(u.min()), float(u.max())
    if high - low <= 1e-12 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    levels = np.linspace(low, high, LEVELS)
    mesh = axes.pcolormesh(x, y, u.T, cmap="viridis", norm=Normalize(low, high), shading="nearest", rasterized=True)
    axes.contour(
        x,
        y,
        u.T,
        levels=levels[1 : -1 : LEVELS // LINES],
        colors="white",
        linestyles="solid",
        linewidths=0.5,
        alpha=0.7,
    )
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    bar(axes, mesh)


def widths(axes: Axes, solution: RectangleSolution, samples: PlaneSamples) -> None:
    width = np.minimum(samples.width_x[:, None], samples.width_y[None, :])
    low, high = float(width.min()), float(width.max())
    norm = LogNorm(low, high) if high > 1.0001 * low else LogNorm(0.9 * low, 1.1 * high)
    mesh = axes.pcolormesh(
        samples.xi, samples.eta, width.T, cmap="cividis", norm=norm, shading="nearest", rasterized=True
    )
    for axis, line in ((0, axes.axvline), (1, axes.axhline)):
        for location in inside(solution, axis):
            line(samples.at(axis, location), color=VERMILION, linestyle="--", linewidth=1.0)
    bar(axes, mesh)


def residual(axes: Axes, samples: PlaneSamples) -> None:
    size = np.maximum(samples.residual, LEAST)
    high = 10.0 ** np.ceil(np.log10(size.max()) + 1e-9)
    low = max(high * 1e-6, 10.0 ** np.floor(np.log10(np.quantile(size, 0.02))))
    steps = 10.0 ** np.arange(round(np.log10(low)), round(np.log10(high)) + 1)
    if steps.size < 3:
        steps = high * 10.0 ** np.arange(-2.0, 1.0)
    norm = BoundaryNorm(steps, 256)
    mesh = axes.pcolormesh(
        samples.xi, samples.eta, np.clip(size, steps[0], 0.999 * steps[-1]).T, cmap="magma", norm=norm,
        shading="nearest", rasterized=True,
    )  # fmt: skip
    bar(axes, mesh, [f"$10^{{{round(np.log10(step))}}}$" for step in steps])


def bar(axes: Axes, mesh: ScalarMappable, labels: list[str] | None = None) -> None:
    figure = axes.figure
    inset = axes.inset_axes((1.03, 0.0, 0.035, 1.0))
    colours = figure.colorbar(mesh, cax=inset)
    colours.outline.set_linewidth(0.5)
    if labels is not None:
        colours.ax.set_yticklabels(labels)
    inset.grid(False)
