"""What a parameter does to the solution: s = du/dp solves the linearised problem with the parameter's own right side.

    sum_j a_j s^(j) = -dF/dp,    L_k[s] = -dC_k/dp    (F the equation, C_k the conditions, both at u)

The factorisation that gave u gives s as well: one right side more for each parameter. The derivatives on the right come
from dual numbers.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from gated_xtfc.discretise.functionals import quadrature
from gated_xtfc.discretise.rows import row_scale
from gated_xtfc.language.field import Dual, unknown
from gated_xtfc.linalg.dense_columns import Widened
from gated_xtfc.linalg.dense_constraints import Bordered
from gated_xtfc.problem.equation import Program, parse_condition
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.interval.fit import Factor, Fit, columns
from gated_xtfc.types import Array


def sensitivities(problem: Problem, found: Fit, names: Sequence[str], origin: float = 0.0) -> Array:
    """Kernel weights of du/dp for each of the parameters, (parameters, columns); the kernels live in x - origin."""
    seeds = {name: unknown(name, problem.parameters[name]) for name in names}
    targets = _equations(problem, found, seeds, origin)  # (rows, parameters)
    values = _conditions(problem, found, seeds, origin)  # (functionals, parameters)
    trial, frame = found.layout.trial, found.frame
    supports = trial.switch @ values  # (q, parameters) kernels that meet the conditions' part
    inner = _homogeneous(found.factor).solve(targets - columns(found.rows, trial.pivots) @ supports)
    inner = inner[: inner.shape[0] - found.constants.size]
    weights = np.zeros((found.layout.functionals.size, len(names)))
    weights[frame.free] = inner
    weights[frame.pivots] = -frame.couple @ inner
    weights[trial.pivots] += supports
    transposed: Array = weights.T
    return transposed


def _equations(problem: Problem, found: Fit, seeds: dict[str, Dual], origin: float) -> Array:
    """-dF/dp at the sites, in the scale of the rows."""
    rows, at = found.rows, found.layout.at
    state: dict[Any, Any] = {}
    for field, jets in zip(problem.fields, found.jets(), strict=True):
        for j, values in enumerate(jets):
            state[field, j] = Dual(values[at], {(field, j): 1.0})
    for name, value in zip(problem.unknown, found.constants.tolist(), strict=True):
        state[(name,)] = Dual(value, {(name,): 1.0})
    targets = np.zeros((rows.x.size, rows.equations, len(seeds)))
    zero = np.zeros_like(rows.x)
    for e, equation in enumerate(problem.equations):
        residual = equation.seeded(seeds).residual(rows.x + origin, state)
        partials: dict[Any, Any] = residual.partials if isinstance(residual, Dual) else {}
        fields = [
            [zero + partials.get((field, j), 0.0) for j in range(order + 1)] for field, order in problem.order.items()
        ]
        scale = row_scale(fields, rows.view.jets[1])
        for k, name in enumerate(seeds):
            targets[:, e, k] = -(zero + partials.get(name, 0.0)) / scale
    return targets.reshape(-1, len(seeds))


def _conditions(problem: Problem, found: Fit, seeds: dict[str, Dual], origin: float) -> Array:
    """-dC/dp of every condition at the solution; zero for the joints."""
    values = np.zeros((found.layout.trial.switch.shape[1], len(seeds)))
    axis, fields = problem.axis.name, tuple(problem.fields)
    for k, condition in enumerate(problem.conditions):
        program = _program(condition.text, fields, tuple(problem.parameters), axis)
        integrands = [argument for _, argument in program.instructions if isinstance(argument, Program)]
        if not any(seeds.keys() & one.names for one in (program, *integrands)):
            continue
        left = program.run({**problem.parameters, **seeds}, _Seen(problem, found, seeds, origin))
        partials: dict[Any, Any] = left.partials if isinstance(left, Dual) else {}
        values[k] = [-float(partials.get(name, 0.0)) for name in seeds]
    return values


@lru_cache(maxsize=64)
def _program(text: str, fields: tuple[str, ...], parameters: tuple[str, ...], axis: str) -> Program:
    return parse_condition(text, fields, parameters, (axis,))


class _Seen(dict[Any, Any]):
    """What a condition sees of the solution: fields at points, and integrals with their dependence on the seeds."""

    def __init__(self, problem: Problem, found: Fit, seeds: dict[str, Dual], origin: float) -> None:
        self.problem, self.found, self.seeds, self.origin = problem, found, seeds, origin

    def __missing__(self, key: Any) -> Any:
        if key[0] == "integral":
            return self._integral(key[1])
        field, order, point = key
        place = np.clip(np.array([point - self.origin]), self.found.pieces.left, self.found.pieces.right)
        return float(self._field(field, order, place)[0])

    def _field(self, field: str, order: int, points: Array) -> Array:
        f, count = self.problem.fields.index(field), len(self.problem.fields)
        return self.found.pieces.evaluate(points, order, self.found.free[f::count], self.found.switch[f::count])

    def _integral(self, integrand: Program) -> Dual:
        x, weights = quadrature(self.found.pieces)
        state = {(name, j): self._field(name, j, x) for name, most in integrand.fields.items() for j in range(most + 1)}
        env = {**self.problem.parameters, **self.seeds, self.problem.axis.name: x + self.origin}
        value = integrand.run(env, state)
        if not isinstance(value, Dual):
            return Dual(float(weights @ (value + 0.0 * x)), {})
        partials = {name: float(weights @ (p + 0.0 * x)) for name, p in value.partials.items()}
        return Dual(float(weights @ (value.value + 0.0 * x)), partials)


def _homogeneous(factor: Factor) -> Factor:
    """The factorisation with the values of distant conditions set to zero."""
    if isinstance(factor, Bordered):
        return replace(factor, values=np.zeros_like(factor.values))
    if isinstance(factor, Widened) and isinstance(factor.base, Bordered):
        return replace(factor, base=replace(factor.base, values=np.zeros_like(factor.base.values)))
    return factor
