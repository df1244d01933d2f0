"""One thread for every BLAS: imported before NumPy, or it has no effect. More threads on busy cores only add noise."""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[name] = "1"
