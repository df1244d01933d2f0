"""The method as the paper prints it, and the variants that its released scripts use."""

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
VARIANTS = {"text": TEXT, "text, right end included": TEXT_CLOSED, "released scripts": RELEASED}

__all__ = [
    "RELEASED",
    "TEXT",
    "TEXT_CLOSED",
    "TWIN",
    "TWIN_LITERAL",
    "VARIANTS",
    "Bayesian",
    "Evaluation",
    "Nested",
    "Objective",
    "Search",
    "SoftSplit",
    "fit",
    "search",
]
