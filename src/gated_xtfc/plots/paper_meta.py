"""Figures of the meta-learning section: the maps, the searches, their ratios."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gated_xtfc.plots.paper_forward import WIDTH
from gated_xtfc.plots.paper_page import drawn
from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PALE, VERMILION

COLOURS = {"global": GREY, "bounded": BLUE}


def maps(result: Mapping[str, Any]) -> str:
    def draw(figure: Figure) -> None:
        curves, optima = result["curves"], result["optima"]
        bound = np.array(optima["bound"], dtype=bool)
        nu = np.array(optima["nu"])
        for axes, name, title in zip(
            figure.subplots(1, 2), ("split", "scale"), ("split", "transition scale"), strict=True
        ):
            values = np.array(optima[name])
            axes.fill_between(
                curves["nu"], curves[name]["low"], curves[name]["high"], color=BLUE, alpha=0.16, linewidth=0,
                label="95 % band",
            )  # fmt: skip
            axes.plot(curves["nu"], curves[name]["mean"], color=BLUE, label="mean")
            axes.plot(nu[~bound], values[~bound], ".", color=VERMILION, ms=4, label="optima")
            if bound.any():
                label = "optima, scale without effect"
                axes.plot(nu[bound], values[bound], ".", color=ORANGE, alpha=0.5, ms=4, label=label)
            axes.set(xscale="log", xlabel="ν", title=title)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)

    return drawn("meta-maps", WIDTH, 3.4, draw)


def traces(found: Sequence[Mapping[str, Any]]) -> str:
    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for axes, one in zip(panels, found, strict=True):
            for name, colour in COLOURS.items():
                values = np.array(one[name]["trace"])
                count, best = np.arange(1, values.size + 1), np.minimum.accumulate(values)
                axes.plot(count, values, ".", color=colour, ms=2.5, alpha=0.6)
                axes.plot(count, best, color=colour, label=f"{name}: {values.size} in {one[name]['seconds']:.3g} s")
                axes.plot(count[-1], best[-1], "*", color=colour, ms=11, mec=DARK, mew=0.5)
            axes.set(yscale="log", title=f"ν = {one['nu']:.3g}", xlabel="evaluation")
            axes.legend(loc="upper right")
        panels[0].set_ylabel("J")

    return drawn("meta-traces", WIDTH, 3.1, draw)


def ratios(nus: Sequence[float], values: Mapping[str, Sequence[float]]) -> str:
    """One panel for each quantity."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(values), squeeze=False)[0]
        for axes, (name, ratio) in zip(panels, values.items(), strict=True):
            axes.axhline(1.0, color=DARK, linewidth=1)
            axes.axhline(float(np.median(ratio)), color=GREEN, linestyle="--", linewidth=1.2, label="median")
            axes.vlines(nus, 1.0, ratio, color=PALE, linewidth=1.2)
            axes.plot(nus, ratio, "o", color=BLUE, ms=4.5)
            axes.set(xscale="log", yscale="log", xlabel="ν", title=f"{name}, bounded / global")
            axes.set_xlim(10.0 ** np.floor(np.log10(min(nus))), 10.0 ** np.ceil(np.log10(max(nus))))
            axes.xaxis.set_minor_formatter(NullFormatter())
        panels[0].legend(loc="best")

    return drawn("meta-ratios", WIDTH, 2.7, draw)
