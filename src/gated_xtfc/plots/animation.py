"""A solution that evolves as a film: its fields over space, frame by frame, with the places of the gates."""

import tempfile
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import replacing
from gated_xtfc.plots.evolution_figure import dense_places, shown_times
from gated_xtfc.plots.style import FIELDS, GREY, STYLE, VERMILION
from gated_xtfc.solution.evolution import EvolutionSolution

FORMATS = (".gif", ".mp4")


def films() -> bool:
    """Whether MP4 can be written here."""
    return bool(FFMpegWriter.isAvailable())


def film_format(file: Path) -> str:
    """The ending of its name, where such a film can be written here."""
    kind = file.suffix.lower()
    if kind not in FORMATS:
        raise InputError(f"cannot write the film {quoted(str(file))}: the name should end in .gif or .mp4")
    if kind == ".mp4" and not films():
        raise InputError(f"cannot write {quoted(str(file))}: ffmpeg is not installed, so ask for a .gif")
    return kind


def animate(solution: EvolutionSolution, path: str | Path, frames: int = 60, rate: int = 20) -> None:
    """Write a GIF, or an MP4 where ffmpeg is installed; the ending of the name says which."""
    file = Path(path)
    kind = film_format(file)
    if not (isinstance(frames, int) and frames >= 2):
        raise InputError(f"{frames!r} frames were asked for: give a whole number of at least 2")
    writer = PillowWriter(fps=rate) if kind == ".gif" else FFMpegWriter(fps=rate)
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(STYLE):
        made = Path(folder) / f"film{kind}"
        _film(solution, frames).save(str(made), writer=writer, dpi=80)
        with replacing(file) as content:
            content.write(made.read_bytes())


def _film(solution: EvolutionSolution, frames: int) -> FuncAnimation:
    evolution, fields = solution.problem.evolution, solution.problem.fields
    assert evolution is not None
    times = shown_times(solution, frames)
    samples = [(x := dense_places(solution, float(t)), solution.record.piece(float(t)).at(x, float(t))) for t in times]
    values = np.concatenate([u for _, u in samples], axis=1)
    low, high = float(values.min()), float(values.max())
    room = 0.06 * (high - low) or 0.5
    figure = Figure(figsize=(7.2, 4.2))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.1, 0.13, 0.87, 0.76))
    axes.set(
        xlim=(evolution.space.left, evolution.space.right), ylim=(low - room, high + room), xlabel=evolution.space.name
    )
    colours = [FIELDS[f % len(FIELDS)] for f in range(len(fields))]
    lines = [axes.plot([], [], color=colour, label=name)[0] for name, colour in zip(fields, colours, strict=True)]
    marks = axes.plot([], [], color=VERMILION, marker="|", markersize=12, linestyle="none", label="gates")[0]
    clock = axes.set_title("", color=GREY, size=10)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=6)

    def show(k: int) -> list[Artist]:
        x, u = samples[k]
        for f, line in enumerate(lines):
            line.set_data(x, u[f])
        gates = solution.record.piece(float(times[k])).gates_at(float(times[k]))
        thin = gates[:, gates[1] < 0.1 * evolution.space.length]
        marks.set_data(thin[0], np.full(thin.shape[1], low - 0.5 * room))
        clock.set_text(f"{evolution.time.name} = {times[k]:.4g}")
        return [*lines, marks, clock]

    return FuncAnimation(figure, show, frames=frames, blit=False, repeat=False)
