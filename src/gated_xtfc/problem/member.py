"""Another member of a family: what of its problem has to be read from the text again, and what is shared."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from gated_xtfc.language.dual import Dual, Operand, unknown
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.exact import ExactFunction

if TYPE_CHECKING:
    from gated_xtfc.problem.problem import Problem

AS_STATED = "as stated"  # what is shared by problems that are what their statements say
PROBED = 0.4665  # of the axis: where leading coefficients are looked at, and the value that fields have there
ABOUT = 1.7


def rereading_needed(problem: Problem, names: Collection[str]) -> bool:
    """Whether more depends on these parameters than numbers in the equations and in the exact solution."""
    shared = problem.shared
    if "fixed words" not in shared:
        shared["fixed words"] = _fixed_words(problem)
    words: frozenset[str] | None = shared["fixed words"]
    return words is None or not words.isdisjoint(names)


def _fixed_words(problem: Problem) -> frozenset[str] | None:
    """Words of the conditions and the ends of the domain; None where equations themselves may read otherwise."""
    statements, domain, conditions, _, _, _ = problem._statement
    if len(problem.axes) > 1 or problem.transforms or problem.jumps or problem.free_ends or problem.tables:
        return None
    if problem.deviations is not None or problem.complex_pairs:
        return None
    equations = problem.equations
    if [one.text for one in equations] != list(statements) or not all(isinstance(one, str) for one in conditions):
        return None
    if not all(isinstance(one, TextEquation) and one.of_one_kind for one in equations):
        return None
    if not all(isinstance(one, ExactFunction) for one in problem.exacts.values()):
        return None
    ends = [end for pair in domain.values() for end in pair] if isinstance(domain, Mapping) else []
    return frozenset(word for text in (*conditions, *ends) for word in re.findall(r"\w+", str(text)))


def leads(problem: Problem) -> bool:
    """Whether every highest derivative is there at one place; whether it is at any is for a reading to say."""
    (axis,), missing = problem.axes, {(field, (order,)) for field, order in problem.order.items()}
    constants: dict[Any, Operand] = {(name,): unknown((name,), start) for name, start in problem.starts.items()}
    place = float(axis.at(PROBED))  # type: ignore[arg-type]
    for equation in problem.equations:
        state = {key: unknown(key, ABOUT) for key in equation.derivatives}
        found = equation.residual((place,), {**state, **constants})
        partials: Mapping[Any, Any] = found.partials if isinstance(found, Dual) else {}
        missing = {key for key in missing if partials.get(key, 0.0) == 0.0}
    return not missing
