"""Solutions of equations that evolve: functions of x and t on sites that travel with the layers."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.moving.record import Piece, TimeRecord
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Layer
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis, derivative_name
from gated_xtfc.problem.evolution import HIGHEST, Evolution
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.event import Event
from gated_xtfc.types import Array, Orders

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARED = 601  # places at which the exact solution is compared, at the end and in the middle of every step
SHOWN = 201  # places at one time
TIMES = 21  # at which a file has the solution
ROUNDED = 1e-12  # of the whole time: what steps add up to is off by so much at most
SAME = 3.0  # thicknesses by which a gate may be put elsewhere and still follow the same front


@dataclass(frozen=True, eq=False)
class Front:
    """The path of one gate: where a layer was and how thin, from step to step.

    Attributes
    ----------
    t, x, thickness
        Times, places and thicknesses, each of shape (k,).

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> needle = ["u(x, 0) = exp(-((x - 0.3)/0.01)^2)", "u(0, t) = 0", "u(1, t) = 0"]
    >>> carried = gx.Problem("u_t + u_x = 1e-5*u_xx", {"x": (0, 1), "t": (0, 0.4)}, needle)
    >>> front = gx.solve(carried, tol=1e-4).fronts[0]
    >>> print(f"{front.x[-1] - front.x[0]:.2f}")
    0.40
    """

    t: Array
    x: Array
    thickness: Array

    def __repr__(self) -> str:
        return f"Front(x = {self.x[0]:.6g} to {self.x[-1]:.6g} from t = {self.t[0]:.6g} to {self.t[-1]:.6g})"


@dataclass(frozen=True, eq=False, repr=False)
class EvolutionSolution(Solution):
    """A solution of equations that evolve, ``solution(x, t)``; ``solution(x, t, 1)`` is its derivative in space.

    Attributes
    ----------
    problem, tol, status, message, error, scales, neurons, sites, seconds, history, continuation
        As of every `Solution`; `neurons` and `sites` are the most there were at one time, `history` has a `Round` for
        every march through time.
    steps
        How many steps in time there are.
    times
        The ends of the steps.
    fronts
        The paths of the gates, a `Front` each.
    reached
        The time up to which there is a solution: the end of the domain, unless `status` says why not.
    steady
        Whether nothing moves any more after `reached`: at all later times it is what it is there.
    estimates
        The estimated error at the end of every step, relative to `scales`.
    record, carried
        What it is made of: the pieces from step to step, and the estimated error at the sites of the last one, with
        which a later part begins.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> front = gx.Problem(
    ...     "u_t + u*u_x = eps*u_xx", {"x": (0, 1), "t": (0, 1)},
    ...     ["u(x, 0) = 0.6 - 0.5*tanh((x - 0.2)/(4*eps))", "u(0, t) = 1.1", "u(1, t) = 0.1"], eps=1e-4,
    ... )
    >>> solution = gx.solve(front, tol=1e-6)
    >>> print(solution.status, f"{solution(0.8, 1.0):.4f}", len(solution.fronts))  # in the middle of the front
    converged 0.6000 1
    >>> print(solution.fronts[0])
    Front(x = 0.2 to 0.8 from t = 0 to 1)
    """

    record: TimeRecord
    estimates: Array  # (k,)
    carried: (
        Array  # the estimated error at the sites of the last step, with signs, (m, n): what a later part begins with
    )
    steady: bool = False

    @property
    def _evolution(self) -> Evolution:
        assert self.problem.evolution is not None
        return self.problem.evolution

    @property
    def steps(self) -> int:
        return len(self.record.pieces)

    @property
    def times(self) -> Array:
        return self.record.times

    @property
    def reached(self) -> float:
        end, time = float(self.times[-1]), self._evolution.time
        return time.right if abs(end - time.right) <= ROUNDED * self._evolution.horizon else end

    @cached_property
    def fronts(self) -> tuple[Front, ...]:
        """The paths of the gates, followed through all layouts."""
        done: list[list[tuple[float, float, float]]] = []
        open_: list[list[tuple[float, float, float]]] = []
        last: Piece | None = None
        for piece in self.record.pieces:
            begin, end = piece.gates_at(piece.start), piece.gates_at(piece.start + piece.length)
            if last is None or last.coordinate is not piece.coordinate:
                kept: list[list[tuple[float, float, float]]] = []
                for place, thickness in begin.T:
                    near = [path for path in open_ if abs(path[-1][1] - place) <= SAME * max(thickness, path[-1][2])]
                    path = min(near, key=lambda path: abs(path[-1][1] - place)) if near else None
                    if path is None:
                        path = [(piece.start, float(place), float(thickness))]
                    else:
                        open_.remove(path)
                    kept.append(path)
                done += open_
                open_ = kept
            for path, (place, thickness) in zip(open_, end.T, strict=True):
                path.append((piece.start + piece.length, float(place), float(thickness)))
            last = piece
        paths = [np.array(path).T for path in done + open_]
        return tuple(
            Front(t, x, thickness) for t, x, thickness in sorted(paths, key=lambda path: (path[0][0], path[1][0]))
        )

    @property
    def charts(self) -> tuple[Chart, ...]:
        return ()

    @property
    def gates(self) -> Mapping[str, tuple[Layer, ...]]:
        """Those at the end, by axis."""
        piece = self.record.pieces[-1]
        gates = piece.gates_at(piece.start + piece.length)
        layers = [Layer(float(x), float(d), float(b)) for x, d, b in zip(*gates, piece.coordinate.grading, strict=True)]
        return MappingProxyType({self._evolution.space.name: tuple(layers)})

    @property
    def breaks(self) -> Mapping[str, tuple[float, ...]]:
        return MappingProxyType({self._evolution.space.name: ()})

    @property
    def errors(self) -> Mapping[Any, float]:
        """The estimated error of the solution and of its derivatives in space, relative to the largest size of each."""
        found: dict[Any, float] = {(0, 0): self.error}
        pieces = self.record.pieces
        for order in range(1, HIGHEST + 1):
            steep, size = 0.0, np.zeros(len(self.problem.fields))
            for piece in pieces[:: max(1, len(pieces) // TIMES)]:
                t = piece.start + piece.length
                x = piece.places(t, SHOWN)
                slope = piece.coordinate.slope(x, piece.gates_at(t), piece.pins)
                steep = max(steep, float(slope.max()) / piece.widest)
                size = np.maximum(size, np.abs(piece.at(x, t, order)).max(axis=1))
            relative = [
                self.error * scale * 2.0 ** (order - 1) * steep**order / s
                for scale, s in zip(self.scales, size, strict=True)
                if s > 0.0
            ]
            if relative:
                found[self._evolution.along(order, 0)] = float(max(relative))
        return MappingProxyType(found)

    @property
    def _highest(self) -> dict[str, int]:
        return dict.fromkeys(self.problem.fields, HIGHEST)

    def _field(self, f: int, points: Points, orders: Orders) -> Array:
        time = 0 if self._evolution.time_first else 1
        t = np.minimum(points[time], self.reached) if self.steady else points[time]
        found: Array = self.record.at(points[1 - time], t, orders[1 - time], orders[time])[f]
        return found

    def _component(
        self, function: Callable[[Points, Orders], Array], highest: int = 0, error: float = 0.0
    ) -> Component:
        evolution = self._evolution
        until = Axis(evolution.time.name, evolution.time.left, evolution.time.right if self.steady else self.reached)
        axes = evolution.point(evolution.space, until)
        return TravellingComponent(axes, highest, function, (), error, evolution.time_first)

    def places(self, t: float, count: int = SHOWN) -> Array:
        """Places from end to end at one time, uniform in the coordinate and so dense in the layers.

        Parameters
        ----------
        t
            The time.
        count
            How many.
        """
        if not self._evolution.time.left <= t <= self.reached:
            raise InputError(
                f"{self._evolution.time.name} = {t:.6g} is outside [{self._evolution.time.left:g}, {self.reached:g}]"
            )
        return self.record.piece(float(t)).places(float(t), count)

    def crossings(self, event: str) -> Array:
        """The times at which a quantity of the fields has a value, in order.

        Parameters
        ----------
        event
            An equation of numbers that the fields have at one time, as functions of space: values at places, integrals
            and extremes, such as ``"u(0.5) = 0.3"``, ``"max(u) = 2"`` or ``"integral(u^2) = 1"``.

        Returns
        -------
        ndarray
            (k,) times; none where it never happens.

        Raises
        ------
        InputError
            Where the text cannot be read.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> ends = ["u(x, 0) = sin(pi*x)", "u = 0 on boundary"]
        >>> solution = gx.solve(gx.Problem("u_t = u_xx", {"x": (0, 1), "t": (0, 1)}, ends), tol=1e-8)
        >>> solution.crossings("max(u) = 1/2").round(5)  # log(2)/pi^2
        array([0.07023])
        """
        asked = Event.stated(event, self.problem)
        times = [t for piece in self.record.pieces if len(piece.values) > 1 for t in asked.within(piece)]
        return np.array(times)

    def points(self, count: int = 1001) -> Array:
        side = max(2, int(np.ceil(np.sqrt(count))))
        times = np.linspace(self._evolution.time.left, self.reached, side)
        x = np.stack([self.places(float(t), side) for t in times], axis=1)
        return np.stack([one.ravel() for one in self._evolution.point(x, np.broadcast_to(times, x.shape))])

    def true_error(self) -> float | None:
        evolution, worst = self._evolution, 0.0
        exacts = [(self.problem.fields.index(name), exact) for name, exact in self.problem.exacts.items()]
        if not exacts:
            return None
        for piece in self.record.pieces:
            for part in (0.37, 0.5, 1.0):
                t = min(piece.start + part * piece.length, evolution.time.right)
                x = piece.places(t, COMPARED)
                found = piece.at(x, t)
                for f, exact in exacts:
                    gap = np.abs(found[f] - exact(*evolution.point(x, np.full_like(x, t))))
                    worst = max(worst, float(gap.max()) / self.scales[f])
        return worst

    def summary(self) -> dict[str, Any]:
        evolution = self._evolution
        fronts = [
            {
                evolution.time.name: [f.t[0], f.t[-1]],
                evolution.space.name: [f.x[0], f.x[-1]],
                "thickness": f.thickness[-1],
            }
            for f in self.fronts
        ]
        return {
            **super().summary(),
            "steps": self.steps,
            "reached": self.reached,
            "steady": self.steady,
            "fronts": fronts,
        }

    def _axis_points(self, axis: int, count: int) -> Array:
        """Uniform: what is dense in the layers is so at one time only."""
        if not (isinstance(count, int | np.integer) and count >= 2):
            raise InputError(f"{count!r} points were asked for: give a whole number of at least 2")
        ends = self.problem.axes[axis]
        right = self.reached if ends == self._evolution.time else ends.right
        return np.linspace(ends.left, right, int(count))

    def _table(self, points: int | None) -> dict[str, Array]:
        """Time, place, and every field with its first derivative in space: what is dense in the layers moves."""
        evolution = self._evolution
        count = SHOWN if points is None else points
        times = np.linspace(evolution.time.left, self.reached, TIMES)
        x, t = np.stack([self.places(float(t), count) for t in times]).ravel(), np.repeat(times, count)
        columns = {evolution.time.name: t, evolution.space.name: x}
        for order in (0, 1):
            for name, values in zip(self.problem.fields, self.record.at(x, t, order), strict=True):
                columns[derivative_name(name, evolution.along(order, 0), self.problem.axes)] = values
        return columns

    def scaled_residual(self, x: Any, /, *rest: Any) -> NoReturn:
        """Refused: there are no kernels whose width could scale it; `residual` is there.

        Parameters
        ----------
        x, *rest
            Places and times.
        """
        raise InputError("scaled residuals belong to kernels, which what evolves is not made of: ask for the residual")

    def animate(self, path: str | Path, frames: int = 60) -> None:
        """Write a film: the fields over space as time goes on, with the places of the gates.

        Parameters
        ----------
        path
            The file to write; its ending says which kind: .gif, or .mp4 where ffmpeg is installed.
        frames
            How many pictures, at even times.

        Raises
        ------
        InputError
            For another ending, or where ffmpeg is not there.
        """
        from gated_xtfc.plots import animate  # matplotlib: only when asked for

        animate(self, path, frames)


@dataclass(frozen=True)
class TravellingComponent(Component):
    """One field over space and time; a plain number is the order of a derivative in space."""

    time_first: bool = False

    def _orders(self, given: Any) -> Orders:
        if isinstance(given, int | np.integer) and not isinstance(given, bool):
            given = (0, int(given)) if self.time_first else (int(given), 0)
        orders = super()._orders(given)
        time = 0 if self.time_first else 1
        if orders[time] > 1 or (orders[time] and orders[1 - time]):
            raise InputError(
                f"derivative orders {given!r} were asked for: there are derivatives in space up to the order "
                f"{self.highest}, and the first one in time"
            )
        return orders
