"""One page a solution: u over x and along the gated coordinate, kernel width and gates, residual and error."""

import math
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates.layer import Layer
from gated_xtfc.plots.accuracy_panel import accuracy_panel
from gated_xtfc.plots.panel import plural, shortened
from gated_xtfc.plots.samples import Samples
from gated_xtfc.plots.solution_panels import grouped, solution_panels
from gated_xtfc.plots.stretched_ticks import StretchedTicks, Tick, set_ticks
from gated_xtfc.plots.style import GREY, STYLE, VERMILION
from gated_xtfc.plots.width_panel import width_panel
from gated_xtfc.solution import Solution

FORMATS = (".png", ".svg", ".pdf")
SIZES = {14.0: 95, 11.0: 125, 9.5: 145}  # of the headline: characters that fit


def plot(solution: Solution, *paths: str | Path) -> None:
    """Draw once, write to each path; the ending of its name says the format."""
    files = [Path(path) for path in paths]
    for file in files:
        if file.suffix.lower() not in FORMATS:
            raise InputError(f"cannot draw {quoted(str(file))}: the name should end in {', '.join(FORMATS)}")
    figure = draw(solution)
    for file in files:
        undated = {"Date": None} if file.suffix.lower() == ".svg" else {}
        try:
            with matplotlib.rc_context(STYLE):
                figure.savefig(file, metadata=undated)
        except OSError as error:
            raise InputError(f"cannot write {quoted(str(file))}: {error.strerror or error}") from None


def draw(solution: Solution) -> Figure:
    with matplotlib.rc_context(STYLE):
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


def choose_ticks(solution: Solution, samples: Samples) -> list[Tick]:
    axis = solution.problem.axis
    layers = [gate for gate in solution.gates if isinstance(gate, Layer) and axis.left <= gate.location <= axis.right]
    # Both sides of a jump may have a gate at it: the thinner one, last here, decides.
    thickness = {gate.location: gate.thickness for gate in sorted(layers, key=lambda gate: -gate.thickness)}
    return StretchedTicks(samples.at, (axis.left, axis.right), thickness).choose()


def header(figure: Figure, solution: Solution) -> None:
    """The equation; what came of it; and where it did not converge, why."""
    problem = solution.problem
    equations = ",   ".join(equation.text for equation in problem.equations)
    text, size = fitted(": ".join(filter(None, (problem.title, equations))))
    figure.text(0.012, 0.95, text, size=size, weight="bold", parse_math=False)
    # Not the seconds: the same problem should give the same picture.
    estimate = f"error estimate {solution.error:.1e}" if math.isfinite(solution.error) else "no error estimate"
    facts = [
        *(f"{name} = {value:.4g}" for name, value in problem.parameters.items()),
        *(f"{name} = {value:.8g}" for name, value in solution.constants.items()),
        f"{solution.status}: {estimate} (tolerance {solution.tol:.1e})",
        plural(solution.neurons, "neuron"),
        plural(len(solution.gates), "gate"),
        plural(solution.rounds, "round"),
    ]
    figure.text(0.012, 0.916, "     ".join(facts), size=10, color=GREY, parse_math=False)
    if solution.status != "converged":
        figure.text(0.012, 0.885, shortened(solution.message, 150), size=10, color=VERMILION, parse_math=False)


def fitted(text: str) -> tuple[str, float]:
    """The headline and the size at which it fits the page."""
    flat = " ".join(text.split())
    size = next((size for size, longest in SIZES.items() if len(flat) <= longest), min(SIZES))
    return shortened(flat, SIZES[size]), size
