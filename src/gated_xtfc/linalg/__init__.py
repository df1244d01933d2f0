"""Least squares and linear systems, each factorised once and then asked: `solve`, `adjoint`, `times`."""
