"""What goes over the wire: a JSON header and arrays behind it, one binary frame.

    length of the header (uint32, little endian) | header, padded to a multiple of eight | arrays

The header lists its arrays as [name, type, count]; types are f8, f4 and u1, each padded to a multiple of eight as well.
"""

import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.apps.output import strict

Message = Mapping[str, object]  # from the page: whoever reads a value looks whether it can be used
Header = dict[str, object]  # to the page: what JSON can hold
Arrays = dict[str, NDArray[np.generic]]
Answer = tuple[Header, Arrays]

TYPES = {"f8": "<f8", "f4": "<f4", "u1": "u1"}
NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}


def pack(header: Header, arrays: Arrays | None = None) -> bytes:
    found = {name: np.ascontiguousarray(values) for name, values in (arrays or {}).items()}
    listed = [[name, NAMES[values.dtype], values.size] for name, values in found.items()]
    text = json.dumps(strict({**header, "arrays": listed}), allow_nan=False).encode()
    parts = [len(text).to_bytes(4, "little"), text, b" " * (-(4 + len(text)) % 8)]
    for values in found.values():
        parts += [values.tobytes(), bytes(-values.nbytes % 8)]
    return b"".join(parts)


def unpack(frame: bytes) -> Answer:
    """The header and the arrays by name."""
    length = int.from_bytes(frame[:4], "little")
    header, arrays = json.loads(frame[4 : 4 + length]), Arrays()
    at = 4 + length + -(4 + length) % 8
    for name, kind, count in header.pop("arrays"):
        arrays[name] = np.frombuffer(frame, dtype=TYPES[kind], count=count, offset=at)
        at += arrays[name].nbytes + -arrays[name].nbytes % 8
    return header, arrays
