"""Killed at a random instant, is every file whole or absent? `python benchmarks/faults.py [--instants 100] [--seed 0]`.

Each command runs again and again in one folder, with other numbers each time, and is killed (SIGKILL, with all its
processes) at a random instant between its first and its last. It runs in a fork of this process, which has imported
what it needs: so no kill is spent on imports. After every kill each file is opened and read to its end; what a
command keeps in the middle of its work (a store, records) must hold all that it held before, and all that the command
had told of as done; one that has come to its end starts over; in the end the command is run once more and must finish.
With `--folder PLACE` what is done is kept there, and the same command goes on from it.

Then each is run on a disk of its own that is really full (a mount of some kilobytes) or read-only: it must say so in
one sentence, and leave files whole. `--writers NAME ...` runs some of them only.
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter, sleep
from traceback import print_exc
from xml.etree import ElementTree

import numpy as np

from measure import table

INSTANTS = 100
REPEAT = 20  # kills after which it is timed again how long a command takes
TICK = 2e-3  # seconds
SAID = Path("..", "said")
KEPT = Path(__file__).parent.parent / "build" / "faults"  # of the report, until it is written
EXAMPLES = Path(__file__).parent.parent / "examples"
LAYER = str(EXAMPLES / "convection_diffusion.toml")
CALL = [sys.executable, "-m", "gated_xtfc"]
SAVES = """
import gated_xtfc as gx
problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=NU)
solution = gx.solve(problem)
for _ in range(200):
    solution.save("kept.npz")
"""
PAPER = """
from gated_xtfc.apps.output import OutputFolder
from gated_xtfc.apps.paper_command import REPORT, produce
from gated_xtfc.paper.task import Size
folder = OutputFolder.prepare("paper", (REPORT,)).path
if produce(folder, Size.TINY, ["forward", "table1", "twin"]):
    raise SystemExit("a task failed")
