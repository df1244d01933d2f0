"""Families of problems on the unit square with known solutions, one a file.

`NAMES` lists them, `family("four_layers")` fetches one, `problem("four_layers", eps=1e-3)` makes a member of it.
"""

from importlib import import_module

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.zoo.plane.family import PlaneFamily

NAMES = ("poisson_peak", "outflow_layers", "four_layers", "peak", "circular_layer")


def family(name: str) -> PlaneFamily:
    """The family of this name."""
    if name not in NAMES:
        raise InputError(f"there is no family {name!r} on the plane; choose one of {', '.join(NAMES)}.")
    found = import_module(f"gated_xtfc.zoo.plane.{name}").FAMILY
    assert isinstance(found, PlaneFamily)
    return found


def problem(name: str, **parameters: float) -> Problem:
    """One member of the family of this name."""
    return family(name).problem(**parameters)


__all__ = ["NAMES", "PlaneFamily", "family", "problem"]
