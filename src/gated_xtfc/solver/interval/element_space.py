"""The pipeline's steps with polynomials on elements, where equations are not linear: Newton's steps are cheap on them.

What decides, gates, steps, continuation and refinement, is what kernels go through as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.discretise.element_sum import AboutElements
from gated_xtfc.gates import Layer
from gated_xtfc.gates.along_solution import steps_over
from gated_xtfc.gates.bends import layers_at_bends
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.discretisation import Certificate, Convergence, Gates, Iterate, LayoutSize, Start
from gated_xtfc.solver.interval.discretisation import (
    MOST_NEURONS,
    IntervalDiscretisation,
    jets_of,
    sharp_texts,
    through,
)
from gated_xtfc.solver.interval.division import divided
from gated_xtfc.solver.interval.element_fit import ElementFit, fit_elements
from gated_xtfc.solver.interval.element_layout import (
    SITES,
    ElementLayout,
    RefinedPieces,
    elements_on,
)
from gated_xtfc.solver.interval.element_newton import converged_on, linearised
from gated_xtfc.solver.interval.tied_layout import TiedLayout, layout_of
from gated_xtfc.types import Array

MOST = 160  # elements
A_PIECE = 8  # more of them for every piece between two breaks
SHARE = 0.1  # of the tolerance: elements whose residual could add more to the error are divided
MISSED = (
    0.1  # of an equation's largest terms: with a residual above this it is not solved, however little that adds up to
)


def refined_elements(fit: ElementFit, certificate: Certificate, tol: float, bulk: float = 0.0) -> RefinedPieces:
    """Elements from which too much of the error may come, in parts: as many as polynomials of this degree need.

    Those that add less than `bulk` of what the worst one does stay as they are: they may just suffer from it.
    """
    (share,) = certificate.shares
    excess = np.maximum(share, 0.0) / (SHARE * tol)
    if bulk > 0.0:
        excess[excess < bulk * excess.max()] = 0.0
    layout = fit.layout
    layers = [layer for piece in layout.coordinates for layer in piece.layers]
    most = 2.0 ** (layout.degree + 1 - max(layout.orders))
    return RefinedPieces.of(layout.coordinates, divided(layout.elements, excess, layers, most))


def missed(linear: Linearisation, fit: ElementFit) -> Array:
    """The largest residual of an equation in every element, beside the largest terms that it has anywhere, (K,).

    `linear` is the linearisation about the fit itself. Estimates of the error are linear: what happens within a few
    short elements adds next to nothing to them, even a corner that the equation does not have.
    """
    iterate, stacked = fit.iterate, linear.stacked
    known = np.stack([values for own in iterate.jets for values in own.values()])
    parts, source = stacked[:, : len(known)] * known, stacked[:, len(known)]
    constants = stacked[:, len(known) + 1 :] * iterate.constants[:, None]
    size = np.abs(parts).sum(axis=1) + np.abs(constants).sum(axis=1) + np.abs(source)
    residual = np.abs(parts.sum(axis=1) + constants.sum(axis=1) - source)
    largest = size.max(axis=1, keepdims=True)
    worst = (residual / np.where(largest > 0.0, largest, 1.0)).max(axis=0)
    found: Array = worst.reshape(fit.layout.count, -1).max(axis=1)
    return found


def more_for(pieces: AxisCoordinates) -> int:
    """Elements that breaks of the domain add to what is worth while."""
    return A_PIECE * (len(pieces) - 1)


@dataclass(frozen=True)
class ElementDiscretisation:
    """The steps of `Discretisation` on elements; gates and starts are those of kernels."""

    kernels: IntervalDiscretisation
    degree: int
    most_neurons = MOST_NEURONS
    coarse = 0.03  # elements are divided for less than gates take to be found
    blind = np.inf  # as for kernels on an interval

    @property
    def problem(self) -> Problem:
        return self.kernels.problem

    def for_problem(self, problem: Problem) -> "ElementDiscretisation":
        return replace(self, kernels=self.kernels.for_problem(problem))

    def predict(
        self, tol: float, start: Start | None = None, gates: Gates | None = None, seen: Sequence[Sequence[Layer]] = ()
    ) -> Coordinates:
        return self.kernels.predict(tol, start, gates, seen)

    def size(self, coordinates: Coordinates) -> LayoutSize:
        return self.kernels.size(coordinates)

    def least(self) -> LayoutSize:
        return self.kernels.least()

    def coarsened_to(self, coordinates: Coordinates, neurons: int) -> Coordinates | None:
        return self.kernels.coarsened_to(coordinates, neurons)

    def lay_out(self, coordinates: Coordinates) -> ElementLayout:
        elements = elements_on(coordinates[0], sum(self.problem.order.values()) > 2)
        if any(coordinate.singular for coordinate in coordinates[0]):
            raise np.linalg.LinAlgError("singular points are for kernels")
        if elements.length.size > MOST + more_for(coordinates[0]) or not (elements.length > 0.0).all():
            raise np.linalg.LinAlgError("more or thinner elements than this way is for")
        return layout_of(self.problem, coordinates[0], elements, self.degree)

    def iterate(self, layout: ElementLayout, start: Start) -> Iterate:
        if start.jets is not None and not isinstance(layout, TiedLayout):
            return Iterate.unpacked(start.jets(layout.x.ravel()), layout.orders)
        jets = jets_of(self.problem, layout.points, start)
        constants, sight = np.array(start.constants, dtype=float), None
        if isinstance(layout, TiedLayout):
            sight = layout.sight(lambda f, x, j: start.about(f, (x,), (j,)), jets, constants)
        return Iterate(tuple(own[0,] for own in jets), jets, constants, sight)

    def linearise(self, layout: ElementLayout, iterate: Iterate) -> Linearisation:
        return linearised(self.kernels.operator, layout, iterate)

    def fit(self, layout: ElementLayout, linear: Linearisation, goal: float, near: Iterate | None = None) -> ElementFit:
        return fit_elements(layout, linear, certify=False)

    def near(self, layout: ElementLayout, fit: ElementFit) -> None:
        """None: its fit takes no iteration."""

    def converged_on(
        self, layout: ElementLayout, start: Iterate, tol: float, most: int, until: float
    ) -> Convergence[ElementFit]:
        return converged_on(self.kernels.operator, layout, start, tol, most, self.kernels.tolerance, until)

    def fit_through(self, layout: ElementLayout, iterate: Iterate) -> ElementFit:
        return fit_elements(layout, through(iterate), certify=False)

    def bend(
        self, fit: ElementFit, linear: Linearisation, here: Iterate, after: Linearisation, there: Iterate, part: float
    ) -> None:
        """Factorisations are not kept: it would cost another fit."""

    def relinearised(self, fit: ElementFit, linear: Linearisation) -> ElementFit:
        return fit_elements(fit.layout, linear, self.kernels.tolerance)

    def certify(self, fit: ElementFit) -> Certificate:
        if fit.certificate is None:
            raise np.linalg.LinAlgError("not certified")
        if fit.certificate.error > self.coarse:
            return fit.certificate
        linear = self.linearise(fit.layout, fit.iterate)
        left = missed(linear, fit) if linear.finite else np.ones(fit.layout.count)
        if not (left > MISSED).any():
            return fit.certificate
        (share,) = fit.certificate.shares
        worst, shares = float(left.max()), np.maximum(share, np.where(left > MISSED, left, 0.0))
        return replace(fit.certificate, error=max(fit.certificate.error, worst), shares=(shares,))

    def refine(self, fit: ElementFit, certificate: Certificate, tol: float) -> Coordinates:
        return (refined_elements(fit, certificate, tol),)

    def steps_over(self, fit: ElementFit, certificate: Certificate) -> bool:
        if not sharp_texts(self.problem):
            return False
        breaks, iterate = np.array([piece.right for piece in fit.layout.coordinates[:-1]]), fit.iterate
        constants, unsure = iterate.constants.tolist(), certificate.error * max(certificate.scales)
        return steps_over(self.problem, fit.layout.x.ravel(), iterate.jets, constants, breaks, fit.function, unsure)

    def layers_shown(self, fit: ElementFit) -> list[list[Layer]]:
        x = fit.layout.x[:, SITES].ravel()
        layers: list[Layer] = []
        for jets in fit.iterate.jets:
            at_sites = [values.reshape(fit.layout.x.shape)[:, SITES].ravel() for values in jets.values()]
            layers += layers_at_bends(x, np.gradient(at_sites[1], x) if len(at_sites) == 2 else at_sites[2])
        return [layers]

    def as_start(self, fit: ElementFit) -> Start:
        places, breaks = fit.layout.x.ravel(), np.array([piece.right for piece in fit.layout.coordinates[:-1]])
        about = AboutElements(fit.function)
        return Start(about, fit.constants, solves=True, jets=fit.function.jets, places=places, breaks=breaks)

    def default_start(self) -> Start:
        return self.kernels.default_start()

    def start_from_guess(self, guess: Any) -> Start:
        return self.kernels.start_from_guess(guess)

    def remarks(self, fit: ElementFit, translation: Translation, converged: bool) -> list[str]:
        return self.kernels.remarks(fit, translation, converged)

    def solution(self, fit: ElementFit, translation: Translation, **figures: Any) -> IntervalSolution:
        return self.kernels.solution(fit, translation, **figures)
