"""The command `gated-xtfc`: arguments in, exit code out. Everything heavy is imported when a command runs.

0 converged, 1 not to tolerance, 2 bad input, 130 interrupted, 141 reader of our output gone, 70 a bug of ours.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from gated_xtfc import __version__
from gated_xtfc.apps.manual import OVERVIEW, PAGES


def main(argv: Sequence[str] | None = None) -> int:
    try:
        code = run(sys.argv[1:] if argv is None else argv)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe can still be answered
        return code
    except KeyboardInterrupt:
        return fail(130, "interrupted")
    except BrokenPipeError:
        # Whatever is left in the buffer must not be flushed into the closed pipe at shutdown.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        return explained(error)


def run(argv: Sequence[str]) -> int:
    first = argv[0] if argv else ""
    if first in ("-h", "--help"):
        return say(OVERVIEW)
    if first == "--version":
        from gated_xtfc.core.compiled import core

        return say(f"gated-xtfc {__version__} ({core()} core)\n")
    if first not in PAGES:
        given = f"{first!r} is not a command" if first else "no command given"
        return fail(2, f"{given}: {meant(first)}write gated-xtfc solve FILE.toml, or see gated-xtfc --help")
    from gated_xtfc.apps.arguments import parse  # argparse: the overview does not wait for it

    try:
        arguments = parse(first, argv[1:])
    except SystemExit as done:  # --help, or an option argparse did not like
        return int(done.code or 0)
    from gated_xtfc import threads

    if not threads.said():
        os.environ.update(threads.ONE)
    return int(import_module(f"gated_xtfc.apps.{first}_command").run(arguments))


def meant(first: str) -> str:
    """A guess at a command that was misspelt."""
    from gated_xtfc.errors import nearest

    close = nearest(first, PAGES)
    return f"did you mean '{close}'? Otherwise " if close else ""


def say(text: str) -> int:
    print(text, end="")  # noqa: T201
    return 0


def fail(code: int, message: str) -> int:
    """One line on stderr, whatever the message contains."""
    if sys.stderr is not None:
        sys.stderr.write(f"gated-xtfc: {' '.join(message.split())}\n")
    return code


def explained(error: Exception) -> int:
    from gated_xtfc.errors import InputError

    if isinstance(error, InputError):
        return fail(2, str(error))
    if isinstance(error, OSError):
        return fail(2, f"cannot write {error.filename or 'the output'}: {error.strerror or error}")
    if isinstance(error, MemoryError):
        return fail(2, "not enough memory for this problem: try a smaller --max-neurons or a larger --tol")
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}, line {trace.tb_lineno}" if trace else "nowhere"
    more = "python -X dev -m gated_xtfc shows more"
    return fail(70, f"a bug in gated-xtfc, please report it: {type(error).__name__}: {error} ({place}; {more})")
