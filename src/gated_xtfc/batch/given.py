"""The arrays that a batch is called with, checked."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.types import Array


def checked_values(
    names: Collection[str], parameters: Mapping[str, ArrayLike], inner: Callable[[str], int] = lambda _: 0
) -> dict[str, Array]:
    """Arrays of as many members each; `inner` says how many dimensions one member's value has."""
    if not parameters:
        first = next(iter(names))
        raise InputError(f"give values to {', '.join(names)}, as in batch({first}=array)")
    given: dict[str, Array] = {}
    for name, value in parameters.items():
        require_known(name, names)
        try:
            given[name] = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"the values of {name} must be numbers, not {quoted(str(value))}") from None
        if given[name].ndim > 1 + inner(name) or given[name].ndim < inner(name):
            wanted = "two dimensions, members first" if inner(name) else "one dimension"
            raise InputError(f"the values of {name} have the shape {given[name].shape}: give {wanted}")
        if not np.isfinite(given[name]).all():
            raise InputError(f"the values of {name} contain NaN or infinity: give finite numbers")
    several = {name: values for name, values in given.items() if values.ndim > inner(name)}
    count = {values.shape[0] for values in several.values()}
    if len(count) > 1 or 0 in count:
        told = ", ".join(f"{values.shape[0]} of {name}" for name, values in several.items())
        raise InputError(f"there are {told}: give as many values of each, or one for all")
    number = count.pop() if count else 1
    shapes = {name: (number, *values.shape[values.ndim - inner(name) :]) for name, values in given.items()}
    return {name: np.ascontiguousarray(np.broadcast_to(given[name], shapes[name])) for name in given}


def require_known(name: str, names: Collection[str]) -> None:
    """Refuses a parameter that does not vary."""
    if name not in names:
        raise InputError(f"the batch varies {', '.join(names)}, not {quoted(name)}: name it in over")


def names_of(over: object) -> tuple[str, ...]:
    """The parameters that vary."""
    if isinstance(over, str):
        over = [over]
    if not isinstance(over, Sequence | Mapping) or not over or not all(isinstance(name, str) for name in over):
        raise InputError(f'a batch goes over parameters, named like over=["nu"], not over={over!r}')
    return tuple(over)
