"""What a Python function of an equation receives: the value u itself, with its derivatives u.x, u.xy, ... beside it."""

from collections.abc import Sequence

from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import Dual, Operand, State
from gated_xtfc.types import Orders

HIGHEST_ORDER = 4  # along a line
HIGHEST_OF_TWO = 6  # of two coordinates, where equations that evolve may have so many


def highest_order(coordinates: Sequence[str]) -> int:
    """Of the derivatives that can be named."""
    return HIGHEST_ORDER if len(coordinates) == 1 else HIGHEST_OF_TWO


def orders_in(suffix: str, coordinates: Sequence[str]) -> Orders | None:
    """(2, 1) from "xxy": how often each coordinate stands in a text made of their names; None for any other text."""
    orders = [0] * len(coordinates)
    while suffix:
        for k, coordinate in enumerate(coordinates):
            if suffix.startswith(coordinate):
                orders[k] += 1
                suffix = suffix[len(coordinate) :]
                break
        else:
            return None
    return tuple(orders)


class Field(Dual):
    """u as a dual number; `u.x`, `u.xy` or `u.dx(2)` are its derivatives. `requested` collects those requested for."""

    __slots__ = ("_coordinates", "_state", "name", "requested")

    def __init__(self, name: str, state: State, coordinates: tuple[str, ...] = ("x",)) -> None:
        value = (0,) * len(coordinates)
        own = _dual(state.get((name, value), 0.0))
        super().__init__(own.value, own.partials, own.nonlinear, own.has_field)
        self.name = name
        self.requested: set[Orders] = {value}
        self._state = state
        self._coordinates = coordinates

    def dx(self, order: int = 1) -> Dual:
        """The derivative of that order along the first coordinate."""
        return self._derivative((order, *(0 for _ in self._coordinates[1:])))

    def _derivative(self, orders: Orders) -> Dual:
        order, most = sum(orders), highest_order(self._coordinates)
        if min(orders) < 0 or order > most:
            raise InputError(f"derivative {order} of {self.name} is not supported: orders 0 to {most} are")
        self.requested.add(orders)
        return _dual(self._state[self.name, orders])

    def __getattr__(self, attribute: str) -> Dual:
        # only what is no ordinary attribute arrives here: x, xx, ... (or t, tt, ... on an axis named t)
        orders = None if attribute.startswith("_") else orders_in(attribute, self._coordinates)
        if orders is None:
            first = self._coordinates[0]
            known = (first, first * 2) if len(self._coordinates) == 1 else (*self._coordinates, first * 2)
            listed = ", ".join(f".{name}" for name in known)
            raise AttributeError(f"a field has no {attribute!r}: its derivatives are {listed}, ...")
        return self._derivative(orders)


def _dual(value: Operand) -> Dual:
    return value if isinstance(value, Dual) else Dual(value, {}, False, False)
