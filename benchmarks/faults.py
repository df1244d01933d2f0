"""Killed at a random instant, is every file whole or absent? `python benchmarks/faults.py [--instants 100] [--seed 0]`.

Each command runs again and again in one folder, with other numbers each time, and is killed (SIGKILL, with all its
processes) at a random instant of the time that it takes when nobody interferes. After every kill each file is opened
and read to its end; what a command keeps in the middle of its work (a store, records) must hold all that it held
before; one that has come to its end starts over; in the end the command is run once more and must finish.

Then each is run on a disk of its own that is really full (a mount of some kilobytes) or read-only: it must say so in
one sentence, and leave files whole. `--writers NAME ...` runs some of them only.
"""

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
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from xml.etree import ElementTree

import numpy as np

from measure import table

INSTANTS = 100
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
raise SystemExit(produce(folder, Size.TINY, ["forward", "table1", "twin"]))
"""


@dataclass(frozen=True)
class Writer:
    """A command that writes: the words of its run number k, and how much of what it keeps is there."""

    name: str
    words: tuple[str, ...]
    small: str  # a disk that its files do not fit on
    kept: str = ""  # the file or folder that grows while it works
    killed: bool = True  # whether it is one of those that are killed: others write by the same functions

    def command(self, k: int) -> list[str]:
        value = f"{10.0 ** -(2 + k % 5):g}"
        if self.words[0] == "-c":
            return [sys.executable, "-c", self.words[1].replace("NU", value)]
        return [*CALL, *(word.replace("NU", value) for word in self.words)]

    def held(self) -> int:
        """How many results the file or folder that grows holds; none where nothing grows."""
        path = Path(self.kept or "nothing")
        if path.is_dir():
            return sum(1 for record in path.glob("**/*.json"))
        if not self.kept or not path.exists():
            return 0
        with sqlite3.connect(path) as store:
            names = [name for (name,) in store.execute("select name from sqlite_master where type = 'table'")]
            return max((store.execute(f'select count(*) from "{name}"').fetchone()[0] for name in names), default=0)


DATA = ("--data", str(EXAMPLES / "sensors.csv"), "--unknown", "nu=1e-3:1", "--noise", "0.01")
MATHIEU = str(EXAMPLES / "mathieu.toml")
BRATU = str(EXAMPLES / "bratu.toml")
OVER = ("--over", "nu=1e-8:1:1000")
WRITERS = (
    Writer("solve --out", ("solve", LAYER, "--set", "nu=NU", "--out", "out"), "40k"),
    Writer("save", ("-c", SAVES), "4k"),
    Writer("infer --out", ("infer", LAYER, *DATA, "--out", "posterior"), "40k"),
    Writer("sweep", ("sweep", LAYER, *OVER, "--store", "sweep.sqlite"), "60k", "sweep.sqlite"),
    Writer("paper", ("-c", PAPER), "40k", "paper"),
    Writer("eigen --out", ("eigen", MATHIEU, "--out", "modes"), "20k", killed=False),
    Writer("branch --out", ("branch", BRATU, "--along", "k=0.5:4", "--out", "branch"), "20k", killed=False),
    Writer("branch --store", ("branch", BRATU, "--along", "k=0.5:4", "--store", "points.sqlite"), "20k", killed=False),
    Writer("sweep --csv", ("sweep", LAYER, *OVER, "--store", "s.sqlite", "--csv", "s.csv"), "300k", killed=False),
    Writer(
        "sweep --dataset",
        ("sweep", LAYER, *OVER, "--store", "s.sqlite", "--engine", "batch", "--dataset", "d.npz"),
        "300k", killed=False,
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
            with sqlite3.connect(Path(folder, path.name)) as store:
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


def killed_after(seconds: float, command: list[str]) -> bool:
    """Whether the process was still at work."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    sleep(seconds)
    at_work = process.poll() is None
    if at_work:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return at_work


def endure(writer: Writer, instants: int, dice: random.Random) -> tuple[str, ...]:
    """What became of its files over so many kills."""
    begun = perf_counter()
    subprocess.run(writer.command(0), capture_output=True, check=True, cwd=tempfile.mkdtemp())
    seconds, seen, held = perf_counter() - begun, Counter[str](), 0
    for k in count():
        if seen["killed"] == instants:
            break
        at_work = killed_after(dice.uniform(0.2, 1.0) * seconds, writer.command(k))
        seen["killed"] += at_work
        for said in broken_files():
            seen["broken"] += 1
            print(f"{writer.name}: {said}")
        now = writer.held()
        seen["lost"] += max(held - now, 0)
        held = now
        if writer.kept and not at_work:
            held = 0
            for path in Path().iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    finished = subprocess.run(writer.command(0), capture_output=True, check=False)
    ended = "yes" if finished.returncode == 0 and not broken_files() else f"no: {finished.stderr.decode()[-200:]}"
    counts = (str(seen[name]) for name in ("killed", "broken", "lost"))
    return writer.name, *counts, str(writer.held() or ""), ended


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


HEADER = ("writer", "killed at work", "files not whole", "results lost", "results kept", "finishes afterwards")


def measure(instants: int, seed: int, names: list[str] | None = None) -> str:
    dice, rows, home = random.Random(seed), [], Path.cwd()
    chosen = tuple(writer for writer in WRITERS if not names or writer.name in names)
    for writer in chosen:
        if writer.killed:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                rows.append(endure(writer, instants, dice))
                os.chdir(home)
    return f"{table(HEADER, rows)}\n\n{disks(chosen)}"


def section() -> str:
    """For the report."""
    told = (
        "Each command killed (SIGKILL) at random instants of its work, again and again in one folder; then run where "
        "the disk is really full, or read-only.\n\n"
    )
    return told + measure(INSTANTS, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instants", type=int, default=INSTANTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--writers", nargs="*", choices=[writer.name for writer in WRITERS], metavar="NAME")
    asked = parser.parse_args()
    print(measure(asked.instants, asked.seed, asked.writers))


if __name__ == "__main__":
    main()
