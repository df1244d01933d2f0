"""TextFeatures of the text for whole arrays of members: where arguments of functions pass zero, or come near it.

The rules are those of `gates.text`. What they say of a member at which a batch is not good (a divisor that passes zero,
an argument that passes zero more than twice) is kept as `odd`: such members are solved one by one.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import BatchFamily, Parameters
from gated_xtfc.batch.marks import ArgumentMark
from gated_xtfc.batch.symbol import between, passing
from gated_xtfc.gates.probe_lines import POLES, SWITCHES
from gated_xtfc.gates.text import ALGEBRAIC, NEAR, POLE_FUNCTIONS, WAVES

SAMPLES = np.linspace(0.0, 1.0, 65)
NARROW = 0.3  # of the distance of a complex pole: elements must be short beside it


class TextFeatures(NamedTuple):
    """What the text shows of every member."""

    places: Numbers  # (m, B)
    thicknesses: Numbers  # infinite where there is none, (m, B)
    breaks: Numbers  # whether a place is one at which the equation switches, (m,)
    left: Numbers  # thickness of a feature at the left end, (B,)
    right: Numbers
    graded_left: Numbers  # that of one with algebraic tails, (B,)
    graded_right: Numbers
    waves: Numbers  # radians across the domain, (B,)
    odd: Numbers  # (B,)


def features(family: BatchFamily, parameters: Parameters, left: Numbers, right: Numbers, members: int) -> TextFeatures:
    """Looked for at samples, and between them where an argument changes its sign or turns.

    Ends are (1,) where all members share them: an argument that no parameter changes is then looked at once.
    """
    length = right - left
    x = left + length * SAMPLES[:, None]

    def value_and_slope(at: Numbers) -> tuple[dict[int, Numbers], dict[int, Numbers]]:
        def run(t: Numbers) -> dict[int, Numbers]:
            found = family.arguments(parameters, t)
            return {i: jnp.asarray(found[mark], dtype=float) for i, mark in enumerate(family.marks)}

        found: tuple[dict[int, Numbers], dict[int, Numbers]] = jax.jvp(run, (at,), (jnp.ones_like(at),))
        return found

    values, slopes = value_and_slope(x)
    none = jnp.full(members, jnp.inf)
    ends = {"left": none, "right": none, "graded_left": none, "graded_right": none}
    places: list[Numbers] = []
    thicknesses: list[Numbers] = []
    breaks: list[bool] = []
    waves, odd = jnp.zeros(members), jnp.zeros(members, dtype=bool)

    def one_value(i: int, at: Numbers) -> Numbers:
        return value_and_slope(at)[0][i]

    def one_slope(i: int, at: Numbers) -> Numbers:
        return value_and_slope(at)[1][i]

    def keep(place: Numbers, thick: Numbers, switch: bool) -> None:
        shape = (len(place), members)
        places.extend(jnp.broadcast_to(place, shape))
        thicknesses.extend(jnp.broadcast_to(thick, shape))
        breaks.extend([switch] * len(place))

    def at_end(kind: str, thickness: Numbers, there: Numbers) -> None:
        ends[kind] = jnp.minimum(ends[kind], jnp.where(there, thickness, jnp.inf))  # (B,)

    for i, mark in enumerate(family.marks):
        operation = "div" if mark.operation == "tan" else mark.operation
        value, slope = values[i], slopes[i]
        if operation in WAVES:
            # 0 * value: XLA would fold a constant slope over all members while it compiles
            waves = jnp.maximum(waves, (jnp.abs(slope) + 0.0 * value).max(0) * length)
            continue
        switch, pole = operation in SWITCHES, operation in POLES
        cells, low, high = passing(value, x)
        count = cells.sum(0)
        odd |= (count > 2) | ~jnp.isfinite(value).all(0)
        if pole:
            odd |= count > 0
        else:
            place = _crossings(partial(one_value, i), partial(one_slope, i), mark, low, high)
            reach = POLE_FUNCTIONS.get(operation)
            steep = jnp.abs(one_slope(i, place))
            scale = NARROW * reach if reach else 1.0
            there = jnp.stack([count > 0, count > 1])[: len(place)]
            thick = jnp.zeros_like(steep) if switch else scale / jnp.where(steep > 0.0, steep, 1e-300)
            keep(place, jnp.where(there, thick, jnp.inf), switch)
        if switch:
            continue
        for kind, number, side in (("left", 0, 1.0), ("right", -1, -1.0)):
            zero = value[number] == 0.0
            if pole:
                beyond = side * value[number] / jnp.where(slope[number] != 0.0, slope[number], 1e-300)
                at_end(f"graded_{kind}", ALGEBRAIC * length, zero)
                at_end(f"graded_{kind}", beyond, (beyond > 0.0) & (beyond < length))
            else:
                steep = jnp.abs(slope[number])
                at_end(kind, 1.0 / jnp.where(steep > 0.0, steep, 1e-300), zero & (steep > 0.0))
        if mark.linear:
            continue
        inward = jnp.sign(value) * jnp.sign(slope)
        turns = (inward[:-1] < 0.0) & (inward[1:] > 0.0) & (value[:-1] * value[1:] > 0.0)
        odd |= turns.sum(0) > 2
        cells, low, high = passing(jnp.where(jnp.sign(value) < 0, -slope, slope), x, upward=True)
        place = between(partial(one_slope, i), low, high)
        depth = jnp.abs(one_value(i, place))
        bend = jnp.abs(jax.jvp(partial(one_slope, i), (place,), (jnp.ones_like(place),))[1])
        there = jnp.stack([turns.any(0), turns.sum(0) > 1]) & (bend > 0.0) & ((depth < NEAR) | pole)
        size = NARROW * jnp.sqrt(2.0 * depth / bend) if pole else jnp.sqrt(2.0 / bend)
        keep(place, jnp.where(there, size, jnp.inf), False)
    empty = jnp.zeros((0, members))
    return TextFeatures(
        jnp.stack(places) if places else empty,
        jnp.stack(thicknesses) if places else empty,
        np.array(breaks, dtype=bool),
        waves=waves,
        odd=odd,
        **ends,
    )


def _crossings(
    value: Callable[[Numbers], Numbers],
    slope: Callable[[Numbers], Numbers],
    mark: ArgumentMark,
    low: Numbers,
    high: Numbers,
) -> Numbers:
    """Where an argument passes zero, first and last, (2, ...); a linear one does so once, (1, ...)."""
    if not mark.linear:
        return between(value, low, high)
    middle = 0.5 * (low[:1] + high[:1])
    rate = slope(middle)
    place = middle - value(middle) / jnp.where(rate != 0.0, rate, 1.0)
    return jnp.clip(place, low[:1], high[:1])
