"""Exact solutions, where they are known: for assessment only, the solver never sees them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse, require_shallow
from gated_xtfc.problem.equation import arguments_of
from gated_xtfc.types import Array, Number

Exact = Callable[..., Array]  # of the coordinates, which broadcast


def exact_statements(exact: object) -> tuple[object, ...]:
    """What was given as exact, one for each field where it was given by field."""
    return tuple(exact.values()) if isinstance(exact, Mapping) else (exact,)


def read_exact(
    exact: object, fields: tuple[str, ...], coordinates: Sequence[str], parameters: Mapping[str, float]
) -> dict[str, Exact]:
    """{field: function of the coordinates}, for the fields whose exact solution is given."""
    if not isinstance(exact, Mapping):
        if len(fields) > 1:
            raise InputError(f"give the exact solution by field, such as {{{fields[0]!r}: ...}}")
        exact = {fields[0]: exact}
    for name in exact:
        if name not in fields:
            raise InputError(f"exact names {quoted(str(name))}, which is not a field: fields are {', '.join(fields)}")
    return {name: _read_one(one, coordinates, parameters) for name, one in exact.items()}


def _read_one(exact: object, coordinates: Sequence[str], parameters: Mapping[str, float]) -> Exact:
    if isinstance(exact, str):
        program = require_shallow(parse(exact, (), parameters, coordinates, "the exact solution"))
        if program.fields:
            known = " and ".join(coordinates)
            raise InputError(f"the exact solution {quoted(exact)} must be a function of {known} alone")

        def run(*places: Number, **given: float) -> Number:
            return program.value({**given, **dict(zip(coordinates, places, strict=True))})

        return ExactFunction(run, dict(parameters))
    if not callable(exact):
        raise InputError(f"the exact solution must be a text or a function, not {type(exact).__name__}")
    given = {name: parameters[name] for name in arguments_of(exact, "exact") if name in parameters}
    return ExactFunction(exact, given)


@dataclass(frozen=True)
class ExactFunction:
    """An exact solution with the parameters that it takes; coordinates broadcast."""

    function: Callable[..., Number]
    parameters: Mapping[str, float]

    def __call__(self, *at: ArrayLike) -> Array:
        places = [np.asarray(place, dtype=float) for place in at]
        with np.errstate(all="ignore"):
            values = np.asarray(self.function(*places, **self.parameters), dtype=float)
        return np.broadcast_to(values, np.broadcast_shapes(*(place.shape for place in places))).copy()


def with_parameters(exacts: Mapping[str, Exact], parameters: Mapping[str, float]) -> dict[str, Exact]:
    """Those of another member of the family, where they are functions of its parameters."""
    found = dict(exacts)
    for name, one in exacts.items():
        if isinstance(one, ExactFunction):
            own = {key: value for key, value in parameters.items() if key in one.parameters}
            found[name] = replace(one, parameters={**one.parameters, **own})
    return found
