"""What a space, interval or rectangle, must be able to do, so that the pipeline around it is written once.

predict gates -> lay out -> fit (linear) or Newton -> certify -> refine -> ... -> verdict -> Solution
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate, Layer
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.operator.linearise import IterateFunction, Linearisation, Points
from gated_xtfc.problem.nonlinear_condition import Sight
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.base import Solution
from gated_xtfc.types import Array, Orders

NONE = np.zeros(0)  # constants
NONE.setflags(write=False)
Gates = tuple[Sequence[Gate] | None, ...]  # of every axis; None where they are to be predicted


@dataclass(frozen=True)
class Start:
    """Where Newton's method begins: a function with derivatives, and values of the unknown constants."""

    about: IterateFunction
    constants: tuple[float, ...] = ()
    solves: bool = False  # whether it solves the equations, so that texts can be read along it
    layers: tuple[Layer, ...] = ()  # on an interval: where it is known to bend
    jets: Callable[[Array], Array] | None = None  # all fields and derivatives at places of an interval, (terms, n)
    places: Array = field(default_factory=lambda: NONE)  # of an interval, where it is known best ...
    breaks: Array = field(default_factory=lambda: NONE)  # ... and where it was broken

    def translated(self, translation: Translation) -> "Start":
        """The same in the translated coordinates."""
        about = self.about

        def moved(field: int, points: Points, orders: Orders) -> Array:
            return about(field, tuple(translation.from_translated(y, k) for k, y in enumerate(points)), orders)

        return Start(moved, self.constants)


@dataclass(frozen=True)
class Iterate:
    """The iterate of Newton's method by its values and derivatives on a layout, whatever function they came from."""

    values: tuple[Array, ...]  # of every field at all sites, by which steps are measured
    jets: list[dict[Orders, Array]]  # of every field, the derivatives where the equations are asked to hold
    constants: Array
    sight: Sight | None = None  # what conditions that are not linear see of it
    packed: Array | None = None  # all jets in one array, (terms, n), where they came in one

    @classmethod
    def unpacked(cls, packed: Array, orders: Sequence[int]) -> "Iterate":
        """From all fields and derivatives at the points of an interval."""
        rows = iter(packed)
        jets: list[dict[Orders, Array]] = [{(j,): next(rows) for j in range(order + 1)} for order in orders]
        return cls(tuple([own[0,] for own in jets]), jets, NONE, packed=packed)

    def toward(self, other: "Iterate", part: float) -> "Iterate":
        """Part of the way to another iterate."""
        if part == 1.0:
            return other
        pairs = zip(self.jets, other.jets, strict=True)
        sight = None if self.sight is None or other.sight is None else self.sight.toward(other.sight, part)
        return Iterate(
            tuple(a + part * (b - a) for a, b in zip(self.values, other.values, strict=True)),
            [{orders: a + part * (new[orders] - a) for orders, a in old.items()} for old, new in pairs],
            self.constants + part * (other.constants - self.constants),
            sight,
        )


@dataclass(frozen=True)
class Certificate:
    """How large the error is, and where it comes from."""

    error: float  # estimated max error of every field, relative to its scale
    rounding: float  # the part of it that no refinement removes
    stability: float  # largest error, relative to the field, that residuals as large as the equation's terms can cause
    unresolved: float | None  # relative error of the solution that shows this; None where it was not looked at
    scales: tuple[float, ...]  # what the error of every field is relative to
    shares: tuple[Array, ...]  # of every axis: what the residual around each place could add to the error


@dataclass(frozen=True)
class LayoutSize:
    """What a layout takes."""

    neurons: float
    memory: float  # bytes


class Layout(Protocol):
    """Kernels, sites and conditions: what does not change while equations are linearised again and again."""

    @property
    def points(self) -> Points:
        """Where the equations are linearised."""


class Fit(Protocol):
    """The solution of linear equations on a layout."""

    @property
    def coordinates(self) -> Coordinates:
        """The gated coordinates that it was laid out on."""

    @property
    def neurons(self) -> int:
        """Kernels with a coefficient of their own."""

    @property
    def sites(self) -> int:
        """Points at which the equations are asked to hold; on a rectangle with those on its sides."""

    @property
    def iterate(self) -> Iterate:
        """The solution as the iterate of the next step."""

    @property
    def sizes(self) -> tuple[float, ...]:
        """How large every field is; never zero."""

    @property
    def unsettled(self) -> str:
        """What an iteration for the linear system left undone, in words; empty where it is solved."""


COARSE = 1e-3  # that error for kernels

L = TypeVar("L", bound=Layout)
F = TypeVar("F", bound=Fit)


