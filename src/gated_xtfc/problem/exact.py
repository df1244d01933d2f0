"""Exact solutions, where they are known: for assessment only, the solver never sees them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import arguments_of, parse


def exact_statements(exact: Any) -> tuple[Any, ...]:
    return tuple(exact.values()) if isinstance(exact, Mapping) else (exact,)


def read_exact(
    exact: Any, fields: tuple[str, ...], axis: Axis, parameters: dict[str, float]
) -> dict[str, Callable[[Any], Any]]:
    """{field: function of x}, for the fields whose exact solution is given."""
    if not isinstance(exact, Mapping):
        if len(fields) > 1:
            raise InputError(f"give the exact solution by field, such as {{{fields[0]!r}: ...}}")
        exact = {fields[0]: exact}
    for name in exact:
        if name not in fields:
            raise InputError(f"exact names {quoted(str(name))}, which is not a field: fields are {', '.join(fields)}")
    return {name: _read_one(one, axis, parameters) for name, one in exact.items()}


def _read_one(exact: Any, axis: Axis, parameters: dict[str, float]) -> Callable[[Any], Any]:
    if isinstance(exact, str):
        program = parse(exact, (), parameters.keys(), (axis.name,), "the exact solution")
        if program.fields:
            raise InputError(f"the exact solution {quoted(exact)} must be a function of {axis.name} alone")
        return lambda x: _shaped(program.run({**parameters, axis.name: np.asarray(x, dtype=float)}), x)
    if not callable(exact):
        raise InputError(f"the exact solution must be a text or a function, not {type(exact).__name__}")
    given = {name: parameters[name] for name in arguments_of(exact, "exact") if name in parameters}
    with_parameters = partial(exact, **given)
    return lambda x: _shaped(_silently(with_parameters, np.asarray(x, dtype=float)), x)


def _silently(function: Callable[[Any], Any], x: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(x)


def _shaped(values: Any, x: Any) -> Any:
    return np.broadcast_to(np.asarray(values, dtype=float), np.shape(x)).copy()
