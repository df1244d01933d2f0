"""Least squares on elements for whole arrays of members: reflections in every element, and a chain that joins them.

The equations at the sites of an element are rows in its bubbles and in the states (u, u', ... of all fields) at its
ends. Householder's reflections leave small rows in the states alone. A chain eliminates one state after the other and
keeps the first, so that conditions may tie both ends together: they are met exactly, by what is left at the end.
Nothing is asked of the directions in which modes grow or decay. Members come last: (R, C, K, B) for K elements.
"""

from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp

Reflections = Numbers  # (n, R, ...): vectors v with v'v = 2, the first i entries of the i-th are zero


BLOCK = 6  # columns that are reflected in one loop


class ElementRows(NamedTuple):
    """The matrix of every element, (R, ., K, B): R rows, as many as bubbles and both states have numbers."""

    bubbles: Numbers
    left: Numbers
    right: Numbers


class States(NamedTuple):
    """Bubbles (nb, K, B), and states at the ends of elements, (M, K + 1, B)."""

    bubbles: Numbers
    nodes: Numbers


class EndFactor(NamedTuple):
    """The two outermost states: the conditions' reflections, and those of the rows that are left for what is free."""

    condition: Reflections
    condition_rows: Numbers
    bound: Numbers  # (2M, M, B): of what the conditions determine
    free: Reflections
    free_rows: Numbers


class StateFactor(NamedTuple):
    local: Reflections
    local_rows: Numbers
    links: Any  # reflections and rows of every element but the first
    end: EndFactor


def reflected(a: Numbers, count: int) -> tuple[Reflections, Numbers, Numbers]:
    """(R, C, ...) with its first columns reflected: vectors, the rows that become triangular, and the rows below."""
    whole, vectors, rows = a, [], []
    for begun in range(0, count, BLOCK):  # what is done is left out, block by block
        some = min(BLOCK, count - begun)
        own, whole = _some_reflected(whole, some)
        vectors.append(jnp.concatenate([jnp.zeros((some, begun, *own.shape[2:])), own], axis=1))
        rows.append(jnp.concatenate([jnp.zeros((some, begun, *whole.shape[2:])), whole[:some]], axis=1))
        whole = whole[some:, some:]
    return jnp.concatenate(vectors), jnp.concatenate(rows), whole


def _some_reflected(a: Numbers, count: int) -> tuple[Reflections, Numbers]:
    number = jnp.arange(a.shape[0]).reshape(-1, *[1] * (a.ndim - 2))

    def one(a: Numbers, j: Numbers) -> Any:
        x = jnp.where(number >= j, a[:, 0], 0.0)
        size, first = jnp.sqrt((x * x).sum(0)), jnp.where(number == j, x, 0.0).sum(0)
        shift = jnp.where(first < 0.0, -size, size)
        norm = size * jnp.abs(first + shift)  # half of v'v before it is scaled
        v = (x + jnp.where(number == j, shift, 0.0)) * jax.lax.rsqrt(jnp.where(norm > 0.0, norm, jnp.inf))
        a = a - v[:, None] * (v[:, None] * a).sum(0)
        return jnp.concatenate([a[:, 1:], a[:, :1]], axis=1), v  # the next column is the first now

    a, vectors = jax.lax.scan(one, a, jnp.arange(count))
    return vectors, jnp.concatenate([a[:, a.shape[1] - count :], a[:, : a.shape[1] - count]], axis=1)


def turned(vectors: Reflections, b: Numbers) -> Numbers:
    """The same reflections of right sides (R, ...)."""

    def one(b: Numbers, v: Numbers) -> Any:
        v = v.reshape(v.shape[0], *[1] * (b.ndim - v.ndim), *v.shape[1:])  # beside several columns
        return b - v * (v * b).sum(0), None

    return jax.lax.scan(one, b, vectors)[0]


def turned_back(vectors: Reflections, b: Numbers) -> Numbers:
    """The reflections in reverse order."""
    return turned(vectors[::-1], b)


