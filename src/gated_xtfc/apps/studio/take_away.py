"""A problem as text to take away: a problem file, a command line, a Python script. Each states the same problem."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from gated_xtfc.problem.file import Guidance, One
from gated_xtfc.problem.problem import Problem

Plain = Mapping[str, Any]  # a problem as `Problem.to_dict` writes it, with guess and continuation where there are any
Value = str | float | Sequence["Value"] | Mapping[str, "Value"]  # of a problem file


def texts(problem: Problem, guidance: Guidance, tol: float) -> dict[str, str]:
    plain = {**problem.to_dict(), **{key: value for key, value in vars(guidance).items() if value is not None}}
    return {"toml": toml(plain), "command": command(plain, tol), "python": python(plain, tol)}


def toml(plain: Plain) -> str:
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in plain.items() if value not in ({}, []))


def toml_value(value: Value) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {toml_value(one)}" for name, one in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return number(value)


def command(plain: Plain, tol: float) -> str:
    equations = plain["equations"] if "equations" in plain else [plain["equation"]]
    words = [("--equation", text) for text in equations]
    for name, (left, right) in plain["domain"].items():
        words.append(("--domain", f"{name}={_end(left)}:{_end(right)}"))
    words += [("--condition", text) for text in plain["conditions"]]
    words += [("--set", f"{name}={number(value)}") for name, value in plain["parameters"].items()]
    words += [("--unknown", name) for name in plain.get("unknown", ())]
    for key in ("exact", "guess"):
        words += [(f"--{key}", text) for text in _by_field(plain.get(key))]
    words += [("--continuation", plain["continuation"])] if "continuation" in plain else []
    words.append(("--tol", number(tol)))
    return "gated-xtfc solve \\\n    " + " \\\n    ".join(f"{option} {shell(text)}" for option, text in words) + "\n"


def python(plain: Plain, tol: float) -> str:
    equations = plain["equations"] if "equations" in plain else plain["equation"]
    domain = {name: tuple(ends) for name, ends in plain["domain"].items()}
    arguments = [_python(equations), _python(domain), _python(plain["conditions"])]
    arguments += [f"{key}={_python(plain[key])}" for key in ("exact", "unknown") if plain.get(key)]
    arguments += [f"{name}={number(value)}" for name, value in plain["parameters"].items()]
    options = [
        f"tol={number(tol)}",
        *(f"{key}={_python(plain[key])}" for key in ("guess", "continuation") if key in plain),
    ]
    field = f"[{Problem.from_dict(plain).fields[0]!r}]" if "equations" in plain else ""
    inside = ",\n    ".join(arguments)
    return (
        "import gated_xtfc as gx\n\n"
        f"problem = gx.Problem(\n    {inside},\n)\n"
        f"solution = gx.solve(problem, {', '.join(options)})\n"
        "print(solution.status, solution.error)\n"
        "x = solution.points(1001)  # dense where the layers are\n"
        f"u = solution{field}(x)\n"
        'solution.plot("solution.svg")\n'
    )


def number(value: float) -> str:
    """As short as it can be read back: 1e-05, 0.5, 3."""
    given = float(value)
    return f"{given:.0f}" if abs(given) < 1e6 and given == int(given) else repr(given)


def shell(text: str) -> str:
    """One word of a POSIX shell; primes read best inside double quotes, where nothing else is special."""
    return f'"{text}"' if "'" in text and not set(text) & set('"$`\\!') else shlex.quote(text)


def _end(end: str | float) -> str:
    return end if isinstance(end, str) else number(end)


def _by_field(value: One | Mapping[str, One] | None) -> list[str]:
    if value is None:
        return []
    return [f"{name}={_end(one)}" for name, one in value.items()] if isinstance(value, Mapping) else [_end(value)]


def _python(value: Value) -> str:
    if isinstance(value, float | int):
        return number(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_python(one)}" for name, one in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_python, value)) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return repr(value)
