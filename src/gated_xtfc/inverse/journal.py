"""The record of one inference: which members were solved, where that failed, and how many solves it took."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.node import Node
from gated_xtfc.types import Array


@dataclass
class Journal:
    """Everything that explores asks here for nodes. It lives as long as one `infer`, and no result holds on to it."""

    forward: ForwardMap
    progress: Callable[[int], None] | None = None  # called with the number of solves so far
    nodes: list[Node] = field(default_factory=list)
    failures: list[Array] = field(default_factory=list)  # places
    solves: int = 0
    deadline: float | None = None  # on the clock of time.perf_counter
    cut_short: bool = False  # whether something that explores was told that the time is up

    @property
    def late(self) -> bool:
        """Whether the time is up: what explores then makes do with what it has."""
        self.cut_short |= self.deadline is not None and time.perf_counter() > self.deadline
        return self.cut_short

    def solve(self, place: Array) -> Node | None:
        """The node at this place, None where the problem cannot be solved there; both are written down."""
        if self.progress is not None:
            self.progress(self.solves)
        place = np.clip(np.asarray(place, dtype=float), 0.0, 1.0)
        visit = self.forward.visit(place, self.nodes)
        self.solves += visit.solves
        if visit.node is None:
            self.failures.append(place)
        else:
            self.nodes.append(visit.node)
        return visit.node

    def sharpen(self, noise_scale: Array) -> None:
        """A new page: predictions are held against this noise from here on, and the solves so far stay counted."""
        self.forward = replace(self.forward, noise_scale=noise_scale)
        self.nodes, self.failures = [], []

    def unsolved(self) -> InputError:
        """What is said where no member could be solved."""
        return InputError(
            f"none of {self.solves} members of the family between the bounds could be solved: "
            f"move the bounds, or see what gated-xtfc solve says of one of them"
        )
