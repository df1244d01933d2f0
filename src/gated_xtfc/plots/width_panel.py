"""Where resolution went: the kernels' width along the gated coordinate, with the gates that made it."""

from matplotlib.axes import Axes

from gated_xtfc.gates.gate import Block, Layer
from gated_xtfc.plots.panel import title
from gated_xtfc.plots.samples import Samples
from gated_xtfc.plots.style import GREEN, GREY, ORANGE, VERMILION
from gated_xtfc.solution.interval import IntervalSolution

NAMED = 4  # more layers than this are marked, but not named: their names would overlap
NAME = 0.17  # a name's share of the axis


def width_panel(axes: Axes, solution: IntervalSolution, samples: Samples) -> None:
    axis = solution.problem.axes[0].name
    axes.plot(samples.xi, samples.width, color=GREEN, label="kernel width")
    axes.set(yscale="log", ylabel=f"width in {axis}")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.16)  # room for the gates' names
    layers = [gate for gate in solution.gates if isinstance(gate, Layer)]
    for layer in layers:
        axes.axvline(samples.at(layer.location), color=VERMILION, linestyle="--", linewidth=1.1, label="layer gate")
    if len(layers) <= NAMED:
        name_layers(axes, axis, [(samples.at(layer.location), layer) for layer in layers])
    for gate in solution.gates:
        if isinstance(gate, Block):
            span = samples.at(gate.left_x), samples.at(gate.right_x)
            axes.axvspan(*span, color=ORANGE, alpha=0.18, linewidth=0, label="refined block")
    for x in solution.breaks:
        axes.axvline(samples.at(x), color=GREY, linestyle=":", linewidth=1.4, label="jump")
    title(axes, "Resolution")


def name_layers(axes: Axes, axis: str, layers: list[tuple[float, Layer]]) -> None:
    """Each beside its line, on the side away from the nearer end, or on the other; none where both are taken."""
    taken: list[tuple[float, float]] = []
    for at, layer in layers:
        # The pieces on both sides of a jump may each have a gate at it: the first is the left one's.
        crowded = any(0 <= other - at < NAME for other, one in layers if one is not layer)
        for side in (-1, 1) if at > 0.5 or crowded else (1, -1):
            span = (at - NAME, at) if side < 0 else (at, at + NAME)
            lines = any(span[0] < other < span[1] for other, _ in layers)
            if span[0] >= -0.02 and span[1] <= 1.02 and not lines and all(apart(span, other) for other in taken):
                taken.append(span)
                text = f"{axis} = {layer.location:.4g}\n\N{GREEK SMALL LETTER DELTA} = {layer.thickness:.1e}"
                name(axes, at, side, text)
                break


def apart(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[1] <= other[0] or other[1] <= one[0]


def name(axes: Axes, at: float, side: int, text: str) -> None:
    """Beside the top of the gate's line: on its left (side -1) or on its right (+1)."""
    axes.annotate(
        text, (at, 1.0), xycoords=("data", "axes fraction"), xytext=(5 * side, -2), textcoords="offset points",
        ha="left" if side > 0 else "right", va="top", fontsize=8, color=VERMILION,
    )  # fmt: skip
