"""What a space must be able to do, so that everything else is written once: interval, rectangle, and what comes next.

predict gates -> lay out -> fit (linear) or Newton -> certify -> refine -> ... -> verdict -> Solution
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate, Layer
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.operator.linearise import About, Linear, Points
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.base import Solution
from gated_xtfc.types import Array, Orders

Gates = tuple[Sequence[Gate] | None, ...]  # of every axis; None where they are to be predicted


@dataclass(frozen=True)
class Start:
    """Where Newton's method begins: a function with derivatives, and values of the unknown constants."""

    about: About
    constants: tuple[float, ...] = ()

    def translated(self, translation: Translation) -> "Start":
        """The same in the translated coordinates."""
        about = self.about

        def moved(field: int, points: Points, orders: Orders) -> Array:
            return about(field, tuple(translation.outward(y, k) for k, y in enumerate(points)), orders)

        return Start(moved, self.constants)


@dataclass(frozen=True)
class Iterate:
    """What Newton's method knows of its iterate: values and derivatives, wherever they came from."""

    values: tuple[Array, ...]  # of every field at all sites, by which steps are measured
    jets: list[dict[Orders, Array]]  # of every field, the derivatives where the equations are asked to hold
    constants: Array

    def toward(self, other: "Iterate", part: float) -> "Iterate":
        """Part of the way to another iterate."""
        if part == 1.0:
            return other
        pairs = zip(self.jets, other.jets, strict=True)
        return Iterate(
            tuple(a + part * (b - a) for a, b in zip(self.values, other.values, strict=True)),
            [{orders: a + part * (new[orders] - a) for orders, a in old.items()} for old, new in pairs],
            self.constants + part * (other.constants - self.constants),
        )


@dataclass(frozen=True)
class Certificate:
    """How large the error is, and where it comes from."""

    error: float  # estimated max error of every field, relative to its scale
    rounding: float  # the part of it that no refinement removes
    stability: float  # largest relative error that a scaled residual of one can cause
    scales: tuple[float, ...]  # max(1, max|u|) of every field
    shares: tuple[Array, ...]  # of every axis: what the residual around each place could add to the error


@dataclass(frozen=True)
class LayoutSize:
    """What a layout takes."""

    neurons: float
    memory: float  # bytes


class Layout(Protocol):
    """What does not change while equations are linearised again and again."""

    @property
    def points(self) -> Points:
        """Where the equations are linearised."""


class Fit(Protocol):
    """The solution of linear equations on a layout."""

    @property
    def coordinates(self) -> Coordinates: ...
    @property
    def neurons(self) -> int: ...
    @property
    def sites(self) -> int: ...
    @property
    def iterate(self) -> Iterate:
        """The solution as the iterate of the next step."""

    @property
    def unsettled(self) -> str:
        """What an iteration for the linear system left undone, in words; empty where it is solved."""


L = TypeVar("L", bound=Layout)
F = TypeVar("F", bound=Fit)


class Discretisation(Protocol[L, F]):
    """A space with its way of solving linear equations and of telling how good the solution is."""

    most_neurons: int  # unless the user says otherwise

    @property
    def problem(self) -> Problem: ...

    def of(self, problem: Problem) -> "Discretisation[L, F]":
        """The same for another member of the family, or for the problem in another coordinate."""

    def predict(
        self, tol: float, start: Start | None = None, gates: Gates | None = None, seen: Sequence[Sequence[Layer]] = ()
    ) -> Coordinates:
        """The first coordinates; given gates stand in for the predicted ones, `seen` ones join them."""

    def size(self, coordinates: Coordinates) -> LayoutSize: ...

    def within(self, coordinates: Coordinates, neurons: int) -> Coordinates:
        """Coarser, where they ask for more neurons than allowed."""

    def lay_out(self, coordinates: Coordinates) -> L: ...

    def iterate(self, layout: L, start: Start) -> Iterate:
        """A start, as Newton's method sees it on this layout."""

    def fit(self, layout: L, linear: Linear, goal: float, near: Iterate | None = None) -> F:
        """The solution of the equations, to `goal` where it takes an iteration; `near` is where that may begin."""

    def standing(self, layout: L, iterate: Iterate) -> F:
        """The iterate itself as a fit, meeting the conditions."""

    def about_itself(self, fit: F, linear: Linear) -> F:
        """The same fit with the equations linearised about its own solution."""

    def certify(self, fit: F) -> Certificate: ...

    def refine(self, fit: F, certificate: Certificate, tol: float) -> Coordinates:
        """Denser coordinates for the next round."""

    def bends(self, fit: F) -> Sequence[Sequence[Layer]]:
        """Layers that the solution shows, for every axis."""

    def carry(self, fit: F) -> Start:
        """A fit as the start of another one."""

    def plain(self) -> Start:
        """The plainest start that meets the conditions."""

    def guessed(self, guess: Any) -> Start:
        """A start from what the user gives: a text, a number, a function, a Solution, or one of these by field."""

    def solution(self, fit: F, translation: Translation, **figures: Any) -> Solution:
        """The fit as a Solution; `figures` are the fields that all solutions have."""


def too_few(neurons: int, suffice: Callable[[int], bool]) -> InputError:
    """The refusal of so few neurons, with a number that suffices."""
    least = neurons
    while not suffice(least):
        least = math.ceil(1.1 * least)
    return InputError(f"max_neurons is too small for this problem: give at least {least}")
