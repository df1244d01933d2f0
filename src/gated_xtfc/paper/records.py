"""Records: one JSON file for each task, written as soon as it is done, so that a run can stop and go on.

FOLDER/records/SIZE/SECTION/TASK.json

Times mean little without where they were taken: a record names versions, threads and machine.
"""

import json
import math
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from gated_xtfc import __version__
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.paper.task import Result, Size, Task
from gated_xtfc.threads import THREADS

SCHEMA = 1
PACKAGES = ("numpy", "scipy", "jax", "optax", "egobox")
STATUSES = ("done", "unavailable", "failed")  # unavailable: an optional package is missing
FIELDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("section", "task", "title", "size", "status", "message"), str),
    **dict.fromkeys(("settings", "environment", "result"), dict),
    "schema": int,
    "seed": (int, type(None)),
    "seconds": float,
}


@dataclass(frozen=True)
class Record:
    section: str
    task: str
    title: str
    size: str
    status: str
    message: str  # why, where it is not done
    settings: Result
    seed: int | None
    seconds: float
    environment: Result
    result: Result
    schema: int = SCHEMA

    @property
    def done(self) -> bool:
        return self.status == "done"

    @classmethod
    def read(cls, content: object) -> "Record":
        """The record in parsed JSON; what does not follow the schema is refused."""
        return cls(**check(content))


def check(content: object) -> Result:
    """The content of a record; one InputError that names the first thing wrong."""
    if not isinstance(content, dict):
        raise InputError("a record must be a JSON object")
    for name, kind in FIELDS.items():
        if name not in content:
            raise InputError(f"the record has no {name!r}")
        if not isinstance(content[name], kind) or isinstance(content[name], bool):
            raise InputError(f"{name!r} of the record is {type(content[name]).__name__}")
    surplus = sorted(content.keys() - FIELDS.keys())
    if surplus:
        raise InputError(f"the record has {surplus[0]!r}, which the schema does not know")
    if content["schema"] != SCHEMA:
        raise InputError(f"the record follows schema {content['schema']}, not {SCHEMA}")
    if content["status"] not in STATUSES:
        raise InputError(f"the record's status is {quoted(content['status'])}, not one of {', '.join(STATUSES)}")
    if content["size"] not in list(Size):
        raise InputError(f"the record's size is {quoted(content['size'])}, not one of {', '.join(Size)}")
    for name in ("versions", "threads", "cores", "machine"):
        if name not in content["environment"]:
            raise InputError(f"the record's environment has no {name!r}")
    return content


def environment() -> Result:
    """Where a record is made: versions, threads, cores, machine."""
    versions = {"gated-xtfc": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "versions": versions,
        "threads": threads(),
        "cores": os.cpu_count() or 1,
        "machine": f"{platform.system()} {platform.machine()}",
    }


def threads() -> int:
    """How many threads linear algebra may use."""
    given = [os.environ[name] for name in THREADS if os.environ.get(name, "").isdigit()]
    return min((int(text) for text in given), default=os.cpu_count() or 1)


@dataclass(frozen=True)
class RecordStore:
    folder: Path
    size: Size

    @property
    def root(self) -> Path:
        return self.folder / "records" / self.size.value

    def path(self, task: Task) -> Path:
        return self.folder_of(task) / f"{task.name}.json"

    def folder_of(self, task: Task) -> Path:
        return self.root / task.section

    def finished(self, task: Task) -> Record | None:
        """The record of this task, where it was done with these settings."""
        record = self.load(self.path(task))
        same = record is not None and record.settings == plain(task.settings) and record.seed == task.seed
        return record if record is not None and record.done and same else None

    def write(self, record: Record) -> Path:
        """Whole or not at all: a run that is cut off leaves no half of a record."""
        target = self.root / record.section / f"{record.task}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        write_text(target, json.dumps(asdict(record), indent=1, allow_nan=False) + "\n")
        return target

    def load(self, path: Path) -> Record | None:
        """The record in this file; None where there is none, or one that this version does not read."""
        try:
            return Record.read(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def forget(self, tasks: Iterable[Task]) -> None:
        """Removes their records, and the lines that a task keeps beside its record, so that they are done again."""
        for task in tasks:
            self.path(task).unlink(missing_ok=True)
            (self.folder_of(task) / f"{task.name}.jsonl").unlink(missing_ok=True)


def plain(value: object) -> Any:
    """The value as JSON gives it back: lists for tuples and arrays, None for what is not a finite number."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)
