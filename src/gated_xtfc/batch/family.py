"""A family of problems as functions of its parameters, for arrays of members: operator, conditions and ends.

a2 u'' + a1 u' + a0 u = f on [left, right],    sum of weights (u, u')(left), (u, u')(right) = value, twice
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.expression import Place, evaluate
from gated_xtfc.batch.marks import ArgumentMark, marks_of, watching
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates.probe_lines import SWITCHES
from gated_xtfc.language.parser import parse, parse_condition
from gated_xtfc.language.program import INTEGRAL, Program
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem

Parameters = Mapping[str, Numbers]
INSTEAD = "solve its members one by one, or with sweep"


class Coefficients(NamedTuple):
    """Of u'', u', u, and the source; each as it comes, a number where nothing in it varies."""

    second: Numbers
    first: Numbers
    zeroth: Numbers
    source: Numbers


class Conditions(NamedTuple):
    weights: Numbers  # (2, 4, B): of u(left), u'(left), u(right), u'(right)
    values: Numbers  # (2, B)


@dataclass(frozen=True)
class BatchFamily:
    """One equation of second order in one field, from text, with what its names stand for."""

    problem: Problem  # any member
    names: tuple[str, ...]  # of the parameters that vary
    field: str
    coordinate: str
    program: Program
    ends: tuple[Program | float, Program | float]
    conditions: tuple[Program, Program]
    sides: tuple[tuple[bool, ...], tuple[bool, ...]]  # whether each u(...) in a condition is at the right end
    marks: tuple[ArgumentMark, ...]

    @classmethod
    def of(cls, problem: Problem, over: Sequence[str]) -> "BatchFamily":
        """Refuses what a batch cannot be made of, in a sentence."""
        _refuse(problem)
        for name in over:
            if name not in problem.parameters:
                known = problem.parameters
                told = f"its parameters are {', '.join(known)}" if known else "it has none at all"
                raise InputError(f"the problem has no parameter {quoted(str(name))}: {suggestion(name, known, told)}")
        (axis,), (field,) = problem.axes, problem.fields
        (equation,) = problem.equations
        assert isinstance(equation, TextEquation)
        stated = problem.statement()
        names = problem.parameters.keys()
        left, right = (
            parse(end, parameters=names, coordinates=(), what="the end of the domain") if isinstance(end, str) else end
            for end in stated["domain"][axis.name]
        )
        first, second = (parse_condition(text, (field,), names, (axis.name,)) for text in stated["conditions"])
        sides = _sides(problem, first), _sides(problem, second)
        marks = marks_of(equation.program, axis.name)
        return cls(
            problem, tuple(over), field, axis.name, equation.program, (left, right), (first, second), sides, marks
        )

    @property
    def coupled(self) -> bool:
        """Whether a condition ties both ends together, as periodic ones do."""
        return any(len(set(sides)) > 1 for sides in self.sides) or self.sides[0][0] == self.sides[1][0]

    @property
    def moving_ends(self) -> bool:
        """Whether the domain changes from member to member."""
        return any(isinstance(end, Program) and end.names & set(self.names) for end in self.ends)

    @property
    def varies(self) -> bool:
        """Whether anything in the equation follows the coordinate."""
        return self.coordinate in self.program.names

    @property
    def switches(self) -> bool:
        """Whether it does so by a comparison, or a function with a kink."""
        return any(mark.operation in SWITCHES for mark in self.marks)

    @cached_property
    def turns(self) -> bool:
        """Whether the coefficient of u' follows the coordinate, so that it may change its sign."""
        with jax.enable_x64(True):
            traced = jax.make_jaxpr(lambda x: self.coefficients({}, jnp.zeros(()), x).first)(0.5).jaxpr
        following = set(traced.invars)
        for step in traced.eqns:
            if any(not hasattr(one, "val") and one in following for one in step.invars):
                following.update(step.outvars)
        return any(not hasattr(one, "val") and one in following for one in traced.outvars)

    def env(self, parameters: Parameters) -> dict[str, Any]:
        return {**self.problem.parameters, **parameters}

    def interval(self, parameters: Parameters) -> tuple[Numbers, Numbers]:
        """The two ends, (...) each."""
        env = self.env(parameters)
        left, right = (evaluate(end, env, {}) if isinstance(end, Program) else jnp.asarray(end) for end in self.ends)
        return left, right

    def coefficients(self, parameters: Parameters, anchor: Numbers, offset: Numbers) -> Coefficients:
        """The operator at x = anchor + offset; parameters broadcast against the last axes."""
        env = {**self.env(parameters), self.coordinate: Place(anchor, offset)}

        def residual(value: Numbers, first: Numbers, second: Numbers) -> Numbers:
            state = {(self.field, (j,)): v for j, v in enumerate((value, first, second))}
            return jnp.asarray(evaluate(self.program, env, state), dtype=float)

        zero, one = jnp.zeros(()), jnp.ones(())
        minus_source, linear = jax.linearize(residual, zero, zero, zero)
        zeroth, first, second = (linear(*(one if i == j else zero for i in range(3))) for j in range(3))
        return Coefficients(second, first, zeroth, -minus_source)

    def boundary(self, parameters: Parameters, members: int) -> Conditions:
        """The conditions as rows, of that many members."""
        env = self.env(parameters)
        weights, values = [], []
        for program, sides in zip(self.conditions, self.sides, strict=True):

            def functional(*ends: Numbers, program: Program = program, sides: tuple[bool, ...] = sides) -> Numbers:
                state = {(self.field, (j,), at): ends[2 * at + j] for at in (0, 1) for j in (0, 1)}
                places = iter(sides)
                return jnp.asarray(evaluate(program, env, state, points=lambda _: int(next(places))), dtype=float)

            zero, one = jnp.zeros(()), jnp.ones(())
            constant, linear = jax.linearize(functional, zero, zero, zero, zero)
            weights.append([linear(*(one if i == j else zero for i in range(4))) for j in range(4)])
            values.append(-constant)
        rows = jnp.stack([jnp.stack([jnp.broadcast_to(one, (members,)) for one in row]) for row in weights])
        return Conditions(rows, jnp.stack([jnp.broadcast_to(one, (members,)) for one in values]))

    def arguments(self, parameters: Parameters, x: Numbers) -> dict[ArgumentMark, Numbers]:
        """The arguments that can mark features, at x."""
        seen: dict[ArgumentMark, Numbers] = {}
        state = {(self.field, (j,)): jnp.zeros(()) for j in range(3)}
        env = {**self.env(parameters), self.coordinate: x}
        evaluate(self.program, env, state, watching(self.marks, seen))
        return seen


