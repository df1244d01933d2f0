"""The store of a sweep: one SQLite file that holds one study and a row for every finished point.

A row is there with the commit that brought it, whatever happens next: the journal is written ahead (WAL) and flushed to
the disk at every commit (synchronous = FULL), so that a killed process loses nothing that had arrived, nor does a power
failure. One process writes for all its workers; several processes may write to one file, each point is kept once.
"""

import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from gated_xtfc import __version__
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.sweeps.point import Row
from gated_xtfc.sweeps.study import Identity, same

FORMAT = "gated-xtfc sweep 1"
PATIENCE = 30.0  # seconds to wait for another process that writes
KINDS = {
    "status": "TEXT", "message": "TEXT", "gates": "TEXT", "neurons": "INTEGER", "rounds": "INTEGER", "solution": "BLOB",
}  # fmt: skip
REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full, or the file may not grow: make room",
    sqlite3.SQLITE_IOERR: "the disk refused to write or to read: look for a full or failing disk",
    sqlite3.SQLITE_READONLY: "it cannot be written to: make the file and its folder writable, or give another one",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: check that its folder is there and writable",
    sqlite3.SQLITE_PERM: "it may not be opened: make the file and its folder writable, or give another one",
    sqlite3.SQLITE_BUSY: "another process has been writing to it for too long: wait for it to end",
    sqlite3.SQLITE_NOTADB: "it is a file of another kind: give another one",
    sqlite3.SQLITE_CORRUPT: "it is damaged, and so may be what it holds: give another one, or a copy from before",
}
# what went wrong left alone what is in the file; of others nothing is known, or there is no file
SAFE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY)


