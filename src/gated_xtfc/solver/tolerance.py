"""What error is allowed: rtol max|u| + atol of every field, so that the answer does not depend on units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.problem import Problem


@dataclass(frozen=True)
class Tolerance:
    """The error allowed in every field, as one number and what it is relative to."""

    tol: float
    factors: tuple[float, ...]  # rtol of every field over tol
    floors: tuple[float, ...]  # atol of every field over tol

    @classmethod
    def of(cls, problem: Problem, rtol: Any, atol: Any) -> "Tolerance":
        """From numbers, or numbers by field; a field that is left out has the default."""
        relative = _by_field("rtol", rtol, problem, 1e-8)
        absolute = _by_field("atol", atol, problem, 0.0)
        if not min(relative) > 0.0:
            raise InputError(f"rtol is {rtol!r}: give a positive number such as 1e-8; atol may be zero")
        tol = min(relative)
        return cls(tol, tuple(r / tol for r in relative), tuple(a / tol for a in absolute))

    def scales(self, sizes: Sequence[float]) -> tuple[float, ...]:
        """What errors are relative to, from the size of every field."""
        return tuple(f * size + floor for f, size, floor in zip(self.factors, sizes, self.floors, strict=True))


def _by_field(name: str, given: Any, problem: Problem, default: float) -> list[float]:
    numbers = given if isinstance(given, Mapping) else dict.fromkeys(problem.fields, given)
    for field in numbers:
        if field not in problem.fields:
            fields = " and ".join(problem.fields)
            raise InputError(f"{name} names {quoted(str(field))}, which is no field of the problem: it has {fields}")
    for value in numbers.values():
        good = isinstance(value, float | int | np.floating) and not isinstance(value, bool)
        if not good or not np.isfinite(value) or value < 0.0:
            raise InputError(f"{name} is {value!r}: give a number such as 1e-8, or numbers by the name of the field")
    # what was made for the problem's own sake is no stricter than what was stated
    made = max([float(numbers.get(field, default)) for field in problem.fields if field not in problem.auxiliary])
    return [float(numbers.get(field, made if field in problem.auxiliary else default)) for field in problem.fields]
