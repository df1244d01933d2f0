"""The fast way on an interval: polynomials on elements that follow the gates, tried before anything else.

It serves problems with linear conditions at the ends. What it finds is handed over only where its own certificate says
that the tolerance is met, and that the inverse behind it is resolved; everything else is left to kernels.
"""

import math
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates, bare
from gated_xtfc.gates.prediction import EXPONENTIAL, thinnest_resolvable
from gated_xtfc.gates.samples import SAMPLES
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import RESOLVED, Adapted, Limits, adapt, begin, guide
from gated_xtfc.solver.continuation import along, small_parameter
from gated_xtfc.solver.discretisation import Certificate, Convergence, Gates, Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_fit import ElementFit, fit_operator
from gated_xtfc.solver.interval.element_layout import RefinedPieces, elements_on, halved
from gated_xtfc.solver.interval.element_path import Path
from gated_xtfc.solver.interval.element_space import ElementDiscretisation, more_for
from gated_xtfc.solver.interval.node_places import condition_places
from gated_xtfc.solver.interval.tied_layout import layout_of, simple
from gated_xtfc.solver.marching import initial_end
from gated_xtfc.solver.strategy import Attempt, Settings, attempt_as_it_stands, translation_needed
from gated_xtfc.solver.verdict import NUMBERS, ROUNDED
from gated_xtfc.types import Array, Orders

MOST_ELEMENTS = 64  # beyond these, and those for more pieces, a band of kernels is the better way
MOST_ROUNDS = 4
MOST_PLACES = 16  # of conditions, whose states the chain that joins elements keeps to its end
UNMOVED = Translation((0.0,))
MOST_DEGREE = 20
# Digits of the estimate with polynomials of degree eight, and digits that each further degree gains.
EXPONENTIAL_DIGITS = 4.4, 1.05
GRADED_DIGITS = 3.3, 0.72
STABLE = 1e8  # amplification of residuals that this way vouches for
LOST = 0.5  # part of an estimate that is rounding, above which halving elements is of no use
MOST_JOINTS = 400  # conditions that join pieces: with more, kernels take long and lose as many digits by rounding
SEEN = 10.0  # times the residual at the sites and between them: what a sample shows above this was overlooked
HIGHER = 2  # degrees for each order of nonlinear equations above the second
PROMISING = 0.25  # error of a first fit up to which it is refined, rather than a way from an easier member looked for
SHORT = 1e5  # spacings of numbers: beside shorter elements a gate may be too thin for them
FEW = 256  # degrees of polynomials on all elements up to which layouts are tried all the same
SHARE = 0.1  # of the tolerance: elements whose residual could add more to the error are halved


class Begun(Protocol):
    """The first layout of a problem that is not linear, and what Newton's method made of it."""

    @property
    def coordinates(self) -> Coordinates:
        """What was predicted."""

    @property
    def start(self) -> Start:
        """Where it began."""

    @property
    def convergence(self) -> Convergence[ElementFit]:
        """Where it got to."""


def served(problem: Problem) -> bool:
    """Whether elements can be tried: as many conditions as there are numbers to find, not too many places."""
    order, stated = problem.order, len(problem.conditions) + len(problem.nonlinear_conditions)
    if (problem.free_ends is not None and problem.linear) or min(order.values()) == 0:
        return False
    if stated != sum(order.values()) + len(problem.unknown) or not _seen_by_nodes(problem):
        return False
    return simple(problem) or len(condition_places(problem)) <= MOST_PLACES


def _seen_by_nodes(problem: Problem) -> bool:
    """Whether conditions speak of what nodes know: where a flux is a field, the order of another one is lower."""
    order, nonlinear = problem.order, problem.nonlinear_conditions
    at_places = [(term.field, term.order) for one in problem.conditions for term in one.terms]
    at_places += [(name, j) for one in nonlinear for name, j, _ in one.places]
    along = [item for one in problem.conditions for integral in one.integrals for item in integral.fields.items()]
    along += [item for one in nonlinear for item in one.integrated]
    return all(j < order[name] for name, j in at_places) and all(j <= order[name] for name, j in along)


def degree_for(tol: float, order: int, decays: bool = False) -> int:
    """The degree of polynomials that a tolerance asks for, with room between what the ends of an element determine.

    A higher degree costs less than a second round. `decays` says that all gates are exponential layers, whose elements
    are cut for them.
    """
    digits, gained = EXPONENTIAL_DIGITS if decays else GRADED_DIGITS
    wanted = 8 + 2 * math.ceil(max(0.0, -math.log10(tol) - digits) / (2.0 * gained))
    return max(min(wanted, MOST_DEGREE), 2 * order + 4)


