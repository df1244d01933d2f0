"""A branch: solutions as curves over a parameter, with folds, branch points and stability. It never changes."""

from __future__ import annotations  # help() shows types as they are written here

from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.html import table_html
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.tabular import Tabular
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class BranchPoint:
    """One solution on a branch.

    Attributes
    ----------
    curve
        The number of the curve it is on, from zero.
    parameter
        The value of the parameter.
    kind
        "fold", "branch point", or nothing.
    stable
        Whether no eigenvalue of the linearised equations has a positive real part; None where that says nothing.
    growth
        The largest real part; None likewise.
    quantities
        What was asked for, in the order of `Branch.show`.
    solution
        The solution itself.
    """

    curve: int
    parameter: float
    kind: str
    stable: bool | None
    growth: float | None
    quantities: tuple[float, ...]
    solution: IntervalSolution

    @classmethod
    def made(
        cls,
        curve: int,
        parameter: float,
        kind: str,
        growth: float | None,
        quantities: tuple[float, ...],
        solution: IntervalSolution,
    ) -> BranchPoint:
        """A point whose stability is the sign of its growth; at folds and branch points nothing is said of it."""
        stable = None if growth is None or kind else growth < 0.0
        return cls(curve, parameter, kind, stable, growth, quantities, solution)

    def summary(self) -> dict[str, object]:
        """The figures in plain numbers and texts, ready for JSON: all but the solution."""
        return {
            "curve": self.curve,
            "parameter": self.parameter,
            "kind": self.kind,
            "stable": self.stable,
            "growth": self.growth,
            "quantities": list(self.quantities),
            "error": self.solution.error,
        }


