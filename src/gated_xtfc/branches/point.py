"""A solution on a curve, with what was seen there."""

from dataclasses import dataclass

from gated_xtfc.branches.family import BranchState, Direction
from gated_xtfc.branches.singular import Modes


@dataclass(frozen=True, eq=False)
class Point:
    """A state of the family, the tests there, and the direction of the curve."""

    state: BranchState
    modes: Modes
    kind: str = ""  # "fold", "branch point", or nothing
    direction: Direction | None = None  # of the curve there
    located: float | None = None  # the parameter, where it is known better than by the state

    @property
    def parameter(self) -> float:
        return self.state.parameter if self.located is None else self.located
