"""Conservative form with a factor that jumps, (k*u')' = f: the flux k*u' becomes a field of its own.

    k*u' = flux,    flux' = f

Where k jumps u' does so too, and what is continuous are u and the flux: as fields of first order, that is all they are.
"""

import re
from dataclasses import replace
from typing import Any

from gated_xtfc.language.tokens import spelled
from gated_xtfc.problem.statement import Statement, free_name

NEAR = 80  # characters before a parenthesis, of which all but the last may be spaces
SWITCHES = re.compile(r"\b(?:where|abs|sign|sgn|min|max|heaviside)\b|\|")


def rewritten(statement: Statement) -> Statement:
    """A field for every flux that may jump; the fields of which they are fluxes may have a condition on one derivative
    more than there is in the equations.
    """
    if not any(")'" in spelled(one) for one in statement.texts):
        return statement
    words = {*statement.words}
    # a table of straight lines has a slope that jumps
    bent = [name for name, one in statement.given.items() if getattr(one, "kind", "") == "linear"]
    switches = re.compile("|".join([SWITCHES.pattern, *(rf"\b{re.escape(name)}\b" for name in bent)]))
    derivative = re.compile(rf"(?<!\w)([^\W\d]\w*?)(?:_(?:{re.escape(statement.coordinate)})+|'+)(?![\w'])")
    made: dict[str, str] = {}
    links: list[str] = []
    fluxed: set[str] = set()
    found: list[Any] = []
    for one in statement.equations:
        text = spelled(one) if isinstance(one, str) else ""
        while (span := _group(text, derivative, switches)) is not None:
            start, stop = span
            name = free_name("flux", words)
            made["".join(text[start + 1 : stop].split())] = name
            links.append(f"{text[start + 1 : stop]} = {name}")
            fluxed.update(match[1] for match in derivative.finditer(text[start + 1 : stop]))
            text = f"{text[:start]}{name}{text[stop + 1 :]}"  # the prime stays behind it
        found.append(text or one)
    return replace(
        statement,
        equations=(*found, *links),
        auxiliary=(*made.values(), *statement.auxiliary),
        fluxes=made,
        fluxed=frozenset(fluxed),
    )


def _group(text: str, derivative: "re.Pattern[str]", switches: "re.Pattern[str]") -> tuple[int, int] | None:
    """From where to where a parenthesis with one prime reaches that holds a derivative and something that jumps."""
    opened: list[int] = []
    for i, character in enumerate(text):
        if character == "(":
            opened.append(i)
        elif character == ")" and opened:
            start = opened.pop()
            if text[i + 1 : i + 2] != "'" or text[i + 2 : i + 3] == "'":
                continue
            before = text[max(start - NEAR, 0) : start].rstrip()[-1:]
            inside = text[start + 1 : i]
            named = before.isalnum() or before == "_"  # then these are the arguments of a function
            if not named and switches.search(inside) and derivative.search(inside):
                return start, i
    return None