def nonlinear_degree(tol: float, order: int) -> int:
    """The same where equations are not linear."""
    return degree_for(tol, order) + HIGHER * max(0, order - 2)


def attempt_elements(
    space: IntervalDiscretisation,
    gates: Gates | None,
    start: Start | None,
    settings: Settings,
    found: ElementFit | None = None,
    begun: Begun | None = None,
) -> Attempt[Any] | None:
    """The solution on elements; None where it does not reach the tolerance, and the usual way is to be taken.

    `found` is the first fit of a linear problem, `begun` the first layout of one that is not, where it is known.
    """
    problem = space.problem
    if not served(problem):
        return None
    if problem.linear:
        adapted = _linear(space, gates, settings, found)
        return None if adapted is None else Attempt(adapted, UNMOVED)
    attempt = _nonlinear(space, gates, start, settings, begun)
    if attempt is None or (not problem.is_text and _overlooked(problem, attempt.adapted.found, settings.tol)):
        return None
    return attempt


def _overlooked(problem: Problem, fit: Any, tol: float) -> bool:
    """Whether an equation that is a function has something between the sites of elements that dense samples show."""
    (axis,), function, residuals = problem.axes, fit.function, []
    for x in (fit.layout.points[0], np.linspace(axis.left, axis.right, SAMPLES)):
        jets: list[dict[Orders, Array]] = [
            {(j,): function(f, x, j) for j in range(m + 1)} for f, m in enumerate(problem.order.values())
        ]
        linear, own = Operator(problem).at((x,), jets), []
        for fields, source in zip(linear.by_order, linear.source, strict=True):
            pairs = zip(fields, jets, strict=True)
            terms = [a * u for jet, known in pairs for a, u in zip(jet, known.values(), strict=True)]
            # linearised about the solution itself, the equation misses its source by its residual
            own.append((float(np.abs(sum(terms) - source).max()), float(np.abs(terms).sum(axis=0).max())))
        residuals.append(own)
    at_sites, at_samples = residuals
    return any(
        not sampled <= SEEN * seen + tol * max(size, other)
        for (seen, size), (sampled, other) in zip(at_sites, at_samples, strict=True)
    )


def _nonlinear(
    space: IntervalDiscretisation,
    gates: Gates | None,
    start: Start | None,
    settings: Settings,
    first: Begun | None,
) -> Attempt[Any] | None:
    """By Newton's method on elements as they are predicted, or with layers that are carried along a parameter."""
    tol, limits, report = settings.tol, settings.limits, settings.progress
    order = max(space.problem.order.values())
    elements = ElementDiscretisation(space, nonlinear_degree(tol, order))
    coordinates, begun = (first.coordinates, first.start) if first else begin(elements, tol, start, gates)
    alone = gates is not None or initial_end(space.problem) is not None
    hopeless = PROMISING if start is None and not alone else math.inf
    known = None if first is None else first.convergence

    def costs_little(coordinates: Coordinates) -> bool:
        """Whether one more layout costs less than a way from an easier member does."""
        return int(elements_on(coordinates[0]).length.size) * elements.degree <= FEW

    direct = adapt(elements, coordinates, begun, tol, limits, report, hopeless, costs_little, known)
    found = _usable(elements, Attempt(direct, UNMOVED), settings, gates)
    if found is not None or gates is not None:
        return found
    parameter = None if alone else settings.continuation or small_parameter(elements)
    left = limits.steps - direct.steps
    if parameter is not None and left > 0:
        path = Path(along(elements, parameter), tol, replace(limits, steps=left), report)
        adapted, members = path.followed(bare(coordinates), start)
        found = (
            None
            if adapted is None
            else _usable(elements, Attempt(adapted, UNMOVED, tuple(members), parameter), settings)
        )
        left -= path.steps
    if found is not None or left <= 0:
        return found
    rest = replace(settings, limits=replace(limits, steps=left))
    return _usable(elements, attempt_as_it_stands(elements, gates, start, rest), settings)


def _usable(
    elements: ElementDiscretisation, found: Attempt[Any], settings: Settings, gates: Gates | None = None
) -> Attempt[Any] | None:
    """What is to be handed over: certified, within the tolerance, and within what it may take."""
    fit, certificate = found.adapted.found, found.adapted.certificate
    if certificate is None or not (found.converged(settings.tol) and trustworthy(certificate)):
        return None
    if fit is None or fit.neurons > settings.limits.neurons:
        return None
    if gates is None:
        found = replace(found, adapted=replace(found.adapted, found=_with_gates(elements, fit, settings.tol)))
    return found if translation_needed(found) is None else None


