"""solve_bvp with SciPy's signature: what is given is looked at here, and what is found is told."""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError
from gated_xtfc.scipy.call import BvpCall
from gated_xtfc.scipy.result import BVPResult
from gated_xtfc.scipy.system import System
from gated_xtfc.solution.round import Round
from gated_xtfc.types import Array

EPSILON = float(np.finfo(float).eps)


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
