"""A problem as a notebook shows it: equations, domain, conditions and parameters, set as mathematics."""

from collections.abc import Iterable
from html import escape

from gated_xtfc.language.typeset import mathml, name
from gated_xtfc.problem.problem import Problem

CELL = 'style="text-align:left;vertical-align:middle;padding:2px 10px 2px 0;border:none"'


def problem_html(problem: Problem, conditions: tuple[str, ...]) -> str:
    title = f"<strong>{escape(problem.title)}</strong>" if problem.title else ""
    domain = ", ".join(f"{axis.name} in [{axis.left:g}, {axis.right:g}]" for axis in problem.axes)
    rows = [
        ("equations" if len(problem.texts) > 1 else "equation", _lines(problem.texts)),
        ("domain", escape(domain)),
        ("conditions", _lines(conditions)),
        ("parameters", ", ".join(f"{_inline(key)} = {value:g}" for key, value in problem.parameters.items())),
        ("to be found", ", ".join(map(_inline, problem.unknown))),
    ]
    body = "".join(
        f"<tr><td {CELL}><em>{what}</em></td><td {CELL}>{content}</td></tr>" for what, content in rows if content
    )
    return f"<div>{title}<table>{body}</table></div>"


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"<div>{mathml(text)}</div>" for text in texts)


def _inline(text: str) -> str:
    return f"<math>{name(text)}</math>"
