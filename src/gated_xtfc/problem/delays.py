"""Delays in texts, u(x - tau), u'(q*x): a name stands for each, and what it stands for is kept.

A value at a place that does not move, u(0.5), becomes an unknown constant with its condition. What a field is outside
of the domain stands among the conditions, u = cos(x) on x < 0.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse
from gated_xtfc.language.program import Program
from gated_xtfc.language.tokens import arguments, tokenize
from gated_xtfc.language.vocabulary import RESERVED, Vocabulary
from gated_xtfc.problem.deviation import Deviation, Unread
from gated_xtfc.problem.domain import Axis, evaluated
from gated_xtfc.problem.statement import Statement, free_name

OUTSIDE = re.compile(
    r"\s*(?P<field>[^\W\d]\w*)\s*(?:\(\s*(?P<at>\w+)\s*\))?\s*=(?P<value>[^=]*?)\s+(?:on|for)\s+"
    r"(?P<coordinate>\w+)\s*(?P<side>[<>])\s*=?(?P<end>[^<>=]+)",
    re.DOTALL,
)


def rewritten(statement: Statement) -> Statement:
    """Equations with a name in the place of every value at another place, and conditions inside of the domain alone."""
    if not any("(" in text for text in statement.texts):
        return statement
    words = Vocabulary((statement.coordinate,), parameters=statement.names)
    fields: set[str] = set().union(*(words.fields_in(tokenize(text, "the equation")) for text in statement.texts))
    if not fields:
        return statement
    listed = "|".join(map(re.escape, sorted(fields, key=len, reverse=True)))
    call = re.compile(rf"(?<![\w'])({listed})((?:_(?:{re.escape(statement.coordinate)})+)?'*)\s*\(")
    if not any(call.search(text) for text in statement.texts):
        return statement
    work = _Renaming(statement, call)
    equations = tuple(work.renamed(one) if isinstance(one, str) else one for one in statement.equations)
    if not work.made and not work.fixed:
        return statement
    held, outside = [], {}
    for one in statement.conditions:
        found = OUTSIDE.fullmatch(one) if work.made and isinstance(one, str) else None
        if found is None or found["field"] not in fields or found["coordinate"] != statement.coordinate:
            held.append(one)
        else:
            outside[found["field"], found["side"]] = found["value"]
    axis = _axis(statement) if work.made else None
    deviations = tuple(work.deviation(key, name, axis, outside) for key, name in work.made.items() if axis is not None)
    for one in deviations:
        one.check()
    constants = tuple(work.fixed.values())
    return replace(
        statement,
        equations=equations,
        conditions=(*held, *(f"{point} = {name}" for point, name in work.fixed.items())),
        given={**statement.given, **{one.name: Unread() for one in deviations}},
        unknown=(*statement.unknown, *constants),
        starts={**statement.starts, **dict.fromkeys(constants, 1.0)},
        settled=(*statement.settled, *constants),
        deviations=deviations,
    )


def _axis(statement: Statement) -> Axis:
    ends = [evaluated(end, statement.given, "an end of the domain") for end in statement.ends]
    if not all(abs(end) < float("inf") for end in ends):
        raise InputError("an equation with delays needs a domain with finite ends: cut the infinite ones off")
    return Axis(statement.coordinate, *ends)


class _Renaming:
    """Names for what is found at other places."""

    def __init__(self, statement: Statement, call: "re.Pattern[str]") -> None:
        self.statement, self.call = statement, call
        self.words = {*statement.words}
        self.made: dict[tuple[str, int, str], str] = {}  # by field, order and place
        self.fixed: dict[str, str] = {}  # constants, by what they are

    def renamed(self, text: str) -> str:
        done, rest, coordinate = "", text, self.statement.coordinate
        while found := self.call.search(rest):
            parts, end = arguments(rest, found.end(), text)
            place, shown = parts[0].strip(), rest[found.start() : end]
            done += rest[: found.start()]
            fixed = not re.search(rf"(?<!\w){re.escape(coordinate)}(?!\w)", place)
            if len(parts) > 1 or place == coordinate or not place or (fixed and not self._known(place)):
                done += shown
            elif fixed:
                done += self.fixed.setdefault(shown, "") or self._constant(shown)
            else:
                key = found[1], len(found[2].replace("_", "").replace(coordinate, "'")), place
                if key not in self.made:
                    self.made[key] = free_name(f"{found[1]}_delayed", self.words)
                done += f"{self.made[key]}({coordinate})"
            rest = rest[end:]
        return done + rest

    def _known(self, place: str) -> bool:
        """Whether every name in it has a value."""
        return all(name in self.statement.given or name in RESERVED for name in re.findall(r"[^\W\d]\w*", place))

    def _constant(self, shown: str) -> str:
        self.fixed[shown] = free_name("value_at", self.words)
        return self.fixed[shown]

    def deviation(
        self, key: tuple[str, int, str], name: str, axis: Axis, outside: Mapping[tuple[str, str], str]
    ) -> Deviation:
        field, order, place = key
        text = f"{field}{chr(39) * order}({place})"
        known: dict[str, object] = dict(self.statement.given)

        def read(written: str | None, what: str) -> Program | None:
            return None if written is None else parse(written, (), known, (axis.name,), what)

        theta = read(place, f"the place in {quoted(text)}")
        assert theta is not None
        history = f"what {field} is outside of the domain"
        before, after = (read(outside.get((field, side)), history) for side in "<>")
        return Deviation(name, field, order, text, theta, before, after, axis, known)
