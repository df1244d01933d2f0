"""Work-precision diagrams: error over time, one panel for each problem, one line for each program."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator

from gated_xtfc.plots.style import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, SKY, STYLE, VERMILION

COLOURS = (BLUE, ORANGE, VERMILION, GREEN, PURPLE, SKY, GREY)
LINES = ("-", "--")  # a second round of colours is dashed
WORST, BEST = 3.0, 1e-15  # errors beyond these are drawn there


@dataclass(frozen=True)
class Point:
    name: str  # the tolerance or the size
    seconds: float
    error: float
    claimed: bool  # whether its program calls it a success


@dataclass(frozen=True)
class Series:
    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Panel:
    title: str
    series: tuple[Series, ...]


def draw(panels: list[Panel], path: Path, note: str, columns: int = 4) -> None:
    """All panels on the same axes, the legend above them, and below them on what machine it was measured."""
    labels = list(dict.fromkeys(series.label for panel in panels for series in panel.series))
    looks = dict(zip(labels, [(colour, line) for line in LINES for colour in COLOURS], strict=False))
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        above = 0.45 + 0.22 * (-(-(len(labels) + 1) // 5))
        height = 2.6 * rows + 0.25 + above
        figure = Figure(figsize=(12.0, height))
        grid = figure.add_gridspec(
            rows, columns, left=0.055, right=0.99, top=1 - above / height, bottom=0.75 / height, wspace=0.1, hspace=0.3
        )
        first: Axes | None = None
        for place, panel in enumerate(panels):
            axes = figure.add_subplot(grid[place // columns, place % columns], sharex=first, sharey=first)
            first = first or axes
            lines(axes, panel, looks)
            axes.set_title(panel.title, fontsize=9.5)
            axes.label_outer()
        assert first is not None
        first.set(xscale="log", yscale="log", ylim=(BEST / 3, 5 * WORST))
        first.yaxis.set_major_locator(LogLocator(numticks=6))
        first.xaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value)))
        handles = [
            Line2D([], [], color=looks[label][0], linestyle=looks[label][1], marker="o", markersize=4, label=label)
            for label in labels
        ]
        handles.append(Line2D([], [], color=DARK, marker="x", linestyle="", markersize=6, label="failed, and said so"))
        figure.legend(handles=handles, loc="upper left", ncols=5, bbox_to_anchor=(0.045, 1.0), fontsize=9.5)
        figure.text(0.99, 0.012, note, ha="right", size=8, color=GREY)
        figure.supylabel("largest error", x=0.005, fontsize=10)
        figure.supxlabel("processor time", y=0.25 / height, fontsize=10)
        figure.savefig(path, metadata={"Date": None})


def lines(axes: Axes, panel: Panel, looks: dict[str, tuple[str, str]]) -> None:
    for order, series in enumerate(panel.series):
        (colour, line), front = looks[series.label], 10 - order
        good = [(point.seconds, shown(point.error)) for point in series.points if point.claimed]
        bad = [(point.seconds, shown(point.error)) for point in series.points if not point.claimed]
        if good:
            axes.plot(
                *zip(*good, strict=True), "o", linestyle=line, color=colour, markersize=3.5, linewidth=1.4, zorder=front
            )
        if bad:
            axes.plot(*zip(*bad, strict=True), "x", color=colour, markersize=6, markeredgewidth=1.5, zorder=front)


def shown(error: float) -> float:
    return min(max(error, BEST), WORST) if isfinite(error) else WORST


def duration(seconds: float) -> str:
    return f"{1e3 * seconds:g} ms" if seconds < 0.9 else f"{seconds:g} s"
