"""The rectangle: a gated coordinate for each axis, values at the crossings of their sites, Sylvester and GMRES."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.discretise.axis_patch import AxisPatch
from gated_xtfc.discretise.tensor_function import TensorFunction
from gated_xtfc.gates import Layer
from gated_xtfc.gates.bends import SHARP, peaks
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate, Coordinates, bare, refined
from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.linalg.krylov import RESTART
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.rectangle import RectangleSolution
from gated_xtfc.solver.discretisation import COARSE, Certificate, Gates, Iterate, LayoutSize, Start, coarsened
from gated_xtfc.solver.rectangle.certificate import certify
from gated_xtfc.solver.rectangle.corners import GRADING
from gated_xtfc.solver.rectangle.fit import LONGEST, RectangleFit, RectangleLayout, fit
from gated_xtfc.solver.rectangle.grid_operator import GridOperator, Separable
from gated_xtfc.solver.rectangle.guess import VALUE, given, plain, through
from gated_xtfc.solver.rectangle.predict import predict
from gated_xtfc.solver.refine import Blocks, PieceShares, blocked, refine
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array, Orders

MOST_NEURONS = 1_000_000
FIRST = 1e-3  # tolerance of the coordinates on which a start is sampled
FIRST_SITES = 500  # the most along an axis of these
SHORT = 8.0  # kernel widths: a longer block at an end is not a corner's
SHARPER = 5.0  # how much narrower kernels at a corner become in one round
# What a solve takes at the same time, in numbers of eight bytes:
NUMBER = 8.0
MATRICES = 24  # of the size of an axis, for each axis
SURFACES = 56  # of the size of the grid
SPARSE = 120  # for each unknown, in the factors of the differences


@dataclass(frozen=True)
class RectangleDiscretisation:
    """The pipeline's steps on a rectangle, for one problem."""

    problem: Problem
    tolerance: Tolerance | None = None  # relative to the field's own size, where there is none
    until: float = math.inf  # when whatever iterates has to end, a time of `time.perf_counter`
    most_neurons = MOST_NEURONS
    coarse = COARSE
    blind = 16.0  # a slanted needle has no place on either axis: it is seen where kernels are dense everywhere

    def for_problem(self, problem: Problem) -> "RectangleDiscretisation":
        return RectangleDiscretisation(problem, self.tolerance, self.until)

    @cached_property
    def derivatives(self) -> tuple[Orders, ...]:
        """That the equation asks for."""
        return Operator(self.problem).derivatives[0]

    @cached_property
    def separable(self) -> bool:
        """Whether the operator is a sum of one along x and one along y, which is solved at once."""
        if not self.problem.linear:
            return False
        x, y = (axis.left + axis.length * np.array([0.31, 0.57, 0.83]) for axis in self.problem.axes)
        return Separable.of(GridOperator.of(Operator(self.problem).evaluate((x, y)))) is not None

    def predict(
        self, tol: float, start: Start | None = None, gates: Gates | None = None, seen: Sequence[Sequence[Layer]] = ()
    ) -> Coordinates:
        operator = Operator(self.problem) if start is None else Operator(self.problem, start.about)
        if self.problem.linear:
            # also on the sides, where no equation is asked to hold: a pole there would be refined for ever
            x, y = (axis.left + axis.length * np.array([0.0, 0.3, 0.7, 1.0]) for axis in self.problem.axes)
            operator((x, y))
        return predict(operator, tol, gates, seen)

    def least(self) -> LayoutSize:
        return LayoutSize(0.0, 0.0)

    def size(self, coordinates: Coordinates) -> LayoutSize:
        x, y = (_sites(pieces) for pieces in coordinates)
        # what varies along both axes needs the memory of GMRES too
        surfaces = SURFACES if self.separable else SURFACES + RESTART + LONGEST + SPARSE
        return LayoutSize(x * y, NUMBER * (MATRICES * (x * x + y * y) + surfaces * x * y))

    def coarsened_to(self, coordinates: Coordinates, neurons: int) -> Coordinates | None:
        for _ in range(8):
            total = self.size(coordinates).neurons
            if total <= neurons:
                return coordinates
            coordinates = refined(coordinates, 0.98 * math.sqrt(neurons / total))
        return None

    def lay_out(self, coordinates: Coordinates) -> RectangleLayout:
        return RectangleLayout.on(self.problem, coordinates)

    def iterate(self, layout: RectangleLayout, start: Start) -> Iterate:
        values = start.about(0, (layout.x.sites, layout.y.sites), VALUE)
        return layout.iterate(values, self.derivatives)

    def linearise(self, layout: RectangleLayout, iterate: Iterate) -> Linearisation:
        return Operator(self.problem).at(layout.points, iterate.jets)

    def fit(
        self, layout: RectangleLayout, linear: Linearisation, goal: float, near: Iterate | None = None
    ) -> RectangleFit:
        start = None if near is None else layout.inner(near.values[0])
        return fit(layout, GridOperator.of(linear), self.derivatives, goal, start, self.until)

    def near(self, layout: RectangleLayout, fit: RectangleFit) -> Iterate | None:
        if self.separable:
            return None
        start = self.as_start(fit)
        return Iterate((start.about(0, (layout.x.sites, layout.y.sites), VALUE),), [], np.zeros(0))

    def converged_on(self, layout: RectangleLayout, start: Iterate, tol: float, most: int, until: float) -> None:
        """That of all spaces."""

    def fit_through(self, layout: RectangleLayout, iterate: Iterate) -> RectangleFit:
        values = GridOperator({VALUE: np.ones((1, 1))}, layout.inner(iterate.values[0]))
        return fit(layout, values, self.derivatives)

    def bend(
        self, fit: RectangleFit, linear: Linearisation, here: Iterate, after: Linearisation, there: Iterate, part: float
    ) -> Iterate | None:
        return None

    def relinearised(self, fit: RectangleFit, linear: Linearisation) -> RectangleFit:
        return replace(fit, linear=GridOperator.of(linear))

    def certify(self, fit: RectangleFit) -> Certificate:
        return certify(fit, self.problem, self.tolerance)

    def refine(self, fit: RectangleFit, certificate: Certificate, tol: float) -> Coordinates:
        grids = fit.layout.x, fit.layout.y
        shares = [_gaps(grid, share) for grid, share in zip(grids, certificate.shares, strict=True)]
        return refine(fit.coordinates, shares, tol, _sharper)

    def steps_over(self, fit: RectangleFit, certificate: Certificate) -> bool:
        return False  # what texts do along a solution is looked for on an interval alone

    def layers_shown(self, fit: RectangleFit) -> list[list[Layer]]:
        x, y, values = fit.layout.x, fit.layout.y, fit.values
        found = []
        for grid, bend in ((x, x.derivatives[2] @ values), (y, (values @ y.derivatives[2].T).T)):
            strongest = np.abs(bend).max(axis=1)
            at, once = np.unique(grid.sites, return_index=True)
            found.append([Layer(place, SHARP * width, 0.25) for place, width in peaks(at, strongest[once])])
        return found

    def as_start(self, fit: RectangleFit) -> Start:
        return through(fit.layout, fit.values)

    def default_start(self) -> Start:
        try:
            return plain(self.problem, self._first)
        except np.linalg.LinAlgError:  # gates thinner than the numbers around them: a smooth surface needs none
            return plain(self.problem, self.lay_out(bare(self.predict(FIRST))))

    def start_from_guess(self, guess: Any) -> Start:
        return given(guess, self.problem, self._first)

    @cached_property
    def _first(self) -> RectangleLayout:
        """A layout for starts, before anything is known of the solution."""
        found = coarsened(self, self.predict(FIRST), self.most_neurons)
        # what an axis alone takes grows with the square of its sites, and the budget is not known here
        return self.lay_out(tuple(_at_most(pieces, FIRST_SITES) for pieces in found))

    def remarks(self, fit: RectangleFit, translation: Translation, converged: bool) -> list[str]:
        return []

    def solution(self, fit: RectangleFit, translation: Translation, **figures: Any) -> RectangleSolution:
        layout, (x, y) = fit.layout, translation.origins
        fit.values.setflags(write=False)
        function = TensorFunction(layout.sides, layout.x, layout.y, fit.values, (x, y))
        return RectangleSolution(**figures, function=function)


