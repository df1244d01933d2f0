"""A family of problems as functions of its parameters, for arrays of members: equations, conditions and ends.

F(x, u, u', ...) = 0 on [left, right],    weights of the states (u, u', ...) at both ends = values

One linear equation of second order is also known by its coefficients, a2 u'' + a1 u' + a0 u = f.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.expression import Place, evaluate, known
from gated_xtfc.batch.lookup import Lookup, joints
from gated_xtfc.batch.marks import ArgumentMark, marks_of, watching
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates.probe_lines import SWITCHES
from gated_xtfc.language.parser import parse, parse_condition
from gated_xtfc.language.program import INTEGRAL, Program
from gated_xtfc.problem.equation import TextEquation, arguments_of, name_of
from gated_xtfc.problem.problem import Problem

Parameters = Mapping[str, Numbers]
INSTEAD = "solve its members one by one, or with sweep"
MOST_STATES = 8  # orders of all fields together
MOST_JOINTS = 256  # places at which elements are cut for the sake of tables
SAME = 1e-12  # of the domain: joints so close are one


class Coefficients(NamedTuple):
    """Of u'', u', u, and the source; each as it comes, a number where nothing in it varies."""

    second: Numbers
    first: Numbers
    zeroth: Numbers
    source: Numbers


class Conditions(NamedTuple):
    weights: Numbers  # (M, 2M, B): of u, u', ... of every field at the left end, and at the right one
    values: Numbers  # (M, B)


Source = Callable[..., Any]  # of x, one number, and of parameters by their names


