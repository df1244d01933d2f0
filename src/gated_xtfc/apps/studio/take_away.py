"""A problem as text to take away: a problem file, a command line, a Python script. Each states the same problem."""

import shlex
from collections.abc import Mapping
from types import MappingProxyType

from gated_xtfc.apps.studio.frames import Message
from gated_xtfc.problem.file import Guidance, One
from gated_xtfc.problem.interchange import Plain, Value, number, stated_guidance, toml
from gated_xtfc.problem.problem import Problem


def texts(problem: Problem, guidance: Guidance, tol: float, asked: Message = MappingProxyType({})) -> dict[str, str]:
    plain = {**problem.to_dict(), **stated_guidance(guidance)}
    if asked.get("verb") in ("eigen", "branch"):
        ask, line = eigen_words(asked) if asked["verb"] == "eigen" else branch_words(asked)
        shell_line = f"gated-xtfc {asked['verb']} problem.toml {line} --tol {number(tol)} --out out\n"
        made = python_problem(plain) + f"found = {ask.replace('TOL', number(tol))}\nprint(found.table())\n"
        return {"toml": toml(plain), "command": shell_line, "python": made + 'found.plot("found.svg")\n'}
    return {"toml": toml(plain), "command": command(plain, tol), "python": python(plain, tol)}


def eigen_words(asked: Message) -> tuple[str, str]:
    """The call in Python, and the options of the command."""
    count, near = str(asked.get("count", 6)).strip() or "6", str(asked.get("near") or "").strip()
    word = near in ("smallest", "largest real")
    place = f", near={near!r}" if word else f", near={near.replace('i', 'j')}" if near else ""
    option = f" --near {shell(near)}" if near else ""
    return f"gx.eigen(problem, {count}{place}, tol=TOL)", f"--count {count}{option}"


def branch_words(asked: Message) -> tuple[str, str]:
    name, show = str(asked.get("along")), str(asked.get("show") or "").strip()
    first, last = (str(asked.get(end)).strip() for end in ("first", "last"))
    shown, option = (f", show={show!r}", f" --show {shell(show)}") if show else ("", "")
    call = f"gx.branch(problem, {name!r}, ({first}, {last}), tol=TOL{shown})"
    return call, f"--along {shell(f'{name}={first}:{last}')}{option}"


def command(plain: Plain, tol: float) -> str:
    if "tables" in plain:
        return "gated-xtfc solve problem.toml\n"  # values of tables stand in files
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


def python_problem(plain: Plain) -> str:
    equations = plain["equations"] if "equations" in plain else plain["equation"]
    domain = {name: tuple(ends) for name, ends in plain["domain"].items()}
    arguments = [_python(equations), _python(domain), _python(plain["conditions"])]
    arguments += [f"{key}={_python(plain[key])}" for key in ("exact", "unknown", "tables") if plain.get(key)]
    arguments += [f"{name}={number(value)}" for name, value in plain["parameters"].items()]
    inside = ",\n    ".join(arguments)
    return f"import gated_xtfc as gx\n\nproblem = gx.Problem(\n    {inside},\n)\n"


def python(plain: Plain, tol: float) -> str:
    options = [
        f"tol={number(tol)}",
        *(f"{key}={_python(plain[key])}" for key in ("guess", "continuation") if key in plain),
    ]
    field = f"[{Problem.from_dict(plain).fields[0]!r}]" if "equations" in plain else ""
    names = list(plain["domain"])
    call = f"u = solution{field}({', '.join(names)})" if len(names) > 1 else f"u = solution{field}(x)"
    return (
        python_problem(plain) + f"solution = gx.solve(problem, {', '.join(options)})\n"
        "print(solution.status, solution.error)\n"
        f"{', '.join(names) if len(names) > 1 else 'x'} = solution.points(1001)  # dense where the layers are\n"
        f"{call}\n"
        'solution.plot("solution.svg")\n'
    )


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
