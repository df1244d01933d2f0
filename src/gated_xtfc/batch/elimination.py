"""Elimination of the small matrices of all elements at once, without pivoting: matrices (k, k, K, B)."""

from typing import Any

from gated_xtfc.batch.backend import Numbers, jax, jnp

Eliminated = tuple[tuple[Numbers, Numbers, Numbers], ...]  # pivots' inverses, rows and columns beyond them
Inverse = Any  # the inverse itself, (k, k, K, B), or `Eliminated`


def inverted(matrix: Numbers) -> Numbers:
    """Gauss-Jordan without pivoting, in place: one column a step, after which rows and columns move up by one."""
    k = matrix.shape[0]

    def step(_: Any, a: Numbers) -> Numbers:
        pivot = 1.0 / a[:1, :1]
        row, below = a[:1, 1:] * pivot, a[1:, :1]
        top = jnp.concatenate([a[1:, 1:] - below * row, -below * pivot], axis=1)
        return jnp.concatenate([top, jnp.concatenate([row, pivot], axis=1)])

    return jax.lax.fori_loop(0, k, step, matrix)


def eliminated(matrix: Numbers) -> Eliminated:
    """Gauss' elimination without pivoting, written out: arrays become smaller by a row and a column each step.

    A graphics card waits for its memory: this moves fewer numbers than an inverse made in a loop. (Two pivots at a time
    would move fewer still, and were measured to be slower.) A processor, whose cache holds them all, gains nothing, and
    would be long at compiling it.
    """
    steps = []
    for _ in range(matrix.shape[0]):
        pivot = 1.0 / matrix[0, 0]
        row, column = matrix[0, 1:], matrix[1:, 0] * pivot
        steps.append((pivot, row, column))
        matrix = matrix[1:, 1:] - column[:, None] * row
    return tuple(steps)


def divided(inverse: Inverse, right: Numbers) -> Numbers:
    """The matrix's inverse times right sides (k, m, K, B)."""
    if not isinstance(inverse, tuple):
        return jnp.einsum("ijEB,jmEB->imEB", inverse, right)
    kept: list[Numbers] = []
    for _, _, column in inverse:
        kept.append(right[0])
        right = right[1:] - column[:, None] * right[0]
    found: list[Numbers] = []  # from the last on
    for (pivot, row, _), own in zip(reversed(inverse), reversed(kept), strict=True):
        for factor, other in zip(row, reversed(found), strict=True):
            own = own - factor * other
        found.append(own * pivot)
    return jnp.stack(found[::-1])