class Store:
    """`Store(path, identity, columns)` makes the file, or opens it if it is of the same study; None is in memory."""

    def __init__(self, path: str | Path | None, identity: Identity | None, columns: tuple[str, ...]) -> None:
        self.path = path
        self.columns = columns
        self.seen = 0  # rows that `arrived` has told of
        if path is not None and (not isinstance(path, str | Path) or not str(path) or "\0" in str(path)):
            raise InputError(f"store is the name of a file, such as sweep.sqlite, not {quoted(str(path))}")
        with explained(path):
            # absolute, so that no name means something else to SQLite
            file = ":memory:" if path is None else Path(path).absolute()
            self.database = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._begin(identity)
            except BaseException:
                self.database.close()
                raise

    def add(self, rows: Iterable[Row], replace: bool = False) -> None:
        """All of them or, where that fails, none; a point that is there already stays as it is."""
        marks = ", ".join("?" * (1 + len(self.columns)))
        verb = "REPLACE" if replace else "IGNORE"
        with explained(self.path), self._transaction():
            self.database.executemany(f"INSERT OR {verb} INTO points VALUES ({marks})", rows)

    def keys(self, but: Collection[str] = ()) -> set[bytes]:
        """Of the points that are there, except those with one of these statuses."""
        marks = ", ".join("?" * len(but))
        with explained(self.path):
            found = self.database.execute(f"SELECT key FROM points WHERE status NOT IN ({marks})", tuple(but))
            return {key for (key,) in found}

    def arrived(self) -> set[bytes]:
        """Keys of the points that came since this was last asked, another process's too."""
        with explained(self.path):
            found = self.database.execute("SELECT rowid, key FROM points WHERE rowid > ?", (self.seen,)).fetchall()
        self.seen = max((number for number, _ in found), default=self.seen)
        return {key for _, key in found}

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, identity: Identity | None) -> None:
        # a stranger's database is refused before anything in it is touched
        tables = {name for (name,) in self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"study", "points"} <= tables:
            raise InputError(
                f"{quoted(str(self.path))} is a database, but not a sweep of this program: give another file"
            )
        if not tables:
            self._ahead()
        self.database.execute("PRAGMA synchronous = FULL")
        kinds = ", ".join(f"{column_name(name)} {KINDS.get(name, 'REAL')}" for name in self.columns)
        with self._transaction():
            self.database.execute("CREATE TABLE IF NOT EXISTS study (name TEXT PRIMARY KEY, value TEXT)")
            self.database.execute(f"CREATE TABLE IF NOT EXISTS points (key BLOB PRIMARY KEY, {kinds})")
            content = {
                "format": FORMAT, "version": __version__, "columns": json.dumps(self.columns),
                "identity": json.dumps(identity),
            }  # fmt: skip
            self.database.executemany("INSERT OR IGNORE INTO study VALUES (?, ?)", content.items())
            there = about(self.database, self.path).identity
        if there is not None and identity is not None:
            refuse_other(str(self.path), there, identity)
            if there["problem"] != identity["problem"]:
                # stores once lost the spaces of `0 on boundary`, and could not be read without them
                with self._transaction():
                    said = json.dumps({**there, "problem": identity["problem"]})
                    self.database.execute("UPDATE study SET value = ? WHERE name = 'identity'", (said,))

    def _ahead(self) -> None:
        """WAL where the file system can; another process may be at it too."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.database.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if primary(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.02)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
            raise


@dataclass(frozen=True)
class About:
    """The study that a store holds."""

    identity: Identity | None  # None in memory, where no second study can come
    columns: tuple[str, ...]


def about(database: sqlite3.Connection, path: str | Path | None) -> About:
    try:
        content: dict[str, str] = dict(database.execute("SELECT name, value FROM study").fetchall())
        if content["format"] != FORMAT:
            raise ValueError(content["format"])
        identity: Identity | None = json.loads(content["identity"])
        if identity is None and path is not None:
            raise ValueError(path)
        return About(identity, tuple(json.loads(content["columns"])))
    except (KeyError, ValueError):
        raise InputError(
            f"{quoted(str(path))} is no sweep that this version can read: it reads '{FORMAT}'; give another file"
        ) from None


def refuse_other(path: str, before: Identity, identity: Identity) -> None:
    """One sentence on the first thing in which two studies differ."""
    now: Identity = json.loads(json.dumps(identity))
    if same(before, now):
        return
    file = quoted(path)
    if not same(before["problem"], now["problem"]):
        stated = before["problem"].get("equation") or "; ".join(before["problem"].get("equations", []))
        parameters = before["problem"]["parameters"]
        at = f" with {', '.join(f'{k} = {v:g}' for k, v in parameters.items())}" if parameters else ""
        raise InputError(f"{file} holds a sweep of another problem ({quoted(stated)}{at}): give another file")
    for words, old, new in (
        ("over", before["names"], now["names"]),
        ("with tol", before["tol"], now["tol"]),
        ("with the quantities", before["quantities"], now["quantities"]),
    ):
        if not same(old, new):
            raise InputError(
                f"{file} holds a sweep {words} {_listed(old)}, not {_listed(new)}: give the same, or another file"
            )
    if before["solutions"] != now["solutions"]:
        kept = "with" if before["solutions"] else "without"
        raise InputError(f"{file} holds a sweep {kept} its solutions: ask for the same, or give another file")
    options = ", ".join(f"{name} = {value}" for name, value in before["options"].items()) or "no options"
    raise InputError(
        f"{file} holds a sweep with other options of the solver ({options}): give the same, or another file"
    )


@contextmanager
def explained(path: str | Path | None) -> Iterator[None]:
    """What SQLite has to say, as one sentence on the file and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        reason = REASONS.get(primary(error), f"SQLite says: {error}")
        after = "; what had been stored is safe, and the same command goes on from there"
        raise InputError(
            f"the store {quoted(str(path))} failed: {reason}{after if primary(error) in SAFE else ''}"
        ) from error


def primary(error: sqlite3.Error) -> int:
    """The primary result code, without its refinement."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def column_name(name: str) -> str:
    """As SQL takes any text for one."""
    return '"' + name.replace('"', '""') + '"'


def _listed(value: list[str] | float) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}"
