"""Start-up: how much longer than the bare interpreter, or than NumPy and SciPy alone, the command takes to begin."""

import single_thread  # noqa: F401

# isort: split
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from measure import table

REPEATS = 21
COMMAND = str(Path(sys.executable).with_name("gated-xtfc"))
PROBLEM = [
    "solve",
    "--equation",
    "u' - nu*u'' = 0",
    "--domain",
    "x=0:1",
    "--condition",
    "u(0) = 0",
    "--condition",
    "u(1) = 1",
]
SOLVE = [*PROBLEM, "--set", "nu=1e-4", "--json"]
LIBRARIES = "import numpy, scipy.linalg"
# modules are compiled when they are installed, or once: here in the first round, also where a machine forbids it
SETTING = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def wall(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=SETTING)
    return perf_counter() - start


def importing(command: list[str]) -> float:
    """Seconds spent inside imports, by the interpreter's own account: `self [us] | cumulative | module` on stderr."""
    trace = subprocess.run(command, check=True, capture_output=True, text=True, env=SETTING).stderr.splitlines()
    own = [line.split("|")[0].removeprefix("import time:").strip() for line in trace if line.startswith("import time:")]
    return 1e-6 * sum(int(entry) for entry in own if entry.isdigit())


def medians(runs: dict[str, tuple], repeats: int) -> dict[str, float]:
    """Interleaved, so that a busy moment of the machine falls on all alike."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for repeat in range(repeats + 1):
        for name, (clock, command) in runs.items():
            seconds = clock(command)
            if repeat:  # the first round fills the disk cache
                times[name].append(seconds)
    return {name: median(values) for name, values in times.items()}


def measure() -> str:
    python, traced = sys.executable, [sys.executable, "-X", "importtime"]
    found = medians(
        {
            "pass": (wall, [python, "-c", "pass"]),
            "help": (wall, [COMMAND, "--help"]),
            "libraries": (wall, [python, "-c", LIBRARIES]),
            "solve": (wall, [COMMAND, *SOLVE]),
            "libraries imports": (importing, [*traced, "-c", LIBRARIES]),
            "solve imports": (importing, [*traced, "-m", "gated_xtfc", *SOLVE]),
        },
        REPEATS,
    )
    pairs = (
        ("`gated-xtfc --help`, whole process", "help", "`python -c pass`", "pass"),
        (
            "imports of `gated-xtfc solve ... --json`",
            "solve imports",
            f'imports of `python -c "{LIBRARIES}"`',
            "libraries imports",
        ),
        (
            "`gated-xtfc solve ... --json`, whole process with the solve",
            "solve",
            f'`python -c "{LIBRARIES}"`',
            "libraries",
        ),
    )
    rows = [
        (ours, f"{1e3 * found[a]:.0f}", theirs, f"{1e3 * found[b]:.0f}", f"{found[a] / found[b]:.2f}")
        for ours, a, theirs, b in pairs
    ]
    return f"Medians of {REPEATS} interleaved runs.\n\n{table(('what', 'ms', 'against', 'ms', 'ratio'), rows)}"


if __name__ == "__main__":
    print(measure())
