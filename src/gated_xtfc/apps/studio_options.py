"""The options of `gated-xtfc studio`."""

import argparse
from collections.abc import Sequence

from gated_xtfc.apps.solve_options import Formatter, Parser

DESCRIPTION = "Open a local page: type an equation, drag its parameters, watch the layers move."
EXAMPLES = """\
examples:
  gated-xtfc studio
  gated-xtfc studio --port 9000 --no-browser
  gated-xtfc studio --host 0.0.0.0      # for others, too: the address printed holds a token they need

It listens on this machine only unless --host says otherwise, needs no network, and ends with Ctrl+C.
"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("gated-xtfc studio", None, DESCRIPTION, EXAMPLES, formatter_class=Formatter, allow_abbrev=False)
    add = parser.add_argument
    add("--port", type=int, help="where to listen; unless given, 8760 or the next one that is free")
    add("--host", default="127.0.0.1", help="address to listen on; any other than this machine's own needs a token")
    add("--workers", type=int, metavar="N", help="solves at the same time; unless given, one for each core, 2 to 4")
    add("--seconds", type=float, help="longest time of one solve; 20 unless given")
    add("--no-browser", action="store_true", help="print the address and open nothing")
    return parser.parse_args(argv)
