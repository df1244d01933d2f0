"""Elements with all digits, for what nothing quicker has solved: thin features at tight tolerances, conditions inside.

Where elements are thin, rounding in a row is amplified by the inverse of their length to the order of the equation. So
the solution is corrected with residuals that have twice the digits (`exact_residual.py`); what limits it then is what
double precision leaves of the equation itself. Elements are halved where the error comes from, and all of them while
the inverse behind the certificate is not resolved.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.linalg.twofold import twofold
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import RESOLVED, SINGULAR, Adapted
from gated_xtfc.solver.discretisation import Gates
from gated_xtfc.solver.interval.condensed import condense
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_certificate import certify_residual
from gated_xtfc.solver.interval.element_fit import ElementFit
from gated_xtfc.solver.interval.element_layout import ElementLayout, elements_on, halved
from gated_xtfc.solver.interval.elements import LOST, SHARE, degree_for
from gated_xtfc.solver.interval.exact_residual import exact_residual
from gated_xtfc.solver.interval.node_places import balanced, condition_places, cut_at
from gated_xtfc.solver.interval.tied_layout import lay_out_tied
from gated_xtfc.solver.strategy import Attempt, Settings
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.solver.verdict import NUMBERS
from gated_xtfc.types import Array

FINE = 1e-12  # a tolerance that asks for the highest degree
MOST_ROUNDS = 40
MOST_NUMBERS = 6e6  # of the response, which are kept at once
MOST_WORK = 6e8  # of the factorisation that joins elements, which is dense here
MOST_DOUBTED = 6  # layouts in a row that do not resolve the inverse
MOST_WITHOUT_GAIN = 2  # layouts in a row: noise in the texts is all that is left
MOST_CORRECTIONS = 10
GAIN = 0.5  # of what was left at the sites of an element before a correction


def served_patiently(problem: Problem) -> bool:
    """Whether this way can be taken: linear, with conditions at single places that speak of what nodes know."""
    return (
        problem.linear
        and not problem.unknown
        and not problem.nonlinear_conditions
        and len(problem.conditions) == sum(problem.order.values())
        and min(problem.order.values()) > 0
        and not problem.jumps
        and all(condition.terms and not condition.integrals for condition in problem.conditions)
        and all(t.order < problem.order[t.field] for one in problem.conditions for t in one.terms)
    )


def attempt_patiently(space: IntervalDiscretisation, gates: Gates | None, settings: Settings) -> Attempt[Any] | None:
    """The solution on elements with all digits; None where it does not reach the tolerance either."""
    problem, tol, limits = space.problem, settings.tol, settings.limits
    if not served_patiently(problem):
        return None
    (coordinates,) = space.predict(tol, gates=gates)
    layers = [layer for coordinate in coordinates for layer in coordinate.layers]
    thin = any(layer.thickness <= NUMBERS * thinnest_resolvable(layer.location) for layer in layers)
    if thin or any(coordinate.singular for coordinate in coordinates):
        return None
    order, operator, history = max(problem.order.values()), Operator(problem), []
    degree, fields = degree_for(FINE, order), len(problem.fields)
    elements = elements_on(coordinates, sum(problem.order.values()) > 2)
    elements = balanced(cut_at(elements, condition_places(problem)))
    doubted, without_gain, best = 0, 0, np.inf
    for _ in range(min(MOST_ROUNDS, limits.rounds)):
        count = float(elements.length.size)
        numbers, work = 2.0 * (fields * count) ** 2 * (degree + 1), 2.0 * (sum(problem.order.values()) * count) ** 3
        large = numbers > min(MOST_NUMBERS, limits.memory / 8.0) or work > MOST_WORK
        if large or limits.over() or not (elements.length > 0.0).all():
            return None
        layout = lay_out_tied(problem, coordinates, elements, degree)
        if layout is None or layout.neurons > limits.neurons:
            return None
        linear = operator.evaluate(layout.points)
        if not linear.finite:
            return None
        try:
            found = fit_with_all_digits(layout, linear, space.tolerance)
        except np.linalg.LinAlgError:
            return None
        certificate = found.certificate
        if certificate is None or not np.isfinite(certificate.error):
            return None
        history.append(Round(found.neurons, certificate.error, certificate.rounding))
        doubtful = certificate.unresolved is None or certificate.unresolved > RESOLVED
        if doubtful or certificate.stability > SINGULAR:  # on coarse layouts a mode that grows looks singular
            elements, doubted = halved(elements, np.ones(layout.count, dtype=bool)), doubted + 1
            if doubted > MOST_DOUBTED:
                return None
            continue
        if certificate.error <= tol:
            return Attempt(Adapted(found, certificate, tuple(history), None, 0, True), Translation((0.0,)))
        without_gain = 0 if certificate.error < LOST * best else without_gain + 1
        best = min(best, certificate.error)
        (share,) = certificate.shares
        which = share > SHARE * tol
        if certificate.rounding > LOST * certificate.error or not which.any() or without_gain > MOST_WITHOUT_GAIN:
            return None
        elements = halved(elements, which)
    return None


def fit_with_all_digits(layout: ElementLayout, linear: Linearisation, tolerance: Tolerance | None = None) -> ElementFit:
    """The fit corrected by what residuals with twice the digits show, until they show no more."""
    found = condense(layout, linear, reach_weights(layout, linear))
    shapes, before = twofold(found.shapes), np.full(layout.count, np.inf)
    residual = exact_residual(layout, linear, shapes)
    for _ in range(MOST_CORRECTIONS):
        left = np.abs(residual.misfit).max(axis=1)
        if not (left < GAIN * before).any():  # thin elements may have small numbers of their own
            break
        shapes, before = shapes.plus(twofold(found.shapes_of(found.homogeneous(-residual.misfit)))), left
        residual = exact_residual(layout, linear, shapes)
    homogeneous = replace(linear, source=[0.0 * source for source in linear.source])

    def terms(coefficients: Array) -> Array:
        return exact_residual(layout, homogeneous, twofold(found.shapes_of(coefficients))).entries

    certificate = certify_residual(found, residual.misfit, residual.between, residual.entries, tolerance, terms)
    return ElementFit(layout, shapes.high, found.sizes, certificate)


def reach_weights(layout: ElementLayout, linear: Linearisation) -> Array:
    """How much the rows of every element count, (K,): as much as what they leave would move the solution elsewhere.

    A residual in an element of length h turns the solution's derivatives below the highest, which reaches as far as the
    operator's shortest mode l, where its terms balance: by (l/h)^(m - 1) in the units of rows. Rows of thin elements
    would drown beside the others otherwise.
    """
    length, shape = layout.elements.length, layout.x.shape
    reach = np.full(shape, length.sum())
    highest = max(layout.orders)
    for fields in linear.by_order:
        sizes = [np.asarray(sum(np.abs(jets[j]) for jets in fields if len(jets) > j)) for j in range(highest + 1)]
        for j, lower in enumerate(sizes[:-1]):
            with np.errstate(all="ignore"):  # infinite where a term is not there
                reach = np.fmin(reach, ((sizes[-1] / lower) ** (1.0 / (highest - j))).reshape(shape))
    found: Array = np.maximum(1.0, reach.max(axis=1) / length) ** (highest - 1)
    return found
