"""The compiled core. It is optional: where there is no compiler, its twin in NumPy serves."""

import glob
import os

from setuptools import Extension, setup

# No contraction: the same bits with and without wide registers. Roots need not set errno.
FLAGS = [] if os.name == "nt" else ["-std=c99", "-O2", "-ftree-vectorize", "-ffp-contract=off", "-fno-math-errno"]

setup(
    ext_modules=[
        Extension(
            "gated_xtfc.core._elements",
            sorted(glob.glob("src/gated_xtfc/core/*.c")),
            depends=sorted(glob.glob("src/gated_xtfc/core/*.h")),
            extra_compile_args=FLAGS,
            libraries=[] if os.name == "nt" else ["m"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
