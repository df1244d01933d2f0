"""Pictures of Solutions: drawn, never computed. The only place that knows matplotlib."""

from gated_xtfc.plots.animation import animate, film_format
from gated_xtfc.plots.figure import draw, plot

__all__ = ["animate", "draw", "film_format", "plot"]