@dataclass(frozen=True)
class ArrayFamily:
    """Equations on an interval, from text, with what their names stand for."""

    problem: Problem  # any member
    names: tuple[str, ...]  # of the parameters that vary
    coordinate: str
    programs: tuple[Program, ...]  # of the equations
    ends: tuple[Program | float, Program | float]
    conditions: tuple[Program, ...]
    sides: tuple[tuple[bool, ...], ...]  # whether each u(...) in a condition is at the right end
    marks: tuple[ArgumentMark, ...]
    source: Source | None = None  # what is added to the right side of the one equation

    @classmethod
    def of(cls, problem: Problem, over: Sequence[str], source: Source | None = None) -> "ArrayFamily":
        """Refuses what a batch cannot be made of, in a sentence."""
        _refuse(problem, source)
        own = _arguments(problem, source)
        given = problem.given
        for name in over:
            if name not in given and name not in own:
                told = f"its parameters are {', '.join(given)}" if given else "it has none at all"
                raise InputError(f"the problem has no parameter {quoted(str(name))}: {suggestion(name, given, told)}")
        for name in own:
            if name in problem.tables:
                raise InputError(f"the source takes {quoted(name)}, which is a table: add it in the text")
            if name not in given and name not in over:
                raise InputError(f"the source takes {quoted(name)}, which has no value: name it in over")
        (axis,) = problem.axes
        stated = problem.statement()
        names = problem.parameters.keys()
        left, right = (
            parse(end, parameters=names, coordinates=(), what="the end of the domain") if isinstance(end, str) else end
            for end in stated["domain"][axis.name]
        )
        programs = tuple(one.program for one in problem.equations if isinstance(one, TextEquation))
        conditions = tuple(parse_condition(one, problem.fields, given, (axis.name,)) for one in stated["conditions"])
        sides = tuple(_sides(problem, one) for one in conditions)
        marks = tuple(mark for number, program in enumerate(programs) for mark in marks_of(program, axis.name, number))
        found = cls(problem, tuple(over), axis.name, programs, (left, right), conditions, sides, marks, source)
        found._refuse_tables()
        return found

    def _refuse_tables(self) -> None:
        (axis,) = self.problem.axes
        what = ""
        if not self.problem.tables:
            return
        if self.moving_ends:
            what = "with tables on a domain that varies"
        elif len(self.joints) > MOST_JOINTS:
            what = f"with tables of {len(self.joints)} rough places, more than {MOST_JOINTS}"
        if what:
            raise InputError(f"a batch takes no problems {what}: {INSTEAD}")
        for table in self.problem.tables.values():
            table.require_inside(np.array([axis.left, axis.right]))

    @property
    def fields(self) -> tuple[str, ...]:
        return self.problem.fields

    @property
    def orders(self) -> tuple[int, ...]:
        """That of every field."""
        return tuple(self.problem.order[field] for field in self.fields)

    @property
    def linear(self) -> bool:
        return self.problem.linear

    @cached_property
    def bare(self) -> "ArrayFamily":
        """The same without a source of its own, for what does not depend on it."""
        return replace(self, source=None)

    @property
    def own(self) -> tuple[str, ...]:
        """Parameters that only the source has: of each member a list of numbers."""
        return tuple(name for name in self.names if name not in self.problem.given)

    @property
    def lists(self) -> tuple[str, ...]:
        """Of what varies, that which is a list of numbers of each member: these, and values of tables."""
        return tuple(name for name in self.names if name not in self.problem.parameters)

    @cached_property
    def joints(self) -> tuple[float, ...]:
        """Where pieces of tables join inside of the domain, and some member may be rough, from left to right."""
        (axis,) = self.problem.axes
        apart, found = SAME * axis.length, [axis.left]
        of_all = {at for name, table in self.problem.tables.items() for at in joints(table, name in self.names)}
        for at in sorted(of_all):
            if found[-1] + apart < at < axis.right - apart:
                found.append(at)
        return tuple(found[1:])

    def member(self, values: Mapping[str, Any]) -> Problem:
        """The problem that one member is, with numbers of its own for what varies; not what its source takes."""
        tables = self.problem.tables
        found = self.problem(**{name: float(one) for name, one in values.items() if name in self.problem.parameters})
        own = {
            name: replace(tables[name], y=tuple(np.asarray(one).tolist())).to_dict()
            for name, one in values.items()
            if name in tables
        }
        if not own:
            return found
        stated = found.statement()
        return Problem.from_dict({**stated, "tables": {**stated["tables"], **own}})

    @property
    def plain(self) -> bool:
        """Whether it is one linear equation of second order, which has a quicker way of its own."""
        return self.linear and self.orders == (2,)

    @property
    def condensed(self) -> bool:
        """Whether it is one equation of second order, for which elements have integral equations of their own."""
        return self.orders == (2,)

    @property
    def jets(self) -> tuple[tuple[int, int], ...]:
        """Field and order of everything that equations are made of, one field after the other."""
        return tuple((f, j) for f, order in enumerate(self.orders) for j in range(order + 1))

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
        return self.source is not None or any(self.coordinate in program.names for program in self.programs)

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
        tables = {name: Lookup(one, parameters.get(name)) for name, one in self.problem.tables.items()}
        return {**self.problem.parameters, **parameters, **tables}

    def interval(self, parameters: Parameters) -> tuple[Numbers, Numbers]:
        """The two ends, (...) each."""
        env = self.env(parameters)
        left, right = (evaluate(end, env, {}) if isinstance(end, Program) else jnp.asarray(end) for end in self.ends)
        return left, right

    def residual(
        self, parameters: Parameters, anchor: Numbers, offset: Numbers, jets: Sequence[Numbers]
    ) -> tuple[Numbers, ...]:
        """Left minus right of every equation at x = anchor + offset; parameters broadcast against the last axes."""
        env = {**self.env(parameters), self.coordinate: Place(anchor, offset)}
        state = {(self.fields[f], (j,)): one for (f, j), one in zip(self.jets, jets, strict=True)}
        found = tuple(jnp.asarray(evaluate(program, env, state), dtype=float) for program in self.programs)
        return found if self.source is None else (found[0] - self._sourced(parameters, anchor + offset),)

    def linearised(
        self, parameters: Parameters, anchor: Numbers, offset: Numbers, jets: Sequence[Numbers]
    ) -> tuple[tuple[Numbers, ...], tuple[tuple[Numbers, ...], ...]]:
        """Residuals, and for everything in `jets` the partial derivatives of all equations; each as it comes."""
        found = self.residual(parameters, anchor, offset, jets)
        partials = []
        for number, own in enumerate(jets):

            def along(one: Numbers, number: int = number) -> tuple[Numbers, ...]:
                return self.residual(parameters, anchor, offset, [*jets[:number], one, *jets[number + 1 :]])

            partials.append(jax.jvp(along, (own,), (jnp.ones_like(own),))[1])
        return found, tuple(partials)

    def coefficients(self, parameters: Parameters, anchor: Numbers, offset: Numbers) -> Coefficients:
        """The operator of one linear equation of second order."""
        zero = [jnp.zeros(())] * 3
        (minus_source,), ((zeroth,), (first,), (second,)) = self.linearised(parameters, anchor, offset, zero)
        return Coefficients(second, first, zeroth, -minus_source)

    def boundary(self, parameters: Parameters, members: int) -> Conditions:
        """The conditions as rows, of that many members."""
        env, size = self.env(parameters), sum(self.orders)
        state_of = [(self.fields[f], (j,), at) for at in (0, 1) for f, j in self.jets if j < self.orders[f]]
        weights, values = [], []
        for program, sides in zip(self.conditions, self.sides, strict=True):

            def functional(*ends: Numbers, program: Program = program, sides: tuple[bool, ...] = sides) -> Numbers:
                places = iter(sides)
                state = dict(zip(state_of, ends, strict=True))
                return jnp.asarray(evaluate(program, env, state, points=lambda _: int(next(places))), dtype=float)

            zero, one = jnp.zeros(()), jnp.ones(())
            constant, linear = jax.linearize(functional, *[zero] * (2 * size))
            weights.append([linear(*(one if i == j else zero for i in range(2 * size))) for j in range(2 * size)])
            values.append(-constant)
        rows = jnp.stack([jnp.stack([jnp.broadcast_to(one, (members,)) for one in row]) for row in weights])
        return Conditions(rows, jnp.stack([jnp.broadcast_to(one, (members,)) for one in values]))

    def arguments(self, parameters: Parameters, x: Numbers) -> dict[ArgumentMark, Numbers]:
        """The arguments that can mark features, at x."""
        seen: dict[ArgumentMark, Numbers] = {}
        state = {(self.fields[f], (j,)): jnp.zeros(()) for f, j in self.jets}
        env = {**self.env(parameters), self.coordinate: x}
        for number, program in enumerate(self.programs):
            own = tuple(mark for mark in self.marks if mark.equation == number)
            evaluate(program, env, state, watching(own, seen))
        return seen

    def _sourced(self, parameters: Parameters, x: Numbers) -> Numbers:
        """The source at x (..., B): a function of one x, and of one member's parameters."""
        assert self.source is not None
        env = self.env(parameters)
        own = {name: jnp.asarray(env[name], dtype=float) for name in _arguments(self.problem, self.source)}
        members = jnp.shape(x)[-1] if jnp.ndim(x) else 1
        own = {name: jnp.broadcast_to(a, (*a.shape[:-1], members)) for name, a in own.items()}
        places = jnp.broadcast_to(x, (*jnp.shape(x)[:-1], members)).reshape(-1, members)

        def of_member(at: Numbers, given: Parameters) -> Numbers:
            return jax.vmap(lambda one: self.source(one, **given))(at)  # type: ignore[misc]

        found = jax.vmap(of_member, (-1, dict.fromkeys(own, -1)), -1)(places, own)
        return found.reshape(*jnp.shape(x)[:-1], members)


