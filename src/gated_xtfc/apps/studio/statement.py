"""What the page states, as a Problem; what cannot be used is said with the field of the page that caused it.

A name without a value becomes a parameter: its slider appears as it is typed. One that occurs no more is left out.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from gated_xtfc.apps.studio.limits import LIMITS, Limits
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.tokens import Token, tokenize
from gated_xtfc.language.vocabulary import RESERVED, Vocabulary
from gated_xtfc.problem.condition import Condition, check_independent
from gated_xtfc.problem.domain import Domain, evaluated
from gated_xtfc.problem.equation import read_equations
from gated_xtfc.problem.exact import read_exact
from gated_xtfc.problem.file import Guidance, from_mapping
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.wellposed import check_number, check_unknown, orders_of
from gated_xtfc.zoo import NAMES, family

NEW = 0.1  # value of a parameter that was just typed
LISTS = ("equations", "conditions", "unknown")
FIELDS = {  # of the page, by key
    "equations": "equation",
    "conditions": "conditions",
    "unknown": "unknown",
    "parameters": "parameters",
    "domain": "domain",
}
END = Token("end", "")


class Located(InputError):
    """Bad input, and the field of the page it stands in."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def problem_of(statement: Any, limits: Limits = LIMITS) -> tuple[Problem, Guidance]:
    """The problem and how to find its solution; raises `Located`."""
    plain = checked(statement, limits)
    values = {name: value_of(name, value) for name, value in plain.pop("parameters").items()}
    known = family_exact(plain, plain.pop("family", None))
    exact = {} if known is None or "exact" in plain else {"exact": known}
    try:
        # the page's own parameters first: names are looked for only where they do not fit
        return _read({**plain, "parameters": values}, exact), Guidance.stated(plain)
    except InputError:
        values = fitting(plain, values)
    try:
        return _read({**plain, "parameters": values}, exact), Guidance.stated(plain)
    except InputError as error:
        raise Located(field_of(plain, values), str(error)) from None


def _read(plain: Mapping[str, Any], exact: Mapping[str, Any]) -> Problem:
    problem = from_mapping(plain)
    if not exact:
        return problem
    # an exact solution that is no text is no part of a problem file: it joins the problem here
    parts = {**problem.to_dict(), **exact}
    return Problem.from_dict(parts)


def checked(statement: Any, limits: Limits) -> dict[str, Any]:
    """A statement of the right shape, no longer than allowed; what the library checks itself is left to it."""
    if not isinstance(statement, dict):
        raise Located("equation", f"a problem must be stated by keys and values, not by {type(statement).__name__}")
    plain = {"parameters": {}, **statement}
    for key, field in FIELDS.items():
        given, kind = plain.get(key, [] if key in LISTS else {}), list if key in LISTS else dict
        if not isinstance(given, kind) or (kind is list and not all(isinstance(one, str) for one in given)):
            raise Located(field, f"the {key} must be {'a list of texts' if kind is list else 'given by name'}")
        if len(given) > limits.texts:
            raise Located(field, f"{len(given)} {key} are more than the {limits.texts} that the studio takes")
        plain[key] = given
    plain["equations"] = plain["equations"] or [""]  # the library has a sentence for an empty text
    for key, value in plain.items():
        for text in _texts(value):
            if len(text) > limits.text:
                shown = f"a text of {len(text)} characters is longer than the {limits.text} that the studio takes"
                raise Located(FIELDS.get(key, key), shown)
    if len(plain["domain"]) > 1:
        names = ", ".join(map(str, plain["domain"]))
        raise Located(
            "domain", f"the studio draws problems in one coordinate, not in {names}: solve this one in Python"
        )
    return plain


def value_of(name: str, value: Any) -> float:
    """A number, or an expression such as 1/101."""
    try:
        return evaluated(value, {}, f"the value of {name}")
    except InputError as error:
        raise Located(f"parameter:{name}", str(error)) from None


def family_exact(plain: Mapping[str, Any], name: Any) -> Any:
    """The exact solution of a family that has no text for it, while the problem is still that of the family."""
    if name not in NAMES:
        return None
    one = family(name)
    equations = [one.equation] if isinstance(one.equation, str) else list(one.equation)
    ends = next(iter(plain["domain"].values()), ())
    try:
        same = [float(end) for end in ends] == list(one.domain["x"])
    except (TypeError, ValueError):
        same = False
    unchanged = same and plain["equations"] == equations and plain["conditions"] == list(one.conditions)
    return one.exact if unchanged else None


def fitting(plain: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, float]:
    """A value for every name that occurs and is nothing else; where a text cannot be read, the names stay as given."""
    try:
        used = names_used(plain)
    except InputError:
        return dict(values)
    kept = {name: value for name, value in values.items() if name in used}
    return kept | {name: NEW for name in used if name not in values}


def names_used(plain: Mapping[str, Any]) -> list[str]:
    """The names that only parameters can be, in the order of their appearance."""
    coordinates, unknown = tuple(plain["domain"]), plain["unknown"]
    words = Vocabulary(coordinates, parameters=unknown)
    equations, conditions = ([tokenize(text, key) for text in plain[key]] for key in LISTS[:2])
    others = [tokenize(text, key) for key in ("domain", "exact", "guess") for text in _texts(plain.get(key))]
    fields = set().union(*map(words.fields_in, equations), *map(called, conditions))
    taken = {*unknown, *coordinates, *fields, *RESERVED}
    found = dict.fromkeys(
        name.text
        for tokens in (*equations, *conditions, *others)
        for name, after in pairwise((*tokens, END))
        if name.kind == "name" and after.kind != "(" and words.stem(name.text) not in fields
    )
    return [name for name in found if name not in taken]


def called(tokens: Sequence[Token]) -> set[str]:
    """Names before a parenthesis: in a condition the fields, u(0)."""
    return {name.text for name, after in pairwise(tokens) if name.kind == "name" and after.kind == "("} - RESERVED


def field_of(plain: Mapping[str, Any], values: dict[str, float]) -> str:
    """The field whose reading fails first, in the order in which Problem reads them."""
    field = "domain"
    try:
        axis = Domain.stated(plain["domain"], values).axes[0]
        field = "equation"
        unknown, texts = tuple(plain["unknown"]), tuple(plain["conditions"])
        equations = read_equations(tuple(plain["equations"]), texts, axis, values, unknown)
        orders = orders_of(equations)
        field = "unknown"
        check_unknown(unknown, values, equations)
        field = "exact"
        if plain.get("exact") is not None:
            read_exact(plain["exact"], tuple(orders), axis, values)
        field = "conditions"
        check_number(len(texts), orders, unknown)
        check_independent([Condition.stated(text, axis, orders, values) for text in texts])
        field = "guess"
        Guidance.stated({key: plain[key] for key in ("guess",) if key in plain})
        field = "parameters"
        _check_names(values, (*orders, axis.name))
    except InputError:
        return field
    return "equation"


def _check_names(values: Mapping[str, float], taken: Sequence[str]) -> None:
    for name in values:
        if name in RESERVED or name in taken:
            raise InputError(f"{quoted(name)} has a meaning already")


def _texts(value: Any) -> list[str]:
    """All texts in a value of JSON."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for one in inside for text in _texts(one)]
