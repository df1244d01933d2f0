"""Results as files: one .npz of arrays and JSON that gives back bit-equal values, and holds nothing that could be run.

Formats of results are told apart by what `about` in their envelope says.
"""

from __future__ import annotations  # help() shows types as they are written here

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from errno import EINVAL  # what a seek to a place before the beginning of a file ends in
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid, Weights
from gated_xtfc.discretise.axis_patch import AxisPatch
from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.discretise.tensor_function import TensorFunction
from gated_xtfc.errors import InputError
from gated_xtfc.files import replacing
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.file import from_mapping
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution import evolution_archive
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.elements_entry import get_elements, put_elements
from gated_xtfc.solution.entry import (
    anything,
    finite,
    number,
    numbers,
    one_of,
    perhaps,
    positive,
    record,
    several,
    size,
    table,
    text,
    whole,
)
from gated_xtfc.solution.envelope import UNREADABLE, Arrays, Unfit, read_envelope, write_envelope
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.kernels_entry import get_pieces
from gated_xtfc.solution.rectangle import RectangleSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status

if TYPE_CHECKING:
    from gated_xtfc.inverse.posterior import Posterior

INTERVAL, RECTANGLE, POSTERIOR = "gated-xtfc solution 1", "gated-xtfc plane 1", "gated-xtfc posterior 1"
ELEMENTS, EVOLUTION = "gated-xtfc elements 1", "gated-xtfc evolution 1"
PLAIN = ("tol", "message", "error", "neurons", "sites", "seconds", "continuation")
FORMATS = (INTERVAL, ELEMENTS, RECTANGLE, EVOLUTION, POSTERIOR)
SITES = 10_000  # in one piece of an axis: its matrices then take a gigabyte or two
ROUNDED = 1e-12
ROUND = record(neurons=whole(0), error=size, rounding=size, steps=whole(0), value=perhaps(number))
FIGURES = record(
    problem=table, history=several(ROUND), status=one_of(Status), tol=positive, message=text, error=size,
    neurons=whole(0), sites=whole(0), seconds=size, continuation=perhaps(text),
)  # fmt: skip
INTERVAL_FIGURES = record(scales=several(positive), values=several(finite), pieces=anything, origin=finite)
ELEMENTS_FIGURES = record(scales=several(positive), values=several(finite), pieces=anything)
RECTANGLE_FIGURES = record(scale=positive, bases=several(anything), origins=several(finite))


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
        about |= {"scales": solution.scales, "values": solution.values}
        if isinstance(function, ElementSum):
            pieces, arrays = put_elements(function)
            write_envelope(file, about | {"format": ELEMENTS, "pieces": pieces}, arrays)
            return
        about |= {"format": INTERVAL}
        about |= {"pieces": [asdict(basis) for basis in function.basis.bases], "origin": function.chart.origin}
        write_envelope(file, about, {"free": function.free, "switch": function.switch})
        return
    if isinstance(solution, EvolutionSolution):
        more, parts = evolution_archive.packed(solution)
        write_envelope(file, about | {"format": EVOLUTION} | more, parts)
        return
    assert isinstance(solution, RectangleSolution)
    tensor = solution.function
    grids = {"x": tensor.x, "y": tensor.y}
    about |= {"format": RECTANGLE, "scale": solution.scale, "origins": tensor.origins}
    about["bases"] = [[asdict(patch.basis) for patch in grid.patches] for grid in grids.values()]
    arrays = {"values": tensor.values, **{name: grid.sites for name, grid in grids.items()}}
    write_envelope(file, about, arrays | {f"{name}_between": grid.between for name, grid in grids.items()})


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
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror or error}") from None


def load_solution(path: str | Path) -> Solution:
    """As `load`, where a posterior is not what is wanted."""
    found = load(path)
    if not isinstance(found, Solution):
        raise InputError(f"'{path}' holds a posterior, not a solution: read it with gated_xtfc.load")
    return found


def unpack(source: BinaryIO, name: str) -> Solution | Posterior:
    """What `pack` wrote; `name` is what messages call the file."""
    try:
        about, arrays = read_envelope(source)
    except UNREADABLE as error:
        for one in (error, error.__context__):  # zipfile hides the first behind a word of its own
            if isinstance(one, OSError) and one.errno not in (None, EINVAL):
                raise one from None  # the disk, and not what is on it
        raise InputError(_refusal(name, error)) from None
    try:
        if about.get("format") == POSTERIOR:
            from gated_xtfc.inverse.archive import unpacked  # few files are one

            return unpacked(about, arrays)
        read = {INTERVAL: _interval, ELEMENTS: _elements, RECTANGLE: _rectangle, EVOLUTION: _evolution}
        return read[one_of(FORMATS)(about.get("format"), "its format")](about, arrays)
    except (Unfit, InputError) as error:  # InputError: what the library itself has to say on a problem, or a prior
        raise InputError(_refusal(name, error)) from None


def _refusal(name: str, error: BaseException) -> str:
    why = f" ({error})" if isinstance(error, Unfit | InputError) else ""
    return f"'{name}' is not a solution saved by this program{why}: give a file written by solution.save"


def unpack_solution(source: BinaryIO, name: str) -> Solution:
    """As `unpack`, for what can only be a solution."""
    found = unpack(source, name)
    if not isinstance(found, Solution):
        raise InputError(_refusal(name, Unfit("it is a posterior")))
    return found


