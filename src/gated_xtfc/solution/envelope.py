"""The envelope of saved results: one .npz with `about`, a JSON text with the format in it, and arrays by name.

A stranger's file is looked at before it is believed: what it unpacks to, what its arrays say of themselves, and that
they hold numbers.
"""

import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO, NoReturn

import numpy as np

from gated_xtfc.types import Array

# `save` does not compress, so that a file is as large as what is in it; others may have
UNPACKED = 1 << 26  # bytes that the parts of a compressed file may have together, unless the file itself is larger
PARTS = 100_000  # in one file
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[fiubU]\d{1,12})', 'fortran_order': (True|False), 'shape': \(([\d, ]{0,60})\), \}\s*"
)
# all that reading may raise where a file is not ours, or broken; anything else is a bug, and is to be seen
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, ValueError, RecursionError,
)  # fmt: skip


class Unfit(ValueError):
    """Something in a file is not what `save` writes; the message says in a few words what it is."""


class Arrays(dict[str, Array]):
    """The arrays of a file by name; one that is asked for and not there makes the file unfit."""

    def __missing__(self, name: str) -> NoReturn:
        raise Unfit(f"it has no array {name}")


def write_envelope(file: BinaryIO, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Numbers as arrays and JSON: no pickled objects, so that a stranger's file can be read safely."""
    np.savez(file, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]


def read_envelope(source: BinaryIO) -> tuple[dict[str, Any], Arrays]:
    """What `write_envelope` wrote; raises one of UNREADABLE."""
    size = source.seek(0, 2)
    with zipfile.ZipFile(source) as archive:
        parts = archive.infolist()
        _check_size(parts, size)
        contents = {part.filename.removesuffix(".npy"): _array(archive.read(part)) for part in parts}
    text = contents.pop("about", None)
    if text is None or text.dtype.kind != "U" or text.ndim:
        raise Unfit("it does not say what it is")
    about = json.loads(str(text))
    if not isinstance(about, dict):
        raise Unfit("it does not say what it is")
    arrays = Arrays()
    for name, values in contents.items():
        if values.dtype.kind == "U":
            raise Unfit(f"its array {name} is not one of numbers")
        arrays[name] = values
    return about, arrays


def _check_size(parts: list[zipfile.ZipInfo], size: int) -> None:
    """Before anything is unpacked; no more than a part is said to have is ever read of it."""
    if len(parts) > PARTS:
        raise Unfit(f"it has {len(parts)} parts")
    for part in parts:
        if part.compress_type not in PACKINGS or part.flag_bits & 1:
            raise Unfit("it is packed in another way")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > max(size, UNPACKED):
        raise Unfit(f"it would unpack to {unpacked} bytes")


def _array(content: bytes) -> Any:
    """The array of a .npy file of numbers or text; its header is read and not evaluated."""
    if content[:6] != b"\x93NUMPY" or len(content) < 12 or content[6] not in (1, 2):
        raise Unfit("a part of it is no array")
    begin = 10 if content[6] == 1 else 12
    end = begin + int.from_bytes(content[8:begin], "little")
    found = HEADER.fullmatch(content[begin:end])
    if found is None:
        raise Unfit("a part of it is no array of numbers")
    kind, order = np.dtype(found[1].decode()), "F" if found[2] == b"True" else "C"
    shape = tuple(int(part) for part in found[3].decode().split(",") if part.strip())
    if math.prod(shape) * kind.itemsize != len(content) - end:
        raise Unfit("an array in it is not as long as it says")
    values = np.frombuffer(content, dtype=kind, offset=end) if kind.itemsize else np.zeros(0, dtype=kind)
    return values.reshape(shape, order=order).copy()  # type: ignore[call-overload]
