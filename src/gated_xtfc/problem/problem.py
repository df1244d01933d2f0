"""A Problem is a statement: equation, domain, conditions, parameters. No numerics; problem(nu=1e-6) is another one."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.problem.condition import Condition, check_independent
from gated_xtfc.problem.domain import NAME, Axis, Domain, real
from gated_xtfc.problem.equation import Equation, arguments_of, read_equations
from gated_xtfc.problem.exact import exact_statements, read_exact
from gated_xtfc.problem.wellposed import (
    check_leads,
    check_number,
    check_operator,
    check_parameters,
    check_unknown,
    orders_of,
)

Statement = str | Callable[..., Any]
WRITTEN = "a problem made from a Python function cannot be written down: state it as text"


class Problem:
    """`Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)`

    The equation is a text or a function of the coordinate, the fields and parameters (`lambda x, u: u.x - u.xx`); the
    ends of the domain and the conditions may use the parameters; `exact`, if known, is a text or a function of x.
    """

    __slots__ = (
        "_exact",
        "_statement",
        "conditions",
        "domain",
        "equations",
        "fields",
        "linear",
        "order",
        "parameters",
        "title",
        "unknown",
    )
    __hash__ = None  # type: ignore[assignment]
    equations: tuple[Equation, ...]
    fields: tuple[str, ...]
    order: Mapping[str, int]
    domain: Domain
    conditions: tuple[Condition, ...]
    parameters: Mapping[str, float]
    title: str
    linear: bool
    unknown: tuple[str, ...]
    _statement: tuple[tuple[Any, ...], Any, tuple[str, ...], Any, tuple[str, ...]]
    _exact: dict[str, Callable[[Any], Any]] | None

    def __new__(cls, equation: Any = None, domain: Any = None, *_: Any, **__: Any) -> "Problem":
        """With two coordinates it is a problem on a rectangle, which is a class of its own."""
        axes = domain.axes if isinstance(domain, Domain) else domain if isinstance(domain, Mapping) else ()
        if cls is Problem and len(axes) == 2:
            from gated_xtfc.problem.plane_problem import PlaneProblem  # on a line nobody should wait for it

            return object.__new__(PlaneProblem)
        return object.__new__(cls)

    def __init__(
        self,
        equation: Statement | Sequence[Statement],
        domain: Mapping[str, Any] | Domain,
        conditions: Sequence[str],
        exact: Statement | Mapping[str, Statement] | None = None,
        *,
        unknown: Sequence[str] = (),
        title: str = "",
        **parameters: float,
    ) -> None:
        statements = as_tuple(equation, "the equation", "a text or a function", single=True)
        texts = as_tuple(conditions, "conditions", 'a list of texts like ["u(0) = 0", "u(1) = 1"]', single=False)
        values = {name: parameter(name, value) for name, value in parameters.items()}
        place = Domain.stated(domain, values)
        axis = place.axes[0]
        given = {name: tuple(ends) for name, ends in domain.items()} if isinstance(domain, Mapping) else domain
        names = as_tuple([unknown] if isinstance(unknown, str) else unknown, "unknown", "a list of names", single=False)
        equations = read_equations(statements, texts, axis, values, names)
        check_unknown(names, values, equations)
        orders = orders_of(equations)
        solution = None if exact is None else read_exact(exact, tuple(orders), axis, values)
        ends = tuple(end for pair in given.values() for end in pair) if isinstance(given, Mapping) else ()
        check_number(len(texts), orders, names)
        read = tuple(Condition.stated(text, axis, orders, values) for text in texts)
        check_parameters(values, names_used(equations, (*ends, *texts, *exact_statements(exact))), orders, axis)
        check_independent(read)
        checked = [check_operator(equation, orders, axis, names) for equation in equations]
        check_leads(equations, orders, [leads for _, leads in checked])
        contents = {
            "equations": equations,
            "fields": tuple(orders),
            "order": MappingProxyType(orders),
            "domain": place,
            "conditions": read,
            "parameters": MappingProxyType(values),
            "title": str(title),
            "linear": all(linear for linear, _ in checked),
            "unknown": names,
            "_statement": (statements, given, texts, exact, names),
            "_exact": solution,
        }
        for name, content in contents.items():
            object.__setattr__(self, name, content)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a problem does not change: problem(nu=1e-6) makes another one")

    @property
    def axis(self) -> Axis:
        return self.domain.axes[0]

    @property
    def exact(self) -> Callable[[Any], Any] | None:
        """The exact solution of the first field as a function of x, None where it is not known."""
        return (self._exact or {}).get(self.fields[0])

    @property
    def exacts(self) -> Mapping[str, Callable[[Any], Any]]:
        """{field: exact solution as a function of x}, as far as known."""
        return MappingProxyType(self._exact or {})

    def __call__(self, /, **parameters: float) -> "Problem":
        """The member of the family with these parameters changed."""
        for name in parameters:
            if name not in self.parameters:
                known = f"its parameters are {', '.join(self.parameters)}" if self.parameters else "it has none at all"
                raise InputError(
                    f"the problem has no parameter {quoted(name)}: {suggestion(name, self.parameters, known)}"
                )
        return _rebuilt(*self._statement, self.title, {**self.parameters, **parameters})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return bool(self._statement == other._statement and self.parameters == other.parameters)

    def __repr__(self) -> str:
        axis = self.axis
        domain = f"{axis.name} in [{axis.left:g}, {axis.right:g}]"
        conditions = ", ".join(condition.text for condition in self.conditions)
        parameters = "".join(f", {name}={value:g}" for name, value in self.parameters.items())
        equations = "; ".join(quoted(equation.text) for equation in self.equations)
        return f"Problem({equations}, {domain}, {conditions}{parameters})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (*self._statement, self.title, dict(self.parameters))

    def to_dict(self) -> dict[str, Any]:
        """Plain texts and numbers, as in a problem file."""
        exact = self._statement[3]
        if any(callable(one) for one in exact_statements(exact)):
            raise InputError(WRITTEN)
        plain = {**({"title": self.title} if self.title else {}), **self.statement()}
        return plain if exact is None else {**plain, "exact": dict(exact) if isinstance(exact, Mapping) else exact}

    def statement(self) -> dict[str, Any]:
        """The same without title and exact solution: what is to be solved, and nothing else."""
        statements, domain, texts, _, unknown = self._statement
        if not all(isinstance(statement, str) for statement in statements):
            raise InputError(WRITTEN)
        if isinstance(domain, Domain):
            domain = {axis.name: (axis.left, axis.right) for axis in domain.axes}
        plain: dict[str, Any] = {"equation": statements[0]} if len(statements) == 1 else {"equations": list(statements)}
        plain["domain"] = {
            name: [end if isinstance(end, str) else float(end) for end in ends] for name, ends in domain.items()
        }
        plain["conditions"] = list(texts)
        plain["parameters"] = dict(self.parameters)
        return {**plain, "unknown": list(unknown)} if unknown else plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Problem":
        """What `to_dict` wrote; for files of strangers, problem_file.from_mapping checks keys and types as well."""
        title, parameters = plain.get("title", ""), dict(plain.get("parameters", {}))
        equation = plain["equation"] if "equation" in plain else plain["equations"]
        parts = (equation, plain["domain"], plain["conditions"], plain.get("exact"), plain.get("unknown", ()))
        return _rebuilt(*parts, title, parameters)


def _rebuilt(
    equation: Any,
    domain: Any,
    conditions: Any,
    exact: Any,
    unknown: Any,
    title: str,
    parameters: Mapping[str, float],
) -> Problem:
    for name in parameters:
        if name in _KEYWORDS:
            raise InputError(f"{quoted(name)} cannot be the name of a parameter: it means something else already")
    return Problem(equation, domain, conditions, exact, unknown=unknown, title=title, **parameters)


_KEYWORDS = {"self", "equation", "domain", "conditions", "exact", "title", "unknown"}


def as_tuple(statement: Any, what: str, expected: str, single: bool) -> tuple[Any, ...]:
    several = isinstance(statement, list | tuple)
    if not several and (not single or not (isinstance(statement, str) or callable(statement))):
        raise InputError(f"{what} must be {expected}, not {quoted(str(statement))} ({type(statement).__name__})")
    statements = tuple(statement) if several else (statement,)
    if single and not statements:
        raise InputError(f"{what} is missing: give {expected}")
    for one in statements:
        if not (isinstance(one, str) or (single and callable(one))):
            raise InputError(f"{what} must be {expected}, not {quoted(str(one))} ({type(one).__name__})")
    return statements


def parameter(name: str, value: Any) -> float:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(f"{quoted(str(name))} cannot be the name of a parameter: use letters, digits and _")
    number = real(value, f"the parameter {quoted(name)}")
    if not math.isfinite(number):
        raise InputError(f"the parameter {quoted(name)} must be a finite number, not {number}")
    return number


def names_used(equations: tuple[Equation, ...], others: tuple[Any, ...]) -> set[str]:
    used: set[str] = set()
    for equation in equations:
        used.update(equation.names)
    for statement in others:
        if isinstance(statement, str):
            used.update(token.text for token in tokenize(statement, "the text") if token.kind == "name")
        elif callable(statement):
            used.update(arguments_of(statement, "exact"))
    return used
