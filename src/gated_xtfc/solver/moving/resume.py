"""A solution that goes on to later times from where it ended."""

from typing import Any

import numpy as np

from gated_xtfc.discretise.moving.record import Piece
from gated_xtfc.errors import InputError
from gated_xtfc.problem.evolution import Evolution
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solver.moving.density import density_for
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.features import features, spreading
from gated_xtfc.solver.moving.layout import MovingLayout, State
from gated_xtfc.solver.moving.start import Beginning
from gated_xtfc.solver.moving.system import MovingSystem, weak_values

PLACES = 33  # at which equations are compared
SAME = 1e-9  # by which their values may differ


def resumed(guess: Any, equations: Equations) -> Beginning:
    """Where a solution of the same problem ended, as a beginning."""
    if not isinstance(guess, EvolutionSolution):
        raise InputError(
            "an equation that evolves begins with its values at the start and takes no guess: "
            "give a Solution of the same problem to go on to later times"
        )
    problem, later = equations.problem, equations.evolution
    earlier = guess.problem.evolution
    assert earlier is not None
    same = (
        [one.text for one in guess.problem.equations] == [one.text for one in problem.equations]
        and guess.problem.parameters == problem.parameters
        and _texts(earlier) == _texts(later)
        and earlier.space == later.space
        and earlier.time.left == later.time.left
    )
    piece = guess.record.pieces[-1]
    end = piece.start + piece.length
    same = same and _alike(Equations(guess.problem), equations, piece, end)
    if not same or not guess.reached < later.time.right:
        raise InputError(
            "the guess is no earlier part of this solution: it must solve the same equations, with the same "
            f"conditions, from the same {later.time.name} = {later.time.left:g}, and end before {later.time.right:g}"
        )
    weak = weak_values(equations, spreading(equations))
    read = features(problem, later)
    own = MovingSystem(equations, piece.sites, weak, read.anchors, read.needles)
    gates = piece.gates_at(end)
    layout = MovingLayout(piece.coordinate, piece.pins, own, gates)
    values = piece.values.sum(axis=0)
    state = State(end, layout, gates, layout.frame(gates[None]), values, guess.carried)
    density = max(density_for(guess.tol), piece.sites.intervals / piece.coordinate.length(gates) if gates.size else 0.0)
    return Beginning(state, density, (), 0.0)


def _texts(evolution: Evolution) -> tuple[object, ...]:
    """What holds at the start and at the ends."""
    starts = [None if one is None else one.text for one in evolution.initial]
    ends = [[None if one is None else one.text for one in side] for side in evolution.ends]
    return starts, ends, evolution.periodic


def _alike(one: Equations, other: Equations, piece: Piece, t: float) -> bool:
    """Whether equations have the same values where a solution ended; functions in Python have no text to compare."""
    x = piece.places(t, PLACES)
    values, first, second = (piece.at(x, t, k) for k in range(3))
    now = np.full(x.shape, t)
    a, b = one(x, now, (values, first, second)), other(x, now, (values, first, second))
    with np.errstate(all="ignore"):
        size = np.nanmax(np.abs(np.where(np.isfinite(a), a, 0.0)))
        return bool(np.all((np.abs(a - b) <= SAME * size) | (a == b) | (np.isnan(a) & np.isnan(b))))
