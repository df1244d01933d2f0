"""What a parameter does to a solution on elements: s = du/dp by the compiled core, one more fit for each parameter.

    sum_j a_j s^(j) = -dF/dp     (F the equations, linear in u)

The derivative on the right is that of the program of the equation with the parameter as one more seed. Parameters that
conditions or ends depend on are left to kernels (`sensitivity.py`).
"""

from array import array
from collections.abc import Sequence

from gated_xtfc.language.bytecode import bytecode
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.interval.element_fit import ElementFit, slopes_of
from gated_xtfc.types import Array


def element_sensitivities(problem: Problem, fit: ElementFit, names: Sequence[str]) -> Array | None:
    """The factors of shape functions of du/dp for each of the parameters, (parameters, K, F, p + 1).

    None where the compiled core does not know the equations, or they are not finite.
    """
    programs = _programs(problem, tuple(names))
    values = array("d", [problem.parameters[name] for name in names])
    return None if programs is None else slopes_of(fit, programs, values)


def _programs(problem: Problem, names: tuple[str, ...]) -> tuple[tuple[object, Array, object], ...] | None:
    """Every equation with these parameters as seeds, and the values of the others."""
    found, order = [], tuple(problem.order.items())
    for equation in problem.equations:
        if not isinstance(equation, TextEquation):
            return None
        code = bytecode(equation.program, problem.axes[0].name, order, names)
        values = None if code is None else code.values(equation.parameters)
        if code is None or values is None:
            return None
        found.append((code.codes, code.numbers, values))
    return tuple(found)
