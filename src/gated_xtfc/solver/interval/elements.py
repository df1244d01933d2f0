"""The fast way on an interval: polynomials on elements that follow the gates, tried before anything else.

It serves problems with linear conditions at the ends. What it finds is handed over only where its own certificate says
that the tolerance is met, and that the inverse behind it is resolved; everything else is left to kernels.
"""

from typing import Any

import numpy as np

from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.gates.samples import SAMPLES
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import RESOLVED, Adapted
from gated_xtfc.solver.discretisation import Certificate, Discretisation, Gates, Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_fit import fit_elements
from gated_xtfc.solver.interval.element_layout import elements_on, halved, lay_out
from gated_xtfc.solver.interval.element_space import ElementDiscretisation, more_for
from gated_xtfc.solver.strategy import NUMBERS, Attempt, Settings, attempt_as_it_stands, translation_needed
from gated_xtfc.types import Array, Orders

MOST_ELEMENTS = 64  # beyond these, and those for more pieces, a band of kernels is the better way
MOST_ROUNDS = 4
STABLE = 1e8  # amplification of residuals that this way vouches for
LOST = 0.5  # part of an estimate that is rounding, above which halving elements is of no use
SEEN = 10.0  # times the residual at the sites and between them: what a sample shows above this was overlooked
SHARE = 0.1  # of the tolerance: elements whose residual could add more to the error are halved


def served(problem: Problem) -> bool:
    """Whether elements can be tried: no unknown constants, every condition linear and at one end."""
    (axis,) = problem.axes
    ends = (axis.left, axis.right)
    return (
        not problem.unknown
        and not problem.nonlinear_conditions
        and len(problem.conditions) == sum(problem.order.values())
        and min(problem.order.values()) > 0
        and not problem.jumps
        and all(t.order < problem.order[t.field] for one in problem.conditions for t in one.terms)
        and all(one.local and one.terms[0].point in ends for one in problem.conditions)
    )


def degree_for(tol: float, order: int) -> int:
    """The degree of polynomials that a tolerance asks for, with room between what the ends of an element determine."""
    return max(8 if tol >= 1e-5 else 12 if tol >= 1e-9 else 16, 2 * order + 4)


def attempt_elements(
    space: IntervalDiscretisation, gates: Gates | None, start: Start | None, settings: Settings
) -> Attempt[Any] | None:
    """The solution on elements; None where it does not reach the tolerance, and the usual way is to be taken."""
    problem = space.problem
    if not served(problem):
        return None
    found = _linear(space, gates, settings) if problem.linear else _nonlinear(space, gates, start, settings)
    sampled = not all(equation.is_text for equation in problem.equations)
    if found is None or (sampled and _overlooked(problem, found.adapted.found, settings.tol)):
        return None
    return found


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
    space: IntervalDiscretisation, gates: Gates | None, start: Start | None, settings: Settings
) -> Attempt[Any] | None:
    """By Newton's method and continuation on elements."""
    elements: Discretisation[Any, Any] = ElementDiscretisation(
        space, degree_for(settings.tol, max(space.problem.order.values()))
    )
    found = attempt_as_it_stands(elements, gates, start, settings)
    certificate = found.adapted.certificate
    if certificate is None or not (found.converged(settings.tol) and trustworthy(certificate)):
        return None
    if translation_needed(found) is not None:
        return None
    return found


def _linear(space: IntervalDiscretisation, gates: Gates | None, settings: Settings) -> Attempt[Any] | None:
    """With elements halved where the error comes from."""
    problem = space.problem
    (coordinates,) = space.predict(settings.tol, gates=gates)
    if any(coordinate.singular for coordinate in coordinates):
        return None  # powers of the distance are no polynomials
    layers = [layer for coordinate in coordinates for layer in coordinate.layers]
    if any(layer.thickness <= NUMBERS * thinnest_resolvable(layer.location) for layer in layers):
        return None  # too thin for x: a translated coordinate is needed
    tol, limits = settings.tol, settings.limits
    elements, operator, history = elements_on(coordinates, sum(problem.order.values()) > 2), Operator(problem), []
    for _ in range(min(MOST_ROUNDS, limits.rounds)):
        many = elements.length.size > MOST_ELEMENTS + more_for(coordinates)
        if many or limits.over() or not (elements.length > 0.0).all():
            return None
        layout = lay_out(problem, coordinates, elements, degree_for(tol, max(problem.order.values())))
        linear = operator.evaluate(layout.points)
        if layout.neurons > limits.neurons or not linear.finite:
            return None
        try:
            found = fit_elements(layout, linear, space.tolerance)
        except np.linalg.LinAlgError:
            return None
        certificate = found.certificate
        if certificate is None or not trustworthy(certificate):
            return None
        history.append(Round(found.neurons, certificate.error, certificate.rounding))
        if certificate.error <= tol:
            if settings.progress is not None:
                for entry in history:
                    settings.progress(entry)
            return Attempt(Adapted(found, certificate, tuple(history), None, 0, True), Translation((0.0,)))
        (share,) = certificate.shares
        which = share > SHARE * tol
        if certificate.rounding > LOST * certificate.error or not which.any():
            return None
        elements = halved(elements, which)
    return None


def trustworthy(certificate: Certificate) -> bool:
    """Whether an estimate is finite, and the inverse that it rests on resolved."""
    resolved = certificate.unresolved is not None and certificate.unresolved <= RESOLVED
    return bool(np.isfinite(certificate.error)) and resolved and certificate.stability <= STABLE
