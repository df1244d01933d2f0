"""Eigenvalues of differential operators: all that are asked for at once, each with an error estimate."""
