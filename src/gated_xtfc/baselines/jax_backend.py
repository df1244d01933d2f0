"""JAX and optax for the deep networks: in double precision, on the processor."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.xla import jax_for

NEED = "the deep networks (PINN, Deep-TFC) need JAX and optax"


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
    jax = jax_for(NEED, "deep")
    try:
        import optax
    except ImportError as error:
        raise InputError(f"{NEED}, which are not installed: {install('deep')}") from error
    return Backend(jax, jax.numpy, optax, jax.devices("cpu")[0])
