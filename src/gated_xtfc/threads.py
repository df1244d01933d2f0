"""Threads of linear algebra: for matrices of this size two are slower than one, on a busy machine many times over."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")  # read by NumPy's BLAS when it is imported
ONE = dict.fromkeys(THREADS, "1")


def said() -> bool:
    """Whether the environment says how many there are to be."""
    return any(name in os.environ for name in THREADS)


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """These variables for what begins inside; put back after it."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
