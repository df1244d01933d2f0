"""One call of solve_bvp: by collocation of the system as it stands, then as problems of the pipeline.

Whatever finds the solution, the residuals of the user's own functions decide what is said of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator, PPoly

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Points
from gated_xtfc.scipy.collocation import collocated
from gated_xtfc.scipy.result import PIECES, BVPResult, Pieces, mesh_of, piece_nodes
from gated_xtfc.scipy.statement import Part, between, groups_of, parts
from gated_xtfc.scipy.system import System
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.solve import solve
from gated_xtfc.solver.verdict import within
from gated_xtfc.types import Array, Orders

# SciPy's tolerance is one of residuals, and the error that it leaves is smaller by about this much; ours is of errors.
GOALS = (1e-2, 1e-5)
LEAST = 1e-13
MET, NODES, SINGULAR, CONDITIONS, MISSED = 0, 1, 2, 3, 4
CODES = {Status.CONVERGED: MET, Status.MAX_NEURONS: NODES, Status.NEARLY_SINGULAR: SINGULAR}


@dataclass(frozen=True)
class BvpCall:
    """One call of solve_bvp."""

    system: System
    mesh: Array
    guess: Any  # (n, m), real or complex
    constants: Array
    tol: float
    max_nodes: int
    bc_tol: float

    def run(self, report: Callable[[Round], None] | None) -> BVPResult:
        y = self.system.apart(self.guess)
        quick = self._collocated(y, report)
        if quick is not None:
            return quick
        try:
            stated = parts(self.system, y, self.constants, self.start)
        except InputError as refusal:
            return self._refused(SINGULAR, str(refusal))
        found: BVPResult | None = None
        for goal in GOALS:
            solutions = []
            for part in stated:
                try:
                    solutions.append(self._solved(part, max(LEAST, goal * self.tol), report))
                except InputError as refusal:
                    few = "max_neurons" in str(refusal) or "memory" in str(refusal)
                    return self._refused(NODES if few else SINGULAR, str(refusal))
            found = self._result(stated, solutions)
            if found.success or found.status != MISSED or max(solution.error for solution in solutions) > self.tol:
                break
        assert found is not None
        return found

    def _collocated(self, y: Array, report: Callable[[Round], None] | None) -> BVPResult | None:
        """By collocation of the system as it stands; None where that does not vouch for the tolerance."""
        system, p = self.system, self.constants
        several = groups_of(system, y, p)
        if several is None:
            return None

        def guess(x: Array) -> Array:
            return between(self.mesh, y, x)

        try:
            with np.errstate(all="ignore"):
                found = collocated(system, several, guess, p, self.tol, self.max_nodes)
        except np.linalg.LinAlgError:
            return None
        if found is None:
            return None
        x, values = found.pieces(pieces_for(self.tol), piece_nodes())
        if report is not None:
            report(Round(found.points, found.error, 0.0, found.rounds))
        message = within(found.error, self.tol)
        pieces = Pieces(x, system.together(values))
        result = self._assembled(pieces, found.curve.p, MET, message, found.error, found.rounds)
        return result if result.success else None

    def _solved(self, part: Part, goal: float, report: Callable[[Round], None] | None) -> Solution:
        """From the guess; where that leads nowhere, from the plainest functions that meet the conditions."""
        options: dict[str, Any] = {
            "tol": goal,
            "max_neurons": self.max_nodes * len(part.group.chains),
            "progress": report,
        }
        singular = self.system.singular
        if singular is not None and singular[list(part.group.fields)].any():
            options["gates"] = ()  # the term is as steep as can be, and the solution is smooth there
        if part.problem.linear:
            return solve(part.problem, **options)
        found = solve(part.problem, guess=self._start(part), **options)
        if found.error > self.tol:
            other = solve(part.problem, **options) if not part.group.constants else found
            found = other if other.error < found.error else found
        return found

    def _start(self, part: Part) -> Start:
        """The guess, as the pipeline takes it."""
        group, guess = part.group, self.start

        def about(f: int, points: Points, orders: Orders) -> Array:
            chain, (order,) = group.chains[f], orders
            return guess(points[0], chain[order]) if order < len(chain) else guess(points[0], chain[-1], 1)

        return Start(about, tuple(self.constants[list(group.constants)].tolist()))

    @cached_property
    def start(self) -> Callable[..., Array]:
        """The guess as curves through the nodes that bend no more than it does: bends would ask for gates."""
        whole = PchipInterpolator(self.mesh, self.system.apart(self.guess), axis=1)
        pieces = [PPoly(whole.c[:, :, i], whole.x) for i in range(whole.c.shape[2])]

        def guess(x: Array, field: int | None = None, order: int = 0) -> Array:
            if field is None:
                return np.array([piece(x) for piece in pieces])
            return np.asarray(pieces[field](x, order))

        return guess

    def _result(self, stated: tuple[Part, ...], solutions: list[Solution]) -> BVPResult:
        system, p = self.system, self.constants.copy()
        meshes = []
        for part, solution in zip(stated, solutions, strict=True):
            for j in part.group.constants:
                p[j] = solution.constants[f"p{j}"]
            (chart,) = solution.charts
            meshes += [solution.points(2 + int(PIECES * chart.basis.length)), np.array(chart.breaks)]
        x = mesh_of(meshes)

        def values(at: Array) -> Any:
            y = np.empty((len(system.apart(self.guess)), at.size))
            for part, solution in zip(stated, solutions, strict=True):
                for chain in part.group.chains:
                    for order, member in enumerate(chain):
                        y[member] = solution[f"y{chain[0]}"](at, order)
            return system.together(y)

        worst = max(solutions, key=lambda solution: (CODES.get(solution.status, MISSED) != MET, solution.error))
        met = worst.error <= self.tol
        return self._assembled(
            Pieces.of(values, x),
            p,
            MET if met else CODES.get(worst.status, MISSED),
            "the error is within the tolerance" if met and not worst.converged else worst.message,
            worst.error,
            max(solution.rounds for solution in solutions),
        )

    def _refused(self, status: int, message: str) -> BVPResult:
        """The guess itself, with the reason why there is nothing better."""
        pieces = Pieces.of(lambda at: np.array([_interpolated(at, self.mesh, row) for row in self.guess]), self.mesh)
        return self._assembled(pieces, self.constants, status, message, float("inf"), 0)

    def _assembled(self, pieces: Pieces, p: Array, status: int, message: str, error: float, niter: int) -> BVPResult:
        """With the residuals of the user's own functions: what they say counts."""
        system = self.system

        def slope(at: Array, y: Any) -> Any:
            f = np.asarray(system.fun(at, y, p))
            if system.singular is None:
                return f
            return f + system.together(system.singular @ system.apart(y)) / (at - system.left)

        y = pieces.at_nodes()
        with np.errstate(all="ignore"):
            residuals = pieces.rms_residuals(slope)
            misfit = np.abs(np.asarray(system.bc(y[:, 0], y[:, -1], p)))
        if status == MET and not residuals.max() <= self.tol:
            status, message = MISSED, f"the residuals are as large as {residuals.max():.1e}, above the tolerance"
        if status == MET and not misfit.max(initial=0.0) <= self.bc_tol:
            status, message = CONDITIONS, f"the conditions are met to {misfit.max():.1e} only, not to bc_tol"
        return BVPResult(
            sol=pieces.sol,
            p=p if p.size else None,
            x=pieces.x,
            y=y,
            yp=pieces.at_nodes(1),
            rms_residuals=residuals,
            niter=niter,
            status=status,
            message=message,
            success=status == MET,
            error=error,
        )


def pieces_for(tol: float) -> int:
    """Into how many pieces elements are divided, for the degree of pieces is lower."""
    return 3 if tol >= 1e-4 else 4 if tol >= 1e-7 else 6


def _interpolated(at: Array, x: Array, values: Any) -> Any:
    return np.interp(at, x, values.real) + (1j * np.interp(at, x, values.imag) if np.iscomplexobj(values) else 0.0)
