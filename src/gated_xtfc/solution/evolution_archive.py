"""Solutions that evolve as arrays and JSON: layouts once, and for every step the powers of time of values and gates."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.pins import Pins
from gated_xtfc.discretise.moving.record import Piece, TimeRecord
from gated_xtfc.discretise.moving.sites import sites
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.entry import anything, finite, flag, numbers, perhaps, positive, record, several, whole
from gated_xtfc.solution.envelope import Arrays, Unfit
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.types import Array

MOST = 100_000  # sites of one layout, and steps
PINS = record(
    eta=several(finite), slope=positive, left=several(finite), right=several(finite), at_left_end=flag,
    at_right_end=flag,
)  # fmt: skip
LAYOUT = record(
    width=positive, grading=several(positive), intervals=whole(2), order=whole(2), pins=perhaps(PINS),
    cuts=several(several(finite, 2)),
)  # fmt: skip
STEP = record(layout=whole(0), start=finite, length=positive)
STEPS = record(layouts=several(anything, 1), steps=several(STEP, 1))
FIGURES = record(scales=several(positive), steady=flag)


def packed(solution: EvolutionSolution) -> tuple[dict[str, Any], dict[str, Array]]:
    """What is special to it, for the envelope."""
    about, arrays = packed_record(solution.record)
    arrays |= {"estimates": solution.estimates, "carried": solution.carried}
    return {**about, "scales": list(solution.scales), "steady": solution.steady}, arrays


def packed_record(record: TimeRecord) -> tuple[dict[str, Any], dict[str, Array]]:
    """Layouts and steps, and their arrays."""
    layouts: dict[tuple[int, int], int] = {}
    plain: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    arrays: dict[str, Array] = {}
    for k, piece in enumerate(record.pieces):
        key = id(piece.coordinate), id(piece.pins)
        if key not in layouts:
            layouts[key] = len(plain)
            plain.append(_layout(piece))
        steps.append({"layout": layouts[key], "start": piece.start, "length": piece.length})
        arrays |= {f"values{k}": piece.values, f"gates{k}": piece.gates}
    return {"layouts": plain, "steps": steps}, arrays


def _layout(piece: Piece) -> dict[str, Any]:
    pins = piece.pins
    return {
        "width": piece.coordinate.width,
        "grading": piece.coordinate.grading.tolist(),
        "intervals": piece.sites.intervals,
        "order": piece.sites.order,
        "cuts": [list(both) for both in piece.sites.cuts],
        "pins": None
        if pins is None
        else {
            "eta": pins.eta.tolist(),
            "slope": pins.slope,
            "left": pins.left.tolist(),
            "right": pins.right.tolist(),
            "at_left_end": pins.at_left_end,
            "at_right_end": pins.at_right_end,
        },
    }


def unpacked(about: Mapping[str, Any], arrays: Arrays, figures: dict[str, Any]) -> EvolutionSolution:
    """What `packed` wrote; `figures` are those that all solutions have."""
    more, problem = FIGURES(about, "it"), figures["problem"]
    if problem.evolution is None:
        raise Unfit("its problem does not evolve")
    if len(more["scales"]) != len(problem.fields):
        raise Unfit(f"it has {len(more['scales'])} scales, not {len(problem.fields)}")
    found = unpacked_record(about, arrays, problem)
    estimates = np.asarray(arrays["estimates"], dtype=float)
    if estimates.shape != (len(found.pieces),):
        raise Unfit("its estimates do not fit its steps")
    carried = numbers(arrays["carried"], "carried", *found.pieces[-1].values.shape[1:])
    parts: dict[str, Any] = {"record": found, "estimates": estimates, "carried": carried, "steady": more["steady"]}
    return EvolutionSolution(**figures, scales=tuple(more["scales"]), **parts)


def unpacked_record(about: Mapping[str, Any], arrays: Arrays, problem: Problem) -> TimeRecord:
    """What `packed_record` wrote, of a problem that evolves."""
    more = STEPS(about, "it")
    assert problem.evolution is not None
    if len(more["steps"]) > MOST:
        raise Unfit(f"it has {len(more['steps'])} steps")
    layouts = [_read_layout(one, problem) for one in more["layouts"]]
    pieces = []
    now = problem.evolution.time.left
    for k, step in enumerate(more["steps"]):
        if step["layout"] >= len(layouts):
            raise Unfit(f"step {k} is on a layout that is not there")
        coordinate, pins, own = layouts[step["layout"]]
        if abs(step["start"] - now) > 1e-9 * problem.evolution.horizon:
            raise Unfit(f"step {k} does not begin where the one before it ended")
        now = step["start"] + step["length"]
        values = numbers(arrays[f"values{k}"], f"values{k}", None, len(problem.fields), own.size)
        gates = numbers(arrays[f"gates{k}"], f"gates{k}", values.shape[0], 2, coordinate.grading.size)
        if not len(values) or not (gates[0, 1] > 0.0).all():
            raise Unfit(f"step {k} has no values, or a gate without thickness")
        pieces.append(Piece(step["start"], step["length"], coordinate, pins, own, values, gates))
    return TimeRecord(tuple(pieces))


def _read_layout(entry: Any, problem: Problem) -> tuple[MovingCoordinate, Pins | None, Any]:
    plain = LAYOUT(entry, "its layout")
    assert problem.evolution is not None
    space, grading, given = problem.evolution.space, np.array(plain["grading"], dtype=float), plain["pins"]
    if plain["intervals"] > MOST or not plain["order"] < plain["intervals"] or plain["order"] > 40:
        raise Unfit(f"a layout of it has {plain['intervals']} intervals, with differences of order {plain['order']}")
    pins = None
    if given is not None:
        eta, left, right = (np.array(given[name], dtype=float) for name in ("eta", "left", "right"))
        if not eta.shape == left.shape == right.shape == grading.shape:
            raise Unfit("its pins do not fit its gates")
        pins = Pins(eta, given["slope"], left, right, given["at_left_end"], given["at_right_end"])
    coordinate = MovingCoordinate(space.left, space.right, plain["width"], grading)
    cuts = tuple((both[0], both[1]) for both in plain["cuts"])
    around = np.array([0.0, *(one for both in cuts for one in both), 1.0])
    if not (np.diff(around) > 0.0).all():
        raise Unfit("a layout of it is cut where it has no order")
    return coordinate, pins, sites(plain["intervals"], plain["order"], cuts)
