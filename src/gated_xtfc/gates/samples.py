"""Sharp features of a Python function, which has no text to read: sample densely, then zoom in where neighbours differ.

A feature that falls between two of the samples is not seen: write such an equation as text.
"""

from collections.abc import Sequence

import numpy as np

from gated_xtfc.gates.kinks import kinks
from gated_xtfc.gates.text import Feature, Reading
from gated_xtfc.operator.linearise import AxisCoefficients, Operator
from gated_xtfc.operator.symbol import approach, is_singular, modes
from gated_xtfc.types import Array

SAMPLES = 2001
STEEP = 0.02  # change between neighbours, as a part of the whole range, that is worth a closer look
MOST = 60  # places looked at
APART = 1e-9  # of the axis: places closer together are one
ROUNDING = 1e-12  # of the largest term in an equation: what changes by less has no features, it is rounding


def sample(operator: Operator, left: float, right: float) -> Reading:
    """Jumps and steep places of coefficients and source between left and right."""
    x = np.linspace(left, right, SAMPLES)
    singular = [
        place for place, side in ((left, 1), (right, -1))
        if is_singular(modes(_evaluated(operator, place, side, right - left)), place, right - left)
    ]  # fmt: skip
    values = _values(operator, x, singular)
    extent = np.ptp(values, axis=1)
    noise = max(ROUNDING, *(equation.noise for equation in operator.problem.equations))
    extent[extent <= noise * _sizes(operator, x, values, right - left)] = np.inf
    change = (np.abs(np.diff(values, axis=1)) / extent[:, None]).max(axis=0)
    steep = np.flatnonzero(change > STEEP)
    steep = steep[np.argsort(-change[steep])][:MOST]
    features, breaks = [], []
    for cell in steep:
        place, thickness = _zoom(operator, float(x[cell]), float(x[cell + 1]), extent, singular)
        if thickness == 0.0:
            breaks.append(place)
        else:
            features.append(Feature(place, thickness))
    bent = kinks(lambda at: _values(operator, np.clip(at, left, right), singular) / extent[:, None], x)
    # a jump is a kink as well, and known better
    breaks += [place for place in bent if all(abs(place - other) > APART * (right - left) for other in breaks)]
    return Reading(tuple(features), tuple(sorted(set(breaks))))


def _zoom(operator: Operator, low: float, high: float, extent: Array, singular: Sequence[float]) -> tuple[float, float]:
    """Follows the larger change until it spreads over its interval (a steep place) or the numbers end (a jump)."""
    while np.nextafter(low, high) < high:
        x = np.linspace(low, high, 9)
        change = (np.abs(np.diff(_values(operator, x, singular), axis=1)) / extent[:, None]).max(axis=0)
        i = int(np.argmax(change))
        total = float(change.sum())
        if total == 0.0 or change[i] < 0.5 * total:
            return 0.5 * (low + high), (high - low) / max(total, 1e-3)
        low, high = float(x[i]), float(x[i + 1])
    return high, 0.0


def _sizes(operator: Operator, x: Array, values: Array, length: float) -> Array:
    """What the changes of each coefficient and source are small beside, (count,).

    A coefficient that should vanish and is rounding is as steep as can be beside itself, and nothing beside the others;
    so is the source of an equation linearised about an iterate, beside the terms that cancel in it.
    """
    found, row = [], 0
    largest = np.abs(values).max(axis=1)
    iterate = np.stack([u + np.zeros_like(x) for jets in operator.jets((x,)) for u in jets.values()])
    sources = values.shape[0] - len(operator.problem.equations)
    for equation in range(len(operator.problem.equations)):
        at = equation * len(iterate)
        terms = float(np.abs(values[at : at + len(iterate)] * iterate).sum(axis=0).max())
        largest[sources + equation] = max(largest[sources + equation], terms)
    for _ in operator.problem.equations:
        powers = np.concatenate([length ** -np.arange(order + 1.0) for order in operator.orders])
        terms = largest[row : row + powers.size] * powers
        found += list(np.maximum(terms.max() / powers, largest[row : row + powers.size]))
        row += powers.size
    return np.array(found + list(largest[row:]))


def _values(operator: Operator, x: Array, singular: Sequence[float] = ()) -> Array:
    """Coefficients and sources, (count, n); less what they grow by towards singular ends, which is no feature."""
    linear = operator((x,))
    (axis,), order = operator.problem.axes, max(operator.orders)
    weight = np.ones_like(x)
    for place in singular:
        weight = weight * (np.abs(x - place) / axis.length) ** order
    return weight * np.stack([*(a for fields in linear.by_order for jets in fields for a in jets), *linear.source])


def _evaluated(operator: Operator, place: float, side: int, reach: float) -> AxisCoefficients:
    (axis,) = operator.problem.axes
    return operator.evaluate((np.clip(approach(place, side, reach), axis.left, axis.right),)).by_order
