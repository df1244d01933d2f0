"""Where a record was made: versions, threads, machine. Times mean little without it."""

import os
import platform
from importlib import metadata
from typing import Any

from gated_xtfc import __version__
from gated_xtfc.threads import THREADS

PACKAGES = ("numpy", "scipy", "jax", "optax", "egobox")


def environment() -> dict[str, Any]:
    return {
        "versions": {"gated-xtfc": __version__, "python": platform.python_version()}
        | {name: found for name in PACKAGES if (found := version(name)) is not None},
        "threads": threads(),
        "cores": os.cpu_count() or 1,
        "machine": f"{platform.system()} {platform.machine()}",
    }


def version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def threads() -> int:
    """How many threads linear algebra may use."""
    given = [os.environ[name] for name in THREADS if os.environ.get(name, "").isdigit()]
    return min((int(text) for text in given), default=os.cpu_count() or 1)
