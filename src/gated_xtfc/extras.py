"""How to get a package that only some need, in a command that works where this one was installed from."""

import json
import os
from pathlib import Path

NAME = "gated-xtfc"


def install(extra: str) -> str:
    """The command that adds an extra: ``pip install '.[studio]'`` from a clone, where no index has the package."""
    folder = _clone()
    if folder is None:
        return f"pip install '{NAME}[{extra}]'"
    place = "." if folder == Path.cwd() else str(folder)
    return f"pip install '{place}[{extra}]'"


def _clone() -> Path | None:
    """The folder that holds the sources; None where the package came from an index."""
    source = Path(__file__).resolve().parents[2]
    if (source / "pyproject.toml").is_file():
        return source
    # with them come mail, the web and its ciphers, for which no solve should wait
    from importlib import metadata
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        told = metadata.distribution(NAME).read_text("direct_url.json")  # PEP 610: where pip got it from
    except metadata.PackageNotFoundError:
        return None
    url = urlsplit(str(json.loads(told or "{}").get("url", "")))
    folder = Path(url2pathname(url.path))
    return folder if url.scheme == "file" and os.path.isfile(folder / "pyproject.toml") else None
