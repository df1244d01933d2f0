"""Figures of the other sections: methods over nu, table 1, twin layers, maps of errors."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from gated_xtfc.plots.paper_forward import LEAST, WIDTH, curve
from gated_xtfc.plots.paper_page import distance_axis, drawn
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, VERMILION

Line = tuple[float, float, float]  # seconds, error, neurons
COLOURS = (VERMILION, ORANGE, PURPLE, PALE, BLUE, SKY, GREY)


def methods(here: Mapping[str, Mapping[float, float]], printed: Mapping[str, Mapping[float, float]], ours: str) -> str:
    """Mean error against nu: what was found here filled, what the paper quotes hollow; empty where nothing was run."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        colours = dict(zip((name for name in here if name != ours), COLOURS, strict=False))
        for name, by_nu in here.items():
            nus = sorted(by_nu)
            if not nus:
                continue
            values = [max(by_nu[nu], LEAST) for nu in nus]
            style = {"color": GREEN, "linewidth": 2.4} if name == ours else {"color": colours[name], "linewidth": 1.4}
            axes.plot(nus, values, marker="o", ms=5, label=name, **style)  # type: ignore[arg-type]
        for name, by_nu in printed.items():
            colour = colours.get(name, DARK)
            axes.plot(list(by_nu), list(by_nu.values()), "D", ms=8, mfc="none", mec=colour, mew=1.5)
        axes.plot([], [], "D", ms=8, mfc="none", mec=DARK, mew=1.5, label="quoted in the paper")
        axes.set(xscale="log", yscale="log", xlabel="ν", ylabel="mean absolute error", ylim=(LEAST / 2, 3))
        axes.invert_xaxis()
        figure.legend(loc="outside right center")

    return drawn("methods", WIDTH, 3.9, draw)


def cost_and_error(lines: Mapping[str, Line], printed: Mapping[str, Line], ours: str) -> str:
    """Areas grow with the neurons. Left: all lines; right: those of the paper alone, as they lie close together."""

    def draw(figure: Figure) -> None:
        everything, closer = figure.subplots(1, 2, width_ratios=(1, 1.25))
        colours = dict(zip(lines, (BLUE, ORANGE, SKY, PURPLE, VERMILION), strict=False)) | {ours: GREEN}
        for axes in (everything, closer):
            for name, (seconds, error, neurons) in lines.items():
                if axes is everything or name != ours:
                    label = f"{name}: {neurons:,.0f} neurons" if axes is everything else None
                    axes.scatter(
                        seconds, error, s=area(neurons), color=colours[name], alpha=0.85, linewidth=0, label=label
                    )
            for name, (seconds, error, neurons) in printed.items():
                axes.scatter(
                    seconds, error, s=area(neurons), facecolor="none", edgecolor=DARK, linewidth=1.1, linestyle="--"
                )
                if axes is closer:
                    place = (0, -18)
                    axes.annotate(
                        f"{name}, as printed", (seconds, error), xytext=place, textcoords="offset points", ha="center",
                        size=8, color=GREY,
                    )  # fmt: skip
            axes.set(xscale="log", yscale="log", xlabel="seconds")
            axes.margins(x=0.2, y=0.2)
        everything.set(ylabel="largest error", title="all")
        closer.set(title="without our default")
        legend = figure.legend(loc="outside lower center", ncols=3)
        for handle in legend.legend_handles:
            handle.set_sizes([36.0])  # type: ignore[union-attr]

    return drawn("table1", WIDTH, 4.2, draw)


def area(neurons: float) -> float:
    return 14.0 + neurons / 45.0


def twin_profile(result: Mapping[str, Any]) -> str:
    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 3, sharey=True, width_ratios=(1, 1.4, 1))
        x, u, exact = (np.array(result["profile"][name]) for name in ("x", "u", "exact"))
        zoom = 4 * result["nu"]
        ends = ((0.0, zoom), (0.0, 1.0), (1.0 - zoom, 1.0))
        for axes, (left, right), name in zip(panels, ends, ("left layer", "whole domain", "right layer"), strict=True):
            inside = (x >= left) & (x <= right)
            at = x[inside] if axes is panels[1] else (x[inside] - (0.0 if left == 0.0 else 1.0)) / result["nu"]
            axes.plot(at, u[inside], color=BLUE, label="published method here")
            axes.plot(at, exact[inside], color=DARK, linestyle=(0, (4, 3)), linewidth=1.1, label="exact")
            axes.set(title=name, xlabel="x" if axes is panels[1] else "x/ν" if left == 0.0 else "(x − 1)/ν")
        for split in result["splits"]:
            panels[1].axvline(split, color=VERMILION, linestyle="--", linewidth=1.1, label="split")
        panels[0].set_ylabel("u")
        handles, labels = panels[1].get_legend_handles_labels()
        figure.legend(handles[:3], labels[:3], loc="outside lower center", ncols=3)

    return drawn("twin-profile", WIDTH, 3.2, draw)


