"""Two relations an element between values and slopes at its ends, joined from left to right by rotations.

A 3 x 2 block an element is made triangular: the row that comes from the left, and the two of the element. Rotations
keep all rows as small as they were, whatever grows or decays along the interval.
"""

from typing import Any, NamedTuple

from gated_xtfc.batch.backend import Numbers, jax, jnp

UNROLLED = 64  # elements up to which the chain is written out
Relations = tuple[tuple[Numbers, ...], tuple[Numbers, ...]]  # of u, u' at the left node and at the right one, (K, B)


class Link(NamedTuple):
    """One element in the chain: two rows made of size one, three rotations, and the rows that are kept."""

    sizes: tuple[Numbers, Numbers]
    turns: tuple[tuple[Numbers, Numbers], ...]
    top: tuple[Numbers, ...]  # of u, u' at the left node, and at the right one
    middle: tuple[Numbers, ...]  # of u' at the left node, and both at the right one
    before: tuple[Numbers, Numbers]  # the row that had come so far, of the left node


class Chain(NamedTuple):
    links: Link  # (K, B) each
    last: tuple[Numbers, Numbers]  # the row that is left at the last node


def chained(relations: Relations, first: Numbers) -> Chain:
    """The relations between nodes eliminated from left to right; `first` is the row at the left end, (2, B)."""

    def link(row: tuple[Numbers, Numbers], element: Any) -> tuple[Any, Link]:
        sizes = tuple(jax.lax.rsqrt(sum(a * a for a in one)) for one in element)
        above, below = (tuple(a * size for a in one) for one, size in zip(element, sizes, strict=True))
        nothing = jnp.zeros_like(row[0])
        above, below, turn = _turned(above, below)
        top, rest, second = _turned(above, (*row, nothing, nothing))
        middle, last, third = _turned(rest[1:], below[1:])
        return (last[1], last[2]), Link(sizes, (turn, second, third), top, middle, row)

    last, links = jax.lax.scan(link, (first[0], first[1]), relations, unroll=_unroll(relations[0][0]))
    return Chain(links, last)


def _turned(p: tuple[Numbers, ...], q: tuple[Numbers, ...]) -> Any:
    """Two rows rotated so that the second loses its first entry."""
    size = jax.lax.rsqrt(p[0] * p[0] + q[0] * q[0])
    turn = p[0] * size, q[0] * size
    above, below = zip(*(_rotated(turn, a, b) for a, b in zip(p, q, strict=True)), strict=True)
    return above, below, turn


def _rotated(turn: tuple[Numbers, Numbers], a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    c, s = turn
    return c * a + s * b, c * b - s * a


def _unroll(rows: Numbers) -> int:
    """A processor gains nothing from a chain that is written out; a graphics card is spared its small programs."""
    return int(rows.shape[0]) if rows.shape[0] <= UNROLLED and jax.default_backend() != "cpu" else 1


def chain_solve(
    chain: Chain, end: Numbers, other: Numbers, first: Numbers, row: Numbers, last: Numbers
) -> tuple[Numbers, Numbers]:
    """Values and slopes at the nodes, (K + 1, m, B), for m right sides (K, m, B); `row` is that at the right end."""

    def down(carry: Numbers, element: Any) -> Any:
        link, g, h = element
        above, below = _rotated(link.turns[0], g * link.sizes[0], h * link.sizes[1])
        top, rest = _rotated(link.turns[1], above, carry)
        middle, carry = _rotated(link.turns[2], rest, below)
        return carry, (top, middle)

    unroll = _unroll(end)
    at_last, kept = jax.lax.scan(down, first, (chain.links, end, other), unroll=unroll)
    determinant = chain.last[0] * row[1] - chain.last[1] * row[0]
    u = (at_last * row[1] - chain.last[1] * last) / determinant
    v = (chain.last[0] * last - row[0] * at_last) / determinant

    def up(node: Any, element: Any) -> Any:
        link, (top, middle) = element
        left = _left_node(link, node, top, middle)
        return left, left

    _, (values, slopes) = jax.lax.scan(up, (u, v), (chain.links, kept), reverse=True, unroll=unroll)
    return jnp.concatenate([values, u[None]]), jnp.concatenate([slopes, v[None]])


def _left_node(link: Link, right: tuple[Numbers, Numbers], top: Any, middle: Any) -> tuple[Numbers, Numbers]:
    """The left node of an element from its right one and the right sides of its rows."""
    u, v = right
    left_v = (middle - link.middle[1] * u - link.middle[2] * v) / link.middle[0]
    return (top - link.top[1] * left_v - link.top[2] * u - link.top[3] * v) / link.top[0], left_v


def responses(chain: Chain, end: Numbers, other: Numbers, row: Numbers) -> Numbers:
    """The largest |u| at any node for the right side of one element alone, for each element, (K, B).

    To the left of that element the solution is a multiple of the one that meets the condition at the left end, to the
    right of it of the one that meets the other: two sweeps find how large these become.
    """
    links, unroll = chain.links, _unroll(end)
    (_, _), (c1, s1), (c2, s2) = links.turns
    # directions at the left nodes that the rows before them allow, and what one of them is at the node before
    size = jax.lax.rsqrt(links.before[0] ** 2 + links.before[1] ** 2)
    along = -links.before[1] * size, links.before[0] * size
    there = jnp.roll(along[0], -1, 0), jnp.roll(along[1], -1, 0)  # at the right nodes; the last one counts for nothing
    back = _left_node(links, there, 0.0, 0.0)
    factor = jnp.abs(back[0] * along[0] + back[1] * along[1])

    def onward(largest: Numbers, element: Any) -> Any:
        value, factor = element
        largest = jnp.maximum(jnp.abs(value), largest)
        return factor * largest, largest

    _, left = jax.lax.scan(onward, jnp.zeros_like(factor[0]), (along[0], factor), unroll=unroll)

    def backward(after: Any, link: Link) -> Any:
        # a unit in the row that comes to an element: what it leaves in its rows, and hands on
        u, v, largest = after
        (_, _), (c1, s1), (c2, s2) = link.turns
        carried = -s2 * c1
        own = _left_node(link, (carried * u, carried * v), s1, c2 * c1)
        return (*own, jnp.maximum(jnp.abs(own[0]), jnp.abs(carried) * largest)), after

    determinant = chain.last[0] * row[1] - chain.last[1] * row[0]
    begin = row[1] / determinant, -row[0] / determinant, jnp.abs(row[1] / determinant)
    _, (u, v, right) = jax.lax.scan(backward, begin, links, reverse=True, unroll=unroll)
    above, below = _rotated(links.turns[0], end * links.sizes[0], other * links.sizes[1])
    top, rest = c1 * above, -s1 * above
    middle, carried = _rotated((c2, s2), rest, below)
    own = _left_node(links, (carried * u, carried * v), top, middle)
    return jnp.maximum(jnp.abs(carried) * right, jnp.abs(own[0] * along[0] + own[1] * along[1]) * left)
