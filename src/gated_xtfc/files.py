"""Files are written whole or not at all: beside their place, flushed to the disk, then moved there in one step.

Whatever happens on the way, a full disk or a killed process, what was there before is there still.
"""

import codecs
import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gated_xtfc.errors import InputError, quoted


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to; where the block ends well it takes the place of `path`, otherwise it is gone.

    Raises
    ------
    InputError
        In one sentence, where it cannot be written.
    """
    if not str(path) or "\0" in str(path):
        raise InputError(f"{quoted(str(path))} is not the name of a file: give one to write to")
    try:
        # through links, so that what they point to is replaced and not they themselves
        with _opened(Path(os.path.realpath(path))) as file:
            yield file
    except BrokenPipeError:
        raise  # a device whose reader is gone: for the command line to answer
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"cannot write {quoted(str(path))}: {reason}; give another place, or make this one writable and roomy"
        ) from None


@contextlib.contextmanager
def replacing_text(path: str | Path) -> Iterator[codecs.StreamWriter]:
    """As `replacing`, for text in UTF-8; lines end as they are written."""
    with replacing(path) as file:
        yield codecs.getwriter("utf-8")(file)


def write_text(path: str | Path, text: str) -> None:
    """The text, and nothing else, as a file."""
    with replacing_text(path) as file:
        file.write(text)


@contextlib.contextmanager
def _opened(target: Path) -> Iterator[BinaryIO]:
    if target.is_dir():
        raise OSError(None, "a folder of that name is in the way")
    if target.exists() and not os.access(target, os.W_OK):
        raise OSError(None, "the file is there and read-only")
    if target.exists() and not target.is_file():
        with target.open("wb") as device:  # such as /dev/stdout: it has no content that could be lost
            yield device
        return
    part = target.with_name(f".gated-xtfc-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _settle(target.parent)


def _settle(folder: Path) -> None:
    """The new name on the disk as well, where the system can be asked for that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
