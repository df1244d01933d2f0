"""Figures of the forward section: sites, residual and error, width and gate, solution with its layer, the search."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.plots.paper_page import distance_axis, drawn
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, VERMILION

Results = Mapping[float, Mapping[str, Any]]  # by nu
FROM_OUTFLOW = "distance from the outflow, 1 − x"
LEAST = 1e-17
WIDTH = 9.2  # inches, of every figure of the report


def sites(result: Mapping[str, Any]) -> str:
    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1))
        rows = {"training sites": BLUE, "kernel centres": GREEN, "validation": ORANGE, "test": GREY}
        for axes in (left, right):
            for height, (name, colour) in enumerate(reversed(rows.items())):
                x = np.array(result["sites"][name])
                axes.plot(
                    x if axes is left else np.maximum(1 - x, 1e-6),
                    np.full(x.size, height),
                    "|",
                    color=colour,
                    ms=11,
                    mew=0.8,
                )
            axes.set_yticks(range(len(rows)), list(reversed(rows)))
            axes.set_ylim(-0.6, len(rows) - 0.4)
            axes.grid(axis="y", visible=False)
        left.set(xlim=(-0.02, 1.02), xlabel="x")
        left.axvline(result["split"], color=VERMILION, linestyle="--", linewidth=1.1)
        right.axvline(1 - result["split"], color=VERMILION, linestyle="--", linewidth=1.1)
        distance_axis(right, 6e-7, FROM_OUTFLOW)

    return drawn("sites", WIDTH, 2.1, draw)


def accuracy(results: Results, defaults: Results) -> str:
    """|residual| and |error| against the distance from the outflow, one panel for each nu."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
        for axes, (nu, result) in zip(panels, results.items(), strict=True):
            curve(axes, result["curves"], "residual", PURPLE, "residual, published")
            curve(axes, result["curves"], "error", BLUE, "error, published")
            if nu in defaults:
                curve(axes, defaults[nu]["curves"], "error", GREEN, "error, our default")
            axes.axvline(1 - result["split"], color=VERMILION, linestyle="--", linewidth=1.1, label="split")
            axes.axvspan(1e-7, nu, color=ORANGE, alpha=0.12, linewidth=0, label="layer, 1 − x < ν")
            axes.set(yscale="log", title=f"ν = {nu:g}")
            distance_axis(axes, 1e-7, FROM_OUTFLOW)
        panels[0].set_ylabel("absolute value")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))

    return drawn("accuracy", WIDTH, 3.6, draw)


def curve(axes: Axes, curves: Mapping[str, Any], name: str, colour: str, label: str) -> None:
    values = np.maximum(np.array(curves[name], dtype=float), LEAST)
    axes.plot(curves["distance"], values, color=colour, linewidth=1.4, label=label)


def widths(results: Results) -> str:
    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
        for axes, (nu, result) in zip(panels, results.items(), strict=True):
            distance = np.maximum(np.array(result["kernels"]["distance"]), 1e-7)
            axes.plot(distance, result["kernels"]["width"], color=GREEN, label="kernel width")
            axes.plot(distance, result["kernels"]["spacing"], color=DARK, linestyle=":", label="spacing of the centres")
            axes.set(yscale="log", title=f"ν = {nu:g}")
            axes.axvline(1 - result["split"], color=VERMILION, linestyle="--", linewidth=1.1, label="split")
            distance_axis(axes, 1e-7, FROM_OUTFLOW)
            gate = axes.twinx()
            gate.plot(distance, result["kernels"]["gate"], color=ORANGE, linewidth=1.4, label="gate (right axis)")
            gate.set_ylim(-0.03, 1.25)
            gate.grid(visible=False)
            gate.spines["right"].set_visible(True)
            gate.set_yticks([0, 0.5, 1] if axes is panels[-1] else [])
        panels[0].set_ylabel("width in x")
        handles, labels = panels[0].get_legend_handles_labels()
        more, names = gate.get_legend_handles_labels()
        figure.legend(handles + more, labels + names, loc="outside lower center", ncols=4)

    return drawn("widths", WIDTH, 3.4, draw)


def profiles(results: Results) -> str:
    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
        for axes, (nu, result) in zip(panels, results.items(), strict=True):
            profile = {name: np.array(values) for name, values in result["profile"].items()}
            axes.plot(profile["x"], profile["u"], color=BLUE, label="published method here")
            axes.plot(profile["x"], profile["exact"], color=DARK, linestyle=(0, (4, 3)), linewidth=1.1, label="exact")
            axes.axvline(result["split"], color=VERMILION, linestyle="--", linewidth=1.1, label="split")
            axes.set(title=f"ν = {nu:g}", xlabel="x", xlim=(-0.02, 1.02), ylim=(-0.08, 1.08))
            inset = axes.inset_axes((0.2, 0.36, 0.58, 0.54))
            near = profile["x"] >= 1 - 8 * nu
            inset.plot((1 - profile["x"][near]) / nu, profile["u"][near], color=BLUE)
            inset.plot(
                (1 - profile["x"][near]) / nu, profile["exact"][near], color=DARK, linestyle=(0, (4, 3)), linewidth=1.1
            )
            inset.set(xlim=(8, 0), xlabel="(1 − x)/ν")
            inset.tick_params(labelsize=8)
            inset.xaxis.label.set_size(8)
        panels[0].set_ylabel("u")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)

    return drawn("profiles", WIDTH, 3.5, draw)


def traces(results: Results) -> str:
    """What the nested search saw: the objective, and the true error that it does not see, at every evaluation."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
        for axes, (nu, result) in zip(panels, results.items(), strict=True):
            distance = 1 - np.array(result["trace"]["split"])
            axes.plot(distance, result["trace"]["objective"], ".", color=PURPLE, ms=4, label="objective J")
            axes.plot(1 - result["split"], result["objective"], "*", color=VERMILION, ms=11, label="chosen")
            axes.set(yscale="log", xscale="log", xlim=(0.22, 9e-4), title=f"ν = {nu:g}", xlabel="1 − split")
        panels[0].set_ylabel("J")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)

    return drawn("traces", WIDTH, 3.0, draw)
