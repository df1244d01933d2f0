"""What there is to learn from: the converged rows of a sweep as inputs, coordinates and counts."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.learning.groups import COUNTS, DENSITY
from gated_xtfc.learning.structure import Structure
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.sweeps.table import Table
from gated_xtfc.types import Array, Index


@dataclass(frozen=True, eq=False)
class Material:
    points: Array  # (n, d)
    coordinates: list[AxisCoordinates]
    structures: list[Structure]
    columns: dict[str, Array]  # (n,) by name: what is learned beside the gates
    solutions: list[IntervalSolution] | None  # of a nonlinear family, where the sweep kept them

    @classmethod
    def of(cls, table: Table, rows: list[int], linear: bool) -> "Material":
        ended = [table.coordinates(row) for row in rows]
        columns = {name: table[name][rows].astype(float) for name in COUNTS}
        if linear or "solution" not in table.columns:
            return cls(table.points[rows], ended, [Structure.of(c) for c in ended], columns, None)
        solutions = [found for row in rows if isinstance(found := table.solution(row), IntervalSolution)]
        # a nonlinear solve comes to its gates by a path, and the path scatters; the solution does not
        asked = [asked_for(solution) for solution in solutions]
        columns[DENSITY] = np.array([length(a) / length(b) for a, b in zip(ended, asked, strict=True)])
        return cls(table.points[rows], asked, [Structure.of(c) for c in asked], columns, solutions)

    def settings(self, structure: Structure, rows: Index) -> dict[str, Array]:
        """(n,) by name, of rows that have this structure."""
        gates = np.array([structure.settings(self.coordinates[i]) for i in rows]).reshape(len(rows), -1)
        return {**dict(zip(structure.names, gates.T, strict=True)), **{k: v[rows] for k, v in self.columns.items()}}

    def alike(self, structure: Structure, rows: Index) -> Index:
        """Those of the rows that have this structure."""
        return np.array([i for i in rows if self.structures[i] == structure], dtype=np.intp)

    def common(self, rows: Index, least: int) -> list[Structure]:
        """Structures that so many of the rows have, the most frequent first."""
        counts: dict[Structure, int] = {}
        for i in rows:
            counts[self.structures[i]] = counts.get(self.structures[i], 0) + 1
        enough = [structure for structure, count in counts.items() if count >= least]
        return sorted(enough, key=lambda structure: -counts[structure])


def asked_for(solution: IntervalSolution) -> AxisCoordinates:
    """The gates that the equation, linearised about its own solution, asks for."""
    space = IntervalDiscretisation.to(solution.problem, solution.tol)
    return space.predict(solution.tol, space.start_from_guess(solution))[0]


def length(coordinates: AxisCoordinates) -> float:
    return sum(coordinate.length for coordinate in coordinates)
