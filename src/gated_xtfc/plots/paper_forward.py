"""Figures of the sections with one layer and with twins: sites, solution, residual and error, widths, the search."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.paper.task import Result
from gated_xtfc.plots.paper_page import (
    DASHES,
    Results,
    curve,
    distance_axis,
    drawing,
    gate_axis,
    legend_below,
    panels,
    small_labels,
    split_line,
)
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from gated_xtfc.types import Array

FROM_OUTFLOW = "distance from the outflow, 1 − x"
ENDS = {"left": "the left end, x", "right": "the right end, 1 − x"}


@drawing("sites", 2.1)
def sites(figure: Figure, result: Result) -> None:
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1))
    rows = {"training sites": BLUE, "kernel centres": GREEN, "validation": ORANGE, "test": GREY}
    for axes in (left, right):
        for height, (name, colour) in enumerate(reversed(rows.items())):
            x = np.array(result["sites"][name])
            at = x if axes is left else np.maximum(1 - x, 1e-6)
            axes.plot(at, np.full(x.size, height), "|", color=colour, ms=11, mew=0.8)
        axes.set_yticks(range(len(rows)), list(reversed(rows)))
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.grid(axis="y", visible=False)
    left.set(xlim=(-0.02, 1.02), xlabel="x")
    split_line(left, result["split"])
    split_line(right, 1 - result["split"])
    distance_axis(right, 6e-7, FROM_OUTFLOW)


@drawing("accuracy", 3.6)
def accuracy(figure: Figure, results: Results, defaults: Results) -> None:
    """|residual| and |error| against the distance from the outflow, one panel for each nu."""
    for axes, nu, result in panels(figure, results):
        curve(axes, result["curves"], "residual", PURPLE, "residual, published")
        curve(axes, result["curves"], "error", BLUE, "error, published")
        if nu in defaults:
            curve(axes, defaults[nu]["curves"], "error", GREEN, "error, our default")
        split_line(axes, 1 - result["split"])
        axes.axvspan(1e-7, nu, color=ORANGE, alpha=0.12, linewidth=0, label="layer, 1 − x < ν")
        axes.set_yscale("log")
        distance_axis(axes, 1e-7, FROM_OUTFLOW)
    figure.axes[0].set_ylabel("absolute value")
    legend_below(figure, figure.axes[0])


@drawing("widths", 3.4)
def widths(figure: Figure, results: Results) -> None:
    for axes, nu, result in panels(figure, results):
        kernels = result["kernels"]
        distance = np.maximum(kernels["distance"], 1e-7)
        axes.plot(distance, kernels["width"], color=GREEN, label="kernel width")
        axes.plot(distance, kernels["spacing"], color=DARK, linestyle=":", label="spacing of the centres")
        axes.set_yscale("log")
        split_line(axes, 1 - result["split"])
        distance_axis(axes, 1e-7, FROM_OUTFLOW)
        gate = gate_axis(axes, nu == list(results)[-1])
        gate.plot(distance, kernels["gate"], color=ORANGE, linewidth=1.4, label="gate (right axis)")
        gate.spines["right"].set_visible(True)
    figure.axes[0].set_ylabel("width in x")
    legend_below(figure, figure.axes[0], gate)


@drawing("profiles", 3.5)
def profiles(figure: Figure, results: Results) -> None:
    for axes, nu, result in panels(figure, results):
        x, u, exact = (np.array(result["profile"][name]) for name in ("x", "u", "exact"))
        profile(axes, x, u, exact)
        split_line(axes, result["split"])
        axes.set(xlabel="x", xlim=(-0.02, 1.02), ylim=(-0.08, 1.08))
        inset, near = axes.inset_axes((0.2, 0.36, 0.58, 0.54)), x >= 1 - 8 * nu
        profile(inset, (1 - x[near]) / nu, u[near], exact[near])
        inset.set(xlim=(8, 0), xlabel="(1 − x)/ν")
        small_labels(inset)
    figure.axes[0].set_ylabel("u")
    legend_below(figure, figure.axes[0])


def profile(axes: Axes, x: Array, u: Array, exact: Array) -> None:
    axes.plot(x, u, color=BLUE, label="published method here")
    axes.plot(x, exact, color=DARK, linestyle=DASHES, linewidth=1.1, label="exact")


@drawing("traces", 3.0)
def traces(figure: Figure, results: Results) -> None:
    """What the nested search saw: the objective at every evaluation."""
    for axes, _, result in panels(figure, results):
        distance = 1 - np.array(result["trace"]["split"])
        axes.plot(distance, result["trace"]["objective"], ".", color=PURPLE, ms=4, label="objective J")
        axes.plot(1 - result["split"], result["objective"], "*", color=VERMILION, ms=11, label="chosen")
        axes.set(yscale="log", xscale="log", xlim=(0.22, 9e-4), xlabel="1 − split")
    figure.axes[0].set_ylabel("J")
    legend_below(figure, figure.axes[0])


@drawing("twin-profile", 3.2)
def twin_profile(figure: Figure, result: Result) -> None:
    left, middle, right = figure.subplots(1, 3, sharey=True, width_ratios=(1, 1.4, 1))
    (x, u, exact), nu = (np.array(result["profile"][name]) for name in ("x", "u", "exact")), result["nu"]
    first, last = x <= 4 * nu, x >= 1.0 - 4 * nu
    profile(left, x[first] / nu, u[first], exact[first])
    profile(middle, x, u, exact)
    profile(right, (x[last] - 1.0) / nu, u[last], exact[last])
    left.set(title="left layer", xlabel="x/ν", ylabel="u")
    middle.set(title="whole domain", xlabel="x")
    right.set(title="right layer", xlabel="(x − 1)/ν")
    for split in result["splits"]:
        split_line(middle, split)
    legend_below(figure, middle)


@drawing("twin-accuracy", 3.4)
def twin_accuracy(figure: Figure, result: Result, default: Result | None) -> None:
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, side in ((left, "left"), (right, "right")):
        curve(axes, result["curves"][side], "residual", PURPLE, "residual, published")
        curve(axes, result["curves"][side], "error", BLUE, "error, published")
        from_end(axes, side, 1e-7)
    if default is not None:
        curve(right, default["curves"], "error", GREEN, "error, our default")
    split_line(left, result["splits"][0])
    split_line(right, 1 - result["splits"][-1])
    left.set_ylabel("absolute value")
    legend_below(figure, right)


@drawing("twin-widths", 3.2)
def twin_widths(figure: Figure, result: Result) -> None:
    kernels = {name: np.array(values) for name, values in result["kernels"].items()}
    x = kernels["x"]
    for axes, side in zip(figure.subplots(1, 2, sharey=True), ENDS, strict=True):
        half = x <= 0.5 if side == "left" else x >= 0.5
        at = np.maximum(x[half] if side == "left" else 1.0 - x[half], 1e-6)
        axes.plot(at, kernels["width"][half], color=GREEN, label="kernel width")
        axes.plot(at, kernels["spacing"][half], color=DARK, linestyle=":", label="spacing of the centres")
        gates = gate_axis(axes, side == "right")
        for number, (gate, colour) in enumerate(zip(kernels["gates"], (ORANGE, SKY), strict=True), 1):
            gates.plot(at, gate[half], color=colour, linewidth=1.4, label=f"gate {number} (right axis)")
        gates.spines["right"].set_visible(side == "right")
        from_end(axes, side, 1e-6)
    figure.axes[0].set_ylabel("width in x")
    legend_below(figure, axes, gates)


def from_end(axes: Axes, side: str, nearest: float) -> None:
    """The distance from this end, which stands where it is in the problem, up to the middle."""
    distance_axis(axes, nearest, f"distance from {ENDS[side]}")
    axes.set(yscale="log", xlim=(nearest, 0.5) if side == "left" else (0.5, nearest))
