"""Differential equations with sharp layers.

text -> Problem -> gates -> basis -> trial (conditions exact) -> rows -> least squares -> Solution
        -> where is it not good enough? -> gates
"""

TYPE_CHECKING = False  # typing's own takes longer to import than `gated-xtfc --help` takes without it
if TYPE_CHECKING:
    from gated_xtfc.archive import load
    from gated_xtfc.errors import InputError
    from gated_xtfc.forward import solve
    from gated_xtfc.gates.block import Block
    from gated_xtfc.gates.layer import Layer
    from gated_xtfc.problem import Problem
    from gated_xtfc.solution import Solution

__version__ = "0.1.0"
__all__ = ["Block", "InputError", "Layer", "Problem", "Solution", "__version__", "load", "solve"]

# The names are fetched when first used (PEP 562): `gated-xtfc --help` must not wait for NumPy.
_HOME = {
    "Block": "gates.block",
    "InputError": "errors",
    "Layer": "gates.layer",
    "Problem": "problem",
    "Solution": "solution",
    "load": "archive",
    "solve": "forward",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'gated_xtfc' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"gated_xtfc.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
