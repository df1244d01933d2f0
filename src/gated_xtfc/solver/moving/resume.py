"""A solution that goes on to later times from where it ended."""

from typing import Any

from gated_xtfc.errors import InputError
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solver.moving.density import density_for
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.layout import MovingLayout, State
from gated_xtfc.solver.moving.smoothing import features, spreading
from gated_xtfc.solver.moving.start import Beginning
from gated_xtfc.solver.moving.system import MovingSystem, weak_values


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
        and earlier.space == later.space
        and earlier.time.left == later.time.left
    )
    if not same or not guess.reached < later.time.right:
        raise InputError(
            f"the guess is no earlier part of this solution: it must solve the same equations from the same "
            f"{later.time.name} = {later.time.left:g}, and end before {later.time.right:g}"
        )
    piece = guess.record.pieces[-1]
    end = piece.start + piece.length
    weak = weak_values(equations, spreading(equations))
    read = features(problem, later)
    own = MovingSystem(equations, piece.sites, weak, read.anchors, read.needles)
    gates = piece.gates_at(end)
    layout = MovingLayout(piece.coordinate, piece.pins, own, gates)
    values = piece.values.sum(axis=0)
    state = State(end, layout, gates, layout.frame(gates[None]), values, guess.carried)
    density = max(density_for(guess.tol), piece.sites.intervals / piece.coordinate.length(gates) if gates.size else 0.0)
    return Beginning(state, density, (), 0.0)
