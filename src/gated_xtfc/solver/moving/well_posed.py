"""Whether equations that were well-posed at the start still are: factors of derivatives may change their sign."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.discretise.moving.record import Piece
from gated_xtfc.language.dual import Dual, Operand, unknown
from gated_xtfc.problem.end_conditions import waves_turned
from gated_xtfc.problem.evolution import HIGHEST, Leads, flows_out, runs_backwards
from gated_xtfc.solver.moving.equations import Equations

PLACES = 101
CLEARLY = 1e-3  # of the largest factor: by less a field that should stay positive may dip below zero
ERRORS = 10.0  # tolerances that are no clear sign either


@dataclass(frozen=True)
class WellPosed:
    """What is looked at after every step."""

    equations: Equations
    varies: bool  # whether a factor can change its sign at all

    @classmethod
    def of(cls, equations: Equations) -> "WellPosed":
        evolution, fields = equations.evolution, equations.problem.fields
        two = np.array([0.3, 0.7])
        keys = [(field, evolution.along(k, 0)) for field in fields for k in range(HIGHEST + 1)]
        rates = [(field, evolution.along(0, 1)) for field in fields]
        # a factor that holds a field or time is an array where these are, so that others are numbers
        state: dict[Any, Operand] = dict.fromkeys(rates, 0.0)
        state |= {key: unknown(key, start) for own, start in ((keys, 1.0 + two), (rates, 0.0)) for key in own}
        x = 0.5 * (evolution.space.left + evolution.space.right)
        at = evolution.point(x, evolution.time.left + evolution.horizon * two)
        orders = {evolution.along(0, 1), evolution.along(2, 0)}
        if 1 in evolution.orders:
            orders.add(evolution.along(1, 0))
        for equation in equations.problem.equations:
            with np.errstate(all="ignore"):
                found = equation.residual(at, state)
            partials: dict[Any, Any] = {**found.partials} if isinstance(found, Dual) else {}
            if any(np.ndim(value) for (_, order), value in partials.items() if order in orders):
                return cls(equations, True)
        return cls(equations, False)

    def broken(self, piece: Piece, tol: float) -> str:
        """A sentence where the end of a step is no start from which the equations can go on."""
        if not self.varies:
            return ""
        problem, evolution = self.equations.problem, self.equations.evolution
        t = piece.start + piece.length
        x = piece.places(t, PLACES)
        jets = np.stack([piece.at(x, t, k) for k in range(HIGHEST + 1)])
        with np.errstate(all="ignore"):
            leads = Leads.at(problem.equations, problem.fields, evolution, x, t, jets)
        least = max(CLEARLY, ERRORS * tol)
        return (
            runs_backwards(problem.equations, evolution, leads, least)
            or flows_out(problem.fields, evolution, leads, least)
            or waves_turned(problem.equations, problem.fields, evolution, leads, jets, least)
        )
