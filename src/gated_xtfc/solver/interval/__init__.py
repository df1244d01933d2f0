"""The pipeline's steps on an interval: banded least squares in Gaussian kernels."""