def substituted(rows: Numbers, right: Numbers, transposed: bool = False) -> Numbers:
    """Triangular rows (n, n, ...) solved from below, or their transpose from above: (n, ...)."""
    number = jnp.arange(right.shape[0]).reshape(-1, *[1] * (right.ndim - 1))

    def one(b: Numbers, j: Numbers) -> Any:
        column = rows[j] if transposed else rows[:, j]
        x = jnp.where(number == j, b, 0.0).sum(0) / rows[j, j]
        left = number > j if transposed else number < j
        return jnp.where(left, b - column * x, b), x

    order = jnp.arange(right.shape[0])
    return jax.lax.scan(one, right, order, reverse=not transposed)[1]


def _swapped(pair: Numbers) -> Numbers:
    """(n, left and right, ...) as right and left."""
    half = pair.shape[1] // 2
    return jnp.concatenate([pair[:, half:], pair[:, :half]], axis=1)


def factorised(rows: ElementRows, weights: Numbers) -> StateFactor:
    """Everything that does not depend on the right side; `weights` are those of the conditions, (M, 2M, B)."""
    count, size = rows.bubbles.shape[1], rows.left.shape[1]
    whole = jnp.concatenate([rows.bubbles, rows.left, rows.right], axis=1)
    local, local_rows, small = reflected(whole, count)
    small = jnp.moveaxis(small, 2, 0)  # (K, 2M, 2M, B)
    nothing = jnp.zeros_like(small[0, :, :size])

    def link(carry: Numbers, element: Numbers) -> Any:
        above = jnp.concatenate([carry[:, :size], nothing, carry[:, size:]], axis=1)
        below = jnp.concatenate([element, nothing], axis=1)
        vectors, kept, _ = reflected(jnp.concatenate([above, below]), 3 * size)
        return jnp.where(lower, 0.0, kept[size:, size:]), (vectors, kept[:size])

    lower = np.tri(2 * size, k=-1, dtype=bool)[:, :, None]
    last, links = jax.lax.scan(link, _swapped(small[0]), small[1:])
    condition, condition_rows, _ = reflected(jnp.swapaxes(_swapped(weights), 0, 1), size)
    both = jnp.swapaxes(turned(condition, jnp.swapaxes(last, 0, 1)), 0, 1)
    free_vectors, free_rows, _ = reflected(both[:, size:], size)
    end = EndFactor(condition, condition_rows, both[:, :size], free_vectors, free_rows)
    return StateFactor(local, local_rows, links, end)


def solve_with(factor: StateFactor, sites: Numbers, conditions: Numbers) -> States:
    """Least squares for right sides of the equations (R, K, B), with the conditions' (M, B) met: linear in both."""
    size, count = conditions.shape[0], factor.local_rows.shape[0]
    whole = turned(factor.local, sites)
    top, small = whole[:count], jnp.moveaxis(whole[count:], 1, 0)  # (K, 2M, B)

    def down(carry: Numbers, element: Any) -> Any:
        (vectors, _), own = element
        kept = turned(vectors, jnp.concatenate([carry, own]))
        return kept[size : 3 * size], kept[:size]

    last, kept = jax.lax.scan(down, small[0], (factor.links, small[1:]))
    end = factor.end
    bound = substituted(end.condition_rows, conditions, transposed=True)
    rest = turned(end.free, last - (end.bound * bound).sum(1))
    outer = turned_back(end.condition, jnp.concatenate([bound, substituted(end.free_rows, rest[:size])]))
    final, first = outer[:size], outer[size:]

    def up(right: Numbers, element: Any) -> Any:
        (_, rows), own = element
        left = substituted(rows[:, :size], own - (rows[:, size:] * jnp.concatenate([right, first])).sum(1))
        return left, left

    _, inner = jax.lax.scan(up, final, (factor.links, kept), reverse=True)
    nodes = jnp.concatenate([first[:, None], jnp.moveaxis(inner, 0, 1), final[:, None]], axis=1)
    both = jnp.concatenate([nodes[:, :-1], nodes[:, 1:]])  # (2M, K, B)
    rows = factor.local_rows
    return States(substituted(rows[:, :count], top - (rows[:, count:] * both).sum(1)), nodes)
