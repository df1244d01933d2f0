"""Training data as it is made: parameters, x and fields in a folder of blocks, or in one file at the end.

The folder is a Zarr store of version 2 without compression: an array is a description and a file for each block of
points, so that a run that was stopped goes on with the blocks that are missing. An .npz file is made of such a folder.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import replacing, write_text
from gated_xtfc.sweeps.design import Design
from gated_xtfc.types import Array

PLACES = 101  # along the domain, unless places are given


class DatasetWriter:
    """Blocks of a design's points, written one by one; `identity` tells whether what is there is the same data set."""

    def __init__(
        self,
        path: str | Path,
        design: Design,
        fields: tuple[str, ...],
        coordinate: str,
        x: Array,
        block: int,
        identity: Mapping[str, object],
    ) -> None:
        self.path = Path(path)
        if self.path.suffix not in (".npz", ".zarr"):
            raise InputError(f"a data set is a file .npz or a folder .zarr, not {quoted(str(path))}")
        self.folder = self.path if self.path.suffix == ".zarr" else self.path.with_name(self.path.name + ".part")
        self.design, self.fields, self.coordinate, self.x, self.block = design, fields, coordinate, x, block
        taken = {*design.names, coordinate, "error"}
        for name in fields:
            if name in taken:
                raise InputError(f"the data set would have two arrays {quoted(name)}: give the parameter another name")
        about = json.dumps({"identity": identity, "points": len(design), "block": block}, indent=1, sort_keys=True)
        there = self.folder / ".zattrs"
        if there.is_file() and there.read_text(encoding="utf-8") != about:
            raise InputError(f"{quoted(str(self.folder))} holds another data set: give another name, or remove it")
        if self.folder.exists() and not there.is_file():
            raise InputError(
                f"{quoted(str(self.folder))} is there, and is no data set of this program: give another name"
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {quoted(str(self.folder))}: {error.strerror}") from None
        write_text(self.folder / ".zgroup", '{"zarr_format": 2}')
        self._array(coordinate, x, (coordinate,), x.size)
        for name, column in zip(design.names, design.points.T, strict=True):
            self._array(name, column, ("member",), len(design))
        for name in fields:
            self._described(name, (len(design), x.size), (block, x.size), ("member", coordinate))
        self._described("error", (len(design),), (block,), ("member",))
        write_text(there, about)

    def has(self, number: int) -> bool:
        """Whether a block is there: its errors are written last."""
        return (self.folder / "error" / str(number)).is_file()

    def write(self, number: int, values: Mapping[str, Array], error: Array) -> None:
        """One block; a file is there whole or not at all."""
        for name, rows in values.items():
            filled = np.full((self.block, self.x.size), np.nan)
            filled[: len(rows)] = rows
            self._raw(f"{name}/{number}.0", filled)
        errors = np.full(self.block, np.nan)
        errors[: error.size] = error
        self._raw(f"error/{number}", errors)

    def finish(self) -> None:
        """As one file, where that was asked for."""
        if self.path == self.folder:
            return
        whole = {name: self.design.points[:, i] for i, name in enumerate(self.design.names)}
        whole |= {self.coordinate: self.x, **{name: self._read(name) for name in (*self.fields, "error")}}
        with replacing(self.path) as file:
            np.savez(file, **whole)  # type: ignore[arg-type]
        shutil.rmtree(self.folder)

    def _read(self, name: str) -> Array:
        shape = json.loads((self.folder / name / ".zarray").read_text(encoding="utf-8"))["chunks"]
        count, tail = -(-len(self.design) // self.block), ".0" if len(shape) > 1 else ""
        parts = [np.fromfile(self.folder / name / f"{i}{tail}", dtype="<f8").reshape(shape) for i in range(count)]
        return np.concatenate(parts)[: len(self.design)]

    def _array(self, name: str, values: Array, dimensions: tuple[str, ...], chunk: int) -> None:
        self._described(name, values.shape, (chunk,), dimensions)
        self._raw(f"{name}/0", values)

    def _described(
        self, name: str, shape: tuple[int, ...], chunks: tuple[int, ...], dimensions: tuple[str, ...]
    ) -> None:
        (self.folder / name).mkdir(exist_ok=True)
        array = {
            "zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "<f8", "compressor": None, "fill_value": "NaN",
            "order": "C", "filters": None,
        }  # fmt: skip
        write_text(self.folder / name / ".zarray", json.dumps(array))
        write_text(self.folder / name / ".zattrs", json.dumps({"_ARRAY_DIMENSIONS": dimensions}))

    def _raw(self, place: str, values: Array) -> None:
        with replacing(self.folder / place) as file:
            file.write(np.ascontiguousarray(values, dtype="<f8").tobytes())
