"""What a solve is asked for, looked at before anything is begun."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.discretisation import Gates


def check(
    problem: Problem,
    tol: float,
    continuation: str | None = None,
    max_neurons: int | None = None,
    max_rounds: int = 14,
    max_steps: int = 2_000,
    max_memory: float = 4e9,
    max_seconds: float = math.inf,
) -> None:
    """Refuses numbers and names that cannot be used."""
    if not (isinstance(tol, float | int) and math.isfinite(tol) and 0 < tol < 1):
        below = " below 1" if isinstance(tol, float | int) and tol >= 1 else ""
        raise InputError(f"tol is {tol!r}: give a positive number{below} such as 1e-8")
    if max_neurons is not None and not (isinstance(max_neurons, int) and max_neurons >= 50):
        raise InputError(f"max_neurons is {max_neurons!r}: give a whole number of at least 50")
    if not (isinstance(max_rounds, int) and max_rounds >= 1):
        raise InputError(f"max_rounds is {max_rounds!r}: give a whole number of at least 1")
    if not (isinstance(max_steps, int) and max_steps >= 1):
        raise InputError(f"max_steps is {max_steps!r}: give a whole number of at least 1")
    if isinstance(max_memory, bool) or not (isinstance(max_memory, int | float) and max_memory > 0):
        raise InputError(f"max_memory is {max_memory!r}: give a positive number of bytes such as 4e9")
    if isinstance(max_seconds, bool) or not (isinstance(max_seconds, int | float) and max_seconds > 0):
        raise InputError(f"max_seconds is {max_seconds!r}: give a positive number such as 60")
    if continuation is not None and continuation not in problem.parameters:
        known = ", ".join(problem.parameters) or "none at all"
        raise InputError(f"continuation in {quoted(str(continuation))} is not possible: the parameters are {known}")


def checked_gates(gates: Any, axes: tuple[Axis, ...]) -> Gates | None:
    """Gates of the user's; on a rectangle by the name of the axis, where one left out keeps the predicted ones."""
    if gates is None:
        return None
    if len(axes) == 1:
        return (_axis_gates(gates, axes[0]),)
    names = [axis.name for axis in axes]
    if not isinstance(gates, Mapping):
        raise InputError(f"gates on a rectangle are given by axis, like {{{names[0]!r}: [Layer(0.5, 1e-3)]}}")
    for name in gates:
        if name not in names:
            raise InputError(f"gates names {quoted(str(name))}, which is no coordinate: they are {' and '.join(names)}")
    return tuple(_axis_gates(gates[axis.name], axis) if axis.name in gates else None for axis in axes)


def _axis_gates(gates: Any, axis: Axis) -> tuple[Gate, ...]:
    """Layers inside the domain, and blocks by their places in x."""
    if not isinstance(gates, Iterable):
        raise InputError(f"gates takes a list of Layer(location, thickness) objects, not {quoted(str(gates))}")
    found: list[Gate] = []
    for gate in gates:
        if not isinstance(gate, Layer | Block):
            raise InputError(f"gates takes Layer(location, thickness) objects, not {quoted(str(gate))}")
        numbers = (
            (gate.location, gate.thickness, gate.grading) if isinstance(gate, Layer) else (gate.left_x, gate.right_x)
        )
        if not all(isinstance(number, float | int) and math.isfinite(number) for number in numbers):
            raise InputError(f"the gate {gate} has a value that is not a finite number")
        if isinstance(gate, Layer) and not (gate.thickness > 0 and gate.grading > 0):
            raise InputError(f"the gate {gate} must have a positive thickness and grading")
        places = numbers[:1] if isinstance(gate, Layer) else numbers
        if not all(axis.left <= place <= axis.right for place in places):
            raise InputError(f"the gate {gate} is outside the domain [{axis.left:.6g}, {axis.right:.6g}]")
        found.append(gate)
    return tuple(found)
