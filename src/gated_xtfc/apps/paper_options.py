"""The options of `gated-xtfc paper`."""

import argparse
from collections.abc import Sequence

from gated_xtfc.apps.solve_options import Formatter, Parser

DESCRIPTION = "Reproduce the Gated X-TFC paper: every table and figure, on one page."
SECTIONS = ("forward", "state_of_the_art", "table1", "inverse", "meta", "twin", "poisson", "sensitivity")
EXAMPLES = """\
examples:
  gated-xtfc paper --quick                smaller sizes, a few minutes: out/paper/report.html
  gated-xtfc paper --out reproduction     the sizes of the paper: an hour, and hours more for the section meta,
                                          unless --optima brings the data set that it learns from
  gated-xtfc paper --only table1 --only twin

Every result is written when it is done: the same command goes on where it was interrupted.

exit codes: 0 all done; 1 something failed (the report says what); 2 bad input
"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("gated-xtfc paper", None, DESCRIPTION, EXAMPLES, formatter_class=Formatter, allow_abbrev=False)
    add = parser.add_argument
    add("--quick", action="store_true", help="smaller sizes, marked as such on the page")
    only = f"this section alone, one option for each: {', '.join(SECTIONS)}"
    add("--only", action="append", default=[], metavar="SECTION", help=only)
    add("--out", default="out/paper", metavar="DIR", help="records and report.html go here; out/paper unless given")
    optima = "optima made elsewhere for the section meta (see python -m gated_xtfc.apps.meta_optima --help)"
    add("--optima", metavar="FILE", help=optima)
    add("--fresh", action="store_true", help="start over, whatever was done before")
    return parser.parse_args(list(argv))
