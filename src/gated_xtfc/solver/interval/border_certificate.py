"""Errors of unknown constants, and what quadrature leaves out of conditions that are integrals, in the certificate.

A constant is one more number that residuals move: its error is estimated as that of a field is, relative to its own
size, and one that nothing determines is amplified without bound. Integrals are known by two rules of quadrature; what
they differ by moves the solution as another value of the condition would.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.solver.discretisation import Certificate
from gated_xtfc.solver.interval.condensed import Condensed
from gated_xtfc.solver.interval.element_certificate import EPSILON, SAFETY, Residuals, Weights
from gated_xtfc.solver.interval.fit import COUNTS
from gated_xtfc.solver.interval.tied_layout import TiedLayout, densities, point_weights, site_weights
from gated_xtfc.types import Array, Orders

Jets = Sequence[Mapping[Orders, Array]]
Function = Callable[[int, Array, int], Array]  # field, places, order of the derivative


@dataclass(frozen=True)
class Border:
    """Unknown constants of a fit, what residuals do to them, and what values of integrals do to all."""

    constants: Array  # (c,)
    parts: Array  # (c, 5 + K) truncation, its mean, misfits, what is added up, amplification; what each element adds
    levers: Array  # (I, 1 + c) largest change of fields, relative to their scales, and of constants with each value
    beside: Array  # (E, c) how large an equation becomes for a constant of size one

    @classmethod
    def of(cls, found: Condensed, seen: Residuals, units: Array, scales: Array) -> "Border":
        """From the factorisation and the residuals, which are in the given units."""
        response, levers = found.response_of_constants()
        parts = []
        for own in response * units:
            weights = Weights.of(own[None], seen)
            share = (seen.envelope * np.sqrt(own.size) * weights.strongest).max(axis=1)
            parts.append([*weights.largest, weights.amplification[0], *share])
        fields = [
            np.abs(found.response(f)[1]).max(axis=0) / scale if levers.shape[1] else np.zeros(0)
            for f, scale in enumerate(scales)
        ]
        among = np.column_stack([np.max(fields, axis=0), np.abs(levers).T])
        count = found.layout.count
        return cls(found.constants, np.array(parts).reshape(-1, 5 + count), among, found.rows.beside)


def with_border(
    certificate: Certificate,
    border: Border,
    layout: TiedLayout,
    row_sizes: Array,
    sizes: Array,
    seen: Callable[[], tuple[Jets, Function]],
) -> tuple[Certificate, Array]:
    """The certificate with the errors of constants and integrals among the others; and those of constants alone.

    `seen` gives the solution, its derivatives at all points and as a function, where they are asked for.
    """
    scales = constant_scales(border, layout, row_sizes, sizes)
    defects, missed = np.zeros((0, layout.count)), np.zeros(1 + border.constants.size)
    if layout.stated.integrals:
        defects, misfits = integral_defects(layout, *seen(), border.constants)
        missed = SAFETY * ((defects.sum(axis=1) + misfits) @ border.levers)
    squares, drifts, misfits, amplified, stability = border.parts[:, :5].T
    rounding = SAFETY * (misfits + EPSILON * amplified) + 4.0 * EPSILON * np.abs(border.constants)
    errors: Array = SAFETY * (squares + drifts) + rounding + missed[1:]
    slid = np.zeros(border.constants.size)
    if layout.problem.free_ends is not None:
        slid = slides(layout, seen()[0], border.constants, np.array(certificate.scales))
    largest = max([certificate.error + float(missed[0] + slid @ errors), *(errors / scales).tolist()])
    scales = 1.0 / np.maximum(1.0 / scales, slid)  # from here on: what a constant's error is relative to at the most
    amplification = max([certificate.stability, *(stability / scales).tolist()])
    (share,) = certificate.shares
    if defects.size:
        lever = (border.levers / np.append(1.0, scales)).max(axis=1)
        share = np.maximum(share, SAFETY * (lever @ defects))
    for own, scale in zip(border.parts[:, 5:], scales, strict=True):
        share = np.maximum(share, SAFETY * own / scale)
    finite = bool(np.isfinite(errors).all() and np.isfinite(border.constants).all())
    found = replace(
        certificate,
        error=largest if finite else np.inf,
        rounding=max([certificate.rounding + float(slid @ rounding), *(rounding / scales).tolist()]),
        stability=amplification,
        shares=(share,),
    )
    return found, errors


def slides(layout: TiedLayout, jets: Jets, constants: Array, scales: Array) -> Array:
    """How much fields change at a fixed place with every constant, as the ends of the domain move with it, (c,)."""
    ends, named = layout.problem.free_ends, dict(zip(layout.problem.unknown, constants.tolist(), strict=True))
    if ends is None or not ends.length(named) > 0.0:
        return np.full(constants.size, np.inf)
    moved = np.abs(ends.slide(layout.x.ravel(), named))  # (n, c)
    pairs = zip(jets, scales.tolist(), strict=True)
    found: Array = np.max([(np.abs(own[1,])[:, None] * moved).max(axis=0) / scale for own, scale in pairs], axis=0)
    return found


def constant_scales(border: Border, layout: TiedLayout, row_sizes: Array, sizes: Array) -> Array:
    """How large every constant is, (c,); one that nearly vanishes counts as a part of what would match the others."""
    rows = (row_sizes * sizes).max(axis=1)
    fields = np.repeat(sizes, layout.orders)  # of every number of a state, at the most
    own = layout.border - layout.constants
    states = np.abs(layout.stated.rows[:, :own]) * np.tile(fields, layout.kept.size)
    others = np.maximum(states.max(axis=1, initial=0.0), np.abs(layout.stated.values))
    found = []
    for j, value in enumerate(border.constants.tolist()):
        in_rows, in_conditions = border.beside[:, j], np.abs(layout.stated.rows[:, own + j])
        pairs = [*zip(rows, in_rows, strict=True), *zip(others, in_conditions, strict=True)]
        matching = [float(size / weight) for size, weight in pairs if weight > 0.0 and size > 0.0]
        found.append(max(abs(value), COUNTS * min(matching, default=0.0)) or 1.0)
    return np.array(found)


def integral_defects(layout: TiedLayout, jets: Jets, function: Function, constants: Array) -> tuple[Array, Array]:
    """What two rules of quadrature differ by in elements, (I, K), and how far each condition is from holding, (I,).

    For conditions that are integrals, which are met by elimination like the equations and not by what is laid out.
    """
    stated, fields = layout.stated, list(layout.problem.order)
    points, sites = point_weights(layout.degree), site_weights(layout.degree)
    found, misfits = np.zeros((len(stated.integrals), layout.count)), np.zeros(len(stated.integrals))
    for i, (condition, scale) in enumerate(zip(stated.integrals, stated.scales.tolist(), strict=True)):
        integrand, size = np.zeros(layout.x.shape), np.zeros(layout.x.shape)
        for f, order, density in densities(layout, condition):
            part = density * jets[f][order,].reshape(layout.x.shape)
            integrand, size = integrand + part, size + np.abs(part)
        length = layout.elements.length
        found[i] = np.abs(integrand @ (points - sites)) * length / scale
        parts = [
            t.weight * float(function(fields.index(t.field), np.array([t.point]), t.order)[0]) for t in condition.terms
        ]
        parts += [weight * constants[layout.problem.unknown.index(name)] for name, weight in condition.constants]
        whole = float((integrand @ points) @ length) + sum(parts) - condition.value
        rounding = EPSILON * (float((size @ points) @ length) + sum(map(abs, parts)) + abs(condition.value))
        misfits[i] = (abs(whole) + rounding) / scale
    return found, misfits
