"""compile: a family of problems as a function of arrays of parameters, by JAX, or by the compiled core without it."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gated_xtfc.batch.given import names_of
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.options import check
from gated_xtfc.sweeps.core_batch import CoreBatch
from gated_xtfc.xla import has_jax

if TYPE_CHECKING:  # brings JAX
    from gated_xtfc.batch.compiled import Batch


def compile(
    problem: Problem,
    over: Sequence[str] | Mapping[str, tuple[float, float]],
    tol: float = 1e-8,
    *,
    source: Callable[..., Any] | None = None,
) -> Batch:
    """Make a family of problems a function of arrays of parameters.

    Every member has gates of its own, an error estimate and a status. With JAX (the extra `jax`) whatever it finds does
    the work, in double precision whatever it is set to; without it, the compiled core.

    Parameters
    ----------
    problem
        Any member of the family: equations on an interval, as text, with linear conditions at its ends.
    over
        The names of the parameters that vary; with the ranges they vary in, ``{"nu": (1e-8, 1e-1)}``, `Batch.function`
        is made for these. A table may be named as well: then each member has a list of values of its own.
    tol
        The estimated error asked for, relative to max|u|.
    source
        A function of x and of parameters by their names, written with JAX for one x, that is added to the right side of
        the one equation. What only it takes is a list of numbers for every member, and is named in `over` as well.

    Returns
    -------
    Batch
        Or a `CoreBatch`, which is called alike and has no `function`, where JAX is not installed.

    Raises
    ------
    InputError
        Where the problem is of another kind, or a name is no parameter of it.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = b"], nu=1e-2, b=1)
    >>> batch = gx.compile(layer, over=["nu", "b"])
    >>> result = batch(nu=np.geomspace(1e-6, 1e-2, 5), b=2.0)
    >>> bool(result.converged.all()), result(1.0).round(6).tolist()
    (True, [2.0, 2.0, 2.0, 2.0, 2.0])
    """
    if has_jax():
        from gated_xtfc.batch.compiled import compiled_batch

        return compiled_batch(problem, over, tol, source)
    if source is not None:
        raise InputError("a source that is a function of JAX needs JAX, which is not installed")
    names = names_of(over)
    if not isinstance(problem, Problem):
        raise InputError(f"a batch is made of a Problem, not of {type(problem).__name__}")
    check(problem, tol)
    for name in names:
        if name in problem.tables:
            raise InputError(f"members with values of the table '{name}' of their own need JAX, which is not installed")
    problem(**{name: problem.parameters.get(name, 1.0) for name in names})  # refuses names that it does not have
    return CoreBatch(problem, names, tol)  # type: ignore[return-value]  # called alike
