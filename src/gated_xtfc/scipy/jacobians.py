"""A user's function of arrays with its Jacobian: as given, by dual numbers, or by differences where these are defeated.

Functions take arrays, some of whose entries are seeds; what comes back is the value and its derivatives by every seed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.language.dual_array import gathered, seeded

Values = Any  # an array, real or complex
Seeds = Sequence[Any]  # entries along the first axis; a list of entries that no result shares counts as one seed
Differentiated = tuple[Values, Values]  # value (shape), derivatives (seeds, *shape)

STEP = float(np.finfo(float).eps) ** (1 / 3)  # of central differences, relative to 1 + |y|
NOISE = 1e-8  # of differences, relative to the largest term: what changes by less has no meaning
AGREES = 1e-4  # relative difference between two ways to a Jacobian that is put down to the differences


@dataclass(frozen=True)
class Differentiable:
    """function(*arrays) and its derivatives along the first axis of each array."""

    function: Callable[..., Any]
    exact: bool = True  # whether dual numbers go through it

    def __call__(self, arrays: Sequence[Values], seeds: Sequence[Seeds]) -> Differentiated:
        """Value and derivatives by the entries `seeds[k]` of the k-th array."""
        return (by_duals if self.exact else by_differences)(self.function, arrays, seeds)

    @classmethod
    def tried(cls, function: Callable[..., Any], arrays: Sequence[Values]) -> "Differentiable":
        """Dual numbers where they go through the function and agree with differences there, otherwise differences.

        They are compared along one direction, that no entry is spared: two calls more, however many entries there are.
        """
        seeds = [range(len(array)) for array in arrays]
        along = [(1.0 + 0.5 * np.cos(2.4 * np.arange(len(array)))) * (1.0 + _largest(array)) for array in arrays]
        with np.errstate(all="ignore"):
            try:
                exact_value, exact = by_duals(function, arrays, seeds)
            except Exception:  # whatever a function of the user's does with numbers of a kind that it does not know
                return cls(function, False)
            value = np.asarray(function(*arrays))
            differences = _along(function, arrays, along)
            exact = (np.concatenate(along) @ exact.reshape(len(exact), -1)).reshape(exact.shape[1:])
        known = np.isfinite(differences) & np.isfinite(exact)
        size = 1.0 + max(np.abs(value[np.isfinite(value)]).max(initial=0.0), np.abs(exact[known]).max(initial=0.0))
        same = exact.shape == differences.shape and np.array_equal(exact_value, value, equal_nan=True)
        return cls(function, same and bool(np.abs(exact - differences)[known].max(initial=0.0) <= AGREES * size))


def _largest(array: Values) -> Values:
    """Of every entry along the first axis."""
    return np.abs(array).max(axis=tuple(range(1, array.ndim)), initial=0.0)


def _along(function: Callable[..., Any], arrays: Sequence[Values], along: Sequence[Values]) -> Values:
    """The derivative in one direction, by a central difference."""
    moves = [STEP * d.reshape(-1, *(1,) * (array.ndim - 1)) for d, array in zip(along, arrays, strict=True)]
    sides = []
    for sign in (1.0, -1.0):
        moved = (array + sign * move for array, move in zip(arrays, moves, strict=True))
        sides.append(np.asarray(function(*moved)))
    return (sides[0] - sides[1]) / (2.0 * STEP)


def by_duals(function: Callable[..., Any], arrays: Sequence[Values], seeds: Sequence[Seeds]) -> Differentiated:
    """Exact derivatives."""
    count, first, given = sum(map(len, seeds)), 0, []
    for array, own in zip(arrays, seeds, strict=True):
        given.append(seeded(array, own, first, count))
        first += len(own)
    with np.errstate(all="ignore"):
        found = gathered(function(*given), count)
    return found.value, found.partials


def by_differences(function: Callable[..., Any], arrays: Sequence[Values], seeds: Sequence[Seeds]) -> Differentiated:
    """Central differences, without what is rounding in them."""
    value = np.asarray(function(*arrays))
    derivatives = []
    for k, own in enumerate(seeds):
        for i in own:
            step = STEP * (1.0 + np.abs(arrays[k][i]))
            if isinstance(i, list):
                step = step.max(axis=0)
            sides = []
            for sign in (1.0, -1.0):
                moved = list(arrays)
                moved[k] = np.array(arrays[k])
                moved[k][i] = moved[k][i] + sign * step
                sides.append(np.asarray(function(*moved)))
            derivatives.append((sides[0] - sides[1]) / (2.0 * step))
    found = np.array(derivatives).reshape(len(derivatives), *value.shape)
    found[np.abs(found) <= NOISE * np.abs(value)] = 0.0
    return value, found
