"""Figures of the inverse section: fields with bands, the search, and the evidence taken apart."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.paper.task import Result
from gated_xtfc.plots.paper_page import DASHES, WIDTH, Results, drawing, legend_below, panels, small_labels
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, VERMILION
from gated_xtfc.types import Array


@drawing("inverse-panels", 3.4)
def fields(figure: Figure, results: Results, defaults: Results) -> None:
    """Mean, 95 % band, data and the exact field, one panel for each nu, with the layer as an inset."""
    rows = (len(results) + 1) // 2
    figure.set_size_inches(WIDTH, 3.1 * rows + 0.3)
    grid = figure.subplots(rows, 2, sharey=True, squeeze=False).ravel()
    for axes, (nu, result) in zip(grid, results.items(), strict=False):
        one = result["panel"]
        inset = axes.inset_axes((0.1, 0.4, 0.5, 0.5))
        for place, near in ((axes, False), (inset, True)):
            field(place, one, nu, near, defaults.get(nu))
        off, gate = 100 * (one["value"] / nu - 1), f"split {one['split']:.3f}, scale {one['scale']:.0f}"
        axes.set_title(f"ν = {nu:g}: {one['value']:.3g} ({off:+.1f} %), {gate}")
        axes.set(xlabel="x", xlim=(-0.02, 1.02), ylim=(-0.1, 1.12))
        inset.set(xlim=(6, 0), ylim=(-0.1, 1.12), xlabel="(1 − x)/ν")
        small_labels(inset)
    for axes in grid[len(results) :]:
        axes.set_visible(False)
    legend_below(figure, grid[0])


def field(axes: Axes, one: Result, nu: float, near: bool, default: Result | None) -> None:
    def seen(content: Result, *names: str) -> list[Array]:
        """Places, as they are drawn, and values; near the outflow alone where only that is shown."""
        x, *values = (np.array(content[name]) for name in ("x", *names))
        keep = x >= 1.0 - 6.0 * nu if near else np.ones(x.size, dtype=bool)
        return [(1.0 - x[keep]) / nu if near else x[keep], *(some[keep] for some in values)]

    x, mean, std, exact = seen(one, "mean", "std", "exact")
    reach = 1.96 * std
    axes.fill_between(x, mean - reach, mean + reach, color=VERMILION, alpha=0.22, linewidth=0, label="95 % model band")
    axes.plot(x, mean, color=VERMILION, label="published, mean")
    if default is not None:
        axes.plot(*seen(default["panel"], "mean"), color=GREEN, linestyle=DASHES, label="our default")
    axes.plot(x, exact, color=DARK, linestyle=":", linewidth=1.2, label="exact")
    axes.plot(*seen(one["data"], "y"), "o", color=BLUE, ms=2.6, alpha=0.8, label="data")


@drawing("inverse-trace", 2.5)
def trace(figure: Figure, result: Result) -> None:
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


@drawing("inverse-bias", 3.0)
def bias(figure: Figure, results: Results) -> None:
    """The evidence and its parts around the truth, from data without noise."""
    colours = {"misfit": BLUE, "occam": ORANGE, "evidence": PURPLE}
    labels = {"misfit": "− misfit/2", "occam": "− Occam’s term/2", "evidence": "log evidence"}
    for axes, nu, one in panels(figure, results):
        reach = one["least_deviation"] / 100
        axes.axvspan(1 - reach, 1 + reach, color=GREEN, alpha=0.25, linewidth=0, label="Cramér-Rao bound")
        axes.axvline(1.0, color=DARK, linestyle=DASHES, linewidth=1, label="truth")
        for name, colour in colours.items():
            axes.plot(one["factors"], one["curves"][name], color=colour, label=labels[name])
        axes.plot(1 + one["evidence_at"] / 100, 0, "*", color=VERMILION, ms=11, label="largest evidence")
        axes.set(title=f"ν = {nu:g}, split {one['place']:g}", xlabel="ν / truth", ylim=(-420, 25))
    legend_below(figure, figure.axes[0])
