"""Families of problems with known solutions, by subject: for tests, documentation, the command line and the curious.

`NAMES` lists those on an interval, `RECTANGLE_NAMES` those on a rectangle; `family("airy")` fetches one,
`problem("airy", eps=1e-4)` makes a member of it.
"""

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.zoo import boundary_layers, conditions, interior_layers, nonlinear, rectangle, systems, waves
from gated_xtfc.zoo.family import Family

FAMILIES = {
    one.name: one
    for one in (
        *boundary_layers.FAMILIES,
        *interior_layers.FAMILIES,
        *waves.FAMILIES,
        *conditions.FAMILIES,
        *nonlinear.FAMILIES,
        *systems.FAMILIES,
        *rectangle.FAMILIES,
    )
}
NAMES = tuple(name for name, one in FAMILIES.items() if len(one.domain) == 1)
RECTANGLE_NAMES = tuple(name for name, one in FAMILIES.items() if len(one.domain) == 2)


def family(name: str) -> Family:
    """The family of this name."""
    if name not in FAMILIES:
        raise InputError(f"there is no family {name!r} in the zoo; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def problem(name: str, **parameters: float) -> Problem:
    """One member of the family of this name."""
    return family(name).problem(**parameters)


__all__ = ["NAMES", "RECTANGLE_NAMES", "Family", "family", "problem"]
