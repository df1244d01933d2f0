"""The options of `gated-xtfc sweep`."""

import argparse
from collections.abc import Sequence

from gated_xtfc.apps.solve_options import Formatter, Parser, joined

DESCRIPTION = "Solve a family of problems over its parameters, into a store that a second run goes on from."
EXAMPLES = """\
examples:
  gated-xtfc sweep examples/convection_diffusion.toml --over nu=1e-8:1:500 --store sweep.sqlite
  gated-xtfc sweep examples/robin.toml --over eps=1e-6:1 --sobol 256 --quantity "u(0.5)" --quantity "max(u)" \\
      --store sweep.sqlite --csv sweep.csv
  gated-xtfc sweep FILE.toml --over nu=1e-4,1e-3,1e-2 --over a=0:1:11 --store sweep.sqlite \\
      --scheduler tcp://10.0.0.1:8786

--over takes NAME=FIRST:LAST:COUNT, NAME=VALUE,VALUE,... or, with --sobol or --random, NAME=LOW:HIGH. Values between two
ends are even in their logarithm where both are positive and a factor of 100 or more apart; a last part :log or :linear
says otherwise. Several --over make a grid of all combinations.

exit codes: 0 all points converged; 1 some did not (the table says which and why); 2 bad input; 130 interrupted
"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("gated-xtfc sweep", None, DESCRIPTION, EXAMPLES, formatter_class=Formatter, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE.toml", help="problem file")
    add = parser.add_argument_group("the points").add_argument
    over = "a parameter and its values; may be repeated"
    add("--over", action="append", required=True, metavar="NAME=VALUES", help=over)
    add("--sobol", type=int, metavar="N", help="N points that fill the box of all --over evenly")
    add("--random", type=int, metavar="N", help="N points drawn independently from the box of all --over")
    add("--seed", type=int, default=0, help="of --sobol and --random; 0 unless given")
    setting = "a parameter that is not swept: a number, or an expression such as 1/101"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=setting)
    add = parser.add_argument_group("what is kept").add_argument
    add("--store", required=True, metavar="FILE", help="SQLite file; a second run computes only what is missing in it")
    quantity = 'a number that each solution has, such as "u(0.5)", "u\'(1)", "max(u)", "integral(u)"'
    add("--quantity", action="append", default=[], metavar="TEXT", help=quantity + "; may be repeated")
    add("--solutions", action="store_true", help="keep the solutions themselves too")
    add("--csv", metavar="FILE", help="write the rows of this sweep as CSV at the end")
    add("--parquet", metavar="FILE", help="the same as Parquet; needs the extra polars")
    add = parser.add_argument_group("how it is done").add_argument
    add("--workers", type=int, metavar="N", help="processes; as many as there are cores unless given")
    add("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler; needs the extra dask")
    add("--time-limit", type=float, metavar="SECONDS", help="for each point; one that takes longer is recorded as such")
    add("--retry", action="store_true", help="compute points again that failed or ran out of time before")
    add("--tol", type=float, default=1e-8, help="largest error, relative to max(1, max|u|); 1e-8 unless given")
    add("--max-neurons", type=int, metavar="N", help="give up beyond this many kernels")
    add("--max-rounds", type=int, metavar="N", help="give up after this many rounds of refinement")
    add("--max-steps", type=int, metavar="N", help="give up after this many steps of Newton's method in all")
    add("--json", action="store_true", help="print one JSON object and nothing else")
    return parser.parse_args(joined(argv))
