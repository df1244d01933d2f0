"""Problem files: TOML that states a problem, and where it helps, how to find its solution (guess, continuation)."""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any

from gated_xtfc.errors import InputError, beside, quoted, suggestion
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.tables import read_tables

LARGEST = 400_000  # bytes
# a.b.c...: the time and memory that reading a dotted key takes grow with the square of its parts
_DOTTED = re.compile(
    r"""(?:^|[\[{,])[ \t]*((?:(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*)+)""", re.MULTILINE
)
MOST_DOTS = 32
PROBLEM_KEYS = ("title", "equation", "equations", "domain", "conditions", "parameters", "unknown", "tables", "exact")
GUIDANCE_KEYS = ("guess", "continuation")
KEYS = PROBLEM_KEYS + GUIDANCE_KEYS

One = str | float


@dataclass(frozen=True)
class Guidance:
    """How to find the solution: options of `solve` that a problem file may hold, no part of the problem itself."""

    guess: One | Mapping[str, One] | None = None
    continuation: str | None = None

    @classmethod
    def stated(cls, statement: Mapping[str, Any]) -> "Guidance":
        """What the keys guess and continuation say, where they are there."""
        _check_keys(statement)
        _expect(statement, "continuation", str, "the name of a parameter")
        guess = statement.get("guess")
        if isinstance(guess, Mapping):
            for name, one in guess.items():
                _expect_guess(one, f"the guess for {name}", "a text or a number")
        elif guess is not None:
            _expect_guess(guess, "guess", "a text, a number, or a table of these by field")
        return cls(dict(guess) if isinstance(guess, Mapping) else guess, statement.get("continuation"))


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
        raise InputError(f"there is no problem file {name}{beside(path)}") from error
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
        statement = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"the problem file {name} is not valid TOML: {reason}") from error
    return with_files(statement, Path(path).parent)


def with_files(statement: Mapping[str, Any], folder: str | os.PathLike[str] = "") -> dict[str, Any]:
    """The statement with the values of its tables in the place of the files, in a folder, that they are in."""
    tables = statement.get("tables")
    if not isinstance(tables, Mapping):
        return dict(statement)
    return {**statement, "tables": {name: one.to_dict() for name, one in read_tables(tables, folder).items()}}


def from_mapping(statement: Mapping[str, Any]) -> Problem:
    """The problem that the keys and values of a problem file state."""
    Guidance.stated(statement)  # checked with the rest, whoever reads it
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
    _expect(statement, "unknown", list | tuple, 'a list of names like ["lam"]')
    _expect(statement, "exact", str | Mapping, "a text, or a table of texts by field")
    _expect(statement, "title", str, "a text")
    _expect(statement, "tables", Mapping, "a table of tables like f = { x = [0, 1], y = [2, 3] }")
    for name, table in statement.get("tables", {}).items():
        if not isinstance(table, Mapping) or "file" in table:  # whoever sends a statement may not read files here
            raise InputError(f"the table {quoted(str(name))} must have its values as x and y")
    exact = statement.get("exact")
    equations = statement["equations"] if "equations" in statement else [statement["equation"]]
    _expect_texts(equations, "the equations")
    _expect_texts(statement.get("unknown", ()), "the unknown constants")
    _expect_texts(exact.values() if isinstance(exact, Mapping) else (), "the exact solutions")
    plain = {key: statement[key] for key in PROBLEM_KEYS if key in statement and key != "equations"}
    return Problem.from_dict({**plain, "equation": equations if "equations" in statement else equations[0]})


def _check_keys(statement: Mapping[str, object]) -> None:
    if not isinstance(statement, Mapping):
        raise InputError(f"a problem must be stated by keys and values, not by {type(statement).__name__}")
    for key in statement:
        if key not in KEYS:
            hint = suggestion(str(key), KEYS, f"known are {', '.join(KEYS)}")
            raise InputError(f"unknown key {quoted(str(key))} in the problem file: {hint}")


def _expect_guess(found: object, what: str, expected: str) -> None:
    if not isinstance(found, str | float | int) or isinstance(found, bool):
        raise InputError(
            f"{what} in the problem file must be {expected}, not {quoted(str(found))} ({type(found).__name__})"
        )


def _expect_texts(found: Iterable[object], what: str) -> None:
    for one in found:
        if not isinstance(one, str):
            raise InputError(f"{what} in the problem file must be texts, not {quoted(str(one))}")


def _expect(statement: Mapping[str, object], key: str, kind: type | UnionType, expected: str) -> None:
    if key in statement and not isinstance(statement[key], kind):
        found = statement[key]
        raise InputError(
            f"{key} in the problem file must be {expected}, not {quoted(str(found))} ({type(found).__name__})"
        )