def get_problem(entry: Any) -> Problem:
    """The problem in a file; one that no problem file could state is refused."""
    plain = table(entry, "its problem")
    return from_mapping(plain)


def _figures(about: Mapping[str, Any]) -> dict[str, Any]:
    """What all solutions have."""
    figures: dict[str, Any] = FIGURES(about, "it")
    return {
        **figures,
        "status": Status(figures["status"]),
        "problem": get_problem(figures["problem"]),
        "history": tuple(Round(**entry) for entry in figures["history"]),
    }


def _interval(about: Mapping[str, Any], arrays: Arrays) -> IntervalSolution:
    figures, more = _figures(about), INTERVAL_FIGURES(about, "it")
    _check_count(more["values"], len(figures["problem"].unknown), "constants")
    figures["problem"] = problem = figures["problem"].settled(more["values"])
    basis = get_pieces(more["pieces"], "its pieces")
    (axis,) = axes_of(problem, 1)
    _check_ends(basis, axis, more["origin"])
    _check_count(more["scales"], len(problem.fields), "scales")
    weights = [numbers(arrays[name], name, basis.size * len(problem.fields)) for name in ("free", "switch")]
    for values in weights:
        values.setflags(write=False)
    function = KernelSum(Chart(basis, more["origin"]), *weights)
    return IntervalSolution(**figures, scales=tuple(more["scales"]), function=function, values=tuple(more["values"]))


def _elements(about: Mapping[str, Any], arrays: Arrays) -> IntervalSolution:
    figures, more = _figures(about), ELEMENTS_FIGURES(about, "it")
    _check_count(more["values"], len(figures["problem"].unknown), "constants")
    figures["problem"] = problem = figures["problem"].settled(more["values"])
    axes_of(problem, 1)
    _check_count(more["scales"], len(problem.fields), "scales")
    function = get_elements(more["pieces"], arrays, problem)
    return IntervalSolution(**figures, scales=tuple(more["scales"]), function=function, values=tuple(more["values"]))


def _rectangle(about: Mapping[str, Any], arrays: Arrays) -> RectangleSolution:
    figures = _figures(about)
    # files from before solutions were translated do not say from where
    more = RECTANGLE_FIGURES({"origins": [0.0, 0.0], **about}, "it")
    axes = axes_of(figures["problem"], 2)
    _check_count(more["origins"], 2, "origins")
    _check_count(more["bases"], 2, "axes")
    first, second = more["origins"]
    sides = figures["problem"].transformed(Translation((first, second))).sides
    weights = [side.weights for side in sides]
    x, y = (
        _grid(more["bases"][k], arrays, name, axes[k], more["origins"][k], (weights[2 * k], weights[2 * k + 1]))
        for k, name in enumerate("xy")
    )
    values = numbers(arrays["values"], "values", x.size, y.size)
    values.setflags(write=False)
    function = TensorFunction(sides, x, y, values, (first, second))
    return RectangleSolution(**figures, scales=(more["scale"],), function=function)


def _evolution(about: Mapping[str, Any], arrays: Arrays) -> EvolutionSolution:
    return evolution_archive.unpacked(about, arrays, _figures(about))


def _grid(
    entry: Any, arrays: Arrays, name: str, axis: Axis, origin: float, conditions: tuple[Weights, Weights]
) -> AxisGrid:
    basis = get_pieces(entry, f"its pieces along {name}")
    _check_ends(basis, axis, origin)
    sites = numbers(arrays[name], name, None)
    between = numbers(arrays[f"{name}_between"], f"{name}_between", max(sites.size - len(basis.bases), 0))
    patches, at = [], 0
    for p, piece in enumerate(basis.bases):
        # each piece begins where the one before it ended, at the same place
        stop = at + int(np.searchsorted(sites[at:], piece.coordinate.right)) + 1
        own = sites[at:stop]
        inside = own.size > 2 and (np.diff(own) > 0.0).all() and own[0] == piece.coordinate.left
        # slightly fewer sites than kernels, and no more than there is memory for their matrices
        if not (inside and own[-1] == piece.coordinate.right and own.size <= piece.size <= 2 * own.size + 100):
            raise Unfit(f"the sites {name} do not fit its pieces")
        if own.size > SITES:
            raise Unfit(f"one of its pieces has {own.size} sites along {name}")
        patches.append(AxisPatch.at(piece, own, between[at - p : stop - p - 1]))
        at = stop
    if at != sites.size:
        raise Unfit(f"the sites {name} do not fit its pieces")
    return AxisGrid(tuple(patches), conditions)


def axes_of(problem: Problem, count: int) -> tuple[Axis, ...]:
    if len(problem.axes) != count:
        raise Unfit(f"its problem has {len(problem.axes)} coordinates, not {count}")
    return problem.axes


def _check_ends(basis: Piecewise, axis: Axis, origin: float) -> None:
    """Kernels and problem live on the same interval, but for the rounding of a translation."""
    pairs = (basis.left + origin, axis.left), (basis.right + origin, axis.right)
    ends = [(mine, end) for mine, end in pairs if math.isfinite(end)]  # infinite ones were cut off somewhere
    room = ROUNDED * max((abs(end) for _, end in ends), default=0.0)
    if any(abs(mine - end) > room for mine, end in ends):
        raise Unfit("its kernels are not on the domain of its problem")


def _check_count(found: Sequence[Any], wanted: int, what: str) -> None:
    if len(found) != wanted:
        raise Unfit(f"it has {len(found)} {what}, not {wanted}")
