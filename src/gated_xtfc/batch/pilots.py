"""A few members that stand for all: the first, the last, and those with extreme parameters."""

from collections.abc import Mapping

from gated_xtfc.types import Array

PILOTS = 5


def pilots_of(parameters: Mapping[str, Array], most: int = PILOTS) -> list[int]:
    """Their numbers."""
    values = next(iter(parameters.values()))
    found = {0, values.shape[0] - 1}
    for column in parameters.values():
        found |= {int(column.argmin()), int(column.argmax())}
    return sorted(found)[:most]
