"""Point sources in texts, u'' = delta(x - 0.3): a parameter stands for each, and what it stands for is kept.

Conditions that prescribe jumps are kept apart as well: both say what joins two pieces of the domain.
"""

import re
from dataclasses import replace
from typing import Any

from gated_xtfc.language.tokens import arguments
from gated_xtfc.problem.jumps import PointSource, is_jump
from gated_xtfc.problem.statement import Statement, free_name

SOURCES = ("delta", "δ")


def rewritten(statement: Statement) -> Statement:
    """Equations with a name in the place of every delta(...), and conditions without jumps."""
    jumps = tuple(text for text in statement.conditions if is_jump(text))
    held = tuple(text for text in statement.conditions if not is_jump(text))
    statement = replace(statement, conditions=held, jumps=jumps)
    # neither a parameter nor, by its prime, a field
    names = [
        name
        for name in SOURCES
        if name not in statement.names and not any(f"{name}'" in text for text in statement.texts)
    ]
    if not names:
        return statement
    opening = re.compile(rf"(?<!\w)(?:{'|'.join(names)})\s*\(")
    words = {*statement.words}
    found: list[Any] = []
    sources: list[PointSource] = []
    for number, one in enumerate(statement.equations):
        text = one
        while isinstance(text, str) and (begin := opening.search(text)):
            inside, stop = arguments(text, begin.end(), one)
            name = free_name("point_source", words)
            sources.append(PointSource(name, ",".join(inside), number))
            text = f"{text[: begin.start()]}{name}{text[stop:]}"
        found.append(text)
    given = {**statement.given, **{source.name: 0.0 for source in sources}}
    return replace(statement, equations=tuple(found), sources=tuple(sources), given=given)
