"""Families of problems with known solutions, one a file: for tests, documentation, the command line and the curious.

`NAMES` lists them, `family("airy")` fetches one, `problem("airy", eps=1e-4)` makes a member of it.
"""

from importlib import import_module

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.zoo.family import Family

NAMES = (
    "convection_diffusion",
    "twin_layers",
    "reaction_diffusion",
    "turning_point",
    "corner_layer",
    "spike",
    "airy",
    "needle_source",
    "jump_in_coefficient",
    "colliding_streams",
    "robin",
    "neumann",
    "relaxation",
    "third_order",
    "clamped_beam",
    "integral_condition",
    "periodic",
    "oscillation",
    "burgers_shock",
    "allen_cahn",
    "bratu",
    "twin_scales",
    "coupled_reaction",
    "free_boundary",
    "swirling_flow",
)


def family(name: str) -> Family:
    """The family of this name."""
    if name not in NAMES:
        raise InputError(f"there is no family {name!r} in the zoo; choose one of {', '.join(NAMES)}.")
    # loaded one by one: some need scipy.special, which costs more time than a solve
    found = import_module(f"gated_xtfc.zoo.{name}").FAMILY
    assert isinstance(found, Family)
    return found


def problem(name: str, **parameters: float) -> Problem:
    """One member of the family of this name."""
    return family(name).problem(**parameters)


__all__ = ["NAMES", "Family", "family", "problem"]
