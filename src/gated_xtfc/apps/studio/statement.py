"""What the page states, as a Problem; what cannot be used is said with the field of the page that caused it.

A name without a value becomes a parameter: its slider appears as it is typed. One that occurs no more is left out.
"""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NotRequired, TypedDict, cast

from gated_xtfc.apps.studio.gallery import exact_of
from gated_xtfc.apps.studio.limits import LIMITS, StudioLimits
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.tokens import Token, tokenize
from gated_xtfc.language.vocabulary import INFINITE, RESERVED, Vocabulary
from gated_xtfc.problem.condition import check_independent, check_kinds
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.domain import Axis, Domain, evaluated
from gated_xtfc.problem.equation import read_equations
from gated_xtfc.problem.evolution import time_axis
from gated_xtfc.problem.evolution_text import clamped, read_evolution
from gated_xtfc.problem.exact import read_exact
from gated_xtfc.problem.file import Guidance, from_mapping
from gated_xtfc.problem.free_ends import FreeEnds
from gated_xtfc.problem.jumps import is_jump
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.side_text import read_sides
from gated_xtfc.problem.stand_ins import StandIns
from gated_xtfc.problem.tables import read_tables
from gated_xtfc.problem.wellposed import check_number, check_unknown, orders_of

REMEMBERED = 8  # families
NEW = 1.0  # of a parameter that was just typed, where its name does not say how large it tends to be
USUAL = {
    **dict.fromkeys(("eps", "epsilon", "nu", "mu", "delta", "ε", "ν", "μ", "δ", "h", "kappa"), 1e-2),
    **dict.fromkeys(("re", "pe", "ra"), 100.0),
}
SIDES = frozenset({"on", "boundary"})  # words of a condition on a rectangle
LISTS = ("equations", "conditions", "unknown")
FIELDS = {  # of the page, by key
    "equations": "equation",
    "conditions": "conditions",
    "unknown": "unknown",
    "parameters": "parameters",
    "domain": "domain",
    "tables": "tables",
}
END = Token("end", "")


class Stated(TypedDict):
    """What the page states, in the right shape and no longer than allowed; the library has not looked at it yet."""

    equations: list[str]
    conditions: list[str]
    unknown: list[str]
    parameters: dict[str, object]
    domain: dict[str, object]
    tables: dict[str, object]
    exact: NotRequired[object]
    guess: NotRequired[object]
    continuation: NotRequired[object]
    family: NotRequired[object]


_families: dict[str, tuple[Problem, Guidance]] = {}  # by their statements without values, the latest last


