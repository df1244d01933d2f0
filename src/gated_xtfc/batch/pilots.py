"""A few members that stand for all: the first, the last, and those with extreme parameters."""

from collections.abc import Mapping

from gated_xtfc.types import Array

PILOTS = 5


def pilots_of(parameters: Mapping[str, Array], most: int = PILOTS) -> list[int]:
    """Their numbers."""
    found = {0, next(iter(parameters.values())).shape[0] - 1}
    for values in parameters.values():
        column = values.mean(axis=1) if values.ndim > 1 else values  # of a list its mean stands for it
        found |= {int(column.argmin()), int(column.argmax())}
    return sorted(found)[:most]
