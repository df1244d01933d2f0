"""The method as the paper prints it, and the variants that its released scripts use.

`solve(problem, SoftSplit(0.99))` takes the gate as given, `solve(problem, TEXT)` searches for it first.
"""

from dataclasses import replace
from typing import overload

from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.disk import Disk
from gated_xtfc.published.disk_search import DiskSearch, FoundDisk, search_disk
from gated_xtfc.published.fit import fit, fit_disk
from gated_xtfc.published.objective import Objective, PlaneObjective
from gated_xtfc.published.plane_surrogate import PlaneSurrogate
from gated_xtfc.published.search import BayesianSearch, FoundSplit, NestedSearch, SplitEvaluation, search
from gated_xtfc.published.soft_split import SoftSplit

# The text: the grids of its formulas leave out the right end; with the end included its accuracy comes out.
TEXT = NestedSearch(SoftSplit(closed=False))
TEXT_CLOSED = NestedSearch(SoftSplit(closed=True))
# The scripts: width equal to the spacing, the root of the integrated squared residual.
RELEASED = NestedSearch(SoftSplit(closed=True, multiplier=1.0), objective=Objective(measure="root"))
TWIN = BayesianSearch()
TWIN_LITERAL = BayesianSearch(SoftSplit((0.05, 0.95), centres=1200, sites=1200, closed=False))
# On the plane the text prints where its search begins and that radii end at 0.1; the number of sites and of
# evaluations is known from the scripts alone, whose box is smaller and whose objective is the largest residual.
DISK = DiskSearch()
DISK_RELEASED = DiskSearch(
    centres=(0.45, 0.55), start=None, objective=PlaneObjective(measure="largest", focus=(0.5, 0.5))
)


@overload
def solve(problem: Problem, gate: SoftSplit | NestedSearch | BayesianSearch) -> Surrogate: ...
@overload
def solve(problem: Problem, gate: Disk | DiskSearch) -> PlaneSurrogate: ...
def solve(
    problem: Problem, gate: SoftSplit | NestedSearch | BayesianSearch | Disk | DiskSearch
) -> Surrogate | PlaneSurrogate:
    """The published method with this gate, or with the best that this search finds; it certifies nothing.

    A soft split and the nested and the Bayesian search are for a line, a disk and its search for a rectangle.
    """
    if isinstance(gate, SoftSplit):
        return fit(problem, gate)
    if isinstance(gate, Disk):
        return fit_disk(problem, gate)
    if isinstance(gate, DiskSearch):
        disk = search_disk(problem, gate)
        return replace(disk.surrogate, seconds=disk.seconds)
    if isinstance(gate, NestedSearch | BayesianSearch):
        split = search(problem, gate)
        return replace(split.surrogate, seconds=split.seconds)
    raise InputError(f"{gate!r} is no gate of the published method: give a SoftSplit, a Disk, or a search for one")


__all__ = [
    "DISK", "DISK_RELEASED", "RELEASED", "TEXT", "TEXT_CLOSED", "TWIN", "TWIN_LITERAL", "BayesianSearch", "Disk",
    "DiskSearch", "FoundDisk", "FoundSplit", "NestedSearch", "Objective", "PlaneObjective", "SoftSplit",
    "SplitEvaluation", "fit", "fit_disk", "search", "search_disk", "solve",
]  # fmt: skip
