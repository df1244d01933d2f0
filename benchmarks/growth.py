"""Growth with the number of waves: eps^2 u'' + pi^2/4 u = 0 at eps = 1/101, 1/1001, 1/10001, each in a process."""

import single_thread  # noqa: F401

# isort: split
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import gated_xtfc as gx
from gated_xtfc import zoo
from measure import median_seconds, table

WAVES, TOL = (101, 1001, 10001), 1e-6


def resident() -> float:
    """The largest resident memory of this process so far in MB, nan where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 2**10
    except (OSError, StopIteration):
        return float("nan")


def one(waves: int) -> dict[str, float | str]:
    """Time, then memory in a solve of its own, because tracing allocations costs time."""
    problem = zoo.problem("oscillation", eps=1 / waves)
    before = resident()
    seconds = median_seconds(lambda: gx.solve(problem, tol=TOL))
    grown = resident() - before
    tracemalloc.start()
    solution = gx.solve(problem, tol=TOL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 20 points a wave see its crests: the largest error falls near one
    points = zoo.family("oscillation").points(max(20_000, 5 * waves), eps=1 / waves)
    error = float(abs(solution(points) - problem.exact(points)).max())
    return {
        "error": error,
        "estimate": solution.error,
        "status": solution.status,
        "neurons": solution.neurons,
        "seconds": seconds,
        "peak": peak / 2**20,
        "resident": grown,
    }


def measure() -> str:
    rows, last = [], None
    for waves in WAVES:
        child = subprocess.run([sys.executable, __file__, str(waves)], capture_output=True, text=True)
        if child.returncode:
            rows.append((f"1/{waves}", child.stderr.strip().splitlines()[-1], *[""] * 8))
            continue
        now = json.loads(child.stdout)
        rows.append(
            (
                f"1/{waves}",
                f"{now['error']:.1e}",
                f"{now['estimate']:.1e}",
                now["status"],
                str(now["neurons"]),
                f"{now['seconds']:.3f}",
                f"{now['peak']:.1f}",
                f"{now['resident']:.1f}",
                f"{now['seconds'] / last['seconds']:.1f}" if last else "",
                f"{now['peak'] / last['peak']:.1f}" if last else "",
            )
        )
        last = now
    header = (
        "eps",
        "true error",
        "estimate",
        "status",
        "neurons",
        "s",
        "peak MB",
        "process MB",
        "time ratio",
        "memory ratio",
    )
    return (
        f"`eps**2*u'' + pi**2/4*u = 0`, tol = {TOL:.0e}. Peak MB: allocations traced in one solve; process MB: growth "
        f"of the process's resident memory. Ratios are to the row above.\n\n{table(header, rows)}"
    )


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(json.dumps(one(int(sys.argv[1]))))
    else:
        print(measure())
