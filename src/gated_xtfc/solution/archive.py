"""Solutions as files: one .npz that gives back bit-equal values, and tables as CSV."""

import csv
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.discretise.pieces import Pieces
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round, Solution

FORMAT = "gated-xtfc solution 1"
PLAIN = ("tol", "status", "message", "error", "neurons", "sites", "seconds", "continuation", "origin")
LISTS = ("scales", "values")
NOT_OURS = "'{}' is not a solution saved by this program: give a file written by solution.save"


def write(solution: Solution, path: str | Path) -> None:
    with Path(path).open("wb") as file:
        pack(solution, file)


def pack(solution: Solution, file: BinaryIO) -> None:
    """Numbers as arrays and JSON: no pickled objects, so that a stranger's file can be read safely."""
    if hasattr(solution, "surface"):
        from gated_xtfc.solution.rectangle_archive import pack as pack_plane

        return pack_plane(cast(Any, solution), file)
    about = {
        "format": FORMAT,
        "problem": solution.problem.to_dict(),
        "pieces": [asdict(basis) for basis in solution.pieces.bases],
        "history": [asdict(entry) for entry in solution.history],
        **{name: getattr(solution, name) for name in PLAIN + LISTS},
    }
    np.savez(file, about=np.array(json.dumps(about)), free=solution.free, switch=solution.switch)


def load(path: str | Path) -> Solution:
    """The solution, or the posterior, that `save` wrote."""
    try:
        # opened here, so that it is closed even where the content is not what np.load expects
        with Path(path).open("rb") as source:
            return unpack(source, str(path))
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'") from None
    except OSError:
        raise InputError(NOT_OURS.format(path)) from None


def unpack(source: BinaryIO, name: str) -> Solution:
    """The solution that `pack` wrote; `name` is what messages call the file."""
    try:
        with np.load(source, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            if about["format"].startswith("gated-xtfc plane"):
                from gated_xtfc.solution.rectangle_archive import unpacked

                return cast(Solution, unpacked(about, file))  # evaluates like a Solution, in two coordinates
            if about["format"].startswith("gated-xtfc posterior"):
                from gated_xtfc.inverse.archive import unpacked as posterior

                return cast(Solution, posterior(about, file))  # no Solution, but what the file holds
            weights = [np.asarray(file[name], dtype=np.float64) for name in ("free", "switch")]
        problem = Problem.from_dict(about["problem"])
        pieces = Pieces(tuple(Gaussian.restored(entry) for entry in about["pieces"]))
        history = tuple(Round(**entry) for entry in about["history"])
        plain = {name: about[name] for name in PLAIN} | {name: tuple(about[name]) for name in LISTS}
        columns = (pieces.size * len(problem.fields),)
        if about["format"] != FORMAT or any(values.shape != columns for values in weights):
            raise ValueError(about["format"])
    except Exception:  # whatever a stranger's file makes the readers do
        raise InputError(NOT_OURS.format(name)) from None
    for values in weights:
        values.setflags(write=False)
    return Solution(problem=problem, history=history, pieces=pieces, free=weights[0], switch=weights[1], **plain)


def write_csv(solution: Solution, path: str | Path, points: int) -> None:
    """A header line, then x, every field and its derivatives to full precision."""
    x = solution.points(points)
    header, columns = [solution.problem.axis.name], [x]
    for field, order in solution.problem.order.items():
        for j in range(order + 1):
            header.append(field + "'" * j)
            columns.append(solution[field](x, j))
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows(zip(*(column.tolist() for column in columns), strict=True))
