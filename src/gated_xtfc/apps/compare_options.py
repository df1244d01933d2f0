"""The options of `gated-xtfc compare`."""

import argparse
from collections.abc import Sequence

from gated_xtfc.apps.solve_options import Formatter, Parser, joined

DESCRIPTION = "Solve one problem by this solver and by its peers, and print error, size and time side by side."
EXAMPLES = """\
examples:
  gated-xtfc compare examples/convection_diffusion.toml --set nu=1e-4
  gated-xtfc compare examples/twin_layers.toml --skip pinn --skip deep-tfc --json

The peers: the published gated X-TFC with its search, X-TFC, PIELM, PINN, Deep-TFC and SciPy's solve_bvp. Errors are
relative to max(1, max|u|), against the exact solution where the file gives it, otherwise against our own certified one.

exit codes: 0 the default solver converged; 1 it did not; 2 bad input
"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("gated-xtfc compare", None, DESCRIPTION, EXAMPLES, formatter_class=Formatter, allow_abbrev=False)
    add = parser.add_argument
    add("file", metavar="FILE.toml", help="problem file")
    setting = "a parameter: a number, or an expression such as 1/101; of two values for one name the last counts"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=setting)
    add("--tol", type=float, default=1e-8, help="tolerance of the default solver and of solve_bvp; 1e-8 unless given")
    add("--full", action="store_true", help="the peers with the sizes of the paper: minutes instead of seconds")
    add(
        "--skip",
        action="append",
        default=[],
        metavar="METHOD",
        help="leave this one out, such as pinn; may be repeated",
    )
    add("--json", action="store_true", help="print one JSON object and nothing else")
    return parser.parse_args(joined(argv))
