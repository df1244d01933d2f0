"""Fields at other places than the equation's own, u(x - tau): each is a field v with v(x) = u(x - tau)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Deviation:
    """A field that was made for another one, or a derivative of it, at another place."""

    name: str
    field: str
    order: int
    place: str  # in the coordinate and the parameters
