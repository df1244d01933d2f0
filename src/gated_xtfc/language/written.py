"""Functions that are written with others: what comes after their argument, in postfix order.

They need no derivatives, intervals or discs of their own: those of what they are made of do.
"""

from gated_xtfc.language.program import CALL, COMPARE, NEGATE, NUMBER, POWER, WHERE, Instruction

ALIASES = {"sgn": "sign"}


def _inverted(name: str) -> tuple[Instruction, ...]:
    return (CALL, name), (NUMBER, -1.0), (POWER, None)


WRITTEN: dict[str, tuple[Instruction, ...]] = {
    "sec": _inverted("cos"),
    "csc": _inverted("sin"),
    "cot": _inverted("tan"),
    "csch": _inverted("sinh"),
    "coth": _inverted("tanh"),
    # cosh alone would overflow
    "sech": ((CALL, "log cosh"), (NEGATE, None), (CALL, "exp")),
    "heaviside": ((NUMBER, 0.0), (COMPARE, "<"), (NUMBER, 0.0), (NUMBER, 1.0), (WHERE, None)),
}
