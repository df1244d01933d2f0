"""Can this statement be solved at all? Each check raises one sentence; what needs numerics is left to the solver."""

from collections.abc import Collection, Mapping, Sequence
from itertools import product

import numpy as np

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.language.dual import Dual, Key, Operand, unknown
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.vocabulary import NO_NUMBERS, RESERVED, Vocabulary
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import Equation, arguments_of, name_of
from gated_xtfc.problem.stand_ins import TIME
from gated_xtfc.types import Array


def names_used(equations: Sequence[Equation], others: Sequence[object]) -> set[str]:
    """All names in the equations and in other texts or functions."""
    used: set[str] = set()
    for equation in equations:
        used.update(equation.names)
    for statement in others:
        if isinstance(statement, str):
            used.update(token.text for token in tokenize(statement, "the text") if token.kind == "name")
        elif callable(statement):
            used.update(arguments_of(statement, name_of(statement)))
    return used


def check_parameters(
    parameters: Mapping[str, float], used: Collection[str], fields: Collection[str], coordinates: tuple[str, ...]
) -> None:
    """Every parameter occurs somewhere, and its name means nothing else."""
    derivative_of = Vocabulary(coordinates).stem
    for name in parameters:
        if (
            name in RESERVED
            or name.lower() in NO_NUMBERS
            or name in coordinates
            or name in fields
            or derivative_of(name) in fields
        ):
            raise InputError(f"{quoted(name)} cannot be the name of a parameter: it means something else already")
        if name not in used:
            others = ", ".join(other for other in parameters if other in used)
            # a slip is one in the name of another parameter: functions and fields were not meant
            meant = [one for one in used if one not in RESERVED and derivative_of(one) not in (*fields, *coordinates)]
            hint = suggestion(name, meant, f"leave it out (those that occur: {others})" if others else "leave it out")
            raise InputError(f"the parameter {quoted(name)} occurs nowhere in the problem: {hint}")


def orders_of(equations: Sequence[Equation], coordinates: Sequence[str]) -> dict[str, int]:
    """{field: order}: as many equations as fields; fields of algebraic equations have order zero."""
    orders: dict[str, int] = {}
    for equation in equations:
        for field, order in equation.orders.items():
            orders[field] = max(order, orders.get(field, 0))
    first = quoted(equations[0].text)
    if not orders or not max(orders.values()):
        raise InputError(f"the equation {first} has no derivative{_derivative_hint(coordinates)}")
    if len(orders) != len(equations):
        found = f"{len(equations)} equation{'s' * (len(equations) > 1)} for the fields {', '.join(sorted(orders))}"
        more = "give one equation for each field" if len(orders) > len(equations) else "leave out what is too much"
        raise InputError(f"{found}: {more}")
    return orders


def _derivative_hint(coordinates: Sequence[str]) -> str:
    if len(coordinates) == 1:
        return ": write u' or u_x for the derivative of u"
    along, ways = " or ".join(coordinates), " or ".join(f"u_{name * 2}" for name in coordinates)
    return f" along {along}: with two coordinates write {ways}"


def check_number(
    given: int,
    orders: Mapping[str, int],
    unknown: Sequence[str] = (),
    eigenproblem: bool = True,
    pairs: Mapping[str, tuple[str, str]] | None = None,
) -> None:
    """On an interval there are as many conditions as the orders of all fields together, and one a constant.

    An eigenproblem can do without the condition that fixes the size of its solution, and so can a family of solutions
    that is followed along a constant. Of a complex problem, given in its two parts, one of each pair is counted.
    """
    if pairs:
        second = {imaginary for _, imaginary in pairs.values()}
        orders = {name: order for name, order in orders.items() if name not in second}
        unknown = [name for name, (real, _) in pairs.items() if real in unknown]
        given = (given + 1) // 2
    total = sum(orders.values())
    needed = total + len(unknown)
    if given != needed and not (eigenproblem and unknown and given == needed - 1):
        change = f"{needed - given} missing" if given < needed else f"{given - needed} too many"
        what = f"an equation of order {total}" if len(orders) == 1 else f"equations of order {total} in all"
        more = f" with {', '.join(unknown)} unknown" if unknown else ""
        need = "needs" if len(orders) == 1 else "need"
        eigen = ", or ask eigen for all eigenvalues" if len(unknown) == 1 and given == total else ""
        raise InputError(f"{what}{more} {need} {_conditions(needed)}, but {given} given: {change}{eigen}")


def _conditions(number: int) -> str:
    return f"{number} condition{'s' * (number != 1)}"


def check_unknown(
    unknown: Sequence[object], values: Mapping[str, float], equations: Sequence[Equation], others: Sequence[object]
) -> None:
    """Every unknown constant occurs in an equation, a condition or an end of the domain, and has no value yet."""
    used = names_used(equations, others) if unknown else set()
    for name in unknown:
        if list(unknown).count(name) > 1:
            raise InputError(f"{quoted(str(name))} is listed as unknown twice: list it once")
        if name in RESERVED or name in values:
            raise InputError(f"{quoted(str(name))} cannot be unknown: it has a value or a meaning already")
        if name not in used:
            shown = quoted(str(name))
            raise InputError(f"the unknown constant {shown} occurs in no equation and no condition: leave it out")


