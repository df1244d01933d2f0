"""solve_bvp with SciPy's signature: the system as problems of the pipeline, its solutions as one result."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PchipInterpolator, PPoly

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Points
from gated_xtfc.scipy.collocation import collocated
from gated_xtfc.scipy.result import (
    PIECES,
    BVPResult,
    Pieces,
    mesh_of,
    piece_nodes,
)
from gated_xtfc.scipy.statement import Part, between, groups_of, parts
from gated_xtfc.scipy.system import System
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.solve import solve
from gated_xtfc.solver.strategy import within
from gated_xtfc.types import Array, Orders

EPSILON = float(np.finfo(float).eps)
# SciPy's tolerance is one of residuals, and the error that it leaves is smaller by about this much; ours is of errors.
GOALS = (1e-2, 1e-5)
LEAST = 1e-13
MET, NODES, SINGULAR, CONDITIONS, MISSED = 0, 1, 2, 3, 4
CODES = {Status.CONVERGED: MET, Status.MAX_NEURONS: NODES, Status.NEARLY_SINGULAR: SINGULAR}


def solve_bvp(
    fun: Callable[..., Any],
    bc: Callable[..., Any],
    x: ArrayLike,
    y: ArrayLike,
    p: ArrayLike | None = None,
    S: ArrayLike | None = None,
    fun_jac: Callable[..., Any] | None = None,
    bc_jac: Callable[..., Any] | None = None,
    tol: float = 1e-3,
    max_nodes: int = 1000,
    verbose: int = 0,
    bc_tol: float | None = None,
) -> BVPResult:
    """Solve y' = f(x, y, p) + S y/(x - a), bc(y(a), y(b), p) = 0, called as `scipy.integrate.solve_bvp` is.

    Jacobians that are not given come from dual numbers sent through `fun` and `bc`, and are exact; where a function
    does not let them through, from differences. Chains y_0' = y_1, ... become equations of higher order, and fields
    that do not see each other are solved apart.

    Parameters
    ----------
    fun
        ``fun(x, y)`` or ``fun(x, y, p)``: right sides (n, m) at points x (m,) with values y (n, m).
    bc
        ``bc(ya, yb)`` or ``bc(ya, yb, p)``: n + k residuals of the conditions.
    x
        Nodes (m,), strictly increasing; the first and the last are the ends of the interval.
    y
        A guess (n, m) at the nodes. If it is complex, the problem is solved in the complex plane.
    p
        A guess (k,) for unknown parameters.
    S
        A matrix (n, n) for the singular term.
    fun_jac, bc_jac
        Jacobians: ``fun_jac`` returns (n, n, m), with parameters also (n, k, m); ``bc_jac`` returns (n + k, n) for each
        end, with parameters also (n + k, k).
    tol
        The relative residuals allowed. The estimated error is at most this as well.
    max_nodes
        The most kernels a field.
    verbose
        0 for silence, 1 for a report at the end, 2 for one of every fit as well.
    bc_tol
        The largest residual of a condition; `tol` unless given. Linear conditions hold to rounding.

    Returns
    -------
    BVPResult
        With `sol, p, x, y, yp, rms_residuals, niter, status, message, success`.

    Raises
    ------
    InputError
        A ValueError, where arrays have the wrong shape.

    Examples
    --------
    >>> import numpy as np
    >>> from gated_xtfc.scipy import solve_bvp
    >>> def fun(x, y):
    ...     return np.vstack((y[1], -np.exp(y[0])))
    >>> def bc(ya, yb):
    ...     return np.array([ya[0], yb[0]])
    >>> x = np.linspace(0, 1, 5)
    >>> found = solve_bvp(fun, bc, x, np.zeros((2, x.size)))
    >>> print(found.success, f"{found.sol(0.5)[0]:.6f}")
    True 0.140539
    """
    mesh, guess, constants, singular = _checked(x, y, p, S)
    if tol < 100 * EPSILON:
        warnings.warn(f"`tol` is too low, setting to {100 * EPSILON:.2e}", stacklevel=2)
        tol = 100 * EPSILON
    with_constants = p is not None
    system = System.of(
        _completed(fun, with_constants),
        _completed(bc, with_constants),
        None if fun_jac is None else _completed(fun_jac, with_constants),
        None if bc_jac is None else _completed(bc_jac, with_constants),
        mesh,
        guess,
        constants,
        singular,
    )
    _check_functions(system, mesh, guess, constants)
    job = BvpCall(system, mesh, guess, constants, float(tol), int(max_nodes), tol if bc_tol is None else float(bc_tol))
    report = _progress if verbose == 2 else None
    found = job.run(report)
    if verbose:
        _say(
            found,
            np.abs(np.asarray(system.bc(found.y[:, 0], found.y[:, -1], constants if found.p is None else found.p))),
        )
    return found


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


def _completed(function: Callable[..., Any], with_constants: bool) -> Callable[..., Any]:
    """A function that takes p in every case."""
    return function if with_constants else lambda first, second, _: function(first, second)


def _checked(x: Any, y: Any, p: Any, S: Any) -> tuple[Array, Any, Array, Any]:
    """The arrays, of the shapes that they must have."""
    mesh = np.asarray(x, dtype=float)
    if mesh.ndim != 1 or mesh.size < 2:
        raise InputError(f"`x` must be 1 dimensional with at least two nodes, not of shape {mesh.shape}")
    if not np.all(np.diff(mesh) > 0.0):
        raise InputError("`x` must be strictly increasing")
    guess = np.asarray(y)
    guess = guess.astype(complex if np.issubdtype(guess.dtype, np.complexfloating) else float)
    if guess.ndim != 2 or guess.shape[1] != mesh.size:
        raise InputError(f"`y` is expected to have shape (n, {mesh.size}), one column a node, but has {guess.shape}")
    if not np.isfinite(guess).all():
        raise InputError("`y` must be finite")
    constants = np.zeros(0) if p is None else np.asarray(p, dtype=float)
    if constants.ndim != 1:
        raise InputError(f"`p` must be 1 dimensional, not of shape {constants.shape}")
    if constants.size and np.iscomplexobj(guess):
        raise InputError("`p` goes with real `y` only: give each complex parameter as a component with y' = 0")
    singular = None if S is None else np.asarray(S)
    if singular is not None and singular.shape != (len(guess), len(guess)):
        raise InputError(f"`S` is expected to have shape {(len(guess),) * 2}, but has {singular.shape}")
    return mesh, guess, constants, None if singular is None or not singular.any() else singular


def _check_functions(system: System, mesh: Array, guess: Any, p: Array) -> None:
    with np.errstate(all="ignore"):
        f, ends = np.asarray(system.fun(mesh, guess, p)), np.asarray(system.bc(guess[:, 0], guess[:, -1], p))
    if f.shape != guess.shape:
        raise InputError(f"`fun` return is expected to have shape {guess.shape}, but actually has {f.shape}")
    if ends.shape != (len(guess) + p.size,):
        raise InputError(
            f"`bc` return is expected to have shape {(len(guess) + p.size,)}, but actually has {ends.shape}"
        )


def _progress(entry: Round) -> None:
    sys.stdout.write(f"{entry.neurons:6d} kernels, {entry.steps:3d} steps, estimated error {entry.error:.2e}\n")


def _say(found: BVPResult, misfit: Array) -> None:
    """The one place that writes for the user: `verbose` asks for it."""
    how = "Solved" if found.success else "Not solved"
    sys.stdout.write(
        f"{how} in {found.niter} fits, number of nodes {found.x.size}: {found.message}.\n"
        f"Maximum relative residual: {found.rms_residuals.max():.2e}\n"
        f"Maximum boundary residual: {misfit.max(initial=0.0):.2e}\n"
    )
