"""Figures of the inverse section: fields with bands, the search, and the evidence taken apart."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.plots.paper_forward import WIDTH, Results
from gated_xtfc.plots.paper_page import drawn
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, VERMILION

DASHES = (0, (4, 3))


def panels(results: Results, defaults: Results) -> str:
    """Mean, 95 % band, data and the exact field, one panel for each nu, with the layer as an inset."""

    def draw(figure: Figure) -> None:
        grid = figure.subplots((len(results) + 1) // 2, 2, sharey=True, squeeze=False).ravel()
        for axes, (nu, result) in zip(grid, results.items(), strict=False):
            one = result["panel"]
            inset = axes.inset_axes((0.1, 0.4, 0.5, 0.5))
            for place, near in ((axes, False), (inset, True)):
                field(place, one, nu, near, defaults.get(nu))
            off, gate = 100 * (one["value"] / nu - 1), f"split {one['split']:.3f}, scale {one['scale']:.0f}"
            axes.set(
                title=f"ν = {nu:g}: {one['value']:.3g} ({off:+.1f} %), {gate}",
                xlabel="x",
                xlim=(-0.02, 1.02),
                ylim=(-0.1, 1.12),
            )
            axes.title.set_size(9)
            inset.set(xlim=(6, 0), ylim=(-0.1, 1.12), xlabel="(1 − x)/ν")
            inset.tick_params(labelsize=8)
            inset.xaxis.label.set_size(8)
        for axes in grid[len(results) :]:
            axes.set_visible(False)
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))

    return drawn("inverse-panels", WIDTH, 3.1 * ((len(results) + 1) // 2) + 0.3, draw)


def field(axes: Axes, one: Mapping[str, Any], nu: float, near: bool, default: Mapping[str, Any] | None) -> None:
    def at(x: Any) -> Any:
        return (1.0 - np.array(x)) / nu if near else np.array(x)

    def inside(x: Any) -> Any:
        return np.array(x) >= 1.0 - 6.0 * nu if near else np.ones(len(x), dtype=bool)

    keep = inside(one["x"])
    x, mean, std, exact = (np.array(one[name])[keep] for name in ("x", "mean", "std", "exact"))
    axes.fill_between(
        at(x), mean - 1.96 * std, mean + 1.96 * std, color=VERMILION, alpha=0.22, linewidth=0, label="95 % model band"
    )
    axes.plot(at(x), mean, color=VERMILION, label="published, mean")
    if default is not None:
        ours = default["panel"]
        kept = inside(ours["x"])
        places, values = np.array(ours["x"])[kept], np.array(ours["mean"])[kept]
        axes.plot(at(places), values, color=GREEN, linestyle=DASHES, label="our default")
    axes.plot(at(x), exact, color=DARK, linestyle=":", linewidth=1.2, label="exact")
    seen = inside(one["data"]["x"])
    places, values = (np.array(one["data"][name])[seen] for name in ("x", "y"))
    axes.plot(at(places), values, "o", color=BLUE, ms=2.6, alpha=0.8, label="data")


def trace(result: Mapping[str, Any]) -> str:
    def draw(figure: Figure) -> None:
        grid = figure.subplots(1, 4)
        history = {name: np.array(values) for name, values in result["trace"].items()}
        count = np.arange(1, history["log_evidence"].size + 1)
        loss = -history["log_evidence"]
        best = np.array([int(np.argmin(loss[:k])) for k in count])
        grid[0].plot(count, loss, ":o", color=GREY, ms=2.5, linewidth=0.9, label="every evaluation")
        grid[0].plot(count, loss[best], color=BLUE, label="best so far")
        grid[0].plot(count[best[-1]], loss[best[-1]], "*", color=VERMILION, ms=11)
        grid[0].set(yscale="log", title="− log evidence")
        grid[0].legend(loc="upper right")
        for axes, name, title in zip(grid[1:], ("value", "split", "scale"), ("ν", "split", "scale"), strict=True):
            axes.plot(count, history[name], ".", color=GREY, ms=3)
            axes.step(count, history[name][best], where="post", color=BLUE)
            axes.plot(count[-1], history[name][best[-1]], "*", color=VERMILION, ms=11)
            axes.set(title=title, yscale="log" if name == "value" else "linear")
        grid[1].axhline(result["nu"], color=DARK, linestyle=DASHES, linewidth=1)
        for axes in grid:
            axes.set_xlabel("evaluation")

    return drawn("inverse-trace", WIDTH, 2.5, draw)


def bias(results: Results) -> str:
    """The evidence and its parts around the truth, from data without noise."""

    def draw(figure: Figure) -> None:
        grid = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
        for axes, (nu, one) in zip(grid, results.items(), strict=True):
            reach = one["least_deviation"] / 100
            axes.axvspan(1 - reach, 1 + reach, color=GREEN, alpha=0.25, linewidth=0, label="Cramér-Rao bound")
            axes.axvline(1.0, color=DARK, linestyle=DASHES, linewidth=1, label="truth")
            for name, colour, label in (
                ("misfit", BLUE, "− misfit/2"),
                ("occam", ORANGE, "− Occam’s term/2"),
                ("evidence", PURPLE, "log evidence"),
            ):
                axes.plot(one["factors"], one["curves"][name], color=colour, label=label)
            axes.plot(1 + one["evidence_at"] / 100, 0, "*", color=VERMILION, ms=11, label="largest evidence")
            axes.set(title=f"ν = {nu:g}, split {one['place']:g}", xlabel="ν / truth", ylim=(-420, 25))
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))

    return drawn("inverse-bias", WIDTH, 3.0, draw)
