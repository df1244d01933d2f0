"""A spectrum: eigenvalues with an error estimate each, and their modes. It never changes."""

from __future__ import annotations  # help() shows types as they are written here

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.html import GOOD, MIDDLING, verdict
from gated_xtfc.solution.html import table as html_table
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.status import Status
from gated_xtfc.solution.tabular import Tabular
from gated_xtfc.spectra.mode import ComplexMode
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class Spectrum(Tabular):
    """What `eigen` returns: eigenvalues of a problem, in the order asked for, with their modes.

    Every eigenvalue was found on two layouts; what only one of them shows is not in here.

    Attributes
    ----------
    problem
        The problem whose eigenvalues they are.
    values
        The eigenvalues, real numbers where all of them are real. A double one is there twice.
    errors
        The estimated error of each, in its own units.
    conditions
        By how much each moves, relative to its size, when the equations change by a relative one: large numbers are
        those of operators that are far from normal.
    modes
        Their functions: a `Solution` where the eigenvalue is real or the problem complex, otherwise complex functions
        with parts `real` and `imag`.
    tol, status, message
        What was asked for, how the search ended, and one sentence on it.
    neurons, rounds, seconds
        Kernels of the last layout, layouts in all, and the time taken.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> string = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], unknown="lam")
    >>> spectrum = gx.eigen(string, 3)
    >>> [f"{value:.4f}" for value in spectrum.values]
    ['9.8696', '39.4784', '88.8264']
    >>> mode = spectrum.modes[1]
    >>> print(f"{mode(0.25):.6f}", mode.constants["lam"] == spectrum.values[1])
    1.000000 True
    """

    problem: Problem
    values: Any
    errors: Array
    conditions: Array
    modes: tuple[IntervalSolution | ComplexMode, ...]
    tol: float
    status: Status
    message: str
    neurons: int
    rounds: int
    seconds: float

    def __len__(self) -> int:
        return int(self.errors.size)

    def __repr__(self) -> str:
        return f"Spectrum({self.problem!r}: {len(self)} eigenvalues, {self.status})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, and every eigenvalue with its error."""
        found = zip(self.values, self.errors, strict=True)
        rows = [(number, f"{value:.12g}", f"{error:.1e}") for number, (value, error) in enumerate(found)]
        told = verdict(str(self.status), GOOD if self.converged else MIDDLING, [self.message])
        return told + html_table(("number", "eigenvalue", "estimated error"), rows)

    @property
    def converged(self) -> bool:
        """Whether all eigenvalues asked for are within the tolerance."""
        return self.status == Status.CONVERGED

    @property
    def multiplicities(self) -> tuple[int, ...]:
        """How many of the eigenvalues each cannot be told from, itself included."""
        gaps = np.abs(self.values[:, None] - self.values[None, :])
        return tuple((gaps <= self.errors[:, None] + self.errors[None, :]).sum(axis=1).tolist())

    def table(self) -> str:
        """The eigenvalues with their errors, multiplicities and conditions, as text."""
        head = f"{'':>4}  {self.problem.unknown_stated[0]:>30}  {'error':>8}  {'times':>5}  {'condition':>9}"
        lines = [head]
        rows = zip(self.values, self.errors, self.multiplicities, self.conditions, strict=True)
        for number, (value, error, times, condition) in enumerate(rows, start=1):
            shown = shortened(complex(value), float(error))
            lines.append(f"{number:>4}  {shown:>30}  {error:8.1e}  {times:>5}  {condition:9.1e}")
        return "\n".join(lines)

    def summary(self) -> dict[str, Any]:
        """The figures in plain numbers and texts, ready for JSON; eigenvalues as pairs of real and imaginary part."""
        values = np.asarray(self.values, dtype=complex)
        return {
            "status": str(self.status),
            "message": self.message,
            "tol": self.tol,
            "name": self.problem.unknown_stated[0],
            "values": [[float(value.real), float(value.imag)] for value in values],
            "errors": self.errors.tolist(),
            "multiplicities": list(self.multiplicities),
            "conditions": self.conditions.tolist(),
            "neurons": self.neurons,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "parameters": dict(self.problem.parameters),
        }

    def sampled(self, count: int = 401) -> dict[str, Array]:
        """All modes at places dense in their layers, as columns of numbers: what a drawing or a table takes.

        Parameters
        ----------
        count
            Of the places.

        Returns
        -------
        dict
            The places under the name of the coordinate, then a column for each mode and field, `u_1`, `u_2`, ..., the
            imaginary parts of complex ones as `u_1_imaginary`.
        """
        if not self.modes:
            return {}
        x = self.modes[0].points(count)
        found = {self.problem.axes[0].name: x}
        fields = self.problem.fields
        stated = [name for name, (real, _) in self.problem.complex_pairs.items() if real in fields] or fields
        for number, mode in enumerate(self.modes, start=1):
            for name in stated:
                values = np.asarray(mode[name](x))
                found[f"{name}_{number}"] = np.ascontiguousarray(values.real)
                if np.iscomplexobj(values):
                    found[f"{name}_{number}_imaginary"] = np.ascontiguousarray(values.imag)
        return found

    def _columns(self) -> dict[str, NDArray[Any]]:
        values = np.asarray(self.values, dtype=complex)
        return {
            "real": values.real,
            "imaginary": values.imag,
            "error": self.errors,
            "multiplicity": np.array(self.multiplicities),
            "condition": self.conditions,
        }

    def plot(self, path: str | Path) -> None:
        """Draw the eigenvalues with their errors, and the first modes.

        Parameters
        ----------
        path
            The file to write; its ending says which kind: .png, .svg, .pdf.
        """
        from gated_xtfc.plots.spectrum_figure import plot_spectrum  # Matplotlib: only when asked for

        plot_spectrum(self, path)


def shortened(value: complex, error: float) -> str:
    """As many digits as are known, and one more."""
    size = abs(value)
    digits = 15 if error <= 0.0 or size == 0.0 else int(np.clip(np.ceil(-np.log10(error / size)) + 1, 2, 15))
    if size <= error:
        return f"{value.real:.1e}"
    if value.imag == 0.0:
        return f"{value.real:.{digits}g}"
    return f"{value.real:.{digits}g}{value.imag:+.{digits}g}i"
