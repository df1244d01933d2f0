"""Figures as text to put into a page: inline SVG without headers, ids that are unique on the page, nothing fetched.

And what the figures of the report share: their width, panels side by side, one legend below.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from gated_xtfc.paper.task import Result
from gated_xtfc.plots.style import STYLE, VERMILION

Given = ParamSpec("Given")
Results = Mapping[float, Result]  # by nu
WIDTH = 9.2  # inches, of every figure of the report
LEAST = 1e-17  # the smallest value shown on a logarithmic axis
DASHES = (0, (4, 3))
PAGE = STYLE | {"font.size": 9.5, "legend.fontsize": 8.5, "legend.frameon": False}
HEADER = re.compile(r"^.*?(?=<svg)", re.DOTALL)
METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
NAMESPACE = re.compile(r"\s+xmlns(?::\w+)?=\"[^\"]*\"")
GROUP = re.compile(r"<g id=\"(?:figure|axes|patch|line2d|matplotlib\.axis|xtick|ytick|text|legend|PathCollection|"
                   r"LineCollection|QuadMesh|FillBetweenPolyCollection)_\d+\"")  # fmt: skip
SIZE = re.compile(r"(<svg[^>]*?)\s+width=\"[^\"]*\"|(<svg[^>]*?)\s+height=\"[^\"]*\"")
GLYPH = re.compile(r"(id=\"|href=\"#)((?:DejaVu|Cm|cm|STIX)[\w.-]*)")


def drawing(name: str, height: float) -> Callable[[Callable[Concatenate[Figure, Given], None]], Callable[Given, str]]:
    """Makes a function that draws on a figure of this height, in inches, one that gives the SVG of the drawing.

    `name` keeps its ids apart from those of other drawings.
    """

    def decorated(draw: Callable[Concatenate[Figure, Given], None]) -> Callable[Given, str]:
        @wraps(draw)
        def drawn(*given: Given.args, **options: Given.kwargs) -> str:
            with matplotlib.rc_context(PAGE | {"svg.hashsalt": name}):
                figure = Figure(figsize=(WIDTH, height), layout="constrained")
                draw(figure, *given, **options)
                target = io.StringIO()
                figure.savefig(target, format="svg", metadata={"Date": None})
            return inline(target.getvalue(), name)

        return drawn

    return decorated


def inline(svg: str, name: str) -> str:
    """HTML needs neither header nor namespaces; ids of groups are not used, and would occur twice on a page."""
    bare = NAMESPACE.sub("", METADATA.sub("", HEADER.sub("", svg))).replace("xlink:href", "href")
    bare = GLYPH.sub(rf"\1{name}-\2", GROUP.sub("<g", bare))
    for _ in range(2):
        bare = SIZE.sub(lambda match: match[1] or match[2], bare, count=1)  # the page says how wide it is
    return bare.replace("<svg", '<svg role="img"', 1).strip()


def panels(figure: Figure, results: Results) -> Iterator[tuple[Axes, float, Result]]:
    """A panel for each nu, side by side, with the same vertical axis."""
    row = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for axes, (nu, result) in zip(row, results.items(), strict=True):
        axes.set_title(f"ν = {nu:g}")
        yield axes, nu, result


def legend_below(figure: Figure, *shown: Axes) -> None:
    """What these axes show, each label once, in one line under all panels."""
    once: dict[str, Artist] = {}
    for axes in shown:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            once.setdefault(label, handle)
    figure.legend(once.values(), once.keys(), loc="outside lower center", ncols=len(once))


def distance_axis(axes: Axes, nearest: float, label: str) -> None:
    """Distance from the layer's end, logarithmic, the end itself on the right as in the problem."""
    axes.set(xscale="log", xlim=(1.0, nearest), xlabel=label)
    axes.xaxis.set_minor_locator(NullLocator())  # a page has hundreds of them, and they tell nothing here


def small_labels(inset: Axes) -> None:
    inset.tick_params(labelsize=8)
    inset.xaxis.label.set_fontsize(8)


def split_line(axes: Axes, at: float) -> None:
    axes.axvline(at, color=VERMILION, linestyle="--", linewidth=1.1, label="split")


def curve(axes: Axes, curves: Mapping[str, list[float]], name: str, colour: str, label: str) -> None:
    """One of the curves over the distance from an end."""
    axes.plot(curves["distance"], np.maximum(curves[name], LEAST), color=colour, linewidth=1.4, label=label)


def gate_axis(axes: Axes, shown: bool) -> Axes:
    """A second vertical axis, for gates, with numbers where it is shown."""
    gates = axes.twinx()
    gates.set_ylim(-0.03, 1.25)
    gates.grid(visible=False)
    gates.set_yticks([0, 0.5, 1] if shown else [])
    return gates