def _refuse(problem: object) -> None:
    if not isinstance(problem, Problem):
        raise InputError(f"a batch is made of a Problem, not of {type(problem).__name__}")
    what = ""
    if len(problem.axes) > 1:
        what = "one on a rectangle"
    elif len(problem.equations) > 1:
        what = "a system"
    elif problem.unknown:
        what = "one with unknown constants"
    elif not problem.equations[0].is_text:
        what = "one made from a Python function"
    elif problem.transforms:
        what = "one in another coordinate"
    elif next(iter(problem.order.values())) != 2:
        what = f"one of order {next(iter(problem.order.values()))}"
    elif not problem.linear:
        what = "a nonlinear one"
    elif any(code == INTEGRAL for text in problem.statement()["conditions"] for code, _ in _condition(problem, text)):
        what = "one with an integral in its conditions"
    if what:
        raise InputError(
            f"a batch takes one linear equation of second order on an interval, and this problem is {what}: {INSTEAD}"
        )


def _condition(problem: Problem, text: str) -> tuple[Any, ...]:
    (axis,) = problem.axes
    return parse_condition(text, problem.fields, problem.parameters.keys(), (axis.name,)).instructions


def _sides(problem: Problem, program: Program) -> tuple[bool, ...]:
    """At which end each u(...) in a condition stands."""
    (axis,) = problem.axes
    found: list[bool] = []

    def at(point: Any) -> int:
        near = [abs(float(point) - end) <= 1e-12 * max(1.0, axis.length) for end in (axis.left, axis.right)]
        if not any(near):
            raise InputError(
                f"the condition {quoted(program.text)} stands at {float(point):g}, inside the domain, which a batch "
                f"cannot do: {INSTEAD}"
            )
        found.append(near[1])
        return int(near[1])

    zero = jnp.zeros(())
    evaluate(
        program, problem.parameters, {(problem.fields[0], (j,), at): zero for j in (0, 1) for at in (0, 1)}, points=at
    )
    return tuple(found)
