"""Results as files: one .npz of arrays and JSON that gives back bit-equal values, and holds nothing that could be run.

The envelope is the same for all kinds of results: `about`, a JSON text with the format in it, and arrays by name.
"""

from __future__ import annotations  # help() shows types as they are written here

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid, Weights
from gated_xtfc.discretise.axis_patch import AxisPatch
from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.discretise.tensor_function import TensorFunction
from gated_xtfc.errors import InputError
from gated_xtfc.files import replacing
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.base import Round, Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.rectangle import RectangleSolution
from gated_xtfc.solution.status import Status
from gated_xtfc.types import Array

if TYPE_CHECKING:
    from gated_xtfc.inverse.posterior import Posterior

INTERVAL, RECTANGLE, POSTERIOR = "gated-xtfc solution 1", "gated-xtfc plane 1", "gated-xtfc posterior 1"
PLAIN = ("tol", "message", "error", "neurons", "sites", "seconds", "continuation")
NOT_OURS = "'{}' is not a solution saved by this program: give a file written by solution.save"


def write(solution: Solution, path: str | Path) -> None:
    with replacing(path) as file:
        pack(solution, file)


def pack(solution: Solution, file: BinaryIO) -> None:
    """Numbers as arrays and JSON: no pickled objects, so that a stranger's file can be read safely."""
    about: dict[str, Any] = {
        "problem": solution.problem.to_dict(),
        "history": [asdict(entry) for entry in solution.history],
        "status": str(solution.status),
        **{name: getattr(solution, name) for name in PLAIN},
    }
    if isinstance(solution, IntervalSolution):
        function = solution.function
        about |= {"format": INTERVAL, "scales": solution.scales, "values": solution.values}
        about |= {"pieces": [asdict(basis) for basis in function.basis.bases], "origin": function.chart.origin}
        write_envelope(file, about, {"free": function.free, "switch": function.switch})
        return
    assert isinstance(solution, RectangleSolution)
    tensor = solution.function
    grids = {"x": tensor.x, "y": tensor.y}
    about |= {"format": RECTANGLE, "scale": solution.scale, "origins": tensor.origins}
    about["bases"] = [[asdict(patch.basis) for patch in grid.patches] for grid in grids.values()]
    arrays = {"values": tensor.values, **{name: grid.sites for name, grid in grids.items()}}
    write_envelope(file, about, arrays | {f"{name}_between": grid.between for name, grid in grids.items()})


def write_envelope(file: BinaryIO, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """The envelope."""
    np.savez(file, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]


def load(path: str | Path) -> Solution | Posterior:
    """Read back what `save` wrote.

    Files hold arrays and JSON and nothing that could be run, so one from a stranger can be opened. Values are equal to
    the last bit to those that were saved.

    Parameters
    ----------
    path
        A file written by `solution.save` or `posterior.save`.

    Returns
    -------
    Solution or Posterior
        Whichever was saved; `Solution.load` refuses anything but a solution.

    Raises
    ------
    InputError
        Where there is no such file, or it is of another kind.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u'' = 6*x", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    >>> gx.solve(problem).save("cubic.npz")
    >>> cubic = gx.load("cubic.npz")
    >>> print(cubic.status, f"{cubic(0.5):.6f}")
    converged 0.125000
    """
    try:
        # opened here, so that it is closed even where the content is not what np.load expects
        with Path(path).open("rb") as source:
            return unpack(source, str(path))
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'") from None
    except OSError:
        raise InputError(NOT_OURS.format(path)) from None


def load_solution(path: str | Path) -> Solution:
    """As `load`, where a posterior is not what is wanted."""
    found = load(path)
    if not isinstance(found, Solution):
        raise InputError(f"'{path}' holds a posterior, not a solution: read it with gated_xtfc.load")
    return found


def unpack(source: BinaryIO, name: str) -> Solution | Posterior:
    """What `pack` wrote; `name` is what messages call the file."""
    try:
        with np.load(source, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            if about["format"] == POSTERIOR:
                from gated_xtfc.inverse.archive import unpacked  # few files are one

                return unpacked(about, file)
            return {INTERVAL: _interval, RECTANGLE: _rectangle}[about["format"]](about, file)
    except Exception:  # whatever a stranger's file makes the readers do
        raise InputError(NOT_OURS.format(name)) from None


def unpack_solution(source: BinaryIO, name: str) -> Solution:
    """As `unpack`, for what can only be a solution."""
    found = unpack(source, name)
    if not isinstance(found, Solution):
        raise InputError(NOT_OURS.format(name))
    return found


def _figures(about: Mapping[str, Any]) -> dict[str, Any]:
    """What all solutions have."""
    return {
        **{name: about[name] for name in PLAIN},
        "status": Status(about["status"]),
        "problem": Problem.from_dict(about["problem"]),
        "history": tuple(Round(**entry) for entry in about["history"]),
    }


def _interval(about: Mapping[str, Any], file: Mapping[str, Array]) -> IntervalSolution:
    figures = _figures(about)
    basis = Piecewise(tuple(Gaussian.restored(entry) for entry in about["pieces"]))
    weights = [np.asarray(file[name], dtype=np.float64) for name in ("free", "switch")]
    columns = (basis.size * len(figures["problem"].fields),)
    if any(values.shape != columns for values in weights):
        raise ValueError(columns)
    for values in weights:
        values.setflags(write=False)
    function = KernelSum(Chart(basis, float(about["origin"])), *weights)
    return IntervalSolution(**figures, scales=tuple(about["scales"]), function=function, values=tuple(about["values"]))


def _rectangle(about: Mapping[str, Any], file: Mapping[str, Array]) -> RectangleSolution:
    figures = _figures(about)
    first, second = about.get("origins", (0.0, 0.0))
    sides = figures["problem"].transformed(Translation((first, second))).sides
    weights = [side.weights for side in sides]
    x = _grid(about["bases"][0], file["x"], file["x_between"], (weights[0], weights[1]))
    y = _grid(about["bases"][1], file["y"], file["y_between"], (weights[2], weights[3]))
    values = np.asarray(file["values"], dtype=np.float64)
    if values.shape != (x.size, y.size):
        raise ValueError(values.shape)
    values.setflags(write=False)
    function = TensorFunction(sides, x, y, values, (first, second))
    return RectangleSolution(**figures, scales=(about["scale"],), function=function)


def _grid(bases: list[Any], sites: Array, between: Array, conditions: tuple[Weights, Weights]) -> AxisGrid:
    patches, at = [], 0
    for p, plain in enumerate(bases):
        basis = Gaussian.restored(plain)
        # each piece begins where the one before it ended, at the same place
        stop = at + int(np.searchsorted(sites[at:], basis.coordinate.right)) + 1
        patches.append(AxisPatch.at(basis, sites[at:stop], between[at - p : stop - p - 1]))
        at = stop
    return AxisGrid(tuple(patches), conditions)
