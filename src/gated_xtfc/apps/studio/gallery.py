"""The library's families as the page shows them: a statement to start from, what to look at, ranges for the sliders."""

from typing import Any

from gated_xtfc.zoo import NAMES, Family, family


def gallery() -> dict[str, Any]:
    return {"families": [entry(family(name)) for name in NAMES], "infer": can_infer()}


def entry(one: Family) -> dict[str, Any]:
    equations = [one.equation] if isinstance(one.equation, str) else list(one.equation)
    exact = dict(one.exact) if not isinstance(one.exact, str) and not callable(one.exact) else one.exact
    texts = isinstance(exact, str) or (isinstance(exact, dict) and all(isinstance(e, str) for e in exact.values()))
    low, high = one.span
    return {
        "name": one.name,
        "look": one.look,
        "equations": equations,
        "domain": {name: list(ends) for name, ends in one.domain.items()},
        "conditions": list(one.conditions),
        "unknown": list(one.constants),
        "parameters": one.settings(),
        "ranges": {one.small: [low, high]},
        "exact": exact if texts else None,
        "known": True,
    }


def can_infer() -> bool:
    """Whether this installation finds parameters from data."""
    import gated_xtfc

    return "infer" in gated_xtfc.__all__