def _refuse(problem: object, source: object) -> None:
    if not isinstance(problem, Problem):
        raise InputError(f"a batch is made of a Problem, not of {type(problem).__name__}")
    programs = [one.program for one in problem.equations if isinstance(one, TextEquation)]
    what = ""
    if len(problem.axes) > 1:
        what = "one on a rectangle"
    elif problem.unknown:
        what = "one with unknown constants"
    elif len(programs) < len(problem.equations):
        what = "one made from a Python function"
    elif problem.transforms or problem.jumps or problem.complex_pairs or problem.auxiliary:
        what = "one that is solved in another form than it is stated in"
    elif not problem.domain.finite:
        what = "one on an infinite domain"
    elif problem.nonlinear_conditions:
        what = "one with nonlinear conditions"
    elif any(code == INTEGRAL for text in problem.statement()["conditions"] for code, _ in _condition(problem, text)):
        what = "one with an integral in its conditions"
    elif len(problem.conditions) != sum(problem.order.values()) or min(problem.order.values()) < 1:
        what = "one with algebraic equations, or as many conditions as its order asks for missing"
    elif sum(problem.order.values()) > MOST_STATES:
        what = f"one of order {sum(problem.order.values())} in all"
    elif not all(known(one, problem.axes[0].name) for one in programs):
        what = "one with integrals, tables of more than the coordinate or functions that it has no derivatives of"
    if what:
        raise InputError(f"a batch takes equations on an interval, as text, and this problem is {what}: {INSTEAD}")
    if source is not None and (not callable(source) or len(problem.equations) > 1):
        raise InputError("source is a function of x and parameters, written with JAX, for a problem of one equation")


def _arguments(problem: Problem, source: Source | None) -> tuple[str, ...]:
    """The parameters that a source takes, beside the coordinate, which comes first."""
    if source is None:
        return ()
    return tuple(arguments_of(source, name_of(source)))[1:]


def _condition(problem: Problem, text: str) -> tuple[Any, ...]:
    (axis,) = problem.axes
    return parse_condition(text, problem.fields, problem.given, (axis.name,)).instructions


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
    state = {(name, (j,), at): zero for name, n in problem.order.items() for j in range(n) for at in (0, 1)}
    tables = {name: lambda *_: zero for name in problem.tables}
    evaluate(program, {**problem.parameters, **tables}, state, points=at)
    return tuple(found)
