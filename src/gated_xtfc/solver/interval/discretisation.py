"""The interval: Gaussian kernels in a gated coordinate, conditions built in, banded least squares."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.gaussian import MARGIN, REACH, Piecewise
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Gate, Layer
from gated_xtfc.gates.along_solution import run_along, steps_over
from gated_xtfc.gates.bends import layers_at_bends
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates, refined
from gated_xtfc.gates.prediction import OperatorLine, distinct_breaks, predicted, refuse_poles, refuse_undecided
from gated_xtfc.gates.probe_lines import ProbeLines
from gated_xtfc.gates.samples import sample
from gated_xtfc.gates.text import MOST_BREAKS, Known, Reading, read
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.program import Watch
from gated_xtfc.operator.linearise import Linearisation, Operator, Points
from gated_xtfc.operator.singular import exponents, like_powers
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.problem.wellposed import check_number
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.discretisation import COARSE, Certificate, Gates, Iterate, LayoutSize, Start
from gated_xtfc.solver.interval.certificate import certify
from gated_xtfc.solver.interval.element_fit import ElementFit
from gated_xtfc.solver.interval.fit import IntervalFit, fit, relinearised
from gated_xtfc.solver.interval.forced import contradicting
from gated_xtfc.solver.interval.guess import given, plain
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.solver.interval.undetermined import undetermined
from gated_xtfc.solver.refine import PieceShares, deepened, near_singular, refine
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array, Index, Orders

MOST_NEURONS = 50_000
MOST_JOINED = 500  # pieces of kernels: each adds conditions that are met exactly, by dense columns
THIN = 1e-3  # of the interval: kernels narrower than this at a singular point say that the solution is not smooth there
SETTLED = 1e-3  # error below which it is worth asking whether conditions leave something open at a singular point
UNSEEN = 5.0  # times what the residual next to a singular point could add to the error
ROUNDED = 1.0 + 1e-9  # of a limit that is met to rounding
NOTHING = Reading()  # what texts show that can show nothing
ARRAYS = 450.0  # bytes for each kernel in each window: arrays of the size of the rows that are there at the same time


@dataclass(frozen=True)
class IntervalDiscretisation:
    """The pipeline's steps on an interval, for one problem."""

    problem: Problem
    density: float  # kernels a width
    tolerance: Tolerance | None = None  # relative to each field's own size, where there is none
    # coordinates that were predicted, with what for: elements and kernels begin with the same
    _predicted: dict[tuple[int, int], tuple[Coordinates, Any, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    most_neurons = MOST_NEURONS
    coarse = COARSE
    blind = np.inf  # layers keep their places, however few kernels there are

    @classmethod
    def to(cls, problem: Problem, tol: float, tolerance: Tolerance | None = None) -> "IntervalDiscretisation":
        """As dense as a tolerance needs; refuses a problem whose solution has no size."""
        if problem.eigenproblem:
            stated = len(problem.conditions) + len(problem.nonlinear_conditions)
            check_number(stated, problem.order, problem.unknown, False, problem.complex_pairs)
        return cls(problem, kernel_density(tol), tolerance)

    def for_problem(self, problem: Problem) -> "IntervalDiscretisation":
        found, mine, start = replace(self, problem=problem), self.problem, self.__dict__.get("_default_start")
        same = problem.conditions is mine.conditions and problem.axes is mine.axes and problem.order is mine.order
        if start is not None and same and not problem.unknown and not problem.nonlinear_conditions:
            found.__dict__["_default_start"] = start  # it knows no more of the problem
        return found

    def predict(
        self, tol: float, start: Start | None = None, gates: Gates | None = None, seen: Sequence[Sequence[Layer]] = ()
    ) -> Coordinates:
        known = None if seen else self._predicted.get((id(start), id(gates)))
        if known is not None:
            return known[0]
        operator = self.operator if start is None else Operator(self.problem, start.about, start.constants)
        given = None if gates is None else gates[0]
        along = None if start is None or not start.solves else Known(start.places, start.breaks)
        found: Coordinates = (predict(operator, given, seen[0] if seen else (), along),)
        if not seen and along is None:
            self._predicted[id(start), id(gates)] = found, start, gates
        return found

    @property
    def operator(self) -> Operator:
        """The equations, about zero."""
        found: Operator | None = self.__dict__.get("_operator")  # cached_property would lock
        if found is None:
            found = self.__dict__["_operator"] = Operator(self.problem)
        return found

    @cached_property
    def _default_start(self) -> Start:
        return plain(self.problem)

    def least(self) -> LayoutSize:
        return self._size(self.density * 2.0 * MARGIN + 4.0)

    def size(self, coordinates: Coordinates) -> LayoutSize:
        return self._size(sum(self.density * (piece.length + 2.0 * MARGIN) + 4.0 for piece in coordinates[0]))

    def _size(self, kernels: float) -> LayoutSize:
        fields = len(self.problem.fields)
        return LayoutSize(kernels * fields, ARRAYS * 2.0 * REACH * self.density * kernels * fields**2)

    def coarsened_to(self, coordinates: Coordinates, neurons: int) -> Coordinates | None:
        fields = len(self.problem.fields)
        limit = neurons / fields
        for attempt in range(8):
            pieces = coordinates[0]
            wanted = self.size(coordinates).neurons / fields
            if wanted <= limit * ROUNDED:
                return coordinates
            length = sum(piece.length for piece in pieces)
            fixed = wanted - self.density * length
            factor = (limit - fixed) / (self.density * length)
            if factor * min(piece.length for piece in pieces) < 1.0:
                break
            # soft blocks do not shrink in proportion: what is still too much is made coarser again, by a little more
            coordinates = refined(coordinates, 0.98**attempt * factor)
        return None

    def lay_out(self, coordinates: Coordinates) -> IntervalLayout:
        breaks = len(coordinates[0]) - 1
        if breaks > MOST_JOINED:
            raise InputError(
                f"the equation switches at {breaks} places, and the quick way does not reach the tolerance: kernels "
                f"can join at most {MOST_JOINED} pieces, so give a larger tol, or split the problem"
            )
        return IntervalLayout.on(self.problem, coordinates[0], self.density)

    def iterate(self, layout: IntervalLayout, start: Start) -> Iterate:
        jets = jets_of(self.problem, layout.points, start)
        constants = np.array(start.constants, dtype=float)
        sight = layout.sight(lambda f, x, j: start.about(f, (x,), (j,)), constants)
        return Iterate(tuple(own[0,] for own in jets), jets, constants, sight)

    def linearise(self, layout: IntervalLayout, iterate: Iterate) -> Linearisation:
        linear = Operator(self.problem).at(layout.points, iterate.jets, iterate.constants.tolist())
        ends, sight = self.problem.free_ends, iterate.sight
        if ends is not None and ends.length(_named(self.problem, iterate.constants)) <= 0.0:
            return replace(linear, source=[np.full_like(one, np.nan) for one in linear.source])  # no domain at all
        return linear if sight is None else replace(linear, conditions=tuple(c.about(sight) for c in layout.nonlinear))

    def fit(
        self, layout: IntervalLayout, linear: Linearisation, goal: float, near: Iterate | None = None
    ) -> IntervalFit:
        return fit(layout, linear)

    def near(self, layout: IntervalLayout, fit: IntervalFit) -> None:
        """None: its fit takes no iteration."""

    def converged_on(self, layout: IntervalLayout, start: Iterate, tol: float, most: int, until: float) -> None:
        """That of all spaces."""

    def fit_through(self, layout: IntervalLayout, iterate: Iterate) -> IntervalFit:
        linear = through(iterate)
        beside = [[np.zeros_like(source) for _ in iterate.constants] for source in linear.source]
        found = fit(layout, replace(linear, constant_columns=beside))
        free, switch = layout.trial.weights(found.free[layout.trial.free], iterate.constants)
        return replace(found, free=free, switch=switch, constants=iterate.constants)

    def bend(
        self, fit: IntervalFit, linear: Linearisation, here: Iterate, after: Linearisation, there: Iterate, part: float
    ) -> Iterate:
        return fit.bend(linear, here, after, there, part)

    def relinearised(self, fit: IntervalFit, linear: Linearisation) -> IntervalFit:
        return relinearised(fit, linear)

    def certify(self, fit: IntervalFit) -> Certificate:
        found = certify(fit, self.tolerance)
        near = near_singular(fit.basis.coordinates, fit.rows.x)
        if near.any():  # what a power of the distance does between the last kernel and the point itself
            found = replace(found, error=found.error + UNSEEN * float(found.shares[0][near].max()))
        if found.error < SETTLED and any(piece.singular for piece in fit.basis.coordinates):
            start = self.as_start(fit)
            operator = Operator(self.problem, start.about, start.constants)

            def amplification(coordinates: AxisCoordinates) -> float:
                layout = self.lay_out((coordinates,))
                return certify(self.fit(layout, operator(layout.points), 0.0)).stability

            if undetermined(operator, fit.basis.coordinates, amplification) or self._contradicting(fit):
                found = replace(found, stability=np.inf)
        return found

    def _contradicting(self, fit: IntervalFit) -> tuple[str, ...]:
        """Conditions at a singular end that the equation, linearised about a fit, has no room for."""
        start = self.as_start(fit)
        operator = Operator(self.problem, start.about, start.constants)

        def solved(coordinates: AxisCoordinates) -> KernelSum:
            layout = self.lay_out((coordinates,))
            found = self.fit(layout, operator(layout.points), 0.0)
            return KernelSum(Chart(found.basis), found.free, found.switch)

        try:
            return contradicting(self.problem, fit.basis.coordinates, solved)
        except InputError:  # kernels that narrow do not show the condition
            return ()

    def refine(self, fit: IntervalFit, certificate: Certificate, tol: float) -> Coordinates:
        deeper = deepened(fit.basis.coordinates, fit.rows.x, certificate.shares[0], tol)
        if deeper is not None:
            return (deeper,)
        return refined_by_shares(fit.basis, fit.rows.x, certificate.shares[0], tol)

    def steps_over(self, fit: IntervalFit, certificate: Certificate) -> bool:
        if not sharp_texts(self.problem):
            return False
        breaks, iterate = np.array([piece.right for piece in fit.basis.coordinates[:-1]]), fit.iterate
        function, constants = KernelSum(Chart(fit.basis), fit.free, fit.switch), iterate.constants.tolist()
        unsure = certificate.error * max(certificate.scales)
        return steps_over(self.problem, fit.layout.x, iterate.jets, constants, breaks, function.within, unsure)

    def layers_shown(self, fit: IntervalFit) -> list[list[Layer]]:
        layers: list[Layer] = []
        singular = [place for piece in fit.basis.coordinates for place in piece.singular]
        for jets in fit.iterate.jets:
            if len(jets) == 1:  # what an algebraic equation gives bends where the others do
                continue
            slope = np.gradient(jets[1,], fit.layout.x) if len(jets) == 2 else jets[2,]
            layers += layers_at_bends(fit.layout.x, slope, singular)
        return [layers]

    def as_start(self, fit: IntervalFit) -> Start:
        function = KernelSum(Chart(fit.basis), fit.free, fit.switch)

        def about(f: int, points: Points, orders: Orders) -> Array:
            return function.within(f, points[0], orders[0])

        breaks = np.array([piece.right for piece in fit.basis.coordinates[:-1]])
        return Start(about, tuple(fit.constants.tolist()), True, places=fit.layout.x, breaks=breaks)

    def default_start(self) -> Start:
        return self._default_start

    def start_from_guess(self, guess: Any) -> Start:
        return given(guess, self.problem)

    def remarks(self, fit: IntervalFit | ElementFit, translation: Translation, converged: bool) -> list[str]:
        if isinstance(fit, ElementFit) or not any(piece.singular for piece in fit.basis.coordinates):
            return []
        start, (axis,), (origin,) = self.as_start(fit), self.problem.axes, translation.origins
        problem = self.problem.transformed(translation) if translation else self.problem
        operator = Operator(problem, start.about, start.constants)
        found = []
        for piece in fit.basis.coordinates:
            for place in piece.singular:
                name = f"{axis.name} = {place + origin:.6g}"
                if not converged:
                    side = 1 if place == piece.left else -1
                    powers = exponents(lambda x: operator.evaluate((x,)), place, side, piece.right - piece.left)
                    found.append(f"the equation is singular at {name}{like_powers(powers)}")
                elif any(one.location == place and one.thickness < THIN * axis.length for one in piece.layers):
                    found.append(f"the solution is not smooth at {name}: derivatives there may be infinite")
        if not converged:
            found += [
                f"{quoted(text)} contradicts the value that the equation itself has at its singular end: state that one"
                for text in self._contradicting(fit)
            ]
        return list(dict.fromkeys(found))

    def solution(self, fit: IntervalFit | ElementFit, translation: Translation, **figures: Any) -> IntervalSolution:
        if isinstance(fit, ElementFit):
            problem, function = figures.pop("problem").settled(fit.constants), fit.function
            if problem.free_ends is not None:
                function = function.stretched(problem.axes[0].left, problem.axes[0].length)
            return IntervalSolution(**figures, problem=problem, function=function, values=fit.constants)
        chart, constants = Chart(fit.basis, translation.origins[0]), tuple(fit.constants.tolist())
        for weights in (fit.free, fit.switch):
            weights.setflags(write=False)
        problem = figures.pop("problem").settled(constants)
        if problem.free_ends is not None:
            chart = chart.stretched(problem.axes[0])
        return IntervalSolution(
            **figures, problem=problem, function=KernelSum(chart, fit.free, fit.switch), values=constants
        )


def jets_of(problem: Problem, points: Points, start: Start) -> list[dict[Orders, Array]]:
    """A start and its derivatives at points, for every field."""
    return [
        {orders: start.about(f, points, orders) for orders in own}
        for f, own in enumerate(Operator(problem).derivatives)
    ]


def through(iterate: Iterate) -> Linearisation:
    """Equations that ask every field to go through the values of an iterate."""
    values = iterate.values
    rows = [
        [
            {o: np.full_like(v, float(e == f and o == (0,))) for o in own}
            for f, (own, v) in enumerate(zip(iterate.jets, values, strict=True))
        ]
        for e in range(len(values))
    ]
    return Linearisation(rows, list(values), [[] for _ in rows])


def sharp_texts(problem: Problem) -> bool:
    """Whether texts may do something sudden along a solution."""
    texts = [equation for equation in problem.equations if isinstance(equation, TextEquation)]
    return len(texts) == len(problem.equations) and any(equation.sharp for equation in texts)


def refined_by_shares(basis: Piecewise, sites: Array, share: Array, tol: float) -> Coordinates:
    """Denser coordinates, by what the residual around each site could add to the error."""
    pieces = []
    for coordinate, here in zip(basis.coordinates, basis.split(sites), strict=True):
        at = coordinate(sites[here])
        before, behind = np.concatenate([at[:1], at[:-1]]), np.concatenate([at[1:], at[-1:]])
        pieces.append(PieceShares(before, behind, share[here]))
    return refine((basis.coordinates,), [pieces], tol)


def _named(problem: Problem, constants: Array) -> dict[str, float]:
    return dict(zip(problem.unknown, constants.tolist(), strict=True))


def kernel_density(tol: float) -> float:
    """Kernels a width: what a tolerance needs, and no more, for conditioning pays for every one."""
    return 1.25 if tol >= 1e-4 else 1.5 if tol >= 1e-9 else 1.75 if tol >= 1e-11 else 2.0


def predict(
    operator: Operator, gates: Sequence[Gate] | None = None, seen: Iterable[Layer] = (), along: Known | None = None
) -> AxisCoordinates:
    """The first coordinate of every piece; given gates stand in for the predicted ones, `seen` ones join them.

    Where the operator is linearised about a solution, texts are read along it; `along` says where it is known.
    """
    (axis,) = operator.problem.axes
    reading = read_texts(operator, along) if operator.problem.is_text else sample(operator, axis.left, axis.right)
    line, shown = OperatorLine(operator), tuple(seen)
    if reading is NOTHING and not operator.problem.jumps:
        whole = axis.left, axis.right
        return (predicted(axis, whole, [line], (), gates, shown, refuse=lambda x: operator((x,))),)
    refuse_poles(operator, reading.poles)
    refuse_undecided(axis, reading.undecided)
    jumps = (jump.place for jump in operator.problem.jumps)
    breaks = distinct_breaks(tuple(sorted({*reading.breaks, *jumps})), axis.left, axis.right)
    if len(breaks) > MOST_BREAKS:
        raise InputError(
            f"the equation switches at more than {MOST_BREAKS} places: split the problem or smooth the switches"
        )
    return tuple(
        predicted(axis, ends, [line], [reading], gates, shown, refuse=lambda x: operator((x,)))
        for ends in pairwise([axis.left, *breaks, axis.right])
    )


def read_texts(operator: Operator, along: Known | None = None) -> Reading:
    """What the equations and the integrals in conditions show, needles between samples included."""
    problem = operator.problem
    (axis,) = problem.axes
    texts = [one.free_text for one in problem.equations if isinstance(one, TextEquation)]
    texts += [integral.free_text for integral in problem.integrals]
    if all(text.quiet for text in texts):
        coordinates = (axis.name,)
        if along is None or not (problem.integrals or any(text.program.heard_along(coordinates) for text in texts)):
            return NOTHING
    reading = read(probe_lines(operator, along is not None), along)
    if all(text.plain for text in texts):
        return reading
    # imported here, so that texts that can hide nothing need not wait for it
    from gated_xtfc.gates.needles import with_needles
    from gated_xtfc.gates.resolution import Line

    return with_needles(reading, Line(axis.name, axis.left, axis.right, tuple(texts)))


def probe_lines(operator: Operator, along: bool = False) -> ProbeLines:
    """The interval as the one line along which the equations and the integrals in conditions are read."""
    (axis,) = operator.problem.axes

    def run(t: Array, _: Index, watch: Watch) -> None:
        seed = Dual(t, {axis.name: 1.0})
        if along:
            inside = np.clip(t, axis.left, axis.right)
            run_along(operator.problem, t, operator.jets((inside,)), operator.constants, watch)
        else:
            operator.residuals_at((seed,), watch=watch)
        for integral in operator.problem.integrals:
            integral.linearised(seed, watch)

    return ProbeLines(axis.name, axis.left, axis.right, 1, run)
