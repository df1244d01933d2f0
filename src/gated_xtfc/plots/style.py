"""Colours that colour-blind readers can tell apart (Okabe and Ito), and the look shared by all panels."""

from typing import Any

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#6B7280"
PALE = "#D7DCE2"
DARK = "#111827"
SKY = "#56B4E9"
FIELDS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)  # one colour for each field of a system

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E8EBEF",
    "grid.linewidth": 0.7,
    "xtick.color": "#374151",
    "ytick.color": "#374151",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "savefig.dpi": 160,
    "svg.hashsalt": "gated-xtfc",  # the same solution gives the same SVG, byte for byte
}