def _sites(pieces: AxisCoordinates) -> int:
    return sum(AxisPatch.count(coordinate) for coordinate in pieces)


def _at_most(pieces: AxisCoordinates, sites: int) -> AxisCoordinates:
    """The same, or a coarser one, that takes about so many sites."""
    factor = min(1.0, sites / _sites(pieces))
    return pieces if factor == 1.0 else tuple(coordinate.refined(factor) for coordinate in pieces)


def _gaps(grid: AxisGrid, share: Array) -> list[PieceShares]:
    """What the gaps between neighbouring sites add to the error, piece by piece."""
    pieces, start = [], 0
    for patch in grid.patches:
        at = patch.basis.coordinate(patch.sites)
        pieces.append(PieceShares(at[:-1], at[1:], share[start : start + at.size - 1]))
        start += at.size - 1
    return pieces


def _sharper(coordinate: Coordinate, blocks: Blocks) -> Coordinate:
    """Blocks; but what is unresolved at an end is often a corner's, which has no scale: a sharper layer there."""
    inner: Blocks = []
    ends: list[tuple[float, float]] = []  # place, kernel width there
    for left, right in blocks:
        at_left, at_right = left <= 0.0, right >= coordinate.length
        if right - left > SHORT or coordinate.blocks or not (at_left or at_right):
            inner.append((left, right))
        else:
            end = coordinate.left if at_left else coordinate.right
            ends.append((end, 1.0 / float(coordinate.jets(np.array([end]), 1)[1][0])))
    if inner:
        # blocks count from the layers as they are: these wait for the next round
        return blocked(coordinate, inner)
    layers = [layer for layer in coordinate.layers if all(layer.location != place for place, _ in ends)]
    for place, width in ends:
        grading = min([GRADING, *(layer.grading for layer in coordinate.layers if layer.location == place)])
        layers.append(Layer(place, max(width / SHARPER, thinnest_resolvable(place)), grading))
    return replace(coordinate, layers=tuple(sorted(layers, key=lambda layer: layer.location)))
