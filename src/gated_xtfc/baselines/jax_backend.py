"""The one place that knows JAX: brought in on first use, on one processor thread, in double precision.

XLA reads its thread settings once, when its processor client starts: a process that has used JAX before it comes here
keeps the threads it had.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.threads import environment

POOL = "NPROC"  # the number of threads XLA computes with
FLAGS = "XLA_FLAGS"
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"  # matrix products stay on the thread that asks for them


@dataclass(frozen=True)
class Backend:
    jax: ModuleType
    numpy: ModuleType  # jax.numpy
    optax: ModuleType
    processor: object  # a result must not depend on whether there is an accelerator

    @contextmanager
    def double(self) -> Iterator[None]:
        """Double precision on the processor for what is computed inside; the caller's own JAX is left as it was."""
        with self.jax.enable_x64(True), self.jax.default_device(self.processor):
            yield

    @property
    def versions(self) -> dict[str, str]:
        return {"jax": str(self.jax.__version__), "optax": str(self.optax.__version__)}


@cache
def backend() -> Backend:
    """JAX and optax, started; an InputError that names the extra where they are not installed."""
    with environment(_one_thread()):
        try:
            import jax
            import jax.numpy
            import optax
        except ImportError as error:
            raise InputError(
                f"the deep networks (PINN, Deep-TFC) need JAX and optax, which are not installed: {install('deep')}"
            ) from error
        return Backend(jax, jax.numpy, optax, jax.devices("cpu")[0])


def _one_thread() -> dict[str, str]:
    """The environment in which XLA starts with one thread, unless the user has chosen otherwise."""
    flags = f"{ONE_THREAD} {os.environ.get(FLAGS, '')}"  # of two flags of one name the later one counts
    return {POOL: os.environ.get(POOL) or "1", FLAGS: flags}
