"""The small systems of all elements in one kernel of a graphics card: made, eliminated and divided in its registers.

Written as operations on arrays, elimination moves every entry through memory at every step; a thread that keeps the
matrix of one element reads its rows and writes its solutions, and is some twelve times as fast. Where the kernel is not
to be had (no such card, a JAX without it) the arrays stay.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp, kernels
from gated_xtfc.batch.tables import tables

BLOCK = 32  # systems a group of threads takes, one each: more of them spill their registers
MOST = 12  # sites: beyond, a matrix does not fit into a thread's registers by far, and compiling takes long
MANY = 1 << 19  # systems: fewer do not repay that this kernel takes some ten seconds longer to compile


def fusible(sites: int, systems: int) -> bool:
    """Whether so many systems of so many equations can go through the kernel, on the device in use."""
    return sites <= MOST and systems >= MANY and systems % BLOCK == 0 and jax.default_backend() == "gpu" and _works()


def fused(
    second: Numbers, first: Numbers, zeroth: Numbers, late: Numbers, right: Numbers | None, interpret: bool = False
) -> tuple[Numbers, ...]:
    """Sigma for a unit of u at t = 0, of the given u_t and of all residuals, and for `right`; all (k, K, B).

    What multiplies u_tt, u_t and u is (k, K, B), `late` (K, B). `interpret` runs the kernel without a card.
    """
    found = kernels()
    assert found is not None
    pallas, triton = found
    k = second.shape[0]
    given = [second, first, zeroth, *([] if right is None else [right])]
    count = second[0].size
    flat = [one.reshape(k, count) for one in given]
    fit = pallas.BlockSpec((k, BLOCK), lambda number: (0, number))
    divide = pallas.pallas_call(
        _kernel,
        out_shape=[jax.ShapeDtypeStruct((k, count), second.dtype)] * len(given),
        grid=(count // BLOCK,),
        in_specs=[pallas.BlockSpec((BLOCK,), lambda number: (number,)), *[fit] * len(flat)],
        out_specs=[fit] * len(given),
        compiler_params=triton.CompilerParams(num_warps=1),
        interpret=interpret,
    )
    made = divide(late.astype(second.dtype).reshape(count), *flat)
    by_value, by_slope, unit, *rest = (one.reshape(second.shape) for one in made)
    return by_value, by_slope, unit, *rest


def _kernel(late_ref: Any, *refs: Any) -> None:
    """Gauss' elimination without pivoting, one system a thread, every entry a name of its own."""
    taken, made = refs[: len(refs) // 2], refs[len(refs) // 2 :]
    late = late_ref[:]
    k = taken[0].shape[0]
    table = tables(k)
    once, twice = (one.tolist() for one in table.integrals)
    total = table.totals[0].tolist()
    rows = []
    for i, t in enumerate(table.sites.tolist()):
        second, first, zeroth, *right = (ref[i, :] for ref in taken)
        slope = first + zeroth * t  # of the row, for a unit of u_t at t = 0
        lost = late * slope
        row = [first * once[i][j] + zeroth * twice[i][j] - lost * total[j] for j in range(k)]
        row[i] = row[i] + second
        rows.append([*row, zeroth, slope, jnp.ones_like(slope), *right])
    width = len(rows[0])
    for i in range(k):
        pivot = 1.0 / rows[i][i]
        rows[i] = [*rows[i][: i + 1], *(entry * pivot for entry in rows[i][i + 1 :])]
        for below in range(i + 1, k):
            factor = rows[below][i]
            for j in range(i + 1, width):
                rows[below][j] = rows[below][j] - factor * rows[i][j]
    for i in reversed(range(k)):
        for above in range(i):
            factor = rows[above][i]
            for j in range(k, width):
                rows[above][j] = rows[above][j] - factor * rows[i][j]
        for ref, entry in zip(made, rows[i][k:], strict=True):
            ref[i, :] = entry


@cache
def _works() -> bool:
    """Whether the kernel solves a small system here, which a card or a JAX of another kind may not."""
    if kernels() is None:
        return False
    with ThreadPoolExecutor(1) as fresh:  # whoever asks is being traced, but not there
        return fresh.submit(_tried).result()


def _tried() -> bool:
    try:
        with jax.enable_x64(True):
            one = jnp.ones((2, 1, BLOCK))
            found, plain = (fused(one, 0.5 * one, 0.25 * one, 0.0 * one[0], None, how) for how in (False, True))
            return all(np.allclose(a, b, rtol=1e-12) for a, b in zip(found, plain, strict=True))
    except Exception:  # whatever a compiler for cards may raise: the arrays do the same
        return False
