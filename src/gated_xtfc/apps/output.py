"""What a command hands over: text and JSON on stdout, files in a folder."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gated_xtfc import __version__
from gated_xtfc.errors import InputError, quoted


def tell(text: str) -> None:
    """On stdout, where results go; whatever else is to be said goes to stderr."""
    print(text)  # noqa: T201


def json_text(report: Mapping[str, object]) -> str:
    """The report, and the version that made it."""
    return json.dumps(strict({**report, "version": __version__}), indent=2, allow_nan=False)


def strict(value: object) -> object:
    """JSON has no NaN and no infinity: null stands for them."""
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@dataclass(frozen=True)
class OutputFolder:
    """Where `--out DIR` goes: checked before the work begins, so that none is lost to a typing error."""

    path: Path
    files: tuple[str, ...]  # that will be written

    @classmethod
    def prepare(cls, name: str, files: tuple[str, ...]) -> "OutputFolder":
        """The folder, made where it is missing, with each of the files in it known to be writable."""
        folder = Path(name)
        if not name or "\0" in name:
            raise InputError(f"--out needs the name of a folder, not {quoted(name)}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Permission bits do not tell (read-only mounts, full quotas): make a file and take it away again.
            probe = folder / f".gated-xtfc-{os.getpid()}"
            probe.open("xb").close()
            probe.unlink()
        except FileExistsError:
            raise InputError(f"cannot write into {quoted(name)}: it is a file, not a folder") from None
        except OSError as error:
            raise InputError(f"cannot write into the folder {quoted(name)}: {error.strerror or error}") from None
        for target in (folder / file for file in files):
            if target.is_dir():
                raise InputError(f"cannot write {quoted(str(target))}: a folder of that name is in the way")
            if target.exists() and not os.access(target, os.W_OK):
                raise InputError(f"cannot write {quoted(str(target))}: the file is there and read-only")
        return cls(folder, files)

    @classmethod
    def asked(cls, name: str | None, files: tuple[str, ...]) -> "OutputFolder | None":
        """The folder that `--out` names; None where there is no such option."""
        return None if name is None else cls.prepare(name, files)

    def __getitem__(self, file: str) -> Path:
        return self.path / file

    def written(self) -> str:
        return f"written to {self.path}: {', '.join(self.files)}"
