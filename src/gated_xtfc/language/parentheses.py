"""What stands between parentheses in a text that is not read yet."""

from gated_xtfc.errors import InputError, quoted


def arguments(text: str, start: int, statement: str) -> tuple[list[str], int]:
    """What stands between the parentheses that open before `start`, parted by commas, and the place behind them.

    `statement` is what messages show.
    """
    depth, parts, begin = 1, [], start
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0 or (depth == 1 and text[at] == ","):
            parts.append(text[begin:at])
            begin = at + 1
        if depth == 0:
            return parts, at + 1
    raise InputError(f"cannot read {quoted(statement)}: a '(' is never closed")
