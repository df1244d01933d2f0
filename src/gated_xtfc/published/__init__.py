"""The method as the paper prints it, and the variants that its released scripts use."""

from gated_xtfc.published.disk import Disk
from gated_xtfc.published.disk_fit import fit_disk
from gated_xtfc.published.disk_search import DiskSearch, FoundDisk, PlaneObjective, search_disk
from gated_xtfc.published.fit import fit
from gated_xtfc.published.objective import Objective
from gated_xtfc.published.search import Bayesian, Evaluation, Nested, Search, search
from gated_xtfc.published.soft_split import SoftSplit

# The text: the grids of its formulas leave out the right end; with the end included its accuracy comes out.
TEXT = Nested(SoftSplit(closed=False))
TEXT_CLOSED = Nested(SoftSplit(closed=True))
# The scripts: width equal to the spacing, the root of the integrated squared residual.
RELEASED = Nested(SoftSplit(closed=True, multiplier=1.0), objective=Objective(measure="root"))
TWIN = Bayesian()
TWIN_LITERAL = Bayesian(SoftSplit((0.05, 0.95), centres=1200, sites=1200, closed=False))
# On the plane the text prints where its search begins and that radii end at 0.1; the number of sites and of
# evaluations is known from the scripts alone, whose box is smaller and whose objective is the largest residual.
DISK = DiskSearch()
DISK_RELEASED = DiskSearch(
    centres=(0.45, 0.55), start=None, objective=PlaneObjective(measure="largest", focus=(0.5, 0.5))
)
VARIANTS = {"text": TEXT, "text, right end included": TEXT_CLOSED, "released scripts": RELEASED}

__all__ = [
    "DISK",
    "DISK_RELEASED",
    "RELEASED",
    "TEXT",
    "TEXT_CLOSED",
    "TWIN",
    "TWIN_LITERAL",
    "VARIANTS",
    "Bayesian",
    "Disk",
    "DiskSearch",
    "Evaluation",
    "FoundDisk",
    "Nested",
    "Objective",
    "PlaneObjective",
    "Search",
    "SoftSplit",
    "fit",
    "fit_disk",
    "search",
    "search_disk",
]
