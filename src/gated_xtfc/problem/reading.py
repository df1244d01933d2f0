"""From what was stated to what a Problem holds: texts in plain words, equations, conditions, and their checks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem import complex_parts
from gated_xtfc.problem.condition import Condition, check_independent, check_kinds
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.deviation import Deviations, unsolved
from gated_xtfc.problem.domain import NAME, Axis, Domain, real
from gated_xtfc.problem.equation import Equation, TextEquation, read_equations
from gated_xtfc.problem.evolution import check_forward, mismatches, time_axis
from gated_xtfc.problem.evolution_text import clamped, read_evolution
from gated_xtfc.problem.exact import exact_statements, read_exact
from gated_xtfc.problem.free_ends import FreeEnds
from gated_xtfc.problem.highest import check_index, without_algebraic
from gated_xtfc.problem.jumps import Jump, jump_of, stated_jump
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.rewritings import in_plain_words
from gated_xtfc.problem.side import Side, clashes
from gated_xtfc.problem.side_text import read_sides
from gated_xtfc.problem.stand_ins import StandIns
from gated_xtfc.problem.statement import Statement
from gated_xtfc.problem.tables import check_ranges, check_tables, read_tables
from gated_xtfc.problem.wellposed import (
    check_elliptic,
    check_leading_coefficients,
    check_number,
    check_parameters,
    check_second_order,
    check_unknown,
    is_linear,
    linearised_at_probes,
    names_used,
    orders_of,
    same_leads,
)


def read_problem(
    equation: object,
    domain: Any,
    conditions: object,
    exact: Any,
    unknown: object,
    tables: Any,
    parameters: Mapping[str, object],
) -> dict[str, object]:
    """What a Problem of these holds, by the names of its attributes."""
    equations_given = as_tuple(equation, "the equation", "a text or a function", single=True)
    texts_given = as_tuple(
        conditions, "conditions", 'a list of texts like ["u(0) = 0", "u(1) = 1"]', single=False, functions=True
    )
    values = {name: parameter(name, value) for name, value in parameters.items()}
    known = read_tables(tables) if tables else {}
    for name in known.keys() & values.keys():
        raise InputError(f"{quoted(name)} is given as a table and as a parameter: give it once")
    everything: dict[str, Any] = {**values, **known}
    unknown_given = as_tuple(
        [unknown] if isinstance(unknown, str) else unknown, "unknown", "a list of names", single=False
    )
    stated = _stated(equations_given, texts_given, domain, everything, unknown_given)
    free = FreeEnds.stated(domain, values, stated.unknown)
    starts = {**dict.fromkeys(stated.unknown, 1.0), **stated.starts, **(free.starts if free else {})}
    place = Domain((free.axis(starts),)) if free else Domain.stated(domain, values)
    interval = len(place.axes) == 1
    if interval:
        stated = in_plain_words(stated)
        everything |= {one.name: stated.given[one.name] for one in stated.deviations}
        if stated.deviations and (free or stated.jumps or stated.sources):
            raise InputError(
                "an equation with delays needs known ends of the domain, and neither jumps nor point sources"
            )
        starts = {**dict.fromkeys(stated.unknown, 1.0), **stated.starts, **starts}
    names, texts = stated.unknown, stated.conditions
    equations = read_equations(stated.equations, texts, place.axes, stated.given, names)
    if free:  # from here on in s, from 0 to 1
        place = Domain((Axis(free.name, 0.0, 1.0),))
        equations = tuple(free.equation(one, names) for one in equations)
    axes, coordinates = place.axes, place.coordinates
    stand_ins = StandIns.of(equations, axes, everything)
    if stand_ins:
        stand_ins = stand_ins.with_copies(clamped(texts, stand_ins, (axes[0], axes[1]), everything))
        equations = stand_ins.equations(equations, coordinates)
        stated = replace(stated, auxiliary=(*stand_ins.names, *stated.auxiliary))
    time = time_axis(equations, axes)
    place.require_finite_sides(time)
    given = {name: tuple(ends) for name, ends in domain.items()} if isinstance(domain, Mapping) else domain
    ends = tuple(end for pair in given.values() for end in pair) if isinstance(given, Mapping) else ()
    _check_kind(equations, texts, names, values, ends, interval, time is not None)
    orders = orders_of(equations, coordinates)
    orders = {name: orders[name] for name in sorted(orders, key=stated.auxiliary.__contains__)}  # made ones come last
    check_kinds(texts)
    own = tuple(one for one in orders if one not in stated.auxiliary)
    solution = {} if exact is None else read_exact(exact, own, coordinates, everything)
    found = [linearised_at_probes(one, orders, axes, starts) for one in equations]
    linear = all(is_linear(one, pair) for one, pair in zip(equations, found, strict=True))
    if not interval and time is None and (linear or same_leads(found[0], next(iter(orders)))):
        # before the conditions: other kinds of equations take other ones
        check_elliptic(equations[0], next(iter(orders)), found[0], coordinates)
    read: tuple[Condition, ...] = ()
    others: tuple[NonlinearCondition, ...] = ()
    sides: tuple[Side, ...] = ()
    evolution = None
    jumps: tuple[Jump, ...] = ()
    for one in equations if time is None else ():
        if isinstance(one, TextEquation) and one.broken_fluxes:
            raise InputError(
                f"what stands in a parenthesis before its derivative in {quoted(one.text)} jumps: only equations that "
                "evolve in time join what is on its two sides"
            )
    if time is not None:
        evolution = read_evolution(texts, equations, tuple(orders), (axes[0], axes[1]), time, everything, stand_ins)
    elif interval:
        check_index(equations, orders, found, axes[0].name)
        if not (free or names or stated.deviations or stated.jumps or stated.sources):
            texts = without_algebraic(texts, equations, orders, axes[0], everything)
            stated = replace(stated, conditions=texts)
        jumps = _jumps(stated, equations, axes[0], orders, free is not None)
        # a flux that may jump holds one derivative more than the equations have
        allowed = {name: order + (name in stated.fluxed) for name, order in orders.items()}
        moved = (free.starts, free.law) if free else ()
        read, others = ConditionReader(axes[0], allowed, everything, names, *moved).read_all(texts)
    else:
        sides = read_sides(texts, next(iter(orders)), (axes[0], axes[1]), everything)
    sources = (*(source.text for source in stated.sources), *(equations_given if stated.deviations else ()))
    used = names_used(equations, (*ends, *texts_given, *texts, *exact_statements(exact), *sources))
    check_parameters(values, used, orders, coordinates)
    check_tables(known, used, {**orders, **dict.fromkeys((*coordinates, *names))}, equations)
    check_ranges(known, equations, axes)
    if interval:
        check_independent(read)
        check_leading_coefficients(equations, orders, found)
    if evolution is not None:
        check_forward(equations, tuple(orders), evolution)
    if stated.deviations:
        equations = tuple(one.seeded(unsolved(stated.deviations)) for one in equations)
    lowest = min((order for order in orders.values() if order), default=1)
    return {
        "deviations": Deviations(stated.deviations, lowest) if stated.deviations else None,
        "equations": equations,
        "fields": tuple(orders),
        "order": MappingProxyType(orders),
        "domain": place,
        "conditions": read,
        "nonlinear_conditions": others,
        "sides": sides,
        "evolution": evolution,
        "warnings": clashes(sides) if evolution is None else mismatches(evolution, tuple(orders)),
        "parameters": MappingProxyType(values),
        "tables": MappingProxyType(known),
        "linear": linear and not others,
        "unknown": names,
        "starts": MappingProxyType(starts),
        "free_ends": free,
        "auxiliary": stated.auxiliary,
        "complex_pairs": MappingProxyType(dict(stated.pairs)),
        "jumps": jumps,
        "_statement": (equations_given, given, texts_given, exact, unknown_given, known),
        "_exact": solution,
    }


def _stated(
    equations: tuple[Any, ...],
    conditions: tuple[Any, ...],
    domain: object,
    given: Mapping[str, Any],
    unknown: tuple[str, ...],
) -> Statement:
    """The statement as it was made, in real texts where it is on an interval."""
    coordinate: str = ""
    ends: tuple[Any, Any] = ("", "")
    if isinstance(domain, Domain):
        if len(domain.axes) == 1:
            (axis,) = domain.axes
            coordinate, ends = axis.name, (axis.left, axis.right)
    elif isinstance(domain, Mapping) and len(domain) == 1:
        ((coordinate, ends),) = domain.items()
    stated = Statement(equations, conditions, coordinate, ends, given, unknown)
    return complex_parts.rewritten(stated) if coordinate and isinstance(coordinate, str) else stated


def _check_kind(
    equations: Sequence[Equation],
    texts: Sequence[object],
    names: Sequence[str],
    values: Mapping[str, float],
    ends: Sequence[object],
    interval: bool,
    evolves: bool,
) -> None:
    """What an interval, a rectangle and an equation that evolves can have."""
    if not interval and any(callable(one) for one in texts):
        raise InputError("conditions on a rectangle must be texts, not functions: write u = 0 on boundary")
    if interval:
        check_unknown(names, values, equations, (*texts, *ends))
    elif not evolves:
        check_second_order(equations, names)
    elif names:
        raise InputError("unknown constants are supported on a line only, not where equations evolve")


def _jumps(
    stated: Statement, equations: Sequence[Equation], axis: Axis, orders: Mapping[str, int], free: bool
) -> tuple[Jump, ...]:
    """Prescribed ones, and those that point sources make; the number of conditions is checked before."""
    own = {name: order for name, order in orders.items() if name not in stated.settled}
    unknown = [name for name in stated.unknown if name not in stated.settled]
    check_number(len(stated.conditions) - len(stated.settled), own, unknown, pairs=stated.pairs)
    if free and (stated.jumps or stated.sources):
        raise InputError("jumps and point sources need ends of the domain that are known")
    jumps = tuple(stated_jump(text, axis, orders, stated.fluxes, stated.given) for text in stated.jumps)
    return jumps + tuple(jump_of(one, equations[one.equation], axis, orders, stated.given) for one in stated.sources)


def as_tuple(statement: object, what: str, expected: str, single: bool, functions: bool = False) -> tuple[Any, ...]:
    """A list of texts as a tuple, with `functions` of these too; with `single`, one of either alone as well."""
    if not isinstance(statement, list | tuple) and not (single and (isinstance(statement, str) or callable(statement))):
        raise InputError(f"{what} must be {expected}, not {quoted(str(statement))} ({type(statement).__name__})")
    statements = tuple(statement) if isinstance(statement, list | tuple) else (statement,)
    if single and not statements:
        raise InputError(f"{what} is missing: give {expected}")
    for one in statements:
        if not (isinstance(one, str) or ((single or functions) and callable(one))):
            raise InputError(f"{what} must be {expected}, not {quoted(str(one))} ({type(one).__name__})")
    return statements


def parameter(name: object, value: object) -> float:
    """The value of a parameter as a float, name and value checked."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(f"{quoted(str(name))} cannot be the name of a parameter: use letters, digits and _")
    if isinstance(value, Mapping):
        raise InputError(
            f"parameters are given by name, Problem(..., nu=1e-4), not as a table: **{name} takes it apart"
        )
    number = real(value, f"the parameter {quoted(name)}")
    if not math.isfinite(number):
        raise InputError(f"the parameter {quoted(name)} must be a finite number, not {number}")
    return number
