"""eigen: the eigenvalues of a problem with one unknown constant, all that are asked for at once."""

from __future__ import annotations  # help() shows types as they are written here

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.notebook import followed
from gated_xtfc.problem.problem import Problem, require_problem
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.options import check
from gated_xtfc.spectra.mode import as_mode, difference, with_convection
from gated_xtfc.spectra.pencil import Pencil
from gated_xtfc.spectra.search import NON_NORMAL, EigenTarget, SearchLimits, search, unit
from gated_xtfc.spectra.spectrum import Spectrum
from gated_xtfc.spectra.symbol_range import SymbolRange
from gated_xtfc.spectra.symmetric import symmetrised
from gated_xtfc.spectra.unbounded import eigen_unbounded

MOST_NEURONS = 6_000
MOST_COUNT = 1_000


def eigen_words(neurons: int, found: int, error: float) -> str:
    """What is said of a search on its way."""
    return f"{neurons} neurons, {found} eigenvalues found again, error {error:.0e}"


@followed(eigen_words)
def eigen(
    problem: Problem,
    count: int = 6,
    near: str | complex | None = None,
    tol: float = 1e-8,
    *,
    normalise: str = "max",
    max_neurons: int | None = None,
    max_seconds: float = math.inf,
    progress: Callable[[int, int, float], None] | None = None,
) -> Spectrum:
    """Find eigenvalues of a problem, and their modes.

    The problem is linear in its fields and has one unknown constant, the eigenvalue, which may occur as a polynomial.
    Gates are set from the operator at the eigenvalues sought, and layouts become finer until every eigenvalue is known
    to the tolerance and found on two of them.

    Parameters
    ----------
    problem
        With ``unknown="lam"``, and homogeneous conditions, as many as the order of the equations. One more condition,
        such as ``u'(0) = 1``, says how modes are normalised.
    count
        How many eigenvalues.
    near
        Which: "smallest" and "largest real" count by real part, a number, which may be complex, by the distance from
        it. Without it they are counted from the end that the spectrum has, the smallest first where it goes to plus
        infinity and the largest first where it goes to minus infinity, and from zero where it has no end.
    tol
        The error asked for, relative to the size of each eigenvalue, and for modes relative to their own.
    normalise
        "max" for modes with max|u| = 1, "square" for those whose square has the integral one.
    max_neurons
        The most kernels; 6,000 unless given.
    max_seconds
        The most seconds: nothing is begun after them.
    progress
        Called after every layout with its kernels, the number of eigenvalues found again, and the largest error.

    Returns
    -------
    Spectrum
        As many eigenvalues as were found and found again, which are `count` where `status` is "converged"; otherwise
        `message` says what stood in the way.

    Raises
    ------
    InputError
        Where the problem is no eigenproblem, or what is asked for cannot be used.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> oscillator = gx.Problem(
    ...     "-u''/2 + x^2/2*u = lam*u", {"x": (-12, 12)}, ["u(-12) = 0", "u(12) = 0"], unknown="lam"
    ... )
    >>> spectrum = gx.eigen(oscillator, 4)
    >>> print([f"{value:.6f}" for value in spectrum.values], spectrum.status)
    ['0.500000', '1.500000', '2.500000', '3.500000'] converged
    >>> print(len(spectrum.modes[3].roots()))  # the fourth has three zeros, and tails that cannot be told from zero
    3
    """
    begun = time.perf_counter()
    require_problem(problem, "eigen")
    check(problem, tol, max_neurons=max_neurons, max_seconds=max_seconds)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_COUNT:
        raise InputError(f"{count!r} eigenvalues were asked for: give a whole number from 1 to {MOST_COUNT}")
    if normalise not in ("max", "square"):
        raise InputError(f'normalise is {quoted(str(normalise))}: give "max" or "square"')
    limits = SearchLimits(MOST_NEURONS if max_neurons is None else max_neurons, begun + max_seconds)

    def run(member: Problem) -> Spectrum:
        return _found(member, int(count), near, tol, normalise, limits, progress)

    with np.errstate(all="ignore"):  # what is not finite is looked for
        infinite = len(problem.axes) == 1 and not math.isfinite(problem.axes[0].length)
        found = eigen_unbounded(problem, int(count), tol, run, limits.until) if infinite else run(problem)
    return replace(found, seconds=time.perf_counter() - begun)


def _found(
    problem: Problem,
    count: int,
    near: object,
    tol: float,
    normalise: str,
    limits: SearchLimits,
    progress: Callable[[int, int, float], None] | None,
) -> Spectrum:
    """The eigenvalues on a finite domain."""
    pencil = Pencil.of(problem)
    without = symmetrised(pencil)
    seen = pencil if without is None else without
    symbol = SymbolRange.of(seen)
    found = search(seen, symbol, count, _target(near, symbol), tol, limits, progress)
    chosen, earlier = found.chosen, found.earlier
    errors = [max(difference(i, chosen, earlier), 1e-15) for i in range(len(chosen))]
    rendered = [(one, 0.0) if without is None else with_convection(one, without, tol) for one in chosen]
    modes = tuple(
        as_mode(one, pencil, normalise, error + missed, tol)
        for (one, missed), error in zip(rendered, errors, strict=True)
    )
    values: Any = np.array([one.value for one in chosen], dtype=complex)
    if not values.imag.any():
        values = values.real
    status, message = _verdict(found.met, found.reason, len(chosen), count, tol, pencil.name)
    return Spectrum(
        problem=problem,
        values=values,
        errors=np.array([one.error for one in chosen]),
        conditions=np.array([one.condition / (unit(one, chosen) or 1.0) for one in chosen]),
        modes=modes,
        tol=tol,
        status=status,
        message=message,
        neurons=chosen[0].layout.trial.free.size if chosen else 0,
        rounds=found.rounds,
        seconds=0.0,
    )


def _target(near: object, symbol: SymbolRange) -> EigenTarget:
    if near is None:
        return EigenTarget("smallest" if symbol.ends_below else "largest real" if symbol.ends_above else "near")
    if isinstance(near, str):
        if near not in ("smallest", "largest real"):
            raise InputError(f'near is {quoted(near)}: give "smallest", "largest real" or a number')
        if (near == "smallest" and symbol.ends_above) or (near == "largest real" and symbol.ends_below):
            other = "largest real" if near == "smallest" else "smallest"
            raise InputError(f'the eigenvalues have no end on the side of "{near}": ask for "{other}" or near a number')
        return EigenTarget(near)
    if isinstance(near, bool) or not isinstance(near, int | float | complex | np.number) or not np.isfinite(near):
        raise InputError(f'near is {quoted(str(near))}: give "smallest", "largest real" or a finite number')
    return EigenTarget("near", complex(near))


def _verdict(met: bool, reason: str, found: int, count: int, tol: float, name: str) -> tuple[Status, str]:
    if met:
        what = "eigenvalue is" if count == 1 else "eigenvalues are"
        return Status.CONVERGED, f"{count} {what} within the tolerance {tol:.1e}, and found on two layouts"
    some = f"{found} of {count} eigenvalues were found on two layouts" if found else f"no value of {name} was found"
    if "neurons" in reason:
        return Status.MAX_NEURONS, f"{some}: {reason}"
    if "time" in reason:
        return Status.MAX_SECONDS, f"{some}: {reason}"
    rounding = reason == NON_NORMAL or "double precision" in reason
    return Status.ROUNDING if rounding else Status.RESOLUTION, f"{some}: {reason}"
