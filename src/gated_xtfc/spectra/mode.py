"""Modes as functions: solutions where the eigenvalue is real, pairs of real functions where it is complex."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates.coordinate import Coordinates, refined
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.discretisation import Iterate
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation, kernel_density, predict
from gated_xtfc.spectra.conditions import MovingConditions
from gated_xtfc.spectra.estimate import CLOSE, EigenCandidate, field_sizes
from gated_xtfc.spectra.pencil import Pencil
from gated_xtfc.spectra.symmetric import SymmetricPencil
from gated_xtfc.types import Array, Complex, Orders

COMPARED = 401  # places at which the modes of two layouts are compared
PEAKS, ZOOMS, CLOSER = 3, 2, 33  # local maxima that are looked at more closely, how often, and by how many points
LAYOUTS, DENSER = 8, 1.4  # on which a mode with its convection is rendered, each denser than the one before
VANISHES = 1e-8  # of the terms of a condition: a mode on which it is less cannot be made to meet it


@dataclass(frozen=True, eq=False)
class ComplexMode:
    """A mode of a complex eigenvalue: called with places it gives complex numbers.

    Attributes
    ----------
    problem
        The problem whose mode it is.
    value
        The eigenvalue.
    error
        The estimated largest error anywhere, relative to max|u|.
    function, imaginary
        Kernels and weights of the real and of the imaginary parts.
    """

    problem: Problem
    value: complex
    error: float
    function: KernelSum
    imaginary: KernelSum

    def __getitem__(self, name: str) -> ComplexField:
        """One field."""
        if name not in self.problem.fields:
            raise InputError(f"there is no field {quoted(str(name))}: the fields are {', '.join(self.problem.fields)}")
        f = self.problem.fields.index(name)
        return ComplexField(self._part(self.function, f), self._part(self.imaginary, f))

    def __call__(self, x: Any, order: int = 0) -> Any:
        """Values or derivatives at places, complex."""
        return self._only()(x, order)

    @property
    def real(self) -> Component:
        """The real part as a function; of a system ``mode["v"].real``."""
        return self._only().real

    @property
    def imag(self) -> Component:
        """The imaginary part as a function."""
        return self._only().imag

    def points(self, count: int = 1001) -> Array:
        """Places from end to end, dense in the layers."""
        (axis,) = self.problem.axes
        return np.asarray(np.clip(self.function.chart.points(count), axis.left, axis.right))

    def _only(self) -> ComplexField:
        if len(self.problem.fields) > 1:
            raise InputError(f"say which field: mode[{self.problem.fields[0]!r}](x)")
        return self[self.problem.fields[0]]

    def _part(self, function: KernelSum, f: int) -> Component:
        def values(points: Points, orders: Orders) -> Array:
            return function(f, points[0], orders[0])

        highest = self.problem.order[self.problem.fields[f]]
        return Component(self.problem.axes, highest, values, (function.chart,), self.error)


@dataclass(frozen=True, eq=False)
class ComplexField:
    """A complex function by its two parts."""

    real: Component
    imag: Component

    def __call__(self, x: Any, order: int = 0) -> Any:
        return self.real(x, order) + 1j * self.imag(x, order)


def difference(i: int, chosen: Sequence[EigenCandidate], earlier: Sequence[EigenCandidate]) -> float:
    """How far a mode is from the space of the same modes on another layout, relative to its size."""
    one = chosen[i]
    fields = range(len(one.layout.functionals.fields))
    basis = one.layout.basis
    x = np.clip(basis.inverse(np.linspace(0.0, basis.length, COMPARED)), basis.left, basis.right)
    reach = CLOSE * abs(one.value)
    same = [
        other
        for near, other in zip(chosen, earlier, strict=True)
        if near is one or abs(near.value - one.value) <= reach + near.error + one.error
    ]
    own = np.concatenate([one.at(x, f) for f in fields])
    others = np.stack([np.concatenate([other.at(x, f) for f in fields]) for other in same], axis=1)
    weights, *_ = np.linalg.lstsq(others, own, rcond=None)
    missed = np.abs(own - others @ weights).reshape(len(fields), -1).max(axis=1)
    sizes = np.abs(own).reshape(len(fields), -1).max(axis=1)
    return float((missed / np.maximum(sizes, 1e-3 * sizes.max())).max())


def with_convection(one: EigenCandidate, pencil: SymmetricPencil, tol: float) -> tuple[EigenCandidate, float]:
    """u = exp(phi) w for a mode w, with gates of its own, and how well kernels render it.

    Largest sizes are one: what is less than rounding of them may be anything.
    """
    assert pencil.base is not None
    space = IntervalDiscretisation(pencil.base.problem, kernel_density(tol))
    coordinates: Coordinates = (predict(pencil.operator(one.value.real)),)
    wanted, missed, best = 0.1 * tol, np.inf, one
    top = float(_log_size(one, pencil, one.layout.x).max())
    for _ in range(LAYOUTS):
        layout = space.lay_out(coordinates)
        x = layout.x
        u = np.sign(one.at(x, 0).real) * np.exp(_log_size(one, pencil, x) - top)
        jets: list[dict[Orders, Array]] = [{(0,): u, (1,): np.zeros_like(x), (2,): np.zeros_like(x)}]
        fit = space.fit_through(layout, Iterate((u,), jets, np.array([one.value.real])))
        weights = fit.free + fit.switch
        off = float(np.abs(layout.basis.evaluate(x, 0, weights) - u).max())
        if off < missed:
            best, missed = replace(one, weights=weights.astype(complex), layout=layout), off
        if missed <= wanted:
            break
        coordinates = refined(coordinates, DENSER)
    return best, missed


def _log_size(one: EigenCandidate, pencil: SymmetricPencil, x: Array) -> Array:
    size = np.abs(one.at(x, 0).real)
    return np.asarray(pencil.phi(x) + np.log(np.maximum(size, 1e-300)))


def as_mode(
    one: EigenCandidate, pencil: Pencil, normalise: str, error: float, tol: float
) -> IntervalSolution | ComplexMode:
    """A candidate as a function, normalised by the condition that was stated, its maximum or its square.

    That of a complex problem is a solution of it, with the real and the imaginary parts as its fields.
    """
    problem, trial, chart = pencil.stated, one.layout.trial, Chart(one.layout.basis)
    weights = one.weights * _factor(one, pencil, normalise)

    def parts(part: Array) -> tuple[Array, Array]:
        if len(pencil.moving):  # the supports of the layout meet other conditions
            return part, np.zeros_like(part)
        # a condition that fixed the size is met by the factor: the supports meet those that are homogeneous
        return trial.weights(np.ascontiguousarray(part[trial.free]))

    real, imaginary = parts(weights.real.copy()), parts(weights.imag.copy())
    if pencil.is_complex:
        real = _joined(pencil, real[0], imaginary[0]), _joined(pencil, real[1], imaginary[1])
    for part in (*real, *imaginary):
        part.setflags(write=False)
    if one.value.imag != 0.0 and not pencil.is_complex:
        return ComplexMode(problem, one.value, error, KernelSum(chart, *real), KernelSum(chart, *imaginary))
    met = error <= tol
    reached = f"estimated error {error:.1e}"
    sizes = dict(zip(pencil.problem.fields, field_sizes(one.layout, weights), strict=True))
    sizes |= {pencil.twins[name]: size for name, size in sizes.items()} if pencil.twins is not None else {}
    return IntervalSolution(
        problem=problem,
        tol=tol,
        status=Status.CONVERGED if met else Status.RESOLUTION,
        message=f"{reached} is within the tolerance {tol:.1e}" if met else f"{reached}, tolerance {tol:.1e}",
        error=error,
        scales=tuple(float(sizes[name]) or 1.0 for name in problem.fields),
        neurons=int(trial.free.size),
        sites=int(one.layout.site_indices.size),
        seconds=0.0,
        history=(Round(int(trial.free.size), error, 0.0),),
        continuation=None,
        function=KernelSum(chart, *real),
        values=(one.value.real, one.value.imag)[: len(problem.unknown)],
    )


def _joined(pencil: Pencil, real: Array, imaginary: Array) -> Array:
    """Weights of all fields of a complex problem from those of their real and imaginary parts."""
    fields, kept = pencil.stated.fields, pencil.problem.fields
    assert pencil.twins is not None
    found = np.zeros(real.size // len(kept) * len(fields))
    for f, name in enumerate(kept):
        found[fields.index(name) :: len(fields)] = real[f :: len(kept)]
        found[fields.index(pencil.twins[name]) :: len(fields)] = imaginary[f :: len(kept)]
    return found


def _factor(one: EigenCandidate, pencil: Pencil, normalise: str) -> complex:
    """What the weights, of a mode with max|u| = 1, are multiplied by."""
    layout, weights = one.layout, one.weights
    if pencil.normalisation:
        stated = tuple(own for own in pencil.stated.conditions if own.text in pencil.normalisation)
        rows = MovingConditions(stated[:1], pencil.stated.fields, pencil.twins, pencil.stated.unknown)
        (row,) = rows.rows(layout.functionals, 0.0)
        value = complex(row @ weights)
        if abs(value) > VANISHES * float(np.abs(row) @ np.abs(weights)):
            return complex(*(own.value for own in stated)) / value
    fields = range(len(layout.functionals.fields))
    values: list[Complex] = [one.at(layout.x, f) for f in fields]
    f = int(np.argmax([float(np.abs(u).max()) for u in values]))
    if normalise == "square":
        x, quadrature = Chart(layout.basis).quadrature()
        size = float(np.sqrt(sum(quadrature @ np.abs(one.at(x, f)) ** 2 for f in fields)))
    else:
        size = max(_largest(one, f, layout.x, u) for f, u in enumerate(values))
    largest = values[f]
    peak = largest[np.argmax(np.abs(largest))]
    # of several peaks of about the same height the first decides on the sign
    first = largest[np.argmax(np.abs(largest) > 0.99 * abs(peak))]
    return complex(np.conj(first) / abs(first) / size)


def _largest(one: EigenCandidate, f: int, x: Array, values: Complex) -> float:
    """max|u| of a field: closer and closer around the largest of its values at x, then by a parabola."""
    size = np.abs(values)
    inner = np.flatnonzero((size[1:-1] >= size[:-2]) & (size[1:-1] >= size[2:])) + 1
    best = float(size.max())
    for i in inner[np.argsort(-size[inner])][:PEAKS]:
        near = x[i - 1 : i + 2]
        for _ in range(ZOOMS):
            near = np.linspace(near[0], near[-1], CLOSER)
            heights = np.abs(one.at(near, f))
            k = int(np.clip(np.argmax(heights), 1, CLOSER - 2))
            near = near[k - 1 : k + 2]
        low, top, high = heights[k - 1 : k + 2]
        bend = low - 2.0 * top + high
        best = max(best, float(top - 0.125 * (high - low) ** 2 / bend if bend < 0.0 else top))
    return best