def linearised_at_probes(
    equation: Equation, orders: Mapping[str, int], axes: Sequence[Axis], starts: Mapping[str, float]
) -> tuple[Dual, Dual]:
    """The equation with its partial derivatives on a grid of probes, about two different states."""
    # irregular spacing: a coefficient such as sin(32*pi*x) must not vanish at every sample
    probes = np.linspace(0.0, 1.0, 33 if len(axes) == 1 else 17) ** 1.1
    at = np.ix_(*(axis.at(probes) for axis in axes))
    first, second = (_residual_at(equation, orders, at, value, starts) for value in (0.0, 1.7))
    if not isinstance(first, Dual) or not first.has_field:
        raise InputError(f"the equation {quoted(equation.text)} does not depend on its fields")
    return first, second if isinstance(second, Dual) else Dual(second, {})


def is_linear(equation: Equation, found: tuple[Dual, Dual]) -> bool:
    """Whether an equation is linear in its fields, by what `probed` found."""
    # a function may branch on its fields where no dual number can see it: compare two linearisations
    return not found[0].nonlinear and (equation.is_text or _same(*found))


def check_leading_coefficients(
    equations: Sequence[Equation], orders: Mapping[str, int], found: Sequence[tuple[Dual, Dual]]
) -> None:
    """On an interval every highest derivative must really be there; not finite somewhere is the solver's to report."""
    for field, order in orders.items():
        key = (field, (order,))
        leads = [dual.partials[key] for pair in found for dual in pair if key in dual.partials]
        if all(np.all(np.asarray(lead) == 0.0) for lead in leads):
            name, shown = field + "'" * order, quoted(equations[0].text if len(equations) == 1 else "the equations")
            raise InputError(
                f"the leading coefficient (of {name}) is zero everywhere in {shown}: "
                "give its parameter another value or leave the term out"
            )


def check_second_order(equations: Sequence[Equation], unknown: Sequence[str]) -> None:
    """On a rectangle there is one equation, of second order, and nothing unknown but its field."""
    if len(equations) > 1:
        raise InputError(f"{len(equations)} equations given: systems on a rectangle are not supported yet")
    if unknown:
        raise InputError("unknown constants are supported on a line only, not on a rectangle")
    orders, shown = equations[0].orders, quoted(equations[0].text)
    if len(orders) > 1:
        listed = " and ".join(sorted(orders))
        raise InputError(f"the equation {shown} has the fields {listed}: systems on a rectangle are not supported yet")
    order = max(orders.values(), default=0)
    if order not in (0, 2):
        raise InputError(f"the equation {shown} is of order {order}: on a rectangle it must be of order 2")


SECOND = ((2, 0), (1, 1), (0, 2))


def same_leads(found: Sequence[Dual], field: str) -> bool:
    """Whether the factors of the second derivatives are the same at all probes, whatever the field is there."""
    first, *others = ([np.asarray(one.partials.get((field, orders), 0.0)) for orders in SECOND] for one in found)
    return all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))


def check_elliptic(equation: Equation, field: str, found: Sequence[Dual], coordinates: Sequence[str]) -> None:
    """What conditions on all four sides ask for."""
    shown = quoted(equation.text)
    for residual in found:
        a, b, c = (np.asarray(residual.partials.get((field, orders), 0.0), dtype=float) for orders in SECOND)
        if not (np.any(a) or np.any(b) or np.any(c)):
            raise InputError(
                f"the coefficients of the second derivatives are zero everywhere in {shown}: "
                "give the parameter another value"
            )
        with np.errstate(all="ignore"):
            kind = a * c - 0.25 * b * b
            wrong = ~(kind >= -1e-12 * (a * a + b * b + c * c)) & np.isfinite(kind)
        if np.any(wrong) or not np.any(kind > 0.0):
            if TIME in coordinates and not any(o[coordinates.index(TIME)] for _, o in equation.derivatives):
                raise InputError(
                    f"the equation {shown} has no derivative in {TIME}: one that evolves has {field}_{TIME} in it"
                )
            raise InputError(
                f"the equation {shown} is not elliptic, as conditions on all four sides ask for: the factors of its "
                "two second derivatives must have the same sign, and outweigh that of a mixed one"
            )


def _residual_at(
    equation: Equation, orders: Mapping[str, int], at: Sequence[Array], value: float, starts: Mapping[str, float]
) -> Operand:
    # a text has those it has: of many fields most are in few equations
    keys = (
        equation.derivatives
        if equation.is_text
        else {
            (field, along)
            for field, order in orders.items()
            for along in product(range(order + 1), repeat=len(at))
            if sum(along) <= order
        }
    )
    state: dict[Key, Operand] = {key: unknown(key, value) for key in keys}
    state |= {(name,): unknown((name,), start) for name, start in starts.items()}
    return equation.residual(at, state)


def _same(first: Dual, second: Dual) -> bool:
    if first.partials.keys() != second.partials.keys():
        return False
    pairs = ((first.partials[key], second.partials[key]) for key in first.partials)
    return all(np.array_equal(np.asarray(p), np.asarray(q), equal_nan=True) for p, q in pairs)