@dataclass(frozen=True, eq=False)
class Branch(Tabular):
    """What `branch` returns: curves of solutions over a parameter.

    Attributes
    ----------
    problem
        The problem that was followed.
    name, low, high
        The parameter and its range.
    show
        Texts of the quantities in the table.
    points
        Solutions in the order in which they were come to, curve by curve.
    reasons
        Why each curve ends, one sentence each; a curve that was followed both ways has two reasons joined.
    tol, seconds
        The tolerance of every solution, and the time taken.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    >>> branch = gx.branch(bratu, "k", (0.5, 4), max_points=60)
    >>> print([f"{fold.parameter:.7f}" for fold in branch.folds])
    ['3.5138307']
    >>> cool, hot = branch.at(2.0)
    >>> print(f"{cool.maximum().value:.4f} {hot.maximum().value:.4f}")
    0.3290 2.8955
    """

    problem: Problem
    name: str
    low: float
    high: float
    show: tuple[str, ...]
    points: tuple[BranchPoint, ...]
    reasons: tuple[str, ...]
    tol: float
    seconds: float

    def __len__(self) -> int:
        return len(self.points)

    def _repr_html_(self) -> str:
        """What a notebook shows: what was found, and the points by their columns."""
        return f"<div>{escape(self.message)}</div>" + table_html(self._columns(), self.name)

    def __repr__(self) -> str:
        return f"Branch({self.problem!r}: {len(self)} points on {len(self.reasons)} curves along {self.name})"

    @property
    def folds(self) -> tuple[BranchPoint, ...]:
        """Where the parameter turns."""
        return tuple(point for point in self.points if point.kind == "fold")

    @property
    def branch_points(self) -> tuple[BranchPoint, ...]:
        """Where another curve passes through."""
        return tuple(point for point in self.points if point.kind == "branch point")

    @property
    def message(self) -> str:
        """What was found and why it ends, in one sentence."""
        counts = [(len(self.folds), "fold"), (len(self.branch_points), "branch point")]
        found = [f"{count} {noun}{'s' * (count > 1)}" for count, noun in counts if count]
        curves = f"{len(self)} solutions on {len(self.reasons)} curve{'s' * (len(self.reasons) > 1)}"
        short = sum(not point.solution.converged for point in self.points)
        if short:
            curves += f" ({short} of them not within the tolerance)"
        why = "; ".join(f"curve {number}: {reason}" for number, reason in enumerate(self.reasons))
        return f"{curves}{', ' + ' and '.join(found) if found else ''} ({why})"

    def curve(self, number: int = 0) -> tuple[BranchPoint, ...]:
        """The points of one curve, in order.

        Parameters
        ----------
        number
            Of the curve; that of the first solution is zero.
        """
        return tuple(point for point in self.points if point.curve == number)

    def at(self, value: float) -> list[IntervalSolution]:
        """All solutions of the branch at a value of the parameter.

        Parameters
        ----------
        value
            In the range of the parameter.

        Returns
        -------
        list of Solution
            One for each time that a curve passes the value, from the lowest maximum to the highest.

        Raises
        ------
        InputError
            Where the value is outside the range.
        """
        from gated_xtfc.branches.follow import solutions_at  # it makes branches, and so imports this module

        if not self.low <= value <= self.high:
            raise InputError(
                f"{self.name} = {value:g} is outside the range {self.low:g} to {self.high:g} of the branch"
            )
        return solutions_at(self, float(value))

    def values(self, quantity: int = 0) -> Array:
        """One of the quantities at all points.

        Parameters
        ----------
        quantity
            Its number in `show`.
        """
        return np.array([point.quantities[quantity] for point in self.points])

    def table(self) -> str:
        """Parameter, quantities, stability and kind of every point, as text."""
        widths = [max(14, len(text)) for text in self.show]
        head = f"{'curve':>5}  {self.name:>16}  "
        lines = [head + "  ".join(f"{text:>{w}}" for text, w in zip(self.show, widths, strict=True)) + "  stable  kind"]
        for point in self.points:
            stable = "" if point.stable is None else "yes" if point.stable else "no"
            shown = "  ".join(f"{q:>{w}.8g}" for q, w in zip(point.quantities, widths, strict=True))
            lines.append(f"{point.curve:>5}  {point.parameter:>16.10g}  {shown}  {stable:>6}  {point.kind}".rstrip())
        return "\n".join(lines)

    def _columns(self) -> dict[str, Array]:
        stable = [float("nan") if point.stable is None else float(point.stable) for point in self.points]
        growth = [float("nan") if point.growth is None else point.growth for point in self.points]
        return {
            "curve": np.array([point.curve for point in self.points]),
            self.name: np.array([point.parameter for point in self.points]),
            **{text: self.values(number) for number, text in enumerate(self.show)},
            "stable": np.array(stable),
            "growth": np.array(growth),
            "kind": np.array([point.kind for point in self.points], dtype=object),
        }

    def nearest(self, parameter: float, value: float, quantity: int = 0) -> BranchPoint:
        """The point of the diagram next to a place in it: what a click asks for.

        Parameters
        ----------
        parameter, value
            The place: the parameter, and the quantity over it.
        quantity
            The number of that quantity in `show`.

        Returns
        -------
        BranchPoint
            With its solution; distances are measured in the ranges of parameter and quantity.
        """
        across = np.array([point.parameter for point in self.points])
        up = self.values(quantity)
        width, height = self.high - self.low, float(np.ptp(up)) or 1.0
        return self.points[int(np.argmin(np.hypot((across - parameter) / width, (up - value) / height)))]

    def summary(self) -> dict[str, object]:
        """The figures in plain numbers and texts, ready for JSON: every point but its solution."""
        return {
            "message": self.message,
            "parameter": self.name,
            "range": [self.low, self.high],
            "tol": self.tol,
            "seconds": self.seconds,
            "show": list(self.show),
            "reasons": list(self.reasons),
            "folds": [point.parameter for point in self.folds],
            "branch_points": [point.parameter for point in self.branch_points],
            "points": [point.summary() for point in self.points],
        }

    def plot(self, path: str | Path) -> None:
        """Draw the diagram: the first quantity over the parameter, and solutions along the first curve.

        Parameters
        ----------
        path
            The file to write; its ending says which kind: .png, .svg, .pdf.
        """
        from gated_xtfc.plots.branch_figure import plot_branch  # Matplotlib: only when asked for

        plot_branch(self, path)
