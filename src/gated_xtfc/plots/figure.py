"""One page a solution: u over x and along the gated coordinate, kernel width and gates, residual and error."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import matplotlib
from matplotlib.figure import Figure

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import replacing
from gated_xtfc.gates.gate import Layer
from gated_xtfc.plots.accuracy_panel import accuracy_panel
from gated_xtfc.plots.evolution_figure import draw_evolution
from gated_xtfc.plots.headline import header
from gated_xtfc.plots.plane_figure import draw_plane
from gated_xtfc.plots.samples import Samples
from gated_xtfc.plots.solution_panels import grouped, solution_panels
from gated_xtfc.plots.stretched_ticks import StretchedTicks, Tick, set_ticks
from gated_xtfc.plots.style import STYLE
from gated_xtfc.plots.width_panel import width_panel
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.rectangle import RectangleSolution

FORMATS = (".png", ".svg", ".pdf")


def plot(solution: Solution, *paths: str | Path) -> None:
    """Draw once, write to each path; the ending of its name says the format."""
    save(lambda: draw(solution), *paths)


def save(make: Callable[[], Figure], *paths: str | Path) -> None:
    """What `make` draws, to each path."""
    files = [Path(path) for path in paths]
    for file in files:
        if file.suffix.lower() not in FORMATS:
            raise InputError(f"cannot draw {quoted(str(file))}: the name should end in {', '.join(FORMATS)}")
    figure = make()
    for file in files:
        with replacing(file) as content:
            write(figure, content, file.suffix.lower().removeprefix("."))


def image(figure: Figure, kind: str) -> bytes:
    """The content of the file that such a figure becomes; `kind` is png, svg or pdf."""
    content = BytesIO()
    write(figure, content, kind)
    return content.getvalue()


def write(figure: Figure, content: BinaryIO, kind: str) -> None:
    """The figure as png, svg or pdf; the same figure always gives the same bytes, so no date is in it."""
    with matplotlib.rc_context(STYLE):
        figure.savefig(content, format=kind, metadata={"Date": None} if kind == "svg" else {})


def draw(solution: Solution) -> Figure:
    with matplotlib.rc_context(STYLE):
        if isinstance(solution, RectangleSolution):
            return draw_plane(solution)
        if isinstance(solution, EvolutionSolution):
            return draw_evolution(solution)
        assert isinstance(solution, IntervalSolution)
        samples = Samples.of(solution)
        ticks = choose_ticks(solution, samples)
        groups = grouped(samples.fields)
        figure = Figure(figsize=(11.5, 6.8 + 0.6 * (len(groups) - 1)))
        header(figure, solution)
        columns = figure.add_gridspec(1, 2, left=0.067, right=0.985, top=0.795, bottom=0.095, wspace=0.17)
        solution_panels(figure, columns[0], solution, samples, ticks, groups)
        right = columns[1].subgridspec(2, 1, hspace=0.3)
        for place, panel in enumerate((width_panel, accuracy_panel)):
            axes = figure.add_subplot(right[place])
            panel(axes, solution, samples)
            set_ticks(axes, ticks)
        return figure


def choose_ticks(solution: IntervalSolution, samples: Samples) -> list[Tick]:
    axis = solution.window[0]
    layers = [gate for gate in solution.gates if isinstance(gate, Layer) and axis.left <= gate.location <= axis.right]
    # Both sides of a jump may have a gate at it: the thinner one, last here, decides.
    thickness = {gate.location: gate.thickness for gate in sorted(layers, key=lambda gate: -gate.thickness)}
    return StretchedTicks(samples.at, (axis.left, axis.right), thickness).choose()
