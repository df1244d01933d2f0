"""Whole arrays of problems at once, certified and differentiable, on whatever JAX has."""
