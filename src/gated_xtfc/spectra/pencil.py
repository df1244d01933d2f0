"""A problem as a pencil: sum_k lam^k sum_(f, j) a_(k e f j)(x) u_f^(j) = 0, linear in the fields, polynomial in lam.

F(x, u, lam) is linear in u, so F with one derivative set to one and all others to zero is a coefficient, and dual
numbers give its derivative in lam exactly.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, unknown, value_of
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.types import Array

HIGHEST = 4  # power of the eigenvalue
PROBES = np.array([-1.0, -0.6, 0.3, 1.0, 1.7])  # values at which the powers are told
SAME = 1e-11

Powers = list[list[list[list[Array]]]]  # [power][equation][field][order], each (n,)


@dataclass(frozen=True)
class Pencil:
    """An eigenproblem: the problem with homogeneous conditions alone, and the highest power of its eigenvalue."""

    problem: Problem
    degree: int
    normalisation: str = ""  # the condition that fixed the size of the solution, where one was stated

    @property
    def name(self) -> str:
        """What the eigenvalue is called."""
        return self.problem.unknown[0]

    @classmethod
    def of(cls, problem: Problem) -> "Pencil":
        """Refuses, in one sentence, a problem that has no eigenvalues to be found."""
        axis = require_interval(problem, "eigenvalues are found of problems")
        if len(problem.unknown) != 1:
            given = "none is named" if not problem.unknown else f"{', '.join(problem.unknown)} are named"
            raise InputError(f'an eigenproblem has one unknown constant, but {given}: state it with unknown="lam"')
        plain, normalisation = _homogeneous(problem)
        x = axis.left + axis.length * np.linspace(0.02, 0.98, 49) ** 1.1
        for equation in plain.equations:
            _require_linear(equation, plain, x)
        found = cls(plain, 1, normalisation)
        top = found.slopes(x, PROBES)
        sizes = np.abs(top).max() if top.size else 0.0
        for degree in range(1, HIGHEST + 1):
            fitted = np.polynomial.polynomial.polyfit(PROBES, top, degree - 1)
            missed = top - np.polynomial.polynomial.polyval(PROBES, fitted).T
            if np.abs(missed).max() <= SAME * sizes:
                if sizes == 0.0:
                    raise InputError(
                        f"the eigenvalue {plain.unknown[0]} multiplies no field: there is no eigenproblem in "
                        f"{quoted(plain.equations[0].text)}"
                    )
                return cls(plain, degree, normalisation)
        raise InputError(
            f"the unknown constant {plain.unknown[0]} must occur as a polynomial of degree {HIGHEST} at the most, as "
            f"lam or lam^2 do, in {quoted(plain.equations[0].text)}"
        )

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
        problem, zero = self.problem, np.zeros_like(x)
        seed = Dual(value, {(self.name,): 1.0})
        keys = [(field, (j,)) for field, order in problem.order.items() for j in range(order + 1)]
        found = []
        for equation in problem.equations:
            own = []
            for field, order in problem.order.items():
                jets = []
                for j in range(order + 1):
                    if (field, (j,)) not in equation.derivatives and equation.is_text:
                        jets.append((zero, zero))
                        continue
                    state = {key: 1.0 if key == (field, (j,)) else 0.0 for key in keys}
                    with np.errstate(all="ignore"):
                        result = equation.residual((x,), {**state, (self.name,): seed})
                    slope = result.partials.get((self.name,), 0.0) if isinstance(result, Dual) else 0.0
                    jets.append((zero + value_of(result), zero + slope))
                own.append(jets)
            found.append(own)
        return found

    def operator(self, value: float) -> Operator:
        """The equations at one value of the eigenvalue, about zero: what gates are predicted from."""
        return Operator(self.problem, lambda f, points, orders: np.zeros_like(points[0]), (value,))


def _homogeneous(problem: Problem) -> tuple[Problem, str]:
    """The problem without the condition that fixes the size of its solution, and that condition."""
    if problem.nonlinear_conditions:
        raise InputError(
            f"the condition {quoted(problem.nonlinear_conditions[0].text)} is not linear, or has the eigenvalue in it: "
            "the conditions of an eigenproblem are linear and homogeneous, as u(0) = 0 is"
        )
    texts = [condition.text for condition in problem.conditions]
    uneven = [condition.text for condition in problem.conditions if condition.value != 0.0]
    wanted = sum(problem.order.values())
    if len(texts) == wanted and not uneven:
        return problem, ""
    if len(texts) == wanted + 1 and len(uneven) == 1:
        return problem.with_conditions([text for text in texts if text != uneven[0]]), uneven[0]
    if len(texts) == wanted + 1 and not uneven:
        raise InputError(
            f"an equation of order {wanted} has eigenvalues with {wanted} conditions, but {len(texts)} are given and "
            "none of them fixes the size of the solution: leave one out"
        )
    raise InputError(
        f"the condition {quoted(uneven[0])} has a value other than zero: the conditions of an eigenproblem are "
        "homogeneous, as u(0) = 0 is"
    )


def _require_linear(equation: Equation, problem: Problem, x: Array) -> None:
    """Linear in the fields for a given eigenvalue, and without a source."""
    state = {
        (field, (j,)): unknown((field, (j,)), 1.7) for field, order in problem.order.items() for j in range(order + 1)
    }
    result = equation.residual((x,), {**state, (problem.unknown[0],): 0.7})
    shown = quoted(equation.text)
    if isinstance(result, Dual) and result.nonlinear:
        raise InputError(
            f"the equation {shown} is not linear in its fields, so it has no eigenvalues: give its solutions to "
            "solve or branch"
        )
    still = dict.fromkeys(state, 0.0)
    source = np.asarray(value_of(equation.residual((x,), {**still, (problem.unknown[0],): 0.7})))
    if np.any(source[np.isfinite(source)] != 0.0):
        raise InputError(f"the equation {shown} has a term without a field: an eigenproblem is homogeneous")
