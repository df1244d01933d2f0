"""Problem files: TOML with the keys equation, domain, conditions, parameters, exact, title."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem import Problem

LARGEST = 400_000  # bytes
# a.b.c...: the time and memory that reading a dotted key takes grow with the square of its parts
_DOTTED = re.compile(
    r"""(?:^|[\[{,])[ \t]*((?:(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*)+)""", re.MULTILINE
)
MOST_DOTS = 32
KEYS = ("title", "equation", "equations", "domain", "conditions", "parameters", "exact")


def load(path: str | os.PathLike[str]) -> Problem:
    """The problem a TOML file states."""
    return from_mapping(read(path))


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The keys and values of a problem file, not looked at yet."""
    name = quoted(os.fspath(path))
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(f"the problem file {name} is larger than {LARGEST} bytes")
        text = content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"there is no problem file {name}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the problem file {name} is not UTF-8 text: it must be a TOML file") from error
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the problem file {name} cannot be read: {reason}") from error
    if any(match.group(1).count(".") > MOST_DOTS for match in _DOTTED.finditer(text)):
        raise InputError(f"the problem file {name} has a key of more than {MOST_DOTS} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"the problem file {name} is not valid TOML: {reason}") from error


def from_mapping(statement: Mapping[str, Any]) -> Problem:
    """The problem that the keys and values of a problem file state."""
    if not isinstance(statement, Mapping):
        raise InputError(f"a problem must be stated by keys and values, not by {type(statement).__name__}")
    for key in statement:
        if key not in KEYS:
            hint = suggestion(str(key), KEYS, f"known are {', '.join(KEYS)}")
            raise InputError(f"unknown key {quoted(str(key))} in the problem file: {hint}")
    if ("equation" in statement) == ("equations" in statement):
        raise InputError("a problem file must have one of the keys equation and equations")
    for key in ("domain", "conditions"):
        if key not in statement:
            raise InputError(f"the problem file has no {key}: add the key {key}")
    _expect(statement, "equation", str, "a text")
    _expect(statement, "equations", list, "a list of texts")
    _expect(statement, "domain", Mapping, "a table like { x = [0, 1] }")
    _expect(statement, "conditions", list | tuple, "a list of texts")
    _expect(statement, "parameters", Mapping, "a table like { nu = 1e-4 }")
    _expect(statement, "exact", str, "a text")
    _expect(statement, "title", str, "a text")
    plain = {key: value for key, value in statement.items() if key != "equations"}
    equation = statement.get("equation", statement.get("equations"))
    for text in equation if isinstance(equation, list) else [equation]:
        if not isinstance(text, str):
            raise InputError(f"the equations in the problem file must be texts, not {quoted(str(text))}")
    return Problem.from_dict({**plain, "equation": equation})


def _expect(statement: Mapping[str, Any], key: str, kind: Any, expected: str) -> None:
    if key in statement and not isinstance(statement[key], kind):
        found = statement[key]
        raise InputError(
            f"{key} in the problem file must be {expected}, not {quoted(str(found))} ({type(found).__name__})"
        )
