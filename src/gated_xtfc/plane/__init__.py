"""Second-order equations on a rectangle: a gated coordinate for each axis, and the tensor product of their kernels."""
