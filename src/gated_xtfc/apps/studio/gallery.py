"""The library's families on the page: a statement to start from, what to look at, ranges for the sliders."""

from collections.abc import Mapping

from gated_xtfc.apps.studio.frames import Header
from gated_xtfc.apps.studio.showcase import SHOWCASE
from gated_xtfc.zoo import NAMES, Family, family


def gallery() -> Header:
    return {"families": [*(entry(family(name)) for name in NAMES), *SHOWCASE]}


def entry(one: Family) -> Header:
    exact = dict(one.exact) if isinstance(one.exact, Mapping) else one.exact
    texts = all(isinstance(text, str) for text in (exact.values() if isinstance(exact, dict) else (exact,)))
    return {
        "name": one.name,
        "look": one.look,
        "equations": equations_of(one),
        "domain": {name: list(ends) for name, ends in one.domain.items()},
        "conditions": list(one.conditions),
        "unknown": list(one.constants),
        "parameters": one.settings(),
        "ranges": {one.small: list(one.span)},
        "exact": exact if texts else None,
        "known": True,
    }


def equations_of(one: Family) -> list[str]:
    return [one.equation] if isinstance(one.equation, str) else list(one.equation)


def exact_of(name: object, equations: list[str], conditions: list[str], domain: Mapping[str, object]) -> object | None:
    """What a family knows of its solution and is no text, while the problem is still that of the family."""
    if not isinstance(name, str) or name not in NAMES:
        return None
    one = family(name)
    same = equations == equations_of(one) and conditions == list(one.conditions)
    return one.exact if same and ends_of(domain) == list(one.domain["x"]) else None


def ends_of(domain: Mapping[str, object]) -> list[float]:
    """Of the first coordinate; none where they are not plain numbers."""
    ends = next(iter(domain.values()), None)
    try:
        return [float(end) for end in ends] if isinstance(ends, list | tuple) else []
    except (TypeError, ValueError):
        return []
