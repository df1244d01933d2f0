"""Layers that the modes of the operator can make, for whole arrays of members: the rules of `operator.symbol`.

From a place, a mode exp(lambda x) that decays away from it makes a layer of thickness d with |Re lambda(x0 + d)| d = 1.
"""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import ArrayFamily, Coefficients, Parameters
from gated_xtfc.operator.symbol import DAMPED, DECAYED, decays

DISTANCES = np.logspace(-1.0, -13.0, 25)  # from a place, as parts of its piece: half a decade apart
DECADE = 2  # of these
ABERTH = 40  # steps
SLOW, ALIKE = 8.0, 3.0  # decay over the domain that elements between layers resolve; rates that one ladder serves
TURNING_STEPS = 12  # to find a sign change between two samples: secants, and halvings in between


def polynomial(family: ArrayFamily, partials: Sequence[Sequence[Numbers]]) -> list[Numbers]:
    """Coefficients of the symbol's determinant, the constant first, from the partial derivatives of all equations."""
    fields = range(len(family.orders))
    entries: list[list[list[Numbers]]] = []  # by equation and field
    for e in fields:
        own = iter(partials)
        entries.append([[next(own)[e] for _ in range(order + 1)] for order in family.orders])
    whole = [jnp.zeros(())] * (sum(family.orders) + 1)
    for columns in permutations(fields):
        sign = np.linalg.det(np.eye(len(columns))[list(columns)])
        product = [jnp.asarray(sign)]
        for e, f in enumerate(columns):
            factor = entries[e][f]
            longer = [jnp.zeros(())] * (len(product) + len(factor) - 1)
            for i, a in enumerate(product):
                for j, b in enumerate(factor):
                    longer[i + j] = longer[i + j] + a * b
            product = longer
        whole = [a + b for a, b in zip(whole, product, strict=True)]
    return whole


def modes(coefficients: Sequence[Numbers]) -> Numbers:
    """The roots of polynomials, the constant first, (n, ...): all at once, each kept away from the others (Aberth)."""
    degree = len(coefficients) - 1
    some = jnp.broadcast_shapes(*(jnp.shape(a) for a in coefficients))
    monic = [jnp.broadcast_to(a / coefficients[-1], some) for a in coefficients[:-1]]
    # Fujiwara's bound makes all roots at most one; what is small beside it makes no layer, and need not be exact
    bound = 2.0 * jnp.stack([jnp.abs(a) ** (1.0 / (degree - j)) for j, a in enumerate(monic)]).max(0)
    bound = jnp.where(bound > 0.0, bound, 1.0)
    scaled = [a / bound ** (degree - j) for j, a in enumerate(monic)] + [jnp.ones(some)]
    begin = 0.5 * np.exp(1j * (2.0 * np.pi * np.arange(degree) / degree + 0.4))
    others = ~np.eye(degree, dtype=bool).reshape(degree, degree, *[1] * len(some))

    def step(_: Any, z: Numbers) -> Numbers:
        value, slope = jnp.zeros_like(z), jnp.zeros_like(z)
        for a in reversed(scaled):
            value, slope = value * z + a, slope * z + value
        newton = value / jnp.where(slope != 0.0, slope, 1e-300)
        apart = z[:, None] - z[None]
        push = jnp.where(others, 1.0 / jnp.where(others & (apart != 0.0), apart, 1.0), 0.0).sum(1)
        return z - newton / (1.0 - newton * push)

    start = begin.reshape(-1, *[1] * len(some)) * jnp.ones(some)
    return jax.lax.fori_loop(0, ABERTH, step, start) * bound


def fastest(roots: Numbers, side: Any) -> Numbers:
    """|lambda| of the fastest mode that decays to that side, of all, (...)."""
    return jnp.where(decays(roots, side), jnp.abs(roots), 0.0).max(0)


def lags(roots: Numbers, side: Any, reach: Numbers) -> Numbers:
    """Whether a slower mode that decays to that side is neither about as fast nor as slow as the domain is long."""
    rate = jnp.where(-side * roots.real > 0.0, jnp.abs(roots), 0.0)
    return ((rate * reach > SLOW) & (ALIKE * rate < fastest(roots, side))).any(0)


def decay_rate(operator: Coefficients, side: Any) -> Numbers:
    """|lambda| of the fastest mode that decays to that side, zero where there is none."""
    p, q = operator.first / operator.second, operator.zeroth / operator.second
    gap = 0.25 * p * p - q
    root = jnp.sqrt(jnp.abs(gap))
    large = -0.5 * p - jnp.where(p >= 0.0, 1.0, -1.0) * root
    small = jnp.where(large != 0.0, q / jnp.where(large != 0.0, large, 1.0), 0.0)
    real = jnp.maximum(jnp.maximum(-side * large, 0.0), -side * small)
    damped = (side * p > 0.0) & (DAMPED * root <= 0.5 * jnp.abs(p))
    return jnp.where(gap >= 0.0, real, jnp.where(damped, jnp.sqrt(jnp.abs(q)), 0.0))


def wave_number(operator: Coefficients) -> Numbers:
    """The undamped oscillation of the modes, zero where there is none."""
    p, q = operator.first / operator.second, operator.zeroth / operator.second
    root = jnp.sqrt(jnp.maximum(q - 0.25 * p * p, 0.0))
    return jnp.where(root * DAMPED > 0.5 * jnp.abs(p), root, 0.0)


