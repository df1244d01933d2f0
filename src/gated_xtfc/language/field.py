"""What a Python function of an equation receives: the value u itself, with its derivatives u.x, u.xx, ... beside it."""

from collections.abc import Mapping
from typing import Any

from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import Dual, Key

__all__ = ["HIGHEST_ORDER", "Dual", "Field", "Key", "unknown"]

HIGHEST_ORDER = 4


def unknown(key: Key, value: Any = 0.0) -> Dual:
    """An independent variable: its partial with respect to itself is 1."""
    return Dual(value, {key: 1.0})


class Field(Dual):
    """u as a dual number; `u.x`, `u.xx` or `u.dx(2)` are its derivatives. `highest` is the highest order asked for."""

    __slots__ = ("_coordinate", "_state", "highest", "name")

    def __init__(self, name: str, state: Mapping[Key, Any], coordinate: str = "x") -> None:
        value = _dual(state.get((name, 0), 0.0))
        super().__init__(value.value, value.partials, value.curved, value.fielded)
        self.name = name
        self.highest = 0
        self._state = state
        self._coordinate = coordinate

    def dx(self, order: int = 1) -> Dual:
        if order < 0 or order > HIGHEST_ORDER:
            raise InputError(f"derivative {order} of {self.name} is not supported: orders 0 to {HIGHEST_ORDER} are")
        self.highest = max(self.highest, order)
        return _dual(self._state[(self.name, order)])

    def __getattr__(self, attribute: str) -> Dual:
        # only what is no ordinary attribute arrives here: x, xx, ... (or t, tt, ... on an axis named t)
        if not attribute.startswith("_"):
            order = len(attribute) // len(self._coordinate)
            if attribute == self._coordinate * order:
                return self.dx(order)
        raise AttributeError(
            f"a field has no {attribute!r}: its derivatives are .{self._coordinate}, .{self._coordinate * 2}, ..."
        )


def _dual(value: Any) -> Dual:
    return value if isinstance(value, Dual) else Dual(value, {}, False, False)
