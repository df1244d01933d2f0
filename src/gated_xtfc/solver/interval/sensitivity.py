"""What a parameter does to the solution: s = du/dp solves the linearised problem with the parameter's own right side.

    sum_j a_j s^(j) = -dF/dp,    L_k[s] = -dC_k/dp    (F the equation, C_k the conditions, both at u)

The factorisation that gave u gives s as well: one right side more for each parameter. The derivatives on the right come
from dual numbers.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.discretise.rows import row_scale
from gated_xtfc.language.dual import Dual, Operand, Partials, unknown
from gated_xtfc.language.parser import parse_condition
from gated_xtfc.language.program import Program
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.interval.fit import IntervalFit, columns
from gated_xtfc.types import Array


def sensitivities(problem: Problem, found: IntervalFit, names: Sequence[str], translation: Translation) -> Array:
    """Kernel weights of du/dp for each of the parameters, (parameters, columns); kernels live in the translated x."""
    seeds = {name: unknown(name, problem.parameters[name]) for name in names}
    there = problem.transformed(translation) if translation else problem
    targets = _equations(there, found, seeds)  # (rows, parameters)
    values = _conditions(problem, found, seeds, translation)  # (functionals, parameters)
    trial, frame = found.layout.trial, found.factor_trial
    supports = trial.switch @ values  # (q, parameters) kernels that meet the conditions' part
    inner = found.factor.homogeneous(targets - columns(found.rows, trial.pivots) @ supports)
    inner = inner[: inner.shape[0] - found.constants.size]
    weights = np.zeros((found.layout.functionals.size, len(names)))
    weights[frame.free] = inner
    weights[frame.pivots] = -frame.couple @ inner
    weights[trial.pivots] += supports
    transposed: Array = weights.T
    return transposed


def _equations(problem: Problem, found: IntervalFit, seeds: dict[str, Dual]) -> Array:
    """-dF/dp at the sites, in the scale of the rows."""
    rows, at = found.rows, found.layout.site_indices
    state: dict[Any, Any] = {}
    for field, jets in zip(problem.fields, found.iterate.jets, strict=True):
        for orders, values in jets.items():
            state[field, orders] = Dual(values[at], {(field, orders): 1.0})
    for name, value in zip(problem.unknown, found.constants.tolist(), strict=True):
        state[(name,)] = Dual(value, {(name,): 1.0})
    targets = np.zeros((rows.x.size, rows.equations, len(seeds)))
    zero = np.zeros_like(rows.x)
    for e, equation in enumerate(problem.equations):
        residual = equation.seeded(seeds).residual((rows.x,), state)
        partials: dict[Any, Any] = residual.partials if isinstance(residual, Dual) else {}
        fields = [
            [zero + partials.get((field, (j,)), 0.0) for j in range(order + 1)]
            for field, order in problem.order.items()
        ]
        scale = row_scale(fields, rows.window.jets[1])
        for k, name in enumerate(seeds):
            targets[:, e, k] = -(zero + partials.get(name, 0.0)) / scale
    return targets.reshape(-1, len(seeds))


def _conditions(problem: Problem, found: IntervalFit, seeds: dict[str, Dual], translation: Translation) -> Array:
    """-dC/dp of every condition at the solution; zero for the joints."""
    values = np.zeros((found.layout.trial.switch.shape[1], len(seeds)))
    (axis,) = problem.domain.coordinates
    function = KernelSum(Chart(found.basis, translation.origins[0]), found.free, found.switch)
    for k, condition in enumerate(problem.conditions):
        program = _program(condition.text, problem.fields, tuple(problem.parameters), axis)
        integrands = [argument for _, argument in program.instructions if isinstance(argument, Program)]
        if not any(seeds.keys() & one.names for one in (program, *integrands)):
            continue
        left = program.run({**problem.parameters, **seeds}, _ConditionState(problem, function, seeds))
        partials: dict[Any, Any] = left.partials if isinstance(left, Dual) else {}
        values[k] = [-float(partials.get(name, 0.0)) for name in seeds]
    return values


@lru_cache(maxsize=64)
def _program(text: str, fields: tuple[str, ...], parameters: tuple[str, ...], axis: str) -> Program:
    return parse_condition(text, fields, parameters, (axis,))


class _ConditionState(dict[Any, Any]):
    """What a condition asks of the solution: fields at points, and integrals with their dependence on the seeds."""

    def __init__(self, problem: Problem, function: KernelSum, seeds: dict[str, Dual]) -> None:
        self.problem, self.function, self.seeds = problem, function, seeds

    def __missing__(self, key: Any) -> Any:
        if key[0] == "integral":
            return self._integral(key[1])
        field, (order,), point = key
        return float(self.function(self.problem.fields.index(field), np.array([point]), order)[0])

    def _integral(self, integrand: Program) -> Dual:
        x, weights = self.function.chart.quadrature()
        state = {(n, o): self.function(self.problem.fields.index(n), x, o[0]) for n, o in integrand.derivatives}
        env: dict[str, Operand] = {**self.problem.parameters, **self.seeds, self.problem.axes[0].name: x}
        value = integrand.run(env, state)
        if not isinstance(value, Dual):
            return Dual(float(weights @ (value + 0.0 * x)), {})
        partials: Partials = {name: float(weights @ (p + 0.0 * x)) for name, p in value.partials.items()}
        return Dual(float(weights @ (value.value + 0.0 * x)), partials)
