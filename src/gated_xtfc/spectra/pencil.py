"""A problem as a pencil: sum_k lam^k sum_(f, j) a_(k e f j)(x) u_f^(j) = 0, linear in the fields, polynomial in lam.

F(x, u, lam) is linear in u, so F with one derivative set to one and all others to zero is a coefficient, and dual
numbers give its derivative in lam exactly. A complex problem comes as two real ones for u_re and u_im; the real part of
F alone has its coefficients: F(u) = a u has the real part Re a for u = 1, and -Im a for u = i.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.language.dual import Dual, unknown, value_of
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.problem import Problem, require_interval, require_known_ends
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.spectra.conditions import MovingConditions, degree_of, require_linear
from gated_xtfc.types import Array

HIGHEST = 4  # power of the eigenvalue
PROBES = np.array([-1.0, -0.6, 0.3, 1.0, 1.7])  # values at which the powers are told
SAME = 1e-11

Powers = list[list[list[list[Array]]]]  # [power][equation][field][order], each (n,)


@dataclass(frozen=True)
class Pencil:
    """An eigenproblem: the problem with homogeneous conditions alone, and the highest power of its eigenvalue.

    `problem` is what layouts are made for: of a complex one the real parts of its fields, and in any case only those
    conditions that are real and without the eigenvalue; the others are `moving`.
    """

    problem: Problem
    stated: Problem
    degree: int
    normalisation: tuple[str, ...] = ()  # the condition, or its two parts, that fixed the size of the solution
    moving: MovingConditions = field(default_factory=MovingConditions)
    twins: Mapping[str, str] | None = None  # of a complex problem: the imaginary part of each field
    equations: tuple[Equation, ...] = ()  # of a complex problem the real parts

    @property
    def name(self) -> str:
        """What the eigenvalue is called."""
        return self.stated.unknown_stated[0]

    @property
    def is_complex(self) -> bool:
        return self.twins is not None

    @classmethod
    def of(cls, problem: Problem) -> "Pencil":
        """Refuses, in one sentence, a problem that has no eigenvalues to be found."""
        axis = require_interval(problem, "eigenvalues are found of problems")
        require_known_ends(problem, "an eigenproblem")
        if len(problem.unknown_stated) != 1:
            names = ", ".join(problem.unknown_stated)
            given = f"{names} are named" if names else "none is named"
            raise InputError(f'an eigenproblem has one unknown constant, but {given}: state it with unknown="lam"')
        conditions, normalisation = _homogeneous(problem)
        twins = _twins(problem)
        fixed, moving = _sorted(problem, conditions, twins)
        kept = problem.fields if twins is None else tuple(twins)
        found = cls(
            problem.framed(kept, fixed), problem, HIGHEST, normalisation, moving, twins, _equations(problem, twins)
        )
        x = axis.left + axis.length * np.linspace(0.02, 0.98, 49) ** 1.1
        for equation in problem.equations:
            _require_linear(equation, problem, x)
        degree = max(found._power(x), moving.degree)
        if degree == 0:
            raise InputError(
                f"the eigenvalue {found.name} multiplies no field: there is no eigenproblem in "
                f"{quoted(problem.equations[0].text)}"
            )
        return cls(found.problem, problem, degree, normalisation, moving, twins, found.equations)

    def _power(self, x: Array) -> int:
        """The highest power of the eigenvalue in the equations."""
        top = self.slopes(x, PROBES)
        sizes = np.abs(top).max() if top.size else 0.0
        if sizes == 0.0:
            return 0
        for degree in range(1, HIGHEST + 1):
            powers = PROBES[:, None] ** np.arange(degree)
            fitted, *_ = np.linalg.lstsq(powers.astype(top.dtype), top)
            if np.abs(top - powers @ fitted).max() <= SAME * sizes:
                return degree
        raise InputError(
            f"the unknown constant {self.name} must occur as a polynomial of degree {HIGHEST} at the most, as "
            f"lam or lam^2 do, in {quoted(self.stated.equations[0].text)}"
        )

    def lay_out(self, space: IntervalDiscretisation, coordinates: Coordinates, shift: complex) -> IntervalLayout:
        """Kernels with real conditions built in; those of `moving` as they are about the shift, behind the others."""
        layout = space.lay_out(coordinates)
        return self.moving.on(layout, shift.real) if len(self.moving) else layout

    def slopes(self, x: Array, values: Array) -> Array:
        """d a/d lam of all coefficients one after the other, (values, coefficients n)."""
        rows = []
        for value in values.tolist():
            both = self._both(x, value)
            rows.append(np.concatenate([slope for fields in both for jets in fields for _, slope in jets]))
        return np.array(rows)

    def powers(self, x: Array) -> Powers:
        """What multiplies each power of the eigenvalue, at points (n,)."""
        start = self._both(x, 0.0)
        found: Powers = [
            [[[value for value, _ in jets] for jets in fields] for fields in start],
            [[[slope for _, slope in jets] for jets in fields] for fields in start],
        ]
        if self.degree == 1:
            return found
        # the derivative in lam is a polynomial of a lower degree: through its values, divided by the power
        nodes = PROBES[: self.degree - 1]
        rows = [self._both(x, value) for value in nodes.tolist()]
        inverse = np.linalg.inv(nodes[:, None] ** np.arange(1, self.degree))
        for k in range(2, self.degree + 1):
            found.append(
                [
                    [
                        [
                            sum(
                                (inverse[k - 2, i] / k) * (rows[i][e][f][j][1] - start[e][f][j][1])
                                for i in range(nodes.size)
                            )
                            for j in range(len(start[e][f]))
                        ]
                        for f in range(len(start[e]))
                    ]
                    for e in range(len(start))
                ]
            )
        return found

    def _both(self, x: Array, value: float) -> list[list[list[tuple[Array, Array]]]]:
        """Coefficients and their derivatives in the eigenvalue, [equation][field][order]."""
        zero = np.zeros_like(x)
        keys = [(name, (j,)) for name, order in self.stated.order.items() for j in range(order + 1)]
        first, *others = self.stated.unknown
        constants: dict[Any, Any] = {(first,): Dual(value, {(first,): 1.0}), **{(other,): 0.0 for other in others}}

        def coefficient(equation: Equation, name: str, j: int) -> tuple[Array, Array]:
            if (name, (j,)) not in equation.derivatives and equation.is_text:
                return zero, zero
            state = {key: 1.0 if key == (name, (j,)) else 0.0 for key in keys}
            with np.errstate(all="ignore"):
                result = equation.residual((x,), {**state, **constants})
            slope = result.partials.get((first,), 0.0) if isinstance(result, Dual) else 0.0
            return zero + value_of(result), zero + slope

        def whole(equation: Equation, name: str, j: int) -> tuple[Array, Array]:
            real = coefficient(equation, name, j)
            if self.twins is None:
                return real
            minus = coefficient(equation, self.twins[name], j)
            return real[0] - 1j * minus[0], real[1] - 1j * minus[1]

        fields = self.problem.order.items()
        return [
            [[whole(equation, name, j) for j in range(order + 1)] for name, order in fields]
            for equation in self.equations
        ]

    def operator(self, value: complex) -> Operator:
        """The equations at one value of the eigenvalue, about zero: what gates are predicted from."""
        constants = (value.real, value.imag)[: len(self.stated.unknown)]
        return Operator(self.stated, lambda f, points, orders: np.zeros_like(points[0]), constants)


def _twins(problem: Problem) -> dict[str, str] | None:
    """Of a complex problem the field that is the imaginary part of each real part; None of a real one."""
    if not problem.complex_pairs:
        return None
    pairs = dict(problem.complex_pairs.values())
    return {name: pairs[name] for name in problem.fields if name in pairs}


def _equations(problem: Problem, twins: Mapping[str, str] | None) -> tuple[Equation, ...]:
    """Those that tell all coefficients: of a complex problem the real parts."""
    if twins is None:
        return problem.equations
    if len(problem.equations) != 2 * len(twins):
        raise InputError("a complex eigenproblem has derivatives of its fields alone, no integrals in its equations")
    return problem.equations[::2]


def _homogeneous(problem: Problem) -> tuple[list[Condition | NonlinearCondition], tuple[str, ...]]:
    """The conditions without the one that fixes the size of the solution, and that one, in two parts if complex."""
    require_linear(problem.nonlinear_conditions, problem.unknown)
    for condition in problem.conditions:
        if condition.constants:
            raise InputError(
                f"the condition {quoted(condition.text)} has the eigenvalue without a field: the conditions of an "
                "eigenproblem are homogeneous, as u(0) = 0 and u'(1) = lam*u(1) are"
            )
    parts = 2 if problem.complex_pairs else 1
    linear = [problem.conditions[k : k + parts] for k in range(0, len(problem.conditions), parts)]
    uneven = [group for group in linear if any(one.value != 0.0 for one in group)]
    given = len(linear) + len(problem.nonlinear_conditions) // parts
    wanted = sum(problem.order.values()) // parts
    every: list[Condition | NonlinearCondition] = [*problem.conditions, *problem.nonlinear_conditions]
    if given == wanted and not uneven:
        return every, ()
    if given == wanted + 1 and len(uneven) == 1:
        return [one for one in every if one not in uneven[0]], tuple(one.text for one in uneven[0])
    if given == wanted + 1 and not uneven:
        raise InputError(
            f"an equation of order {wanted} has eigenvalues with {wanted} conditions, but {given} are given and "
            "none of them fixes the size of the solution: leave one out"
        )
    raise InputError(
        f"the condition {quoted(uneven[0][0].text)} has a value other than zero: the conditions of an eigenproblem are "
        "homogeneous, as u(0) = 0 is"
    )


def _sorted(
    problem: Problem, conditions: Sequence[Condition | NonlinearCondition], twins: Mapping[str, str] | None
) -> tuple[list[Condition], MovingConditions]:
    """Conditions that are real and without the eigenvalue, and the others; of a complex problem their real parts."""
    linear = [one for one in conditions if isinstance(one, Condition)]
    others = [one for one in conditions if isinstance(one, NonlinearCondition)]
    if twins is not None:
        linear, others = linear[::2], others[::2]
    fixed: list[Condition] = []
    moving: list[Condition] = []
    for one in linear:
        seen = {term.field for term in one.terms} | {name for part in one.integrals for name in part.fields}
        (fixed if twins is None or seen <= set(twins) else moving).append(one)
    found = MovingConditions((*moving, *others), problem.fields, twins, problem.unknown)
    nodes = problem.axes[0].at(np.linspace(0.05, 0.95, 7))
    degree = degree_of(found, HIGHEST, (nodes, np.full(7, 1.0 / 7.0)))
    return fixed, MovingConditions(found.stated, found.fields, twins, found.names, degree)


def _require_linear(equation: Equation, problem: Problem, x: Array) -> None:
    """Linear in the fields for a given eigenvalue, and without a source."""
    state = {
        (name, (j,)): unknown((name, (j,)), 1.7) for name, order in problem.order.items() for j in range(order + 1)
    }
    constants = {(name,): 0.7 - 0.4 * k for k, name in enumerate(problem.unknown)}
    result = equation.residual((x,), {**state, **constants})
    shown = quoted(equation.text)
    if isinstance(result, Dual) and result.nonlinear:
        raise InputError(
            f"the equation {shown} is not linear in its fields, so it has no eigenvalues: give its solutions to "
            "solve or branch"
        )
    still = dict.fromkeys(state, 0.0)
    source = np.asarray(value_of(equation.residual((x,), {**still, **constants})))
    if np.any(source[np.isfinite(source)] != 0.0):
        raise InputError(f"the equation {shown} has a term without a field: an eigenproblem is homogeneous")
