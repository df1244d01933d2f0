"""Figures of the other sections: methods over nu, table 1, maps of errors, and the meta-learner."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gated_xtfc.paper.task import Result
from gated_xtfc.plots.paper_page import LEAST, drawing, legend_below
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, VERMILION

ByNu = Mapping[float, float]
Cost = tuple[float, float, float]  # seconds, error, neurons
COLOURS = (VERMILION, ORANGE, PURPLE, PALE, BLUE, SKY, GREY)


@drawing("methods", 3.9)
def methods(figure: Figure, here: Mapping[str, ByNu], printed: Mapping[str, ByNu], ours: str) -> None:
    """Mean error against nu: what was found here filled, what the paper quotes hollow; empty where nothing was run."""
    axes = figure.subplots()
    colours = dict(zip((name for name in here if name != ours), COLOURS, strict=False)) | {ours: GREEN}
    for name, by_nu in here.items():
        nus = sorted(by_nu)
        if nus:
            values, width = [max(by_nu[nu], LEAST) for nu in nus], 2.4 if name == ours else 1.4
            axes.plot(nus, values, marker="o", ms=5, label=name, color=colours[name], linewidth=width)
    for name, by_nu in printed.items():
        colour = colours.get(name, DARK)
        axes.plot(list(by_nu), list(by_nu.values()), "D", ms=8, mfc="none", mec=colour, mew=1.5)
    axes.plot([], [], "D", ms=8, mfc="none", mec=DARK, mew=1.5, label="quoted in the paper")
    axes.set(xscale="log", yscale="log", xlabel="ν", ylabel="mean absolute error", ylim=(LEAST / 2, 3))
    axes.invert_xaxis()
    figure.legend(loc="outside right center")


@drawing("table1", 4.2)
def cost_and_error(figure: Figure, found: Mapping[str, Cost], printed: Mapping[str, Cost], ours: str) -> None:
    """Areas grow with the neurons. Left: all methods; right: those of the paper alone, as they lie close together."""
    everything, closer = figure.subplots(1, 2, width_ratios=(1, 1.25))
    colours = dict(zip(found, (BLUE, ORANGE, SKY, PURPLE, VERMILION), strict=False)) | {ours: GREEN}
    for axes in (everything, closer):
        for name, (seconds, error, neurons) in found.items():
            if axes is everything or name != ours:
                label = f"{name}: {neurons:,.0f} neurons" if axes is everything else None
                axes.scatter(seconds, error, s=area(neurons), color=colours[name], alpha=0.85, linewidth=0, label=label)
        for name, (seconds, error, neurons) in printed.items():
            axes.scatter(
                seconds, error, s=area(neurons), facecolor="none", edgecolor=DARK, linewidth=1.1, linestyle="--"
            )
            if axes is closer:
                axes.annotate(
                    f"{name}, as printed", (seconds, error), xytext=(0, -18), textcoords="offset points", ha="center",
                    size=8, color=GREY,
                )  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="seconds")
        axes.margins(x=0.2, y=0.2)
    everything.set(ylabel="largest error", title="all")
    closer.set(title="without our default")
    legend = figure.legend(loc="outside lower center", ncols=3)
    for handle in legend.legend_handles:
        handle.set_sizes([36.0])  # type: ignore[union-attr]


def area(neurons: float) -> float:
    return 14.0 + neurons / 45.0


@drawing("maps", 3.0)
def error_maps(figure: Figure, results: Mapping[str, Result], splits: list[float], scales: list[float]) -> None:
    """The error over (1 - split, scale), one panel for each variant, the same colours for all."""
    row = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    norm, distance = LogNorm(1e-4, 1.0), 1 - np.array(splits)
    for axes, (name, result) in zip(row, results.items(), strict=True):
        values = np.array(result["errors"]).T
        mesh = axes.pcolormesh(
            distance, scales, values, norm=norm, cmap="viridis_r", shading="nearest", edgecolors="face"
        )
        best, column = np.unravel_index(values.argmin(), values.shape)
        axes.plot(distance[column], scales[best], "*", color="white", mec=DARK, ms=11)
        axes.set(xscale="log", yscale="log", title=name, xlabel="1 − split")
        axes.invert_xaxis()
        axes.grid(visible=False)
        axes.set_yticks([10, 20, 50, 100], ["10", "20", "50", "100"])
        axes.minorticks_off()
    row[0].set_ylabel("transition scale")
    figure.colorbar(mesh, ax=list(row), location="right", extend="both", pad=0.01, label="largest error")


@drawing("meta-maps", 3.4)
def gate_maps(figure: Figure, result: Result) -> None:
    """The maps from nu to the split and to the transition scale."""
    curves, optima = result["curves"], result["optima"]
    bound, nu = np.array(optima["bound"], dtype=bool), np.array(optima["nu"])
    titles = {"split": "split", "scale": "transition scale"}
    for axes, (name, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        band, values = curves[name], np.array(optima[name])
        axes.fill_between(
            curves["nu"], band["low"], band["high"], color=BLUE, alpha=0.16, linewidth=0, label="95 % band"
        )
        axes.plot(curves["nu"], band["mean"], color=BLUE, label="mean")
        axes.plot(nu[~bound], values[~bound], ".", color=VERMILION, ms=4, label="optima")
        if bound.any():
            label = "optima, scale without effect"
            axes.plot(nu[bound], values[bound], ".", color=ORANGE, alpha=0.5, ms=4, label=label)
        axes.set(xscale="log", xlabel="ν", title=title)
    legend_below(figure, axes)


@drawing("meta-traces", 3.1)
def both_searches(figure: Figure, found: Sequence[Result]) -> None:
    row = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, one in zip(row, found, strict=True):
        for name, colour in (("global", GREY), ("bounded", BLUE)):
            values = np.array(one[name]["trace"])
            count, best = np.arange(1, values.size + 1), np.minimum.accumulate(values)
            axes.plot(count, values, ".", color=colour, ms=2.5, alpha=0.6)
            axes.plot(count, best, color=colour, label=f"{name}: {values.size} in {one[name]['seconds']:.3g} s")
            axes.plot(count[-1], best[-1], "*", color=colour, ms=11, mec=DARK, mew=0.5)
        axes.set(yscale="log", title=f"ν = {one['nu']:.3g}", xlabel="evaluation")
        axes.legend(loc="upper right")
    row[0].set_ylabel("J")


@drawing("meta-ratios", 2.7)
def search_ratios(figure: Figure, nus: Sequence[float], values: Mapping[str, Sequence[float]]) -> None:
    """The bounded search over the global one, a panel for each quantity."""
    row = figure.subplots(1, len(values), squeeze=False)[0]
    for axes, (name, ratio) in zip(row, values.items(), strict=True):
        axes.axhline(1.0, color=DARK, linewidth=1)
        axes.axhline(float(np.median(ratio)), color=GREEN, linestyle="--", linewidth=1.2, label="median")
        axes.vlines(nus, 1.0, ratio, color=PALE, linewidth=1.2)
        axes.plot(nus, ratio, "o", color=BLUE, ms=4.5)
        axes.set(xscale="log", yscale="log", xlabel="ν", title=f"{name}, bounded / global")
        axes.set_xlim(10.0 ** np.floor(np.log10(min(nus))), 10.0 ** np.ceil(np.log10(max(nus))))
        axes.xaxis.set_minor_formatter(NullFormatter())
    row[0].legend(loc="best")
