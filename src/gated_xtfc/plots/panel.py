"""What panels share: the name above, and beside it the legend, where it never covers a curve."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from gated_xtfc.types import Array

FLAT = 1e-10  # of the size of a curve: what changes less is drawn as a constant


def title(axes: Axes, text: str, above: float = 0.0, legend_of: Sequence[Axes] = (), names: Iterable[str] = ()) -> None:
    """`above` in points: room for tick labels between the panel and its name; `names` come first in the legend."""
    axes.annotate(
        text, (0, 1), xycoords="axes fraction", xytext=(0, 5 + above), textcoords="offset points", weight="bold",
        size=10.5,
    )  # fmt: skip
    once: dict[str, Artist] = {}
    for panel in legend_of or [axes]:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            once.setdefault(label, handle)
    once = {name: once[name] for name in names if name in once} | once
    height = 1.0 + above / 72 * axes.figure.dpi / axes.bbox.height  # in heights of the panel
    axes.legend(
        once.values(), once.keys(), loc="lower right", bbox_to_anchor=(1, height), ncols=5, borderaxespad=0.1,
        handlelength=1.6, columnspacing=1.0, handletextpad=0.6, borderpad=0.3,
    )  # fmt: skip


def steady(axes: Axes, curves: Iterable[Array]) -> None:
    """Room around curves that are constant but for rounding, which is not a feature that should fill the panel."""
    shown = np.concatenate([np.ravel(one) for one in curves])
    low, high = float(shown.min()), float(shown.max())
    if high - low <= FLAT * max(abs(low), abs(high)):
        middle = 0.5 * (low + high)
        half = 0.1 * abs(middle) or 1.0
        axes.set_ylim(middle - half, middle + half)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shortened(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 4]} ..."
