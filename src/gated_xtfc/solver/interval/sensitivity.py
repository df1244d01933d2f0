"""What a parameter does to the solution: s = du/dp solves the linearised problem with the parameter's own right side.

    sum_j a_j s^(j) = -dF/dp,    L_k[s] = -dC_k/dp    (F the equation, C_k the conditions, both at u)

The factorisation that gave u gives s as well: one right side more for each parameter. The derivatives on the right come
from dual numbers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.discretise.rows import row_scale
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.language.dual import Dual, Operand, Partials, unknown
from gated_xtfc.language.program import Program
from gated_xtfc.problem.problem import Problem, require_known_ends
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.types import Array

DENSER = 1.3  # the layout on which a sensitivity is found again
MOST_LAYOUTS = 6
MOVED = 1e-6  # relative change of a parameter by which it is seen to move a place
SAMPLES = 801  # places at which two sensitivities are compared


def of_solution(solution: IntervalSolution, name: str) -> tuple[KernelSum, tuple[float, ...]]:
    """du/dp for a parameter, with the estimated error of every field.

    The error is the difference from the same on a coarser layout, and that of the solution. Layouts become denser until
    it is within the tolerance of the solution, relative to the size of du/dp, or grows again.
    """
    problem = solution.problem
    known = problem.parameters
    if name not in known:
        hint = suggestion(str(name), known, f"the parameters are {', '.join(known)}" if known else "it has none at all")
        raise InputError(f"the problem has no parameter {quoted(str(name))}: {hint}")
    require_known_ends(problem, "a sensitivity")
    require_fixed_places(problem, name, "take the difference of two solutions")
    with np.errstate(all="ignore"):
        found, error = _on(solution, solution.function.chart.basis.coordinates, name), np.array([np.inf])
        coordinates = solution.function.chart.basis.coordinates
        for _ in range(MOST_LAYOUTS):
            coordinates = tuple(piece.refined(DENSER) for piece in coordinates)
            denser = _on(solution, coordinates, name)
            x = solution.points(SAMPLES)
            pairs = [(found(f, x, 0), denser(f, x, 0)) for f in range(len(problem.fields))]
            difference = np.array([float(np.abs(a - b).max()) for a, b in pairs])
            sizes = np.array([float(np.abs(b).max()) or 1.0 for _, b in pairs])
            if not np.isfinite(difference).all() or difference.max() > error.max():
                break
            found, error = denser, difference + solution.error * sizes  # what it is linearised about is known so well
            if (difference <= solution.tol * sizes).all():
                break
    return found, tuple(error.tolist())


def require_fixed_places(problem: Problem, name: str, advice: str) -> None:
    """Refuses a parameter that moves an end, a point of a condition or a jump."""
    value = problem.parameters[name]
    if geometry(problem) != geometry(problem(**{name: value * (1.0 + MOVED) or MOVED})):
        raise InputError(f"the parameter {name} moves an end, a point of a condition or a jump: {advice}")


def _on(solution: IntervalSolution, coordinates: AxisCoordinates, name: str) -> KernelSum:
    """du/dp on one layout, the equations linearised about the solution."""
    origin = solution.function.chart.origin
    translation, problem = Translation((origin,)), solution.problem
    there = problem.transformed(translation) if translation else problem
    space = IntervalDiscretisation.to(there, solution.tol)
    layout = space.lay_out((coordinates,))
    start = Start(lambda f, points, orders: solution.function.within(f, points[0], orders[0]), solution.values)
    found = space.fit(layout, space.linearise(layout, space.iterate(layout, start)), solution.tol)
    (weights,) = sensitivities(problem, found, [name], translation)
    return KernelSum(Chart(found.basis, origin), weights, np.zeros_like(weights))


def geometry(problem: Problem) -> tuple[float, ...]:
    """Everything in a problem that has a place: ends, points of conditions, jumps."""
    (axis,) = problem.axes
    points = [term.point for condition in problem.conditions for term in condition.terms]
    points += [point for condition in problem.nonlinear_conditions for _, _, point in condition.places]
    breaks = []
    if problem.linear:
        breaks = [piece.right for piece in IntervalDiscretisation.to(problem, 1e-8).predict(1e-8)[0]]
    return (axis.left, axis.right, *points, *breaks)


def sensitivities(problem: Problem, found: IntervalFit, names: Sequence[str], translation: Translation) -> Array:
    """Kernel weights of du/dp for each of the parameters, (parameters, columns); kernels live in the translated x."""
    seeds = {name: unknown(name, problem.parameters[name]) for name in names}
    there = problem.transformed(translation) if translation else problem
    targets = _equations(there, found, seeds)  # (rows, parameters)
    values = _conditions(problem, found, seeds, translation)  # (functionals, parameters)
    transposed: Array = found.answer(targets, values).T
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
    function = KernelSum(Chart(found.basis, translation.origins[0]), found.free, found.switch)
    constants = dict(zip(problem.unknown, found.constants.tolist(), strict=True))
    laws = [one.law for one in problem.conditions] + [one.law for one in problem.nonlinear_conditions]
    for k, law in enumerate(laws):
        if law is None or not seeds.keys() & law.names:
            continue
        left = law.seeded(seeds).residual(_ConditionState(problem, function, seeds), constants)
        partials: dict[Any, Any] = left.partials if isinstance(left, Dual) else {}
        values[k] = [-float(partials.get(name, 0.0)) for name in seeds]
    return values


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
        env: dict[str, Operand] = {**self.problem.given, **self.seeds, self.problem.axes[0].name: x}
        value = integrand.run(env, state)
        if not isinstance(value, Dual):
            return Dual(float(weights @ (value + 0.0 * x)), {})
        partials: Partials = {name: float(weights @ (p + 0.0 * x)) for name, p in value.partials.items()}
        return Dual(float(weights @ (value.value + 0.0 * x)), partials)
