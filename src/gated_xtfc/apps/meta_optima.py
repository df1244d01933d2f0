"""`python -m gated_xtfc.apps.meta_optima --out FILE`: the optima that the paper's meta-learner is trained on.

Apart from `gated-xtfc paper` because it takes hours of one core: run it where there are many, `gated-xtfc paper
--optima FILE` then reads the file.
"""

import math
import os
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from gated_xtfc.apps.parser import Parser
from gated_xtfc.errors import InputError
from gated_xtfc.threads import ONE

PAGE = """\
Compute the optima of the published forward search at many nu, resumable, one line of FILE for each.

examples:
  python -m gated_xtfc.apps.meta_optima --out optima.jsonl
  python -m gated_xtfc.apps.meta_optima --out optima.jsonl --workers 16 --budget-seconds 540

The same command goes on where it stopped. It needs nothing but NumPy and SciPy.

exit codes: 0 complete; 1 the time was up before (run it again); 2 bad input
"""


def parse(argv: Sequence[str]) -> Namespace:
    parser = Parser("python -m gated_xtfc.apps.meta_optima", PAGE)
    add = parser.add_argument
    add("--out", required=True, metavar="FILE", help="JSON lines, added to as searches end")
    add("--workers", type=int, metavar="N", help="processes; as many as there are cores unless given")
    add("--count", type=int, default=500, metavar="N", help="values of nu on a logarithmic grid; 500 unless given")
    ends = "ends of the range of nu; 1e-4 1e-3 unless given"
    add("--range", type=float, nargs=2, default=(1e-4, 1e-3), metavar=("LOW", "HIGH"), help=ends)
    reading = "the forward method: closed (right end included), literal (grid as printed) or scripts"
    add("--variant", default="closed", help=reading)
    add("--centres", type=int, default=1000, metavar="N", help="kernels and sites a block; 1000, as in the paper")
    add("--budget-seconds", type=float, default=math.inf, metavar="N", help="stop within this time")
    return parser.read(argv)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(sys.argv[1:] if argv is None else argv)
    os.environ.update(ONE)  # before NumPy comes in
    try:
        return run(arguments)
    except InputError as error:
        sys.stderr.write(f"meta_optima: {error}\n")
        return 2


def run(arguments: Namespace) -> int:
    from gated_xtfc.paper.optima import OptimaFile, Optimum, Sweep, compute

    if arguments.workers is not None and arguments.workers < 1:
        raise InputError(f"--workers is {arguments.workers}: give a whole number of at least 1")
    low, high = arguments.range
    sweep = Sweep(arguments.count, low, high, arguments.variant, arguments.centres)
    file, begun = OptimaFile(Path(arguments.out), sweep), time.perf_counter()
    before = len(file.found)

    def tell(found: Optimum, done: int, count: int) -> None:
        passed = time.perf_counter() - begun
        left = passed / (done - before) * (count - done)
        sys.stderr.write(
            f"{done} of {count}, about {left:.0f} s left: nu = {found.nu:.4g}, split {found.split:.5f}, "
            f"scale {found.scale:.4g}, J {found.value:.3g}, {found.seconds:.1f} s\n"
        )
        sys.stderr.flush()

    complete = compute(file, arguments.workers, arguments.budget_seconds, tell)
    print(f"{len(file.found)} of {sweep.count} optima in {arguments.out}")  # noqa: T201
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
