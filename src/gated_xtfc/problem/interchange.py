"""Problems to files and back: what `read` and `write` of the public face do, and paths in the place of problems."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.problem.file import Guidance, One, from_mapping
from gated_xtfc.problem.file import read as read_statement
from gated_xtfc.problem.problem import Problem

Plain = Mapping[str, Any]  # a problem as `Problem.to_dict` writes it, with guess and continuation where there are any
Value = str | float | Sequence["Value"] | Mapping[str, "Value"]  # of a problem file


def read(path: str | os.PathLike[str]) -> Problem:
    """The problem that a TOML file states.

    A guess and a parameter to follow, which such a file may hold too, are no part of the problem: `solve` uses them
    where it is given the path itself.

    Parameters
    ----------
    path
        The problem file.

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        Where there is no such file, or it does not state a problem.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> gx.write(layer, "layer.toml")
    >>> gx.read("layer.toml") == layer
    True
    >>> print(gx.solve("layer.toml").status)
    converged
    """
    return from_mapping(read_statement(path))


def write(
    problem: Problem,
    path: str | os.PathLike[str],
    *,
    guess: One | Mapping[str, One] | None = None,
    continuation: str | None = None,
) -> None:
    """Write a problem as a TOML file that `read`, `solve` and the command line take.

    Parameters
    ----------
    problem
        A problem stated by texts.
    path
        The file; one that is there is replaced.
    guess, continuation
        What `solve` is to be told when it is given this file.

    Returns
    -------
    None

    Raises
    ------
    InputError
        Where the problem was made from a Python function, or the file cannot be written.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> from pathlib import Path
    >>> bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    >>> gx.write(bratu, "bratu.toml", guess="16*x*(1-x)")
    >>> print(Path("bratu.toml").read_text())
    equation = "u'' + k*exp(u) = 0"
    domain = { x = [0, 1] }
    conditions = ["u(0) = 0", "u(1) = 0"]
    parameters = { k = 1 }
    guess = "16*x*(1-x)"
    <BLANKLINE>
    """
    if not isinstance(problem, Problem):
        raise InputError(f"write takes a Problem, not {type(problem).__name__}: write(problem, path)")
    guidance = Guidance.stated({"guess": guess, "continuation": continuation} if continuation else {"guess": guess})
    write_text(os.fspath(path), toml({**problem.to_dict(), **stated_guidance(guidance)}))


def stated_guidance(guidance: Guidance) -> dict[str, Any]:
    """The keys of a problem file that hold it."""
    return {key: value for key, value in vars(guidance).items() if value is not None}


def stated_problem(given: object, guess: Any, continuation: str | None) -> tuple[Problem, Any, str | None]:
    """A problem, or that of a problem file with the guess and the parameter to follow that the file holds."""
    if isinstance(given, Problem):
        return given.unsettled(), guess, continuation
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"a Problem or the path of a problem file is needed, not {type(given).__name__}")
    path = os.fspath(given)
    if isinstance(path, str) and "=" in path and not os.path.exists(path):
        raise InputError(
            f"{quoted(path)} is an equation, not a problem file: give it a domain and conditions, "
            'gx.Problem(equation, {"x": (0, 1)}, ["u(0) = 0", ...])'
        )
    statement = read_statement(path)
    held = Guidance.stated(statement)
    problem = from_mapping(statement)
    return problem, held.guess if guess is None else guess, continuation or held.continuation


def toml(plain: Plain) -> str:
    """The text of a problem file."""
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in plain.items() if value not in ({}, []))


def toml_value(value: Value) -> str:
    """One value, on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {toml_value(one)}" for name, one in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return number(value)


def number(value: float) -> str:
    """As short as it can be read back: 1e-05, 0.5, 3."""
    given = float(value)
    return f"{given:.0f}" if abs(given) < 1e6 and given == int(given) else repr(given)