def _with_gates(elements: ElementDiscretisation, fit: ElementFit, tol: float) -> ElementFit:
    """The same solution with the gates that it asks for, where elements have moved on from those they were made for.

    They are found when somebody asks for them, unless elements are so short that one may be too thin for numbers.
    """
    layout = fit.layout
    if not isinstance(layout.coordinates, RefinedPieces):
        return fit

    def asked() -> AxisCoordinates:
        fresh = guide(elements, fit, tol)
        if fresh is None or [one.right for one in fresh[0]] != [one.right for one in layout.coordinates]:
            return layout.coordinates
        return fresh[0]

    if (layout.elements.length > SHORT * np.spacing(np.abs(layout.x).max(axis=1))).all():
        return replace(fit, asked=asked)
    return replace(fit, layout=replace(layout, coordinates=RefinedPieces.of(asked(), layout.elements)))


def _linear(
    space: IntervalDiscretisation, gates: Gates | None, settings: Settings, found: ElementFit | None
) -> Adapted[ElementFit] | None:
    """With elements halved where the error comes from; None where the tolerance is not met that way.

    `found` is what the gates of the problem lead to, where that is known already. Where kernels would do no better,
    what elements have is handed over all the same.
    """
    problem, tol, limits = space.problem, settings.tol, settings.limits
    history: tuple[Round, ...] = ()
    best: tuple[ElementFit, Certificate] | None = None
    found = _first(space, gates, settings) if found is None else found
    while found is not None:
        certificate = found.certificate
        if certificate is None or not _resolved(certificate):
            return None
        history += (Round(found.neurons, certificate.error, certificate.rounding),)
        if best is None or certificate.error < best[1].error:
            best = found, certificate
        if not trustworthy(certificate):
            break
        if certificate.error <= tol:
            if not problem.is_text and _overlooked(problem, found, tol):
                return None
            return _adapted(found, certificate, history, settings)
        (share,) = certificate.shares
        which = share > SHARE * tol
        done = len(history) == min(MOST_ROUNDS, limits.rounds)
        if done or certificate.rounding > LOST * certificate.error or not which.any():
            break
        layout = found.layout
        found = _fitted(space, layout.coordinates, halved(layout.elements, which), layout.degree, limits)
    if best is None or best[1].error <= tol or best[1].rounding <= ROUNDED * best[1].error:
        return None
    joined = sum(problem.order.values()) * (len(best[0].layout.coordinates) - 1)
    return _adapted(*best, history, settings) if joined > MOST_JOINTS else None


def _adapted(
    found: ElementFit, certificate: Certificate, history: tuple[Round, ...], settings: Settings
) -> Adapted[ElementFit]:
    """What is handed over, once its rounds are told."""
    if settings.progress is not None:
        for entry in history:
            settings.progress(entry)
    return Adapted(found, certificate, history, None, 0, True)


def _first(space: IntervalDiscretisation, gates: Gates | None, settings: Settings) -> ElementFit | None:
    """The fit on the elements that gates ask for, given or predicted ones; None where elements do not serve."""
    (coordinates,) = space.predict(settings.tol, gates=gates)
    layers = [layer for coordinate in coordinates for layer in coordinate.layers]
    for coordinate in coordinates:
        if coordinate.singular:
            return None  # powers of the distance are no polynomials
    for layer in layers:
        if layer.thickness <= NUMBERS * thinnest_resolvable(layer.location):
            return None  # too thin for x: a translated coordinate is needed
    orders = space.problem.order.values()
    slower = sum(orders) > 2
    decays = bool(layers) and not slower and all(layer.grading == EXPONENTIAL[1] for layer in layers)
    degree = degree_for(settings.tol, max(orders), decays)
    return _fitted(space, coordinates, elements_on(coordinates, slower), degree, settings.limits)


def _fitted(
    space: IntervalDiscretisation, coordinates: AxisCoordinates, elements: Partition, degree: int, limits: Limits
) -> ElementFit | None:
    many = elements.length.size > MOST_ELEMENTS + more_for(coordinates)
    if many or limits.over() or not min(elements.length.tolist()) > 0.0:
        return None
    try:
        layout = layout_of(space.problem, coordinates, elements, degree)
        if layout.neurons > limits.neurons:
            return None
        return fit_operator(layout, space.operator, space.tolerance)
    except np.linalg.LinAlgError:
        return None


def trustworthy(certificate: Certificate) -> bool:
    """Whether an estimate is finite, and the inverse that it rests on resolved."""
    return _resolved(certificate) and certificate.stability <= STABLE


def _resolved(certificate: Certificate) -> bool:
    resolved = certificate.unresolved is not None and certificate.unresolved <= RESOLVED
    return math.isfinite(certificate.error) and resolved
