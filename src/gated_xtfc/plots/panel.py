"""What panels share: the name above, and beside it the legend, where it never covers a curve."""

from matplotlib.axes import Axes


def title(axes: Axes, text: str, height: float = 1.0, legend_of: Axes | None = None) -> None:
    """`height` in heights of the panel: more than 1 where tick labels stand above it."""
    axes.annotate(
        text, (0, height), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points", weight="bold", size=10.5
    )
    handles, labels = (legend_of or axes).get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    axes.legend(
        once.values(), once.keys(), loc="lower right", bbox_to_anchor=(1, height), ncols=5, borderaxespad=0.1,
        handlelength=1.6, columnspacing=1.0, handletextpad=0.6, borderpad=0.3,
    )  # fmt: skip


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shortened(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 4]} ..."
