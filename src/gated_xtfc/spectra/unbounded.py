"""Eigenvalues on infinite domains: cut off, found, cut off further out, until those asked for no longer change.

Values that keep changing with the window are none: they stand for a piece of the continuous spectrum.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.unbounded import Windows
from gated_xtfc.spectra.spectrum import Spectrum
from gated_xtfc.types import Array

WIDER = 1.5  # times the window before
WINDOWS = 14
FALLS = 0.3  # factor by which the largest change falls from window to window, where it does
MANY = 1500  # neurons: a window that needs so many is wide enough
PATIENCE = 3  # windows in which it does not
SHARE = 0.5  # of the tolerance that a change may take
CONTINUOUS = "the others keep changing, as those of a continuous spectrum do, or their modes fall off slowly"


def eigen_unbounded(
    problem: Problem, count: int, tol: float, run: Callable[[Problem], Spectrum], until: float
) -> Spectrum:
    """The eigenvalues of a problem with infinite ends; `run` finds those of a window."""
    windows = Windows.on(problem)
    reach = windows.first()
    before: Spectrum | None = None
    best: Spectrum | None = None
    stuck, last = 0, np.inf
    for _ in range(WINDOWS):
        here = run(windows.cut(reach))
        if before is not None:
            changes = _changes(here, before)
            settled = changes <= SHARE * tol * np.maximum(
                np.abs(here.values), 1e-3 * np.abs(here.values).max(initial=0.0)
            )
            found = _kept(here, settled, changes, problem)
            if best is None or len(found) >= len(best):
                best = found
            if settled.all() and len(here) and here.converged:
                message = f"{here.message}, with the ends cut off at a distance of {reach:.4g} and closer"
                return replace(found, status=here.status, message=message)
            left = float(changes[~settled].max(initial=0.0)) if len(here) else np.inf
            # while nothing has settled the window may still be too small for all of them
            stuck, last = 0 if left < FALLS * last or not settled.any() else stuck + 1, left
        if time.perf_counter() > until or stuck >= PATIENCE or here.neurons > MANY:
            break
        before, reach = here, WIDER * reach
    assert before is not None
    kept = (
        best if best is not None else _kept(before, np.zeros(len(before), dtype=bool), np.zeros(len(before)), problem)
    )
    return replace(
        kept,
        status=Status.RESOLUTION,
        message=f"{len(kept)} of {count} eigenvalues settle as the ends are moved out to {reach:.4g}; {CONTINUOUS}",
    )


def _changes(here: Spectrum, before: Spectrum) -> Array:
    """How far each eigenvalue is from that of the window before, each used once."""
    free = list(before.values)
    found = []
    for value in here.values:
        near = min(free, key=lambda other: abs(other - value), default=None)
        found.append(np.inf if near is None else abs(near - value))
        if near is not None:
            free.remove(near)
    return np.array(found, dtype=float)


def _kept(spectrum: Spectrum, kept: Array, changes: Array, problem: Problem) -> Spectrum:
    """Those that settled, with the change in their errors."""
    return replace(
        spectrum,
        problem=problem,
        values=spectrum.values[kept],
        errors=(spectrum.errors + changes)[kept],
        conditions=spectrum.conditions[kept],
        modes=tuple(mode for mode, keep in zip(spectrum.modes, kept, strict=True) if keep),
    )