def thickness(rate: Numbers, reach: Numbers) -> tuple[Numbers, Numbers]:
    """Thickness of the layer with these rates at the distances, (25, ...), infinite where there is none.

    The second says whether the decay quickens with distance, so that the layer is Gaussian-like.
    """
    distances = reach * DISTANCES.reshape(-1, *[1] * (rate.ndim - 1))
    phase = rate * distances
    below = phase <= 1.0
    i = jnp.where(below.any(0), below.argmax(0), DISTANCES.size - 1)

    def at(a: Numbers, j: Numbers) -> Numbers:
        return jnp.take_along_axis(jnp.broadcast_to(a, phase.shape), jnp.maximum(j, 0)[None], axis=0)[0]

    high, low = jnp.log(at(phase, i - 1)), jnp.log(jnp.maximum(at(phase, i), 1e-300))
    part = jnp.clip(high / jnp.where(high > low, high - low, 1.0), 0.0, 1.0)
    outer, inner = at(distances, i - 1), at(distances, i)
    found = outer * (inner / outer) ** part
    there = phase[0] > DECAYED
    quickens = at(rate, i - DECADE) > 2.0 * at(rate, i)
    return jnp.where(there, found, jnp.inf), there & quickens


def roots_at(family: ArrayFamily, parameters: Parameters, anchor: Numbers, offset: Numbers) -> Numbers:
    """The modes at x = anchor + offset, (n, ..., B); (n, B) where coefficients do not vary along the interval."""
    partials = family.linearised(parameters, anchor, offset, [jnp.zeros(())] * len(family.jets))[1]
    return modes([jnp.atleast_1d(a) for a in polynomial(family, partials)])


def layer_inside(family: ArrayFamily, parameters: Parameters, places: Numbers, room: Numbers) -> Numbers:
    """The thinner of the layers on both sides of places (T, B)."""
    side = np.array([-1.0, 1.0])[:, None, None]
    offsets = side * room * DISTANCES[:, None, None, None]  # (25, 2, T, B)
    if family.plain:
        rate = decay_rate(family.coefficients(parameters, places, offsets), side)
    else:
        rate = fastest(roots_at(family, parameters, places, offsets), side)
    return thickness(jnp.broadcast_to(rate, offsets.shape), room)[0].min(0)


def turning_points(
    family: ArrayFamily, parameters: Parameters, x: Numbers, operator: Coefficients
) -> tuple[Numbers, Numbers, Numbers]:
    """First and last place where the drift passes from - to +, (2, B), whether it is there, and how many there are."""
    drift = operator.first * jnp.sign(operator.second)
    rises, low, high = passing(drift, x, upward=True)
    count = rises.sum(0)

    def value(at: Numbers) -> Numbers:
        found = family.coefficients(parameters, at, jnp.zeros_like(at))
        return jnp.broadcast_to(found.first * jnp.sign(found.second), at.shape)

    places = between(value, low, high)
    return places, jnp.stack([count > 0, count > 1]), count


def passing(values: Numbers, x: Numbers, upward: bool = False) -> tuple[Numbers, Numbers, Numbers]:
    """Cells in which samples (n, B) pass zero, (n - 1, B), and the ends of the first and the last such, (2, B)."""
    x = jnp.broadcast_to(x, values.shape)
    sign = jnp.sign(values)
    after = jnp.concatenate([sign[2:], sign[-1:]])
    lands = sign[1:] == 0.0  # on a sample: then the one behind it decides
    following = jnp.where(lands, after, sign[1:])
    cells = (sign[:-1] < 0.0) & (following > 0.0) if upward else sign[:-1] * following < 0.0
    first = cells.argmax(0)
    last = cells.shape[0] - 1 - cells[::-1].argmax(0)
    which = jnp.stack([first, last])
    beyond = jnp.concatenate([jnp.where(lands, jnp.concatenate([x[2:], x[-1:]]), x[1:])])
    low, high = (jnp.take_along_axis(a, which, axis=0) for a in (x[:-1], beyond))
    return cells, low, high


def between(value: Callable[[Numbers], Numbers], low: Numbers, high: Numbers) -> Numbers:
    """Where functions pass zero between low and high: secants that keep the bracket, and halvings in between."""

    def step(number: Numbers, state: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
        a, b, at_a, at_b, _ = state
        secant = a - at_a * (b - a) / jnp.where(at_b != at_a, at_b - at_a, 1.0)
        inside = (secant > a) & (secant < b) & (number % 3 != 2)
        place = jnp.where(inside, secant, 0.5 * (a + b))
        found = value(place)
        lower = jnp.sign(found) == jnp.sign(at_a)
        # a zero that is hit ends the search: the bracket closes on it
        zero = found == 0.0
        return (
            jnp.where(lower | zero, place, a),
            jnp.where(lower & ~zero, b, place),
            jnp.where(lower | zero, found, at_a),
            jnp.where(lower & ~zero, at_b, found),
            place,
        )

    start = (low, high, value(low), value(high), 0.5 * (low + high))
    return jax.lax.fori_loop(0, TURNING_STEPS, step, start)[-1]
