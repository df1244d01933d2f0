"""What a Python function of an equation on a rectangle receives: u itself, with u.x, u.xy, u.yy, ... beside it."""

from collections.abc import Mapping
from typing import Any

from gated_xtfc.language.dual import Dual, Key
from gated_xtfc.language.plane_vocabulary import VALUE, Orders


class PlaneField(Dual):
    """`asked` collects the derivatives that the function asks for, by order in each coordinate."""

    __slots__ = ("_coordinates", "_state", "asked", "name")

    def __init__(self, name: str, state: Mapping[Key, Any], coordinates: tuple[str, str]) -> None:
        value = state[name, VALUE]
        if not isinstance(value, Dual):
            value = Dual(value, {}, False, False)
        super().__init__(value.value, value.partials, value.curved, value.fielded)
        self.name = name
        self.asked: set[Orders] = {VALUE}
        self._state = state
        self._coordinates = coordinates

    def __getattr__(self, attribute: str) -> Any:
        first, second = self._coordinates
        i, j, rest = 0, 0, attribute
        while rest and not attribute.startswith("_"):
            if rest.startswith(first):
                i, rest = i + 1, rest[len(first) :]
            elif rest.startswith(second):
                j, rest = j + 1, rest[len(second) :]
            else:
                break
        if rest or not attribute:
            raise AttributeError(
                f"a field has no {attribute!r}: its derivatives are .{first}, .{second}, .{first}{second}, ..."
            )
        self.asked.add((i, j))
        return self._state.get((self.name, (i, j)), Dual(0.0, {}, False, False))
