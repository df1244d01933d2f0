"""How long solves take here and in another checkout: `python benchmarks/versions.py --tree DIR`.

Both are run in turns, each time in a new process with one thread, so that a machine that is busy for a while slows both
alike. Printed are medians over all runs of the median within a run, in milliseconds of processor time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import single_thread  # noqa: F401  (first: it sets what the processes inherit)

HERE = Path(__file__).parent.parent
LINE, SQUARE = '{"x": (0, 1)}', '{"x": (0, 1), "y": (0, 1)}'
CASES = {
    "convection-diffusion 1e-4": f"\"u' - nu*u'' = 0\", {LINE}, ['u(0) = 0', 'u(1) = 1'], nu=1e-4",
    "turning point 1e-6": f"\"eps*u'' + 2*(x - 0.5)*u' = 0\", {LINE}, ['u(0) = -1', 'u(1) = 1'], eps=1e-6",
    "needle 1e-4": f"\"u'' = exp(-((x - 0.3)/1e-4)^2)\", {LINE}, ['u(0) = 0', 'u(1) = 0']",
    "Bratu": f"\"u'' + exp(u) = 0\", {LINE}, ['u(0) = 0', 'u(1) = 0']",
    "shock 1e-2": f"\"eps*u'' + u*u' - u = 0\", {LINE}, ['u(0) = -7/6', 'u(1) = 3/2'], eps=1e-2",
    "peak on a square": f"'u_xx + u_yy = -exp(-1e3*((x - 0.5)^2 + (y - 0.5)^2))', {SQUARE}, ['u = 0 on boundary']",
    "layers on a square 1e-4": f"'-eps*(u_xx + u_yy) + u = 1', {SQUARE}, ['u = 0 on boundary'], eps=1e-4",
    "flow across a square 1e-2": f"'-eps*(u_xx + u_yy) + (1 + y)*u_x = 1', {SQUARE}, ['u = 0 on boundary'], eps=1e-2",
    "coefficients of x and y": f"'(1 + x*y)*u_xx + exp(x - y)*u_yy - u = 1', {SQUARE}, ['u = 0 on boundary']",
    "slanted flow 1e-3": "'-eps*(u_xx + u_yy) + (1 + x*y)*u_x + (2 - x)*u_y = x', "
    f"{SQUARE}, ['u = 0 on boundary'], eps=1e-3",
}
SCRIPT = """
import json, statistics, sys, time
sys.path.insert(0, sys.argv[1])
import gated_xtfc as gx
found = {}
for name, statement in json.loads(sys.argv[2]).items():
    problem = eval("gx.Problem(" + statement + ")")
    gx.solve(problem)
    times = []
    while sum(times) < 0.3 or len(times) < 5:
        start = time.process_time()
        gx.solve(problem)
        times.append(time.process_time() - start)
    found[name] = 1e3 * statistics.median(times)
print(json.dumps(found))
"""


def timed(tree: Path) -> dict[str, float]:
    command = [sys.executable, "-P", "-c", SCRIPT, str(tree / "src"), json.dumps(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ), cwd=tree)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, required=True, help="the other checkout")
    parser.add_argument("--times", type=int, default=7)
    options = parser.parse_args()
    runs = [(timed(options.tree.resolve()), timed(HERE)) for _ in range(options.times)]
    print(f"{'':28}{'there':>9}{'here':>9}  here / there")
    for name in CASES:
        there, here = (statistics.median(run[k][name] for run in runs) for k in (0, 1))
        ratio = statistics.median(run[1][name] / run[0][name] for run in runs)
        print(f"{name:28}{there:9.2f}{here:9.2f}  {ratio:.2f}")


if __name__ == "__main__":
    main()
