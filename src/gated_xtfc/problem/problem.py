"""A Problem is a statement: equation, domain, conditions, parameters. No numerics; problem(nu=1e-6) is another one."""

from __future__ import annotations  # help() shows types as they are written here

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem.condition import Condition, Integral
from gated_xtfc.problem.deviation import Deviations, Evaluated
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.equation import Equation, TextEquation, name_of
from gated_xtfc.problem.evolution import Evolution
from gated_xtfc.problem.exact import Exact, exact_statements, with_parameters
from gated_xtfc.problem.free_ends import FreeEnds, Settled
from gated_xtfc.problem.jumps import Jump
from gated_xtfc.problem.member import AS_STATED, leads, rereading_needed
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.reading import parameter, read_problem
from gated_xtfc.problem.side import Side
from gated_xtfc.problem.transform import Transform

if TYPE_CHECKING:
    from gated_xtfc.language.table import TableFunction  # most problems have none

Statement = str | Callable[..., Any]
WRITTEN = "a problem made from a Python function cannot be written down: state it as text"


class Problem:
    """A differential equation with its domain, its conditions and the values of its parameters.

    One coordinate makes an interval, two make a rectangle, or space and time where the equations are of first order
    along one of them. A problem never changes; calling it with parameters,
    ``problem(nu=1e-6)``, gives another member of its family.

    Parameters
    ----------
    equation
        A text such as ``"u' - nu*u'' = 0"``, or a function of the coordinates, the fields and the parameters that
        returns left minus right (``lambda x, u, nu: u.x - nu*u.xx``); for a system a list of these.
    domain
        ``{"x": (0, 1)}``, or with a second coordinate a rectangle, ``{"x": (0, 1), "y": (0, 1)}``. Ends may be texts
        in the parameters, those of an interval in the unknown constants as well, ``{"x": (0, "L")}``, or infinite,
        ``{"x": (0, math.inf)}`` or ``{"x": (0, "inf")}``.
    conditions
        Texts such as ``"u(0) = 0"``, ``"u'(1) = 1 - u(1)^4"``, ``"integral(u) = 1"``, ``"u(inf) = 0"``, or functions of
        the fields, the unknown constants and the parameters that return left minus right
        (``lambda u: u(0)*u.x(0) - 1``); on a rectangle ``"u = 0 on boundary"``, ``"u(0, y) = sin(y)"``,
        ``"u_x = 0 on x = 1"``.
    exact
        The exact solution where it is known, as a text or a function (for a system by field). It is used to assess
        a solution, never to find it.
    unknown
        Names of constants in the equations or conditions that are to be found, such as an eigenvalue. Each needs one
        condition more, unless it is one alone and `eigen` is to find all its values.
    tables
        Functions that the texts may call, by name, as values at places: ``{"f": (x, y)}`` is joined by straight lines,
        ``{"f": (x, y, "spline")}`` by a cubic spline, ``{"f": "data.csv"}`` reads two columns of a file (of a larger
        one, ``{"f": {"file": "data.csv", "columns": ["x", "k"], "kind": "spline"}}``). The domain is broken where they
        are not smooth; what lies outside of their range is refused.
    title
        A line for plots and reports.
    **parameters
        Values of the names that the texts leave open.

    Attributes
    ----------
    equations, conditions, nonlinear_conditions
        What was stated, as it was read; the conditions are those of an interval, linear ones and the others.
    sides
        The conditions on a rectangle, one for each side: x left, x right, y left, y right.
    evolution
        Where the equations are of first order along one of two coordinates, such as u_t = u_xx: which one is time, how
        the fields begin and what holds at the ends; otherwise None.
    fields
        Names of the unknown functions, in the order in which they appear.
    order
        The order of the highest derivative of each field, by name.
    linear
        Whether all equations and conditions are linear in the fields and the unknown constants.
    domain, axes
        The coordinates with their ends.
    parameters, unknown, tables, title
        As given.
    starts
        Where unknown constants begin, unless a guess says otherwise.
    free_ends
        The ends of the domain where they depend on unknown constants: then the problem is held, and solved, on the
        interval from 0 to 1 that is stretched onto it. A Solution's problem has its domain as found.
    exact, exacts
        The exact solution of the first field, and those of all fields by name, as far as known.
    warnings
        What cannot all hold, such as data that disagree at a corner.
    complex_pairs
        Of a problem with the imaginary unit in it: for every field and unknown constant the names of its two parts,
        which are what is solved for.
    auxiliary
        Names of the fields that were made for derivatives above the fourth, ``u_3`` the third one of ``u``, and where
        equations evolve for those above the first in time and the second in space, ``u_t``, ``u_xx``.
    transforms
        Changes of coordinates since it was stated; none in what a user states.

    Raises
    ------
    InputError
        In one sentence, where the statement cannot be used.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> problem.linear, problem.order["u"]
    (True, 2)
    >>> problem(nu=1e-6).parameters["nu"]
    1e-06

    A system, an eigenvalue, and a rectangle:

    >>> bratu = gx.Problem(["u' = v", "v' = -k*exp(u)"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    >>> bratu.fields, bratu.linear
    (('u', 'v'), False)
    >>> string = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "u'(0) = 1"], unknown=["lam"])
    >>> string.unknown
    ('lam',)
    >>> square = gx.Problem("u_xx + u_yy = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"])
    >>> [axis.name for axis in square.axes], len(square.sides)
    (['x', 'y'], 4)

    A front that travels:

    >>> front = gx.Problem(
    ...     "u_t + u*u_x = eps*u_xx", {"x": (0, 1), "t": (0, 1)},
    ...     ["u(x, 0) = 0.5 - 0.4*tanh((x - 0.3)/(5*eps))", "u(0, t) = 0.9", "u(1, t) = 0.1"], eps=1e-3,
    ... )
    >>> front.evolution.time.name
    't'
    """

    __slots__ = (
        "_exact",
        "_statement",
        "auxiliary",
        "complex_pairs",
        "conditions",
        "deviations",
        "domain",
        "equations",
        "evolution",
        "fields",
        "free_ends",
        "jumps",
        "linear",
        "nonlinear_conditions",
        "order",
        "parameters",
        "shared",
        "sides",
        "starts",
        "tables",
        "title",
        "transforms",
        "unknown",
        "warnings",
    )
    __hash__ = None  # type: ignore[assignment]
    equations: tuple[Equation, ...]
    fields: tuple[str, ...]
    order: Mapping[str, int]  # of the highest derivative of each field
    domain: Domain
    conditions: tuple[Condition, ...]  # at points and integrals: those of an interval
    nonlinear_conditions: tuple[NonlinearCondition, ...]
    sides: tuple[Side, ...]  # conditions along sides, x left, x right, y left, y right: those of a rectangle
    evolution: Evolution | None  # start and ends of what evolves along one of two coordinates
    warnings: tuple[str, ...]  # what cannot all hold, such as data that disagree at a corner
    parameters: Mapping[str, float]
    tables: Mapping[str, TableFunction]
    title: str
    linear: bool
    unknown: tuple[str, ...]
    complex_pairs: Mapping[str, tuple[str, str]]  # complex fields and constants, by the names of their parts
    auxiliary: tuple[str, ...]  # fields that stand for derivatives of others
    deviations: Deviations | None  # values of fields at other places
    jumps: tuple[Jump, ...]  # prescribed ones, and those that point sources make
    starts: Mapping[str, float]  # where unknown constants begin, unless a guess says otherwise
    free_ends: FreeEnds | None  # where the ends of the domain depend on unknown constants; all else is then in s
    transforms: tuple[Transform, ...]  # that it has been through since it was stated
    shared: dict[Any, Any]  # what others have made of it, whatever its parameters are: once for a whole family
    _statement: tuple[
        tuple[Statement, ...], Any, tuple[Statement, ...], Any, tuple[str, ...], Mapping[str, TableFunction]
    ]
    _exact: dict[str, Exact]

    def __init__(
        self,
        equation: Statement | Sequence[Statement],
        domain: Mapping[str, Any] | Domain,
        conditions: Sequence[Statement],
        exact: Statement | Mapping[str, Statement] | None = None,
        *,
        unknown: Sequence[str] = (),
        tables: Mapping[str, Any] | None = None,
        title: str = "",
        **parameters: float,
    ) -> None:
        contents = read_problem(equation, domain, conditions, exact, unknown, tables, parameters)
        self._fill(title=str(title), transforms=(), shared={AS_STATED: True}, **contents)

    def _fill(self, **contents: object) -> None:
        for name, content in contents.items():
            object.__setattr__(self, name, content)

    def _altered(self, **contents: object) -> Problem:
        """The same but for some attributes."""
        other = object.__new__(Problem)
        every = {name: getattr(self, name) for name in self.__slots__}
        every["shared"] = {}
        other._fill(**{**every, **contents})
        return other

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a problem does not change: problem(nu=1e-6) makes another one")

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The coordinates with their ends."""
        return self.domain.axes

    @property
    def given(self) -> dict[str, Any]:
        """Parameters and tables: what the names in a text stand for."""
        return {**self.parameters, **self.tables}

    @property
    def is_text(self) -> bool:
        """Whether all equations are texts, which can be read."""
        return all(equation.is_text for equation in self.equations)

    @property
    def texts(self) -> tuple[str, ...]:
        """The equations as messages and pictures show them: without those of fields made for what evolves."""
        stated = len(self._statement[0]) if self.evolution is not None else len(self.equations)
        return tuple(one.text for one in self.equations[:stated])

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """Those in all conditions."""
        inside = [condition.integrals for condition in self.conditions]
        inside += [condition.integrals for condition in self.nonlinear_conditions]
        return tuple(integral for own in inside for integral in own)

    @property
    def eigenproblem(self) -> bool:
        """Whether no condition fixes the size of the solution: then `eigen` finds the constant."""
        stated = len(self.conditions) + len(self.nonlinear_conditions)
        return bool(self.unknown) and stated < sum(self.order.values()) + len(self.unknown)

    @property
    def unknown_stated(self) -> tuple[str, ...]:
        """The unknown constants as they were stated: one name for the two parts of a complex one."""
        parts = {real: name for name, (real, _) in self.complex_pairs.items()}
        imaginary = {one for _, one in self.complex_pairs.values()}
        return tuple(parts.get(name, name) for name in self.unknown if name not in imaginary)

    def with_conditions(self, conditions: Sequence[Statement]) -> Problem:
        """The same equations with other conditions.

        Parameters
        ----------
        conditions
            All of them, as a problem takes them.
        """
        statements, domain, _, exact, unknown, tables = self._statement
        known = (exact, unknown, tables)
        return _rebuilt(statements, domain, conditions, *known, self.title, self.parameters, self.transforms)

    def freed(self, name: str) -> Problem:
        """The same with a parameter as an unknown constant, which one condition more is to fix.

        Parameters
        ----------
        name
            The parameter.
        """
        statements, domain, conditions, _, unknown, tables = self._statement
        rest = {own: value for own, value in self.parameters.items() if own != name}
        return _rebuilt(
            statements, domain, conditions, None, (*unknown, name), tables, self.title, rest, self.transforms
        )

    def with_read_conditions(self, conditions: Sequence[Condition]) -> Problem:
        """The same equations with other linear conditions, which need not have been stated in words.

        Parameters
        ----------
        conditions
            Linear functionals of the fields and the unknown constants, with their values.
        """
        return self._altered(conditions=tuple(conditions))

    def framed(self, fields: Sequence[str], conditions: Sequence[Condition]) -> Problem:
        """Some of its fields with linear conditions alone: what kernels are laid out for.

        Parameters
        ----------
        fields
            Names of the fields that are kept.
        conditions
            Linear functionals of these, with their values.
        """
        other = self.with_read_conditions(conditions)
        other._fill(
            fields=tuple(fields),
            order=MappingProxyType({name: self.order[name] for name in fields}),
            nonlinear_conditions=(),
        )
        return other

    def pinned(self, condition: Condition) -> Problem:
        """The same with one more condition.

        Parameters
        ----------
        condition
            A linear functional of the fields and the unknown constants, and its value.
        """
        return self.with_read_conditions((*self.conditions, condition))

    @property
    def exact(self) -> Exact | None:
        """The exact solution of the first field as a function of the coordinates, None where it is not known."""
        return self._exact.get(self.fields[0])

    @property
    def exacts(self) -> Mapping[str, Exact]:
        """{field: exact solution as a function of the coordinates}, as far as known."""
        return MappingProxyType(self._exact)

    def transformed(self, transform: Transform) -> Problem:
        """The same problem in other coordinates; the members of its family are transformed alike.

        Parameters
        ----------
        transform
            A change of coordinates, such as `problem.transform.Translation`.
        """
        domain = self.domain
        return self._altered(
            domain=transform.domain(domain),
            equations=tuple(transform.equation(one, domain) for one in self.equations),
            conditions=tuple(transform.condition(one, domain) for one in self.conditions),
            nonlinear_conditions=tuple(transform.nonlinear_condition(one, domain) for one in self.nonlinear_conditions),
            sides=tuple(transform.side(one, domain) for one in self.sides),
            jumps=tuple(replace(one, place=transform.place(one.place)) for one in self.jumps),
            transforms=(*self.transforms, transform),
            _exact={name: transform.function(one) for name, one in self._exact.items()},
        )

    def with_delays(self, of: Evaluated) -> Problem:
        """The same where the values at other places are those of known fields.

        Parameters
        ----------
        of
            A derivative of a field at places of the domain.
        """
        if self.deviations is None:
            return self
        bound = self.deviations.bound(of)
        return self._altered(equations=tuple(one.seeded(bound) for one in self.equations), deviations=None)

    def guarded(self) -> Problem:
        """The same with tables that refuse what lies outside of them, however it depends on the solution."""
        from gated_xtfc.language.table import GuardedTable  # most problems have no tables

        guards: dict[str, Any] = {name: GuardedTable(table, True) for name, table in self.tables.items()}
        return self._altered(equations=tuple(one.seeded(guards) for one in self.equations))

    def on_window(self, domain: Domain, conditions: Sequence[Condition] | None = None) -> Problem:
        """The same equations on a part of the domain.

        Parameters
        ----------
        domain
            The part.
        conditions
            What holds there in the place of the problem's own conditions; those, where it is None.
        """
        if conditions is None:
            return self._altered(domain=domain)
        return self._altered(domain=domain, conditions=tuple(conditions), nonlinear_conditions=())

    def __call__(self, /, **parameters: float) -> Problem:
        """The member of the family with these parameters changed.

        Parameters
        ----------
        **parameters
            New values; parameters that are not named keep theirs.

        Raises
        ------
        InputError
            Where the problem has no parameter of that name.
        """
        for name in parameters:
            if name not in self.parameters:
                known = f"its parameters are {', '.join(self.parameters)}" if self.parameters else "it has none at all"
                raise InputError(
                    f"the problem has no parameter {quoted(name)}: {suggestion(name, self.parameters, known)}"
                )
        values = {name: parameter(name, value) for name, value in parameters.items()}
        if AS_STATED in self.shared and not rereading_needed(self, values.keys()):
            found = self._member(values)
            if leads(found):
                return found
        kept = tuple(one for one in self.transforms if not isinstance(one, Settled))
        return _rebuilt(*self._statement, self.title, {**self.parameters, **parameters}, kept)

    def on_the_way(self, **parameters: float) -> Problem:
        """As a call, for members that lead to another one: what does not depend on these parameters is not read again.

        What would be refused is not looked for.

        Parameters
        ----------
        **parameters
            Other values.

        Returns
        -------
        Problem
        """
        if rereading_needed(self, parameters.keys()):
            return self(**parameters)
        return self._member(parameters)

    def _member(self, parameters: Mapping[str, float]) -> Problem:
        """Another member, with all that does not depend on these parameters."""
        return self._altered(
            equations=tuple(one.with_parameters(parameters) for one in self.equations if isinstance(one, TextEquation)),
            parameters=MappingProxyType({**self.parameters, **parameters}),
            shared=self.shared,
            _exact=with_parameters(self._exact, parameters),
        )

    def settled(self, constants: Sequence[float]) -> Problem:
        """With unknown ends of the domain where the unknown constants put them; the same where the ends are known.

        Parameters
        ----------
        constants
            Values in the order of `unknown`.
        """
        if self.free_ends is None:
            return self
        found = tuple(zip(self.unknown, map(float, constants), strict=True))
        return self.transformed(Settled(found, self.free_ends))

    def unsettled(self) -> Problem:
        """As it was stated, where the ends of the domain have been found."""
        return self() if self.transforms and any(isinstance(one, Settled) for one in self.transforms) else self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        mine = self._statement, self.parameters, self.transforms
        return bool(mine == (other._statement, other.parameters, other.transforms))

    def __repr__(self) -> str:
        places = ", ".join(f"{axis.name} in [{axis.left:g}, {axis.right:g}]" for axis in self.axes)
        if self.free_ends is not None and not self.transforms:
            places = f"{self.free_ends.name} in [{self.free_ends.left.text}, {self.free_ends.right.text}]"
        parameters = "".join(f", {name}={value:g}" for name, value in self.parameters.items())
        equations = "; ".join(map(quoted, self.texts))
        return f"Problem({equations}, {places}, {', '.join(self._condition_texts)}{parameters})"

    @property
    def _condition_texts(self) -> tuple[str, ...]:
        return tuple(one if isinstance(one, str) else name_of(one) for one in self._statement[2])

    def _repr_html_(self) -> str:
        """What a notebook shows: the statement, set as mathematics."""
        from gated_xtfc.problem.typeset import problem_html  # which needs this class

        return problem_html(self, self._condition_texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (*self._statement, self.title, dict(self.parameters), self.transforms)

    def to_dict(self) -> dict[str, Any]:
        """The statement in plain texts and numbers, with the keys of a problem file.

        Raises
        ------
        InputError
            Where it was made from a Python function, which cannot be written down.
        """
        exact = self._statement[3]
        if any(callable(one) for one in exact_statements(exact)):
            raise InputError(WRITTEN)
        plain = {**({"title": self.title} if self.title else {}), **self.statement()}
        return plain if exact is None else {**plain, "exact": dict(exact) if isinstance(exact, Mapping) else exact}

    def statement(self) -> dict[str, Any]:
        """As `to_dict`, without title and exact solution: what is to be solved, and nothing else."""
        statements, domain, texts, _, unknown, tables = self._statement
        if not all(isinstance(one, Settled) for one in self.transforms):
            raise InputError("a problem in another coordinate cannot be written down: write down the one it came from")
        if not all(isinstance(statement, str) for statement in (*statements, *texts)):
            raise InputError(WRITTEN)
        if isinstance(domain, Domain):
            domain = {axis.name: (axis.left, axis.right) for axis in domain.axes}
        plain: dict[str, Any] = {"equation": statements[0]} if len(statements) == 1 else {"equations": list(statements)}
        plain["domain"] = {
            name: [end if isinstance(end, str) else _written(float(end)) for end in ends]
            for name, ends in domain.items()
        }
        plain["conditions"] = list(texts)
        plain["parameters"] = dict(self.parameters)
        if tables:
            plain["tables"] = {name: one.to_dict() for name, one in tables.items()}
        return {**plain, "unknown": list(unknown)} if unknown else plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Problem:
        """The problem that `to_dict` wrote down; `problem.file.from_mapping` checks keys and types as well.

        Parameters
        ----------
        plain
            What `to_dict` gave.
        """
        title, parameters = plain.get("title", ""), dict(plain.get("parameters", {}))
        equation = plain["equation"] if "equation" in plain else plain["equations"]
        parts = (equation, plain["domain"], plain["conditions"], plain.get("exact"), plain.get("unknown", ()))
        return _rebuilt(*parts, plain.get("tables"), title, parameters)


def _rebuilt(
    equation: Any,
    domain: Any,
    conditions: Any,
    exact: Any,
    unknown: Any,
    tables: Any,
    title: str,
    parameters: Mapping[str, float],
    transforms: Sequence[Transform] = (),
) -> Problem:
    for name in parameters:
        if name in _KEYWORDS:
            raise InputError(f"{quoted(name)} cannot be the name of a parameter: it means something else already")
    problem = Problem(equation, domain, conditions, exact, unknown=unknown, tables=tables, title=title, **parameters)
    for transform in transforms:
        problem = problem.transformed(transform)
    return problem


def _written(end: float) -> float | str:
    """An end of a domain for a file: JSON has no infinity."""
    return end if math.isfinite(end) else "inf" if end > 0 else "-inf"


_KEYWORDS = {"self", "equation", "domain", "conditions", "exact", "title", "unknown", "tables"}


def require_problem(given: object, verb: str) -> None:
    """Refuses what is no problem, such as the name of a file."""
    if not isinstance(given, Problem):
        raise InputError(f"{verb} takes a Problem, not {type(given).__name__}: read makes one of a file")


def require_interval(problem: Problem, what: str, finite: bool = True) -> Axis:
    """The coordinate of a problem on an interval; others are refused, in a sentence that begins with `what`.

    So are infinite ends and prescribed jumps, unless `finite` says that they may be.
    """
    if len(problem.axes) > 1:
        names = " and ".join(problem.domain.coordinates)
        raise InputError(f"{what} in one coordinate only: this problem has {names}")
    if finite and not problem.domain.finite:
        raise InputError(f"{what} with finite ends only: cut the infinite ones off, as solution.window of solve has it")
    if finite and problem.jumps:
        raise InputError(f"{what} without prescribed jumps and point sources only")
    return problem.axes[0]


def require_known_ends(problem: Problem, what: str) -> None:
    """Refuses a domain whose ends are unknown, in a sentence that begins with `what`."""
    if problem.free_ends is not None:
        raise InputError(f"{what} needs a domain whose ends are known: this one ends at an unknown constant")