class Located(InputError):
    """Bad input, and the field of the page it stands in."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def problem_of(statement: object, limits: StudioLimits = LIMITS) -> tuple[Problem, Guidance]:
    """The problem and how to find its solution; raises `Located`."""
    stated = checked(statement, limits)
    given = stated["parameters"].items()
    values = {name: number_in(f"parameter:{name}", value, f"the value of {name}") for name, value in given}
    known = exact_of(stated.get("family"), stated["equations"], stated["conditions"], stated["domain"])
    exact = None if "exact" in stated else known
    try:
        # the page's own parameters first: names are looked for only where they do not fit
        return _read(stated, values, exact)
    except InputError:
        values = fitting(stated, values)
    try:
        return _read(stated, values, exact)
    except InputError as error:
        raise Located(field_of(stated, values), str(error)) from None


def _read(stated: Stated, values: Mapping[str, float], exact: object | None) -> tuple[Problem, Guidance]:
    """What is stated; a slider moves along a family, whose text is read once."""
    if stated["tables"]:
        return _read_anew(stated, values, exact)
    key = json.dumps([{**stated, "parameters": sorted(values)}], sort_keys=True, default=str)
    known = _families.pop(key, None)
    found = _read_anew(stated, values, exact) if known is None else (known[0](**values), known[1])
    _families[key] = found
    if len(_families) > REMEMBERED:
        del _families[next(iter(_families))]
    return found


def _read_anew(stated: Stated, values: Mapping[str, float], exact: object | None) -> tuple[Problem, Guidance]:
    plain = {**{key: value for key, value in stated.items() if key != "family"}, "parameters": values}
    problem, guidance = from_mapping(plain), Guidance.stated(plain)
    # an exact solution that is no text is no part of a problem file: it joins the problem here
    return problem if exact is None else Problem.from_dict({**problem.to_dict(), "exact": exact}), guidance


def checked(statement: object, limits: StudioLimits) -> Stated:
    """The statement in the right shape; what the library checks itself is left to it."""
    if not isinstance(statement, dict):
        raise Located("equation", f"a problem must be stated by keys and values, not by {type(statement).__name__}")
    stated = {**{key: [] if key in LISTS else {} for key in FIELDS}, **statement}
    for key, field in FIELDS.items():
        given, kind = stated[key], list if key in LISTS else dict
        if not isinstance(given, kind) or (kind is list and not all(isinstance(one, str) for one in given)):
            raise Located(field, f"the {key} must be {'a list of texts' if kind is list else 'given by name'}")
        if len(given) > limits.texts:
            raise Located(field, f"{len(given)} {key} are more than the {limits.texts} that the studio takes")
    stated["equations"] = stated["equations"] or [""]  # the library has a sentence for an empty text
    for key, value in stated.items():
        for text in _texts(value):
            if len(text) > limits.text:
                shown = f"a text of {len(text)} characters is longer than the {limits.text} that the studio takes"
                raise Located(FIELDS.get(key, key), shown)
    for name, table in stated["tables"].items():
        # values only: a page may not have files of this machine read
        if not isinstance(table, dict) or not all(isinstance(table.get(key), list) for key in ("x", "y")):
            raise Located("tables", f"the table {quoted(str(name))} must have its values as x and y")
        if set(table) - {"x", "y", "kind"} or max(len(table["x"]), len(table["y"])) > limits.data:
            raise Located("tables", f"a table has x, y and kind, and at most {limits.data} values: {name!r} has not")
    if len(stated["domain"]) > 2:
        names = ", ".join(map(str, stated["domain"]))
        raise Located("domain", f"problems have one coordinate or two, not {len(stated['domain'])}: {names}")
    return cast(Stated, stated)


def number_in(field: str, value: object, what: str) -> float:
    """What a field of the page holds: a finite number, or an expression such as 1/101."""
    try:
        found = evaluated(value, {}, what)
    except InputError as error:
        raise Located(field, str(error)) from None
    if not math.isfinite(found):
        raise Located(field, f"{what} is not a finite number: give one")
    return found


def fitting(stated: Stated, values: Mapping[str, float]) -> dict[str, float]:
    """A value for every name that occurs and is nothing else; where a text cannot be read, the names stay as given."""
    try:
        used = names_used(stated)
    except InputError:
        return dict(values)
    kept = {name: value for name, value in values.items() if name in used}
    return kept | {name: USUAL.get(name.lower(), NEW) for name in used if name not in values}


def names_used(stated: Stated) -> list[str]:
    """The names that only parameters can be, in the order of their appearance."""
    coordinates, unknown = tuple(stated["domain"]), stated["unknown"]
    words = Vocabulary(coordinates, parameters=unknown)
    equations = [tokenize(text, "equations") for text in stated["equations"]]
    conditions = [tokenize(text, "conditions") for text in stated["conditions"]]
    others = [tokenize(text, key) for key in ("domain", "exact", "guess") for text in _texts(stated.get(key))]
    fields = set().union(*map(words.fields_in, equations), *map(called, conditions))
    # no parameter is called so: who types it means an end or a point at infinity
    texts = (*conditions, *others)
    infinite = {token.text for tokens in texts for token in tokens if token.text.lower() in INFINITE}
    fields -= set(stated["tables"])
    taken = {*unknown, *coordinates, *fields, *RESERVED, *infinite, *(SIDES if len(coordinates) > 1 else ())}
    found = dict.fromkeys(
        name.text
        for tokens in (*equations, *conditions, *others)
        for name, after in pairwise((*tokens, END))
        if name.kind == "name" and after.kind != "(" and words.stem(name.text) not in fields
    )
    return [name for name in found if name not in taken]


def called(tokens: Sequence[Token]) -> set[str]:
    """Names before a parenthesis: in a condition the fields, u(0)."""
    return (
        {name.text for name, after in pairwise(tokens) if name.kind == "name" and after.kind == "("}
        - RESERVED
        - {"jump"}
    )


def field_of(stated: Stated, values: dict[str, float]) -> str:
    """The field whose reading fails first, in the order in which Problem reads them."""
    field = "tables"
    try:
        names: dict[str, Any] = {**values, **read_tables(stated["tables"])}
        field = "domain"
        unknown, texts = tuple(stated["unknown"]), tuple(stated["conditions"])
        free = FreeEnds.stated(stated["domain"], values, unknown)
        domain = Domain((free.axis(free.starts),)) if free else Domain.stated(stated["domain"], values)
        field = "equation"
        if len(domain.axes) > 1:
            return _field_of_two(stated, values, domain)
        equations = read_equations(tuple(stated["equations"]), texts, domain.axes, names, unknown)
        orders = orders_of(equations, domain.coordinates)
        field = "unknown"
        check_unknown(unknown, values, equations, (*texts, *_texts(stated["domain"])))
        field = "exact"
        if stated.get("exact") is not None:
            read_exact(stated["exact"], tuple(orders), domain.coordinates, values)
        field = "conditions"
        texts = tuple(text for text in texts if not is_jump(text))
        check_kinds(texts)
        check_number(len(texts), orders, unknown)
        axis = Axis(free.name, 0.0, 1.0) if free else domain.axes[0]
        moved = (free.starts, free.law) if free else ()
        check_independent(ConditionReader(axis, orders, values, unknown, *moved).read_all(texts)[0])
        field = "guess"
        Guidance.stated({"guess": stated.get("guess")})
        field = "parameters"
        _check_names(values, (*orders, *domain.coordinates))
    except InputError:
        return field
    return "equation"


def _field_of_two(stated: Stated, values: dict[str, float], domain: Domain) -> str:
    """The same for two coordinates: space and time, or the sides of a rectangle."""
    field, texts, axes = "equation", tuple(stated["conditions"]), (domain.axes[0], domain.axes[1])
    try:
        equations = read_equations(tuple(stated["equations"]), (), axes, values, ())
        stand_ins = StandIns.of(equations, axes, values)
        field = "conditions" if stand_ins else field
        stand_ins = stand_ins.with_copies(clamped(texts, stand_ins, axes, values)) if stand_ins else stand_ins
        equations = stand_ins.equations(equations, domain.coordinates)
        orders = orders_of(equations, domain.coordinates)
        field = "conditions"
        time = time_axis(equations, axes)
        if time is not None:
            read_evolution(texts, equations, tuple(orders), axes, time, values, stand_ins)
        else:
            read_sides(texts, next(iter(orders)), axes, values)
        field = "exact"
        if stated.get("exact") is not None:
            read_exact(stated["exact"], tuple(orders), domain.coordinates, values)
    except InputError:
        return field
    return "equation"


def _check_names(values: Mapping[str, float], taken: Sequence[str]) -> None:
    for name in values:
        if name in RESERVED or name in taken:
            raise InputError(f"{quoted(name)} has a meaning already")


def _texts(value: object) -> list[str]:
    """All texts in a value of JSON."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for one in inside for text in _texts(one)]
