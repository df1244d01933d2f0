"""The one place that brings in JAX: on first use, on one processor thread unless the user has chosen otherwise.

XLA reads its thread settings once, when its processor client starts: a process that has used JAX before it comes here
keeps the threads it had.
"""

import os
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.threads import environment

POOL = "NPROC"  # the number of threads XLA computes with
FLAGS = "XLA_FLAGS"
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"  # matrix products stay on the thread that asks for them


def has_jax() -> bool:
    """Whether it is installed."""
    return find_spec("jax") is not None


@cache
def jax_for(what: str, extra: str) -> ModuleType:
    """JAX, started; an InputError that names `what` needs it, and the extra that brings it, where it is not there."""
    with environment(_one_thread()):
        try:
            import jax
            import jax.numpy
            import jax.scipy.special
        except ImportError as error:
            raise InputError(f"{what}, which is not installed: {install(extra)}") from error
        jax.devices("cpu")  # starts the client, in this environment
        started: ModuleType = jax
        return started


@cache
def kernels() -> tuple[Any, Any] | None:
    """What writes kernels for graphics cards, and its way to Triton; None where this JAX has no such thing."""
    try:
        from jax.experimental import pallas
        from jax.experimental.pallas import triton
    except ImportError:
        return None
    return pallas, triton


def _one_thread() -> dict[str, str]:
    """The environment in which XLA starts with one thread, unless the user has chosen otherwise."""
    flags = f"{ONE_THREAD} {os.environ.get(FLAGS, '')}"  # of two flags of one name the later one counts
    return {POOL: os.environ.get(POOL) or "1", FLAGS: flags}
