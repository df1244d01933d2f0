"""LAPACK, loaded when it is first called: scipy.linalg takes longer to import than a thousand solves on elements."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    from scipy.linalg import lapack

    found = globals()[name] = getattr(lapack, name)
    return found
