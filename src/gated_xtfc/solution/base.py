"""A solution: a function with the problem that it solves and an estimate of its error. It never changes."""

from __future__ import annotations  # help() shows types as they are written here

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.estimated import Estimated
from gated_xtfc.solution.gridded_fields import GriddedFields
from gated_xtfc.solution.residual import Residual

if TYPE_CHECKING:  # imported when asked for
    from matplotlib.axes import Axes


class Solution(Estimated, Residual, GriddedFields):
    """What `solve` returns: a function of the coordinates, with an estimate of its own error.

    It is called with places, ``solution(x)`` on an interval and ``solution(x, y)`` on a rectangle. Numbers give a
    number, arrays an array. The order of a derivative comes last: ``solution(x, 1)`` on an interval, one order for each
    coordinate, ``solution(x, y, (1, 0))``, on a rectangle. ``solution["v"]`` is one field of a system. A solution never
    changes.

    Attributes
    ----------
    problem
        The problem that it solves.
    tol
        The error that was asked for.
    status, message
        How the solve ended, a `Status`, and one sentence on it; `converged` is short for status "converged".
    error
        The estimated largest error anywhere, relative to `scales`.
    errors
        The same for derivatives, by the order with which they are asked for: `errors[1]` is that of ``solution(x, 1)``,
        relative to its own largest size.
    scales
        What the error of every field is relative to: its largest size, unless rtol or atol say otherwise; `scale` is
        that of the first.
    gates, breaks
        Where kernels are narrow, and where coefficients jump; on a rectangle by the name of the axis.
    constants
        The unknown constants of the problem by name.
    neurons, sites, seconds
        Kernels with a coefficient of their own, points at which the equation is asked to hold (on a rectangle with
        those on its sides), and the time taken.
    history
        A `Round` for every fit on the way; `rounds` is their number.
    continuation
        The parameter that was followed from an easier member of the family, or "homotopy" where it was followed from a
        problem with larger highest derivatives; None where there was no need.
    warnings
        What is wrong with the statement itself, such as conditions that contradict each other at a corner.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> solution = gx.solve(problem, tol=1e-10)
    >>> print(solution.status, solution.error <= 1e-10)
    converged True
    >>> print(f"{solution(0.9999):.6f}, {solution(0.9999, 1):.2f}")  # value and derivative
    0.367879, 3678.79
    >>> x = solution.points(200)  # dense where the layer is
    >>> solution(x).shape, bool((x > 0.99).mean() > 0.3)
    ((200,), True)

    A system has several fields:

    >>> system = ["u' = v", "eps*v' = u - sin(x)"]
    >>> layers = gx.solve(gx.Problem(system, {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0"], eps=1e-6))
    >>> print(f"{layers['u'](0.5):.4f} {layers['v'](0.5):.4f}")
    0.4794 0.8776
    """

    def __repr__(self) -> str:
        return f"Solution({self.problem!r}: {self.status}, error {self.error:.1e}, {self.neurons} neurons)"

    @property
    @abstractmethod
    def gates(self) -> Sequence[Gate] | Mapping[str, Sequence[Gate]]:
        """Layers and blocks; on a rectangle those of each axis by its name."""

    @property
    @abstractmethod
    def breaks(self) -> Sequence[float] | Mapping[str, Sequence[float]]:
        """Inner places where a coefficient, the source or the data jump or have a kink; on a rectangle by axis."""

    def sensitivity(self, parameter: str, field: str | None = None) -> Component:
        """How the solution changes with a parameter: du/dp, from the equations linearised about the solution.

        Parameters
        ----------
        parameter
            The name of a parameter of the problem; it may not move an end or a jump.
        field
            Of a system, the field that is asked for.

        Returns
        -------
        Component
            A function of the coordinate; its `error` is the difference from the same on a coarser layout.

        Raises
        ------
        InputError
            Where there is no such parameter or field, where the parameter moves a place, and on a rectangle.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
        >>> slope = gx.solve(problem, tol=1e-10).sensitivity("nu")
        >>> print(f"{slope(0.99):.6f}")  # of exp((x - 1)/nu): (1 - x)/nu^2 of it
        36.787944
        """
        raise InputError("sensitivities are known of solutions on an interval only")

    @abstractmethod
    def true_error(self) -> float | None:
        """The largest error against the exact solution of the problem, at places dense in the layers.

        Returns
        -------
        float or None
            max|u - exact| / scale, over all fields; None where the problem has no exact solution.
        """

    def summary(self) -> dict[str, Any]:
        """The figures of this solution in plain numbers and texts, ready for JSON.

        Returns
        -------
        dict
            Status, message, errors, gates and costs by name.
        """
        gates, breaks = self.gates, self.breaks
        by_axis = isinstance(gates, Mapping)
        return {
            "status": str(self.status),
            "message": self.message,
            **({"warnings": list(self.warnings)} if by_axis else {}),
            "tol": self.tol,
            "error": self.error,
            "true_error": self.true_error(),
            "scale": self.scale if len(self.scales) == 1 else list(self.scales),
            "neurons": self.neurons,
            "sites": self.sites,
            "rounds": self.rounds,
            "gates": {name: [gate.describe() for gate in own] for name, own in gates.items()}
            if isinstance(gates, Mapping)
            else [gate.describe() for gate in gates],
            "breaks": {name: list(own) for name, own in breaks.items()}
            if isinstance(breaks, Mapping)
            else list(breaks),
            "seconds": self.seconds,
            "parameters": dict(self.problem.parameters),
            **({"constants": dict(self.unknown_values)} if self.problem.unknown else {}),
        }

    def save(self, path: str | Path) -> None:
        """Write one file from which `load` gives back the same solution, equal to the last bit.

        Parameters
        ----------
        path
            The file to write, as a rule ending in .npz.

        Raises
        ------
        InputError
            Where the problem was made from a Python function, which cannot be written down.
        """
        from gated_xtfc.solution.archive import write  # needed by few

        write(self, path)

    @staticmethod
    def load(path: str | Path) -> Solution:
        """Read the solution that `save` wrote.

        Parameters
        ----------
        path
            The file to read.

        Raises
        ------
        InputError
            Where there is no such file, or it does not hold a solution.
        """
        from gated_xtfc.solution.archive import load_solution

        return load_solution(path)

    @overload
    def plot(self, path: str | Path) -> None: ...
    @overload
    def plot(
        self, path: None = None, *, ax: Axes | None = None, field: str | None = None, gated: bool = False
    ) -> Axes: ...
    def plot(
        self, path: str | Path | None = None, *, ax: Axes | None = None, field: str | None = None, gated: bool = False
    ) -> Axes | None:
        """Draw the solution: into axes of matplotlib, or a whole page into a file.

        Parameters
        ----------
        path
            The file for a page with the solution, its layers stretched open, kernel widths and gates, residual and
            error; its ending says which kind: .png, .svg, .pdf.
        ax
            Without a path, the axes to draw into; the current ones of pyplot unless given.
        field
            The one field to draw; all of a system unless given.
        gated
            Whether to draw along the gated coordinate, in which layers open up.

        Returns
        -------
        matplotlib.axes.Axes or None
            The axes; None where a file was written.
        """
        # Matplotlib takes longer to import than most equations to solve: only here, and only when asked for.
        if path is not None:
            from gated_xtfc.plots import plot

            plot(self, path)
            return None
        from gated_xtfc.plots.on_axes import solution_on_axes

        return solution_on_axes(self, ax, field, gated)

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict and the picture."""
        from gated_xtfc.plots.notebook import solution_html

        return solution_html(self)