@dataclass(frozen=True)
class Convergence(Generic[F]):
    """Where Newton's method got to."""

    found: F | None  # the last fit; where it converged, with the equations linearised about its own solution
    steps: int
    converged: bool


class Discretisation(Protocol[L, F]):
    """A space with its way of solving linear equations and of telling how good the solution is."""

    most_neurons: int  # unless the user says otherwise
    coarse: float  # above this error the solution itself is the better guide to the gates
    blind: float  # times fewer neurons than the texts ask for, beyond which what they hide may not be seen at all

    @property
    def problem(self) -> Problem: ...

    def for_problem(self, problem: Problem) -> "Discretisation[L, F]":
        """The same for another member of the family, or for the problem in another coordinate."""

    def predict(
        self, tol: float, start: Start | None = None, gates: Gates | None = None, seen: Sequence[Sequence[Layer]] = ()
    ) -> Coordinates:
        """The first coordinates, from the equations linearised about `start` where they are not linear.

        Given gates take the place of the predicted ones; layers in `seen`, which a solution has shown, join them.
        """

    def size(self, coordinates: Coordinates) -> LayoutSize:
        """What a layout on these coordinates would take, without making it."""

    def least(self) -> LayoutSize:
        """What every layout takes, known before any coordinate is."""

    def coarsened_to(self, coordinates: Coordinates, neurons: int) -> Coordinates | None:
        """Coarser coordinates, where these ask for more neurons than allowed; None where there are none so coarse."""

    def lay_out(self, coordinates: Coordinates) -> L:
        """Kernels, sites and conditions on these coordinates."""

    def iterate(self, layout: L, start: Start) -> Iterate:
        """A start, as Newton's method sees it on this layout."""

    def linearise(self, layout: L, iterate: Iterate) -> Linearisation:
        """The equations, and conditions that are not linear, linearised about an iterate; finite or not."""

    def fit(self, layout: L, linear: Linearisation, goal: float, near: Iterate | None = None) -> F:
        """The solution of the equations, to `goal` where it takes an iteration; `near` is where that may begin."""

    def near(self, layout: L, fit: F) -> Iterate | None:
        """A fit of linear equations, as the place where that on another layout may begin; None where it is no help."""

    def converged_on(self, layout: L, start: Iterate, tol: float, most: int, until: float) -> Convergence[F] | None:
        """Newton's method of the space's own, the last step certified; None where it has none, or cannot begin."""

    def fit_through(self, layout: L, iterate: Iterate) -> F:
        """A fit through the values of the iterate that meets the conditions: handed over when nothing was found."""

    def bend(
        self, fit: F, linear: Linearisation, here: Iterate, after: Linearisation, there: Iterate, part: float
    ) -> Iterate | None:
        """q of the next correction by the inverse of this fit, (1 - part) d + q, `part` of the way from here along it.

        `linear` and `after` are the equations linearised here and there. None where that would cost another fit.
        """

    def relinearised(self, fit: F, linear: Linearisation) -> F:
        """The same fit with `linear`, the equations linearised about its own solution, in the place of the last step's.

        Its residual is then that of the nonlinear equations.
        """

    def certify(self, fit: F) -> Certificate:
        """An estimate of the error, and of where it comes from."""

    def refine(self, fit: F, certificate: Certificate, tol: float) -> Coordinates:
        """Denser coordinates for the next round."""

    def steps_over(self, fit: F, certificate: Certificate) -> bool:
        """Whether the texts do something along this solution that its kernels do not see."""

    def layers_shown(self, fit: F) -> Sequence[Sequence[Layer]]:
        """Layers at sharp bends of the solution, for every axis."""

    def as_start(self, fit: F) -> Start:
        """A fit as the start of another one."""

    def default_start(self) -> Start:
        """The plainest start that meets the conditions."""

    def start_from_guess(self, guess: Any) -> Start:
        """A start from what the user gives: a text, a number, a function, a Solution, or one of these by field."""

    def remarks(self, fit: F, translation: Translation, converged: bool) -> list[str]:
        """What else there is to say of a fit: singular points, and what they do to it."""

    def solution(self, fit: F, translation: Translation, **figures: Any) -> Solution:
        """The fit as a Solution; `figures` are the fields that all solutions have."""


def coarsened(space: Discretisation[L, F], coordinates: Coordinates, neurons: int) -> Coordinates:
    """Coordinates that ask for so many neurons at the most; refuses a number with which there are none."""
    found = space.coarsened_to(coordinates, neurons)
    if found is not None:
        return found
    least = neurons
    while space.coarsened_to(coordinates, least) is None:
        least = math.ceil(1.1 * least)
    raise InputError(f"max_neurons is too small for this problem: give at least {least}")