def twin_accuracy(result: Mapping[str, Any], default: Mapping[str, Any] | None) -> str:
    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, side in ((left, "left"), (right, "right")):
            curve(axes, result["curves"][side], "residual", PURPLE, "residual, published")
            curve(axes, result["curves"][side], "error", BLUE, "error, published")
            distance_axis(
                axes, 1e-7, "distance from the left end, x" if side == "left" else "distance from the right end, 1 − x"
            )
            axes.set(yscale="log", xlim=(1e-7, 0.5) if side == "left" else (0.5, 1e-7))
        if default is not None:
            curve(right, default["curves"], "error", GREEN, "error, our default")
        left.axvline(result["splits"][0], color=VERMILION, linestyle="--", linewidth=1.1)
        right.axvline(1 - result["splits"][-1], color=VERMILION, linestyle="--", linewidth=1.1, label="split")
        left.set_ylabel("absolute value")
        handles, labels = right.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)

    return drawn("twin-accuracy", WIDTH, 3.4, draw)


def twin_widths(result: Mapping[str, Any]) -> str:
    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        x = np.array(result["kernels"]["x"])
        for axes, side in zip(panels, ("left", "right"), strict=True):
            half = x <= 0.5 if side == "left" else x >= 0.5
            at = np.maximum(x[half] if side == "left" else 1.0 - x[half], 1e-6)
            axes.plot(at, np.array(result["kernels"]["width"])[half], color=GREEN, label="kernel width")
            spacing = np.array(result["kernels"]["spacing"])[half]
            axes.plot(at, spacing, color=DARK, linestyle=":", label="spacing of the centres")
            gates = axes.twinx()
            for number, gate in enumerate(result["kernels"]["gates"], 1):
                label = f"gate {number} (right axis)"
                gates.plot(at, np.array(gate)[half], color=ORANGE if number == 1 else SKY, linewidth=1.4, label=label)
            gates.set_ylim(-0.03, 1.25)
            gates.grid(visible=False)
            gates.set_yticks([0, 0.5, 1] if side == "right" else [])
            gates.spines["right"].set_visible(side == "right")
            end = "the left end, x" if side == "left" else "the right end, 1 − x"
            distance_axis(axes, 1e-6, f"distance from {end}")
            axes.set(yscale="log", xlim=(1e-6, 0.5) if side == "left" else (0.5, 1e-6))
        panels[0].set_ylabel("width in x")
        handles, labels = axes.get_legend_handles_labels()
        more, names = gates.get_legend_handles_labels()
        figure.legend(handles + more, labels + names, loc="outside lower center", ncols=4)

    return drawn("twin-widths", WIDTH, 3.2, draw)


def maps(results: Mapping[str, Mapping[str, Any]], splits: list[float], scales: list[float]) -> str:
    """log error over (1 - split, scale), one panel for each variant, the same colours for all."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
        norm = LogNorm(1e-4, 1.0)
        for axes, (name, result) in zip(panels, results.items(), strict=True):
            values = np.array(result["errors"]).T
            mesh = axes.pcolormesh(
                1 - np.array(splits),
                scales,
                values,
                norm=norm,
                cmap="viridis_r",
                shading="nearest",
                edgecolors="face",
                rasterized=False,
            )
            row, column = np.unravel_index(values.argmin(), values.shape)
            axes.plot(1 - splits[column], scales[row], "*", color="white", mec=DARK, ms=11)
            axes.set(xscale="log", yscale="log", title=name, xlabel="1 − split")
            axes.invert_xaxis()
            axes.grid(visible=False)
            axes.set_yticks([10, 20, 50, 100], ["10", "20", "50", "100"])
            axes.minorticks_off()
        panels[0].set_ylabel("transition scale")
        bar = figure.colorbar(mesh, ax=list(panels), location="right", extend="both", pad=0.01)
        bar.set_label("largest error")

    return drawn("maps", WIDTH, 3.0, draw)
