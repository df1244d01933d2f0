"""Names of files that are not there: which one was meant."""

import os

from gated_xtfc.errors import nearest, quoted


def beside(path: str | os.PathLike[str]) -> str:
    """``: did you mean 'layer.toml'?``, where such a file stands in the same folder; otherwise nothing."""
    folder, name = os.path.split(os.fspath(path))
    try:
        close = nearest(name, os.listdir(folder or "."))
    except OSError:
        return f": there is no folder {quoted(folder)}"
    return f": did you mean '{os.path.join(folder, close)}'?" if close else ""