"""
SWEEP = """
import numpy as np
import gated_xtfc as gx
problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1)
told = lambda done: print(done.solved, flush=True)
gx.sweep(problem, {"nu": np.geomspace(1e-8, 1.0, 1000)}, store="sweep.sqlite", workers=2, progress=told)
"""


@dataclass(frozen=True)
class Writer:
    """A command that writes: the words of its run number k, and how much of what it keeps is there."""

    name: str
    words: tuple[str, ...]
    small: str  # a disk that its files do not fit on
    kept: str = ""  # the file or folder that grows while it works
    told: Callable[[list[str]], int] = lambda lines: 0  # how many results it says are done, by its lines
    killed: bool = True  # whether it is one of those that are killed: others write by the same functions

    def command(self, k: int) -> list[str]:
        value = f"{10.0 ** -(2 + k % 5):g}"
        if self.words[0] == "-c":
            return [sys.executable, "-c", self.words[1].replace("NU", value)]
        return [*CALL, *(word.replace("NU", value) for word in self.words)]

    def work(self, k: int) -> int:
        """The same in this process; its exit code."""
        from gated_xtfc.apps import cli

        command = self.command(k)
        if self.words[0] != "-c":
            return cli.main(command[len(CALL) :])
        exec(command[2], {"__name__": "__main__"})
        return 0

    def held(self) -> int:
        """How many results the file or folder that grows holds; none where nothing grows."""
        path = Path(self.kept or "nothing")
        if path.is_dir():
            return sum(1 for record in path.glob("**/*.json"))
        if not self.kept or not path.exists():
            return 0
        with closing(sqlite3.connect(path)) as store:  # closed before the next fork, which may not inherit it
            begun = store.execute("select 1 from sqlite_master where name = 'points'").fetchone()
            return store.execute("select count(*) from points").fetchone()[0] if begun else 0

    def start(self, k: int) -> int:
        """Its run number k as a fork, in a process group of its own, with its words in a file beside the folder."""
        SAID.write_bytes(b"")  # here, for it may be killed before it could
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                os.setpgid(0, 0)
                said = os.open(SAID, os.O_WRONLY)
                os.dup2(said, 1)
                os.dup2(said, 2)
                code = self.work(k)
            except BaseException:
                print_exc()
            finally:
                sys.stdout.flush()
                os._exit(code)
        with suppress(OSError):  # both say it, for neither knows which comes first
            os.setpgid(pid, pid)
        return pid


DATA = ("--data", str(EXAMPLES / "sensors.csv"), "--unknown", "nu=1e-3:1", "--noise", "0.01")
MATHIEU = str(EXAMPLES / "mathieu.toml")
BRATU = str(EXAMPLES / "bratu.toml")
OVER = ("--over", "nu=1e-8:1:4000")
WRITERS = (
    Writer("solve --out", ("solve", LAYER, "--set", "nu=NU", "--out", "out"), "40k"),
    Writer("save", ("-c", SAVES), "4k"),
    Writer("infer --out", ("infer", LAYER, *DATA, "--out", "posterior"), "40k"),
    Writer("sweep", ("sweep", LAYER, *OVER, "--workers", "1", "--store", "sweep.sqlite"), "60k", "sweep.sqlite"),
    Writer(
        "sweep, two processes", ("-c", SWEEP), "60k", "sweep.sqlite", lambda lines: int(lines[-1]) if lines else 0
    ),
    Writer("paper", ("-c", PAPER), "40k", "paper", lambda lines: sum(" left: " in line for line in lines)),
    Writer("eigen --out", ("eigen", MATHIEU, "--out", "modes"), "20k", killed=False),
    Writer("branch --out", ("branch", BRATU, "--along", "k=0.5:4", "--out", "branch"), "20k", killed=False),
    Writer("branch --store", ("branch", BRATU, "--along", "k=0.5:4", "--store", "points.sqlite"), "20k", killed=False),
    # their stores lie where there is room
    Writer(
        "sweep --csv", ("sweep", LAYER, *OVER, "--store", "../s.sqlite", "--csv", "s.csv"), "60k", killed=False
    ),
    Writer(
        "sweep --dataset",
        ("sweep", LAYER, *OVER, "--store", "../d.sqlite", "--engine", "batch", "--dataset", "d.npz"),
        "60k", killed=False,
    ),
    Writer("examples", ("examples", "--all", "--to", "scripts"), "20k", killed=False),
)  # fmt: skip


def read_whole(path: Path) -> None:
    """Reads a file to its end, and raises where it is not whole."""
    content = path.read_bytes()
    if path.suffix == ".png":
        if not content.endswith(b"IEND" + bytes.fromhex("ae426082")):
            raise ValueError("a picture without its end")
    elif path.suffix == ".svg":
        ElementTree.fromstring(content)
    elif path.suffix == ".json":
        json.loads(content)
    elif path.suffix == ".csv":
        widths = {len(row) for row in csv.reader(content.decode().splitlines())}
        if len(widths) != 1 or not content.endswith(b"\n"):
            raise ValueError("a table with a line that is cut")
    elif path.suffix == ".npz":
        with np.load(path) as arrays:
            for name in arrays.files:
                arrays[name]
    elif path.suffix == ".html":
        if not content.rstrip().endswith(b"</html>"):
            raise ValueError("a page without its end")
    elif path.suffix == ".sqlite":
        # a copy, for a full disk has no room for what readers write beside it
        with tempfile.TemporaryDirectory() as folder:
            for one in path.parent.glob(f"{path.name}*"):
                with suppress(FileNotFoundError):  # what is beside a store goes when the last process closes it
                    shutil.copy(one, folder)
            with closing(sqlite3.connect(Path(folder, path.name))) as store:
                said = store.execute("pragma integrity_check").fetchone()[0]
        if said != "ok":
            raise ValueError(said)


def broken_files() -> list[str]:
    found = []
    for path in Path().rglob("*"):
        if path.is_file() and path.suffix != ".part":  # .part: what was being written when the process died
            try:
                read_whole(path)
            except Exception as failure:
                found.append(f"{path}: {failure}")
    return found


def ready() -> None:
    """Imports what commands import when they run, so that forks have it."""
    for name in ("apps.cli", *(f"apps.{name}_command" for name in ("solve", "infer", "sweep", "paper"))):
        import_module(f"gated_xtfc.{name}")
    import_module("matplotlib.pyplot")
    import_module("matplotlib.backends.backend_svg")


def run(writer: Writer, k: int, seconds: float = np.inf) -> tuple[int | None, float]:
    """How a fork ended, None where it was killed, and after how long; it is killed after so many seconds."""
    begun, pid, found = perf_counter(), writer.start(k), 0
    while not found and (left := begun + seconds - perf_counter()) > 0.0:
        sleep(min(left, TICK))
        found, status = os.waitpid(pid, os.WNOHANG)
    if not found:
        os.killpg(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return None if code == -signal.SIGKILL else code, perf_counter() - begun


def alone(writer: Writer) -> float:
    """The seconds that it takes where nothing is there and nobody interferes; nothing is there afterwards either."""
    cleared()
    code, seconds = run(writer, 0)
    if code != 0:
        raise RuntimeError(f"{writer.name} ends with {code} by itself: {SAID.read_text()}")
    cleared()
    return seconds


def cleared() -> None:
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def endure(writer: Writer, instants: int, seed: int, notes: Path) -> tuple[str, ...]:
    """What became of its files over so many kills; what is known is kept in the notes."""
    seen = Counter[str](json.loads(notes.read_text()) if notes.exists() else {})
    if not seen:
        alone(writer)  # it pays for what it is the first to touch
    while seen["killed"] < instants:
        if seen["killed"] >= seen["timed"] * REPEAT:  # the machine may have become slower or quicker
            seen["timed"], seen["held"], seen["microseconds"] = seen["timed"] + 1, 0, int(1e6 * alone(writer))
        seen["runs"] += 1
        dice = random.Random(f"{writer.name} {seed} {seen['runs']}")
        code, _ = run(writer, seen["runs"], dice.random() * 1e-6 * seen["microseconds"])
        if code:
            raise RuntimeError(f"{writer.name} ends with {code} beside what is left of others: {SAID.read_text()}")
        seen["killed"] += code is None
        for said in broken_files():
            seen["broken"] += 1
            print(f"{writer.name}: {said}")
        held, told = writer.held(), writer.told(SAID.read_text().splitlines())
        seen["lost"] += max(seen["held"] + told - held, 0)
        seen["held"] = held
        if code == 0:
            cleared()
            seen["held"] = 0
        replace_text(notes, json.dumps(seen))
    code, _ = run(writer, 0)
    ended = "yes" if code == 0 and not broken_files() else f"no: {SAID.read_text()[-200:]}"
    counts = (str(seen[name]) for name in ("killed", "broken", "lost"))
    return writer.name, f"{1e-6 * seen['microseconds']:.2g}", *counts, str(writer.held() or ""), ended


def replace_text(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


ALONE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")  # who may mount a disk that nobody else sees


def on_a_disk(writer: Writer, setup: str) -> str:
    """What a command says and leaves on a disk that takes nothing, or not enough."""
    # files are looked at inside, for the disk is gone with its mount
    check = f"{sys.executable} -c 'import faults; print(faults.broken_files())'"
    steps = (
        f'mkdir d && {setup} && cd d && "$@"; said=$?; export PYTHONPATH={Path(__file__).parent}; {check}; exit $said'
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*ALONE, steps, "sh", *writer.command(0)], cwd=folder, capture_output=True, text=True, check=False
        )
    told = [line for line in done.stderr.splitlines() if line.strip()]
    if any("mount" in line and "permitted" in line for line in told) or "unshare" in done.stderr:
        return "not tried: nobody may mount here"
    whole = done.stdout.rstrip().endswith("[]")
    # a script that does not catch it ends with Python's own words, the last of which are ours
    last = told[-1] if told else ""
    one = len(told) == 1 or writer.words[0] == "-c"
    if done.returncode == 0:
        return "finished"
    return f"{'one sentence' if one else f'{len(told)} lines'}, files {'whole' if whole else 'BROKEN'}: {last[:110]}"


def disks(writers: tuple[Writer, ...]) -> str:
    rows = []
    for writer in writers:
        full = on_a_disk(writer, f"mount -t tmpfs -o size={writer.small} none d")
        fixed = on_a_disk(writer, "mount -t tmpfs -o ro none d")
        rows.append((writer.name, full, fixed))
    return table(("writer", "on a full disk", "on a read-only disk"), rows)


HEADER = (
    "writer", "s without a kill", "killed at work", "files not whole", "results lost", "results kept",
    "finishes afterwards",
)  # fmt: skip


def measure(instants: int, seed: int, names: list[str] | None, folder: Path) -> str:
    rows, home = [], Path.cwd()
    chosen = tuple(writer for writer in WRITERS if not names or writer.name in names)
    ready()
    for writer in chosen:
        if writer.killed:
            place = (folder / writer.name.replace(" ", "_")).absolute()
            (place / "work").mkdir(parents=True, exist_ok=True)
            os.chdir(place / "work")
            try:
                rows.append(endure(writer, instants, seed, place / "notes.json"))
            finally:
                os.chdir(home)
    return f"{table(HEADER, rows)}\n\n{disks(chosen)}"


def section() -> str:
    """For the report."""
    told = (
        "Each command killed (SIGKILL) at random instants of its work, its imports done, again and again in one "
        "folder: what it keeps must hold what it held before and what it had told of as done. Then run where the disk "
        "is really full, or read-only.\n\n"
    )
    # a process of its own, for forks should have nothing that other benchmarks brought
    found = subprocess.run(
        [sys.executable, __file__, "--folder", str(KEPT)], stdout=subprocess.PIPE, text=True, check=True
    )
    shutil.rmtree(KEPT)
    return told + found.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instants", type=int, default=INSTANTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--writers", nargs="*", choices=[writer.name for writer in WRITERS], metavar="NAME")
    parser.add_argument("--folder", type=Path, help="where what is done is kept; unless given it is forgotten")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        print(measure(asked.instants, asked.seed, asked.writers, asked.folder or Path(passing)))


if __name__ == "__main__":
    main()
