"""A solution drawn into axes that somebody else has made: curves of an interval, a surface of a rectangle."""

import matplotlib
from matplotlib import pyplot
from matplotlib.axes import Axes

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.plots.evolution_figure import draw_curves
from gated_xtfc.plots.figure import choose_ticks
from gated_xtfc.plots.panel import steady
from gated_xtfc.plots.plane_figure import set_plane_ticks, surface
from gated_xtfc.plots.plane_samples import PlaneSamples
from gated_xtfc.plots.samples import Samples
from gated_xtfc.plots.stretched_ticks import set_ticks, spaced
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.rectangle import RectangleSolution

LABEL = 0.6, 0.25  # inches that a label may take


def solution_on_axes(solution: Solution, ax: Axes | None, field: str | None, gated: bool) -> Axes:
    """The axes, those given or the current ones of pyplot, with the solution in them."""
    if field is not None and field not in solution.problem.fields:
        fields = ", ".join(solution.problem.fields)
        raise InputError(f"there is no field {quoted(str(field))}: the fields are {fields}")
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be axes of matplotlib, not {type(ax).__name__}: fig, ax = plt.subplots()")
    axes = pyplot.gca() if ax is None else ax
    if isinstance(solution, RectangleSolution):
        return _plane(axes, solution, gated)
    if isinstance(solution, EvolutionSolution):
        draw_curves(axes, solution, solution.problem.fields.index(field or solution.problem.fields[0]))
        axes.legend(title=solution.problem.evolution.time.name if solution.problem.evolution else None)
        return axes
    if not isinstance(solution, IntervalSolution):
        raise InputError(f"a {type(solution).__name__} cannot be drawn into axes: give a path")
    samples = Samples.of(solution)
    name = solution.problem.axes[0].name
    shown = solution.problem.fields if field is None else (field,)
    for one in shown:
        axes.plot(samples.xi if gated else samples.x, samples.fields[one], label=one)
    steady(axes, [samples.fields[one] for one in shown])
    axes.set_xlabel(f"{name}, along the gated coordinate" if gated else name)
    if gated:
        set_ticks(axes, spaced(choose_ticks(solution, samples), _room(axes)[0]))
    if len(shown) > 1:
        axes.legend()
    else:
        axes.set_ylabel(shown[0])
    return axes


def _room(axes: Axes) -> tuple[float, float]:
    """The share of the width and of the height that a label may take."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches() * axes.get_position().size
    return LABEL[0] / float(width), LABEL[1] / float(height)


def _plane(axes: Axes, solution: RectangleSolution, gated: bool) -> Axes:
    samples = PlaneSamples.of(solution)
    first, second = (axis.name for axis in solution.problem.axes)
    with matplotlib.rc_context({"axes.grid": False}):
        surface(axes, samples.xi if gated else samples.x, samples.eta if gated else samples.y, samples.values)
    if gated:
        set_plane_ticks(axes, solution, samples, _room(axes))
    axes.set(xlabel=f"{first}, along the gated coordinate" if gated else first, ylabel=second)
    return axes
