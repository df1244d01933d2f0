"""Figures as text to put into a page: inline SVG without headers, ids that are unique on the page, nothing fetched."""

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from gated_xtfc.plots.style import STYLE

PAGE: dict[Any, Any] = STYLE | {"font.size": 9.5, "legend.fontsize": 8.5, "legend.frameon": False}
HEADER = re.compile(r"^.*?(?=<svg)", re.DOTALL)
METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
NAMESPACE = re.compile(r"\s+xmlns(?::\w+)?=\"[^\"]*\"")
GROUP = re.compile(r"<g id=\"(?:figure|axes|patch|line2d|matplotlib\.axis|xtick|ytick|text|legend|PathCollection|"
                   r"LineCollection|QuadMesh|FillBetweenPolyCollection)_\d+\"")  # fmt: skip
SIZE = re.compile(r"(<svg[^>]*?)\s+width=\"[^\"]*\"|(<svg[^>]*?)\s+height=\"[^\"]*\"")
GLYPH = re.compile(r"(id=\"|href=\"#)((?:DejaVu|Cm|cm|STIX)[\w.-]*)")


def drawn(name: str, width: float, height: float, draw: Callable[[Figure], None]) -> str:
    """A drawing of this size in inches, as SVG; `name` keeps its ids apart from those of other drawings."""
    with matplotlib.rc_context(PAGE | {"svg.hashsalt": name}):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        target = io.StringIO()
        figure.savefig(target, format="svg", metadata={"Date": None})
    return inline(target.getvalue(), name)


def inline(svg: str, name: str) -> str:
    """HTML needs neither header nor namespaces; ids of groups are not used, and would occur twice on a page."""
    bare = NAMESPACE.sub("", METADATA.sub("", HEADER.sub("", svg))).replace("xlink:href", "href")
    bare = GLYPH.sub(rf"\1{name}-\2", GROUP.sub("<g", bare))
    for _ in range(2):
        bare = SIZE.sub(lambda match: match[1] or match[2], bare, count=1)  # the page says how wide it is
    return bare.replace("<svg", '<svg role="img"', 1).strip()


def distance_axis(axes: Axes, nearest: float, label: str) -> None:
    """Distance from the layer's end, logarithmic, the end itself on the right as in the problem."""
    axes.set(xscale="log", xlim=(1.0, nearest), xlabel=label)
    axes.xaxis.set_minor_locator(NullLocator())  # a page has hundreds of them, and they tell nothing here
