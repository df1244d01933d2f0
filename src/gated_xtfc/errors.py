"""What the library says when a statement cannot be used: one sentence, naming what was given and what to do."""

import difflib
import os
from collections.abc import Iterable

SHOWN = 60  # characters of somebody's text repeated in a message


class InputError(ValueError):
    """What was given cannot be used; ``str(error)`` is one sentence on what it was and what to do instead.

    It is raised for texts, names, values, arguments and files. What goes wrong in solving raises nothing: it is the
    `Status` of a solution.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> try:
    ...     gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0"], nu=1e-4)
    ... except gx.InputError as error:
    ...     print(error)
    an equation of order 2 needs 2 conditions, but 1 given: 1 missing
    """


def quoted(text: str) -> str:
    """The text in double quotes, shortened in its middle and with unprintable characters escaped."""
    if len(text) > SHOWN:
        text = f"{text[: SHOWN - 20]} ... {text[-14:]}"
    return f'"{text}"' if text.isprintable() else ascii(text)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one resembles, otherwise nothing."""
    given = name[:SHOWN].lower()
    # one letter resembles everything, unless only its case is wrong
    candidates = {word.lower(): word for word in sorted(known) if len(word) > 1 or word.lower() == given}
    close = difflib.get_close_matches(given, candidates, n=1, cutoff=0.6)
    return candidates[close[0]] if close else ""


def suggestion(name: str, known: Iterable[str], otherwise: str) -> str:
    """``did you mean 'nu'?``, or what to say when no known name is close."""
    close = nearest(name, known)
    return f"did you mean '{close}'?" if close else otherwise


def beside(path: str | os.PathLike[str]) -> str:
    """``: did you mean 'layer.toml'?``, where such a file stands in the same folder; otherwise nothing."""
    folder, name = os.path.split(os.fspath(path))
    try:
        close = nearest(name, os.listdir(folder or "."))
    except OSError:
        return f": there is no folder {quoted(folder)}"
    return f": did you mean '{os.path.join(folder, close)}'?" if close else ""
