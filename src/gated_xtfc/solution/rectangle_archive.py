"""Solutions on a rectangle as files: one .npz that gives back bit-equal values, and tables as CSV."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gated_xtfc.discretise.axis_grid import Line, Weights
from gated_xtfc.discretise.axis_patch import Span
from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.discretise.tensor_function import Surface
from gated_xtfc.language.plane_vocabulary import Orders
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round
from gated_xtfc.solution.rectangle import PlaneSolution
from gated_xtfc.types import Array

FORMAT = "gated-xtfc plane 1"
PLAIN = ("tol", "status", "message", "error", "scale", "neurons", "sites", "seconds", "continuation")
WRITTEN: tuple[Orders, ...] = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))


def pack(solution: PlaneSolution, file: BinaryIO) -> None:
    """Numbers as arrays and JSON: no pickled objects, so that a stranger's file can be read safely."""
    surface = solution.surface
    about = {
        "format": FORMAT,
        "problem": solution.problem.to_dict(),
        "bases": [[asdict(span.basis) for span in line.spans] for line in (surface.x, surface.y)],
        "history": [asdict(entry) for entry in solution.history],
        **{name: getattr(solution, name) for name in PLAIN},
    }
    sites = {"x": surface.x.sites, "y": surface.y.sites, "x_between": surface.x.between, "y_between": surface.y.between}
    arrays: dict[str, Any] = {"about": np.array(json.dumps(about)), "values": surface.values, **sites}
    np.savez(file, **arrays)


def unpacked(about: Mapping[str, Any], file: Any) -> PlaneSolution:
    """The solution in an opened file whose description is `about`; whatever is wrong raises."""
    problem = Problem.from_dict(about["problem"])
    if about["format"] != FORMAT or not isinstance(problem, PlaneProblem):
        raise ValueError(about["format"])
    weights = [side.weights for side in problem.sides]
    x = _line(about["bases"][0], file["x"], file["x_between"], (weights[0], weights[1]))
    y = _line(about["bases"][1], file["y"], file["y_between"], (weights[2], weights[3]))
    values = np.asarray(file["values"], dtype=np.float64)
    if values.shape != (x.size, y.size):
        raise ValueError(about["format"])
    values.setflags(write=False)
    return PlaneSolution(
        problem=problem,
        history=tuple(Round(**entry) for entry in about["history"]),
        surface=Surface(problem.sides, x, y, values),
        **{name: about[name] for name in PLAIN},
    )


def _line(bases: Sequence[Any], sites: Array, between: Array, conditions: tuple[Weights, Weights]) -> Line:
    spans, at = [], 0
    for p, plain in enumerate(bases):
        basis = Gaussian.restored(plain)
        # each piece begins where the one before it ended, at the same place
        stop = at + int(np.searchsorted(sites[at:], basis.coordinate.right)) + 1
        spans.append(Span.at(basis, sites[at:stop], between[at - p : stop - p - 1]))
        at = stop
    return Line(tuple(spans), conditions)


def write_csv(solution: PlaneSolution, path: str | Path, points: int) -> None:
    """A header line, then x, y, u and its derivatives to full precision."""
    first, second = (axis.name for axis in solution.problem.axes)
    field = solution.problem.fields[0]
    x, y = solution.grid(points)
    names = [f"{field}_{first * i}{second * j}".rstrip("_") for i, j in WRITTEN]
    columns = [np.broadcast_to(v, (points, points)) for v in (x, y)]
    columns += [solution.surface.grid(x.ravel(), y.ravel(), orders) for orders in WRITTEN]
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([first, second, *names])
        table.writerows(zip(*(column.ravel().tolist() for column in columns), strict=True))
