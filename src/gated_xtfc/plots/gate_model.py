"""What a model has learned: settings over the swept parameters, 95 % intervals, and what they were learned from."""

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gated_xtfc.learning.structure import LOG
from gated_xtfc.plots.figure import save
from gated_xtfc.plots.style import BLUE, GREY, STYLE, VERMILION

if TYPE_CHECKING:
    from gated_xtfc.learning.groups import Group
    from gated_xtfc.learning.model import GateModel

PLACES = 301  # along each parameter
MOST = 12  # settings on one page


def plot_model(model: "GateModel", path: str | Path) -> None:
    def styled() -> Figure:
        with matplotlib.rc_context(STYLE):
            return draw_model(model)

    save(styled, path)


def draw_model(model: "GateModel") -> Figure:
    """A row for each setting that varies, a column for each parameter, the others in the middle of their range."""
    names = [name for name in _settings(model) if any(_varies(group, name) for group in model.groups)][:MOST]
    columns = len(model.names)
    across = columns if columns > 1 else min(3, max(1, len(names)))
    down = len(names) if columns > 1 else -(-max(1, len(names)) // across)
    figure = Figure(figsize=(3.9 * across + 0.4, 2.6 * down + 0.7), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False)
    for axes in panels.ravel():
        axes.set_visible(False)
    for row, name in enumerate(names):
        for k in range(columns):
            axes = panels[row, k] if columns > 1 else panels.ravel()[row]
            axes.set_visible(True)
            _panel(axes, model, name, k)
    learned = " or ".join(group.structure.describe() for group in model.groups)
    rows = sum(len(group.inputs) for group in model.groups)
    figure.legend(*panels.ravel()[0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    figure.suptitle(f"Learned from {rows} solves: {learned}", x=0.01, ha="left", size=12, weight="bold")
    return figure


def _panel(axes: Axes, model: "GateModel", name: str, k: int) -> None:
    scaling = model.scaling
    s = np.full((PLACES, len(model.names)), 0.5)
    s[:, k] = np.linspace(0.0, 1.0, PLACES)
    points = scaling.place(s)
    mean, low, high = model.predict(points)[name]
    axes.fill_between(points[:, k], low, high, color=BLUE, alpha=0.25, linewidth=0, label="95 % of new values")
    axes.plot(points[:, k], mean, color=BLUE, label="learned")
    if len(model.names) == 1:
        for i, group in enumerate(model.groups):
            if name in group.seen:
                at = scaling.place(group.inputs)[:, k]
                label = "solves" if not i else None
                axes.plot(at, group.seen[name], ".", color=VERMILION, markersize=2.5, alpha=0.6, label=label)
    axes.set_xscale(scaling.ranges[k].scale)
    axes.set_yscale("log" if name.split()[-1] in LOG and name != "rounds" else "linear")
    axes.set_title(name)
    axes.set_xlabel(model.names[k], color=GREY)


def _settings(model: "GateModel") -> list[str]:
    return list(dict.fromkeys(name for group in model.groups for name in group.fits))


def _varies(group: "Group", name: str) -> bool:
    return name in group.fits and group.fits[name].fit is not None
