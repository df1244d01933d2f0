"""The statement of a problem as a command gets it: the keys and values of a file, and options that replace some."""

import math
import re
from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse
from gated_xtfc.problem.file import Guidance

Statement = dict[str, object]  # not looked at yet: `from_mapping` and `Guidance.stated` read it
Value = TypeVar("Value")

ASSIGNED = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=\s*(?P<text>.*)", re.DOTALL)  # where(x <= 1, ...) is not
LIMITS = ("atol", "max_neurons", "max_rounds", "max_steps", "max_memory", "max_seconds")


def amended(
    statement: Mapping[str, object],
    settings: Iterable[str],
    *,
    missing: Mapping[str, float] | None = None,
    swept: Mapping[str, float] | None = None,
    **keys: object,
) -> Statement:
    """The statement with other parameters and keys.

    A parameter has the value in `swept`, otherwise that of --set, otherwise that of the file, otherwise that in
    `missing`. A key is replaced where it is given.
    """
    result = {**statement, **{key: value for key, value in keys.items() if value not in (None, [])}}
    parameters = statement.get("parameters", {})
    given = dict(setting(text) for text in settings)
    # what is not a table is left for the reader of the statement to refuse
    if isinstance(parameters, dict):
        open_ones = {name: value for name, value in (missing or {}).items() if name not in parameters}
        result["parameters"] = {**open_ones, **parameters, **given, **(swept or {})}
    return result


def solver_options(guidance: Guidance, arguments: Namespace) -> dict[str, Any]:
    """What `solve` is told beside problem and tolerance: guess and continuation, and the limits that were given."""
    return those_given(**vars(guidance), **{name: getattr(arguments, name, None) for name in LIMITS})


def those_given(**options: object) -> dict[str, Any]:
    """Options less those that were left out: these have their defaults where they are used."""
    return {name: value for name, value in options.items() if value is not None}


def setting(text: str) -> tuple[str, float]:
    """`nu=1/101` -> ("nu", 0.0099...)."""
    name, expression = named(text, "--set takes NAME=VALUE such as nu=1e-4")
    value = number(expression, f"the value of {name}")
    if not math.isfinite(value):
        raise InputError(f"the value of {name} in --set {quoted(text)} is not a finite number")
    return name, value


def named(text: str, expected: str) -> tuple[str, str]:
    """`nu = 1e-4` -> ("nu", "1e-4"); what cannot be read so is answered with what was expected."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not (name.isidentifier() and value):
        raise InputError(f"{expected}, not {quoted(text)}")
    return name, value


def number(text: str, what: str) -> float:
    """A number, or an expression such as 1/101."""
    return float(parse(text, parameters=(), coordinates=(), what=what).value({}))


def tables(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """["f=data.csv:spline"] -> {"f": {"file": "data.csv", "kind": "spline"}}."""
    return once("--table", map(table, texts))


def table(text: str) -> tuple[str, dict[str, str]]:
    name, file = named(text, "--table takes NAME=FILE.csv such as f=load.csv, or f=load.csv:spline")
    path, _, kind = file.rpartition(":")
    if path and kind in ("linear", "spline"):
        return name, {"file": path, "kind": kind}
    return name, {"file": file}


def axes(texts: Iterable[str]) -> dict[str, list[str]]:
    """["x=0:1"] -> {"x": ["0", "1"]}."""
    return once("--domain", map(axis, texts))


def axis(text: str) -> tuple[str, list[str]]:
    name, equals, ends = (part.strip() for part in text.partition("="))
    parts = [part.strip() for part in ends.split(":")]
    if not (equals and name and len(parts) == 2 and all(parts)):
        raise InputError(f"--domain takes NAME=LEFT:RIGHT such as x=0:1, not {quoted(text)}")
    return name, parts


def by_field(texts: list[str], option: str) -> str | dict[str, str] | None:
    """["x"] -> "x"; ["u=x", "v = 1"] -> {"u": "x", "v": "1"}."""
    if len(texts) == 1 and ASSIGNED.fullmatch(texts[0]) is None:
        return texts[0]
    return once(option, (of_field(text, option) for text in texts)) or None


def of_field(text: str, option: str) -> tuple[str, str]:
    found = ASSIGNED.fullmatch(text)
    if found is None:
        raise InputError(f"of several {option} each takes NAME=TEXT such as u=1-x, not {quoted(text)}")
    return found["name"], found["text"]


def once(option: str, pairs: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    """The values by name, of which none may be given twice."""
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{option} {name} is given twice: give it once")
        found[name] = value
    return found
