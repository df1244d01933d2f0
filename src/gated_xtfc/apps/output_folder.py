"""Where `--out DIR` goes: checked before the solve, so that no work is lost to a typing error."""

import os
from dataclasses import dataclass
from pathlib import Path

from gated_xtfc.errors import InputError, quoted

NAMES = ("solution.png", "solution.svg", "solution.csv", "solution.json")


@dataclass(frozen=True)
class OutputFolder:
    path: Path

    @classmethod
    def prepare(cls, name: str, names: tuple[str, ...] = NAMES) -> "OutputFolder":
        """The folder, made where it is missing, with every file of these names in it known to be writable."""
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
        for target in (folder / file for file in names):
            if target.is_dir():
                raise InputError(f"cannot write {quoted(str(target))}: a folder of that name is in the way")
            if target.exists() and not os.access(target, os.W_OK):
                raise InputError(f"cannot write {quoted(str(target))}: the file is there and read-only")
        return cls(folder)

    def __getitem__(self, file: str) -> Path:
        return self.path / file
