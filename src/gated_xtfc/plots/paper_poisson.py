"""Figures of the section on Poisson's equation: the search, the solution, widths and residual, errors."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import ArrayLike

from gated_xtfc.paper.task import Result
from gated_xtfc.plots.paper_page import drawing, legend_below
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, VERMILION
from gated_xtfc.types import Array

COLOURS = {"text": BLUE, "scripts": ORANGE}
TICKS = (0.0, 0.4, 0.49, 0.5, 0.51, 0.6, 1.0)
LEAST = 1e-16  # below, an error has no colour of its own


@drawing("poisson-history", 3.0)
def history(figure: Figure, results: Mapping[str, Result]) -> None:
    """Every evaluation as a point, the best so far as a line; both variants."""
    panels = figure.subplots(1, 4)
    titles = {"x": "centre, x", "y": "centre, y", "radius": "radius", "objective": "objective over its least"}
    for axes, (key, title) in zip(panels, titles.items(), strict=True):
        for variant, result in results.items():
            trace = {name: np.array(values) for name, values in result["trace"].items()}
            best = np.array([trace["objective"][: k + 1].argmin() for k in range(trace["objective"].size)])
            values = trace[key] / trace["objective"].min() if key == "objective" else trace[key]
            count, colour = np.arange(1, values.size + 1), COLOURS[variant]
            axes.plot(count, values, ".", color=colour, alpha=0.45, ms=4)
            axes.step(count, values[best], where="post", color=colour, linewidth=1.6, label=variant)
        axes.set(title=title, xlabel="evaluation")
        if key in "xy":
            axes.axhline(0.5, color=GREY, linestyle=":", linewidth=1.1, label="the peak")
            axes.set_ylim(0.39, 0.61)
    panels[3].set_yscale("log")
    legend_below(figure, panels[0])


@drawing("poisson-solution", 4.3)
def solution(figure: Figure, results: Mapping[str, Result], differences: Result, default: Result | None) -> None:
    """Contours of the published solution and of its reference; a line through the peak: u, and how far it is off."""
    places = figure.add_gridspec(2, 3, width_ratios=(1, 1, 1.3))
    panels = [figure.add_subplot(places[:, column]) for column in (0, 1)]
    result = next(iter(results.values()))
    both = {"published method here": result["solution"], "finite differences": differences["solution"]}
    levels = np.arange(-0.65, 0.001, 0.05)  # the exact peak is at -0.625
    for axes, (name, one) in zip(panels, both.items(), strict=True):
        filled = axes.contourf(one["at"], one["at"], np.array(one["u"]).T, levels, cmap="viridis", extend="both")
        filled.set_edgecolor("face")
        axes.set(title=name, xlabel="x", aspect="equal")
        axes.grid(visible=False)
    panels[0].set_ylabel("y")
    figure.colorbar(filled, ax=panels, location="bottom", label="u", shrink=0.8, ticks=levels[1::3])
    upper, lower = (figure.add_subplot(places[row, 2]) for row in (0, 1))
    through(upper, lower, results, differences, default)
    legend_below(figure, upper)


def through(
    upper: Axes, lower: Axes, results: Mapping[str, Result], differences: Result, default: Result | None
) -> None:
    nu, first = differences["nu"], next(iter(results.values()))["line"]
    exact = np.array(first["exact"])
    upper.plot(stretch(first["x"], nu), exact, color=DARK, linewidth=3.2, alpha=0.25, label="exact")
    lines = {f"published, {variant}": (result, COLOURS[variant], "-") for variant, result in results.items()}
    lines |= {"our default": (default, GREEN, "--")} if default is not None else {}
    for name, (result, colour, dashes) in lines.items():
        at, u = stretch(result["line"]["x"], nu), np.array(result["line"]["u"])
        upper.plot(at, u, color=colour, linestyle=dashes, linewidth=1.3, label=name)
        lower.plot(at, u - exact, color=colour, linestyle=dashes, linewidth=1.3)
    at, u = stretch(differences["line"]["x"], nu), np.array(differences["line"]["u"])
    near = np.abs(at) < 8.5
    off = u[near] - np.interp(at[near], stretch(first["x"], nu), exact)  # nodes are among the points of the line
    upper.plot(at[near], u[near], "x", color=VERMILION, ms=4, label="finite differences")
    lower.plot(at[near], off, "x", color=VERMILION, ms=4)
    upper.set(title="through the peak, y = 1/2", ylabel="u", xticklabels=[])
    lower.set(xlabel="(x − 1/2)/ν", ylabel="u − exact")


def stretch(x: ArrayLike, nu: float) -> Array:
    return np.asarray((np.asarray(x) - 0.5) / nu)


@drawing("poisson-widths", 3.9)
def widths(figure: Figure, result: Result) -> None:
    """Left: every kernel where it is, coloured by its width. Right: the residual, axes stretched around the peak."""
    left, right = figure.subplots(1, 2)
    kernels = result["kernels"]
    order = np.argsort(kernels["width"])[::-1]  # the narrow ones on top
    x, y, width = (np.array(kernels[name])[order] for name in ("x", "y", "width"))
    shown = left.scatter(x, y, c=width, s=7, cmap="viridis", norm=LogNorm(), linewidth=0)
    left.add_patch(Circle(result["centre"], result["radius"], fill=False, color=VERMILION, linewidth=1.2))
    left.plot(0.5, 0.5, "+", color=DARK, ms=9, mew=1.4)
    left.set(title="kernels and their widths", xlabel="x", ylabel="y", aspect="equal")
    left.grid(visible=False)
    figure.colorbar(shown, ax=left, label="width", shrink=0.9)
    residual = np.maximum(np.abs(np.array(result["maps"]["residual"])), 1e-6)
    mesh = stretched_map(right, result["maps"]["at"], residual, LogNorm(*np.quantile(residual, (0.05, 1.0))), result)
    right.set(title="|residual|", xlabel="x", ylabel="y")
    figure.colorbar(mesh, ax=right, label="|u_xx + u_yy − source|", shrink=0.9)


@drawing("poisson-errors", 2.75)
def errors(figure: Figure, shown: Mapping[str, Result]) -> None:
    """The error |u - exact| of every method, the same colours for all."""
    panels = figure.subplots(1, len(shown), squeeze=False)[0]
    norm = LogNorm(LEAST, max(float(np.max(one["maps"]["error"])) for one in shown.values()))
    for axes, (name, result) in zip(panels, shown.items(), strict=True):
        error = np.maximum(np.array(result["maps"]["error"]), LEAST)
        mesh = stretched_map(axes, result["maps"]["at"], error, norm, result)
        axes.set(title=name, xlabel="x")
    panels[0].set_ylabel("y")
    for axes in panels[1:]:
        axes.set_yticklabels([])
    figure.colorbar(mesh, ax=list(panels), location="right", label="|error|", pad=0.01, shrink=0.9)


def stretched_map(axes: Axes, at: ArrayLike, values: Array, norm: Normalize, result: Result) -> ScalarMappable:
    """A tensor grid in colours; both axes stretched around the middle, so that the peak is as wide as the square."""

    def place(x: ArrayLike) -> Array:
        return np.asarray(np.arcsinh(stretch(x, result["nu"])))

    mesh = axes.pcolormesh(place(at), place(at), values.T, norm=norm, cmap="magma", shading="nearest", rasterized=True)
    ends = place([0.0, 1.0])
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(place(TICKS), [f"{tick:g}" for tick in TICKS])
    axes.tick_params(axis="x", rotation=90)
    axes.grid(visible=False)
    if "radius" in result:
        angle = np.linspace(0.0, 2.0 * np.pi, 361)
        (x, y), radius = result["centre"], result["radius"]
        axes.plot(place(x + radius * np.cos(angle)), place(y + radius * np.sin(angle)), color="white", linewidth=0.9)
    return mesh
