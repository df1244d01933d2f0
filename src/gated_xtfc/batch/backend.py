"""JAX as the modules of this folder take it."""

from typing import Any

from gated_xtfc.xla import jax_for, kernels

__all__ = ["Numbers", "jax", "jnp", "kernels"]

jax: Any = jax_for("batches need JAX", "jax")
jnp: Any = jax.numpy
Numbers = Any  # an array of JAX, traced or not; shapes are written where they matter
