"""What does not change while equations on an interval are linearised again and again: kernels, conditions, sites.

Sites are uniform in the coordinate, denser toward the ends of each piece. Near an end the kernels beyond it are seen
only through their tails; the extra sites there are what determines them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.discretise.kernel_window import KernelWindow
from gated_xtfc.discretise.trial import Functionals, Trial
from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.free_ends import FreeEnds
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition, Sight, sight_of
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array, Index

OVERSAMPLING = 1.25  # sites for each kernel, in the interior
ZONE = 3.0  # kernel widths from an end that count as near
INSET = 1e-9  # kernel widths that sites keep from the ends of the domain
# The same from an end at which the operator is singular: there an equation is asked to hold where it has a scale. And
# from a break, whose place may have been read off a solution: a site on its other side would hold the solution to the
# value that is switched by, and hide how far off the place is.
APART = 0.01
CROWD = 1.5  # sites near an end for each kernel beyond it


@dataclass(frozen=True)
class IntervalLayout:
    """Kernels with conditions built in, sites, and the kernels around each site."""

    functionals: Functionals
    trial: Trial
    x: Array  # sites and the points halfway between them
    site_indices: Index  # which of these are sites
    window: KernelWindow  # the kernels that reach the points
    nonlinear: tuple[NonlinearCondition, ...] = ()  # these join the functionals as they are linearised
    joined: int = 0  # how many of the functionals' conditions are such ones
    free_ends: FreeEnds | None = None

    @classmethod
    def on(cls, problem: Problem, coordinates: AxisCoordinates, density: float) -> "IntervalLayout":
        """`density` kernels a width on the given coordinates."""
        basis = Piecewise(tuple(Gaussian.on(coordinate, density) for coordinate in coordinates))
        orders = tuple(problem.order.values())
        functionals = Functionals(basis, problem.fields, orders, problem.conditions, problem.unknown, problem.jumps)
        x, at = grid(basis)
        window = basis.window(x, max(orders))
        others, ends = problem.nonlinear_conditions, problem.free_ends
        return cls(functionals, Trial.on(functionals), x, at, window, others, free_ends=ends)

    def conditioned(self, conditions: Sequence[Condition]) -> "IntervalLayout":
        """The same with the conditions that are not linear, as they are linearised, behind the others."""
        if not self.nonlinear or not conditions:
            return self
        linear = self.functionals.conditions[: len(self.functionals.conditions) - self.joined]
        functionals = replace(self.functionals, conditions=(*linear, *conditions))
        try:
            return replace(self, functionals=functionals, trial=Trial.on(functionals), joined=len(conditions))
        except InputError as error:  # about another iterate they may well be independent
            raise np.linalg.LinAlgError(str(error)) from None

    def sight(self, evaluate: Callable[[int, Array, int], Array], constants: Array) -> Sight | None:
        """What the conditions that are not linear see of a function: field number, points, order -> values."""
        if not self.nonlinear:
            return None
        fields, names = self.functionals.fields, self.functionals.constants
        integrals = any(condition.integrands for condition in self.nonlinear)
        nodes = self.functionals.quadrature if integrals else (np.zeros(0), np.zeros(0))
        named = dict(zip(names, constants.tolist(), strict=True))
        return sight_of(self.nonlinear, lambda name, x, j: evaluate(fields.index(name), x, j), nodes, named)

    def slide(self, s: Array, constants: Array) -> Array:
        """How points move with every constant where x stays, (n, constants): with the ends, where they are unknown."""
        if self.free_ends is None:
            return np.zeros((s.size, constants.size))
        return self.free_ends.slide(s, dict(zip(self.functionals.constants, constants.tolist(), strict=True)))

    @property
    def points(self) -> Points:
        return (self.x,)

    @property
    def basis(self) -> Piecewise:
        return self.functionals.basis

    @cached_property
    def derivatives(self) -> list[Array]:
        """The derivatives of the kernels around the points, by order, each (n, window)."""
        return [self.window.derivative(j) for j in range(max(self.functionals.orders) + 1)]


def places(basis: Gaussian) -> Array:
    """Sites of one piece in its coordinate, from 0 to its length, ends included."""
    length = basis.coordinate.length
    zone = min(ZONE, length / 3.0)
    crowd = int(np.ceil(CROWD * basis.beyond))
    near = zone * (1.0 - np.cos((0.5 * np.pi / crowd) * np.arange(crowd)))
    count = int(np.ceil((length - 2.0 * zone) / basis.spacing * OVERSAMPLING))
    inner = zone + ((length - 2.0 * zone) / count) * np.arange(count + 1)
    return np.concatenate([near, inner, (length - near)[::-1]])


def grid(basis: Piecewise) -> tuple[Array, Index]:
    """Sites of all pieces with the validation points halfway between them, increasing, and the indices of the sites."""
    points, indices, start = [], [], 0
    for p, piece in enumerate(basis.bases):
        at = places(piece)
        fine = np.empty(2 * at.size - 1)
        fine[::2] = at
        fine[1::2] = 0.5 * (at[1:] + at[:-1])
        points.append(_inside(basis, p, fine))
        indices.append(np.arange(start, start + fine.size, 2))
        start += fine.size
    return np.concatenate(points), np.concatenate(indices)


def _inside(basis: Piecewise, p: int, at: Array) -> Array:
    """Points of piece p at given places. Coefficients may jump on its ends: a number just inside stands for each."""
    coordinate = basis.bases[p].coordinate
    low, high = coordinate.left, coordinate.right
    inner = p > 0, p < len(basis.bases) - 1
    apart = [beside or end in coordinate.singular for beside, end in zip(inner, (low, high), strict=True)]
    parts = np.where(apart, APART, INSET)
    inset = parts / coordinate.jets(np.array([low, high]), 1)[1]
    low, high = low + inset[0], high - inset[1]
    if p > 0:
        low = max(low, coordinate.left + 8.0 * np.spacing(abs(coordinate.left)))
    if p < len(basis.bases) - 1:
        high = min(high, coordinate.right - 8.0 * np.spacing(abs(coordinate.right)))
    x = np.minimum(np.maximum(coordinate.inverse(at), low), high)
    x[0], x[-1] = low, high
    points: Array = x
    return points
