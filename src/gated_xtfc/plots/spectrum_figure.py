"""A spectrum as a page: eigenvalues, how well each is known, and the first modes along the gated coordinate."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.ticker import MaxNLocator

from gated_xtfc.plots.figure import save
from gated_xtfc.plots.headline import headline
from gated_xtfc.plots.panel import plural, title
from gated_xtfc.plots.style import BLUE, FIELDS, GREY, PALE, STYLE, VERMILION
from gated_xtfc.spectra.mode import ComplexMode
from gated_xtfc.spectra.spectrum import Spectrum

SHOWN = 6  # modes


def plot_spectrum(spectrum: Spectrum, *paths: str | Path) -> None:
    """Draw once, write to each path."""
    save(lambda: draw_spectrum(spectrum), *paths)


def draw_spectrum(spectrum: Spectrum) -> Figure:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(11.5, 6.4))
        facts = [f"{spectrum.status}: {plural(len(spectrum), 'eigenvalue')}", plural(spectrum.neurons, "neuron")]
        headline(figure, spectrum.problem, facts, "" if spectrum.converged else spectrum.message)
        columns = figure.add_gridspec(1, 2, left=0.067, right=0.985, top=0.83, bottom=0.095, wspace=0.2)
        left = columns[0].subgridspec(2, 1, hspace=0.42, height_ratios=(1.6, 1.0))
        _values(figure.add_subplot(left[0]), spectrum)
        _errors(figure.add_subplot(left[1]), spectrum)
        _modes(figure, columns[1], spectrum)
        return figure


def _values(axes: Axes, spectrum: Spectrum) -> None:
    name, values = spectrum.problem.unknown_stated[0], np.asarray(spectrum.values)
    if np.iscomplexobj(values):
        axes.plot(values.real, values.imag, "o", color=BLUE, markersize=5)
        axes.axhline(0.0, color=PALE, linewidth=0.9, zorder=0)
        axes.set(xlabel=f"real part of {name}", ylabel="imaginary part")
        room = 0.1 * float(np.abs(values).max())  # parts that differ by rounding alone are drawn as equal
        axes.set_xlim(values.real.min() - room, values.real.max() + room)
        axes.set_ylim(values.imag.min() - room, values.imag.max() + room)
    else:
        axes.plot(np.arange(1, values.size + 1), values, "o", color=BLUE, markersize=5)
        axes.set(xlabel="number", ylabel=name)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    title(axes, "Eigenvalues")


def _errors(axes: Axes, spectrum: Spectrum) -> None:
    numbers = np.arange(1, len(spectrum) + 1)
    sizes = np.maximum(np.abs(spectrum.values), 1e-300)
    relative = np.maximum(spectrum.errors / np.where(np.abs(spectrum.values) > spectrum.errors, sizes, 1.0), 1e-17)
    axes.semilogy(numbers, relative, "o", color=VERMILION, markersize=4, label="estimated error, relative")
    axes.axhline(spectrum.tol, color=GREY, linewidth=1.0, linestyle="--", label="tolerance")
    axes.set(xlabel="number", ylabel="error")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    title(axes, "How well they are known")


def _modes(figure: Figure, cell: SubplotSpec, spectrum: Spectrum) -> None:
    modes = spectrum.modes[:SHOWN]
    rows = cell.subgridspec(max(1, len(modes)), 1, hspace=0.12)
    axis = spectrum.problem.axes[0].name
    for place, mode in enumerate(modes):
        axes = figure.add_subplot(rows[place])
        x = mode.points(1501)
        for f, field in enumerate(spectrum.problem.fields):
            u = mode[field](x)
            colour = FIELDS[f % len(FIELDS)]
            label = field if len(spectrum.problem.fields) > 1 else "real part"
            axes.plot(x, np.real(u), color=colour, linewidth=1.5, label=label)
            if isinstance(mode, ComplexMode):
                axes.plot(x, np.imag(u), color=colour, linewidth=1.1, linestyle="--", label="imaginary part")
        axes.set_ylabel(str(place + 1), rotation=0, labelpad=10)
        axes.tick_params(axis="x", labelbottom=place == len(modes) - 1)
        if place == 0:
            several = len(spectrum.problem.fields) > 1 or isinstance(mode, ComplexMode)
            title(
                axes, "The first modes" if len(modes) < len(spectrum) else "Modes", legend_of=[axes] if several else []
            )
            legend = axes.get_legend()
            if legend is not None and not several:
                legend.remove()
        if place == len(modes) - 1:
            axes.set_xlabel(axis)
