"""A problem on a rectangle: equation, two axes, four sides, parameters. `Problem` makes one of two coordinates."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.field import unknown
from gated_xtfc.language.plane_vocabulary import PlaneVocabulary
from gated_xtfc.language.program import Program
from gated_xtfc.language.reader import Reader
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.equation import arguments_of
from gated_xtfc.problem.plane_equation import DERIVATIVES, PlaneEquation, read_equation
from gated_xtfc.problem.problem import Problem, as_tuple, names_used, parameter
from gated_xtfc.problem.side import Side, clashes
from gated_xtfc.problem.side_text import read_sides
from gated_xtfc.problem.wellposed import check_parameters

PROBES = np.linspace(0.0, 1.0, 17) ** 1.1  # where the kind of the equation is looked at, in each axis


class PlaneProblem(Problem):
    """`sides` are the conditions, x left, x right, y left, y right; `warnings` names corners that they contradict."""

    __slots__ = ("sides", "warnings")
    sides: tuple[Side, ...]
    warnings: tuple[str, ...]

    def __init__(
        self,
        equation: Any,
        domain: Mapping[str, Any] | Domain,
        conditions: Sequence[str],
        exact: Any = None,
        *,
        unknown: Sequence[str] = (),
        title: str = "",
        **parameters: float,
    ) -> None:
        statements = as_tuple(equation, "the equation", "a text or a function", single=True)
        texts = as_tuple(conditions, "conditions", 'a list of texts like ["u = 0 on boundary"]', single=False)
        if len(statements) > 1:
            raise InputError(f"{len(statements)} equations given: systems on a rectangle are not supported yet")
        if unknown:
            raise InputError("unknown constants are supported on a line only, not on a rectangle")
        values = {name: parameter(name, value) for name, value in parameters.items()}
        given = (
            {name: _ends(name, ends, domain) for name, ends in domain.items()}
            if isinstance(domain, Mapping)
            else domain
        )
        place = Domain.stated(given, values)
        axes = place.axes[0], place.axes[1]
        read = read_equation(statements[0], axes, values)
        sides = read_sides(texts, read.field, axes, values)
        texts_used = (
            (*(end for pair in given.values() for end in pair), *texts) if isinstance(given, Mapping) else texts
        )
        used = names_used((read,), (*texts_used, exact))
        for axis in axes:
            check_parameters(values, used, (read.field,), axis)
        contents = {
            "equations": (read,),
            "fields": (read.field,),
            "order": MappingProxyType({read.field: 2}),
            "domain": place,
            "conditions": (),
            "parameters": MappingProxyType(values),
            "title": str(title),
            "linear": _kind(read, axes),
            "unknown": (),
            "_statement": (statements, given, texts, exact, ()),
            "_exact": None if exact is None else {read.field: _exact(exact, axes, values)},
            "sides": sides,
            "warnings": clashes(sides),
        }
        for name, content in contents.items():
            object.__setattr__(self, name, content)

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return self.domain.axes[0], self.domain.axes[1]

    @property
    def axis(self) -> Axis:
        names = " and ".join(axis.name for axis in self.axes)
        raise InputError(f"the problem has the coordinates {names}: this works on problems with one coordinate only")

    @property
    def equation(self) -> PlaneEquation:
        equation = self.equations[0]
        assert isinstance(equation, PlaneEquation)
        return equation

    @property
    def exact(self) -> Callable[..., Any] | None:
        """The exact solution as a function of x and y, which broadcast; None where it is not known."""
        return super().exact

    def __repr__(self) -> str:
        places = ", ".join(f"{axis.name} in [{axis.left:g}, {axis.right:g}]" for axis in self.axes)
        conditions = ", ".join(dict.fromkeys(side.text for side in self.sides))
        parameters = "".join(f", {name}={value:g}" for name, value in self.parameters.items())
        return f"Problem({quoted(self.equation.text)}, {places}, {conditions}{parameters})"


def _ends(name: Any, ends: Any, domain: Mapping[str, Any]) -> tuple[Any, ...]:
    """The ends of one axis; an end that moves with the other coordinate makes another shape than a rectangle."""
    if isinstance(ends, str) or not hasattr(ends, "__len__") or len(ends) != 2:
        raise InputError(f"the domain of {quoted(str(name))} must be two ends, like (0, 1)")
    for end in ends:
        words = {token.text for token in tokenize(end, "the domain")} if isinstance(end, str) else set()
        if callable(end) or words.intersection(domain):
            raise InputError(
                f"the domain of {name} ends at {quoted(str(end))}, which is no number: "
                "only rectangles are supported yet, other shapes are not"
            )
    return tuple(ends)


def _kind(equation: PlaneEquation, axes: tuple[Axis, Axis]) -> bool:
    """Whether the equation is linear; refuses one that is not elliptic."""
    x, y = (axis.left + axis.length * PROBES for axis in axes)
    shown, field = quoted(equation.text), equation.field
    found = []
    for value in (0.0, 1.7):
        state = {(field, orders): unknown((field, orders), value) for orders in DERIVATIVES}
        residual = equation.at(x[:, None], y[None, :], state)
        if not isinstance(residual, Dual) or not residual.fielded:
            raise InputError(f"the equation {shown} does not depend on its field")
        found.append(residual)
    linear = not found[0].curved and (equation.is_text or _same(*found))
    for residual in found if linear else ():
        a, b, c = (
            np.asarray(residual.partials.get((field, orders), 0.0), dtype=float) for orders in ((2, 0), (1, 1), (0, 2))
        )
        if not (np.any(a) or np.any(b) or np.any(c)):
            raise InputError(
                f"the coefficients of the second derivatives are zero everywhere in {shown}: "
                "give the parameter another value"
            )
        with np.errstate(all="ignore"):
            kind = a * c - 0.25 * b * b
            wrong = ~(kind >= -1e-12 * (a * a + b * b + c * c)) & np.isfinite(kind)
        if np.any(wrong) or not np.any(kind > 0.0):
            raise InputError(
                f"the equation {shown} is not elliptic, as conditions on all four sides ask for: the factors of its "
                "two second derivatives must have the same sign, and outweigh that of a mixed one"
            )
    return linear


def _same(first: Dual, second: Dual) -> bool:
    """A function may branch on its field where no dual number can see it: two linearisations tell."""
    if first.partials.keys() != second.partials.keys():
        return False
    pairs = ((first.partials[key], second.partials[key]) for key in first.partials)
    return all(np.array_equal(np.asarray(p), np.asarray(q), equal_nan=True) for p, q in pairs)


def _exact(exact: Any, axes: tuple[Axis, Axis], parameters: Mapping[str, float]) -> Callable[..., Any]:
    if isinstance(exact, str):
        words = PlaneVocabulary((axes[0].name, axes[1].name), parameters=parameters.keys())
        program = Program(exact, tuple(Reader(exact, "the exact solution", words).read(tokenize(exact, "exact"))))
        return lambda x, y: _shaped(lambda a, b: program.run({**parameters, axes[0].name: a, axes[1].name: b}), x, y)
    if not callable(exact):
        raise InputError(f"the exact solution must be a text or a function, not {type(exact).__name__}")
    given = {name: parameters[name] for name in arguments_of(exact, "exact") if name in parameters}
    return lambda x, y: _shaped(partial(exact, **given), x, y)


def _shaped(function: Callable[..., Any], x: Any, y: Any) -> Any:
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    with np.errstate(all="ignore"):
        values = np.asarray(function(a, b), dtype=float)
    return np.broadcast_to(values, np.broadcast_shapes(a.shape, b.shape)).copy()
