"""What ends a march before the end of time: an event, or that nothing moves any more."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.event import Event
from gated_xtfc.solver.moving.march import March
from gated_xtfc.solver.moving.steady import distance_to_rest

STEADY = "steady"
CALM = 0.1  # of the fields: a step that changes more is no sign of rest
RESTING = 0.1  # of the tolerance: the distance to rest
AT_ONCE = 1e-9  # of the time: what holds at the start happens when it happens again


@dataclass(frozen=True)
class Ending:
    """An event; without one, rest."""

    event: Event | None

    @classmethod
    def stated(cls, stop: object, problem: Problem) -> "Ending | None":
        """As the user says it; where time has no end, rest ends it."""
        assert problem.evolution is not None
        if stop is None:
            return None if problem.evolution.time.finite else cls(None)
        return cls(None if stop == STEADY else Event.stated(stop, problem))

    def comes(self, march: March, tol: float) -> bool:
        """Whether a march ends with its last step, which is cut short where an event happened inside it."""
        piece = march.pieces[-1]
        if self.event is None:
            change = np.abs(piece.values[1:].sum(axis=0)).max(axis=1) / march.sizes.scale
            if float(change.max()) > CALM:
                return False
            march.unrest = distance_to_rest(march.state, march.sizes.scale)
            return march.unrest <= RESTING * tol
        first = len(march.pieces) == 1
        happened = [t for t in self.event.within(piece) if not first or t > piece.start + AT_ONCE * piece.length]
        if happened:
            march.pieces[-1] = piece.cut(happened[0])
        return bool(happened)

    def said(self, march: March, name: str) -> str:
        """What became of it, for the message."""
        end = march.pieces[-1].start + march.pieces[-1].length
        if self.event is not None:
            text = self.event.text
            return f"it ends with {text} at {name} = {end:.6g}" if march.stopped else f"{text} did not happen"
        return f"nothing moves after {name} = {end:.6g}" if march.stopped else "something moves to the end"
