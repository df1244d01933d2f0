"""The options of `gated-xtfc solve`. Imports argparse and nothing heavier."""

import argparse
import os
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

DESCRIPTION = "Solve a boundary value problem, stated in a TOML file or by --equation, --domain and --condition."
EXAMPLES = """\
examples:
  gated-xtfc solve examples/convection_diffusion.toml --set nu=1e-6 --tol 1e-10 --out out
  gated-xtfc solve --equation "u' - nu*u'' = 0" --domain x=0:1 \\
      --condition "u(0)=0" --condition "u(1)=1" --set nu=1e-4 --json
  gated-xtfc solve --equation "u' = v" --equation "v' = -exp(u)" --domain x=0:1 \\
      --condition "u(0)=0" --condition "u(1)=0" --guess "u=16*x*(1-x)" --guess "v=16-32*x"
  gated-xtfc solve --equation "u_xx + u_yy = exp(-x*y)" --domain x=0:1 --domain y=0:1 \\
      --condition "u = 0 on boundary"

exit codes: 0 converged; 1 no solution, or not to the tolerance; 2 bad input (one sentence says what)
"""
# Values of these may begin with a minus sign, as in --equation "-nu*u'' + u' = 0".
TEXTS = frozenset(
    {
        "--equation",
        "--domain",
        "--condition",
        "--exact",
        "--guess",
        "--quantity",
        "--set",
        "--tol",
        "--max-neurons",
        "--max-rounds",
        "--max-steps",
        "--max-memory",
    }
)


class Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # argparse would import shutil, and five compression libraries with it, to learn the width of the terminal.
        super().__init__(prog, max_help_position=30, width=terminal_width())


class Parser(argparse.ArgumentParser):
    def print_help(self, file: object = None) -> None:
        """argparse would keep quiet about a closed pipe."""
        print(self.format_help(), end="")  # noqa: T201

    def error(self, message: str) -> "NoReturn":
        """One sentence, where argparse would print the usage as well."""
        self.exit(2, f"gated-xtfc: {message} (see {self.prog} --help)\n")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("gated-xtfc solve", None, DESCRIPTION, EXAMPLES, formatter_class=Formatter, allow_abbrev=False)
    parser.add_argument("file", nargs="?", metavar="FILE.toml", help="problem file; or state the problem by options")
    add = parser.add_argument_group("the problem, without a file").add_argument
    add("--equation", action="append", metavar="TEXT", help="such as \"u' - nu*u'' = 0\"; for a system one option each")
    add("--domain", action="append", metavar="X=A:B", help="coordinate and its ends, such as x=0:1 or t=0:2*pi")
    add("--condition", action="append", metavar="TEXT", help='such as "u(0) = 0"; one option for each')
    add = parser.add_argument_group("in place of what a file says, or without one").add_argument
    setting = "a parameter: a number, or an expression such as 1/101; of two values for one name the last counts"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=setting)
    unknown = "a constant that the solution fixes; each asks for one condition more"
    add("--unknown", action="append", default=[], metavar="NAME", help=unknown)
    exact = "exact solution; then the true error is reported too; of a system NAME=TEXT, one option for each field"
    add("--exact", action="append", default=[], metavar="TEXT", help=exact)
    guess = 'where a nonlinear problem starts, such as "4*x*(1-x)"; of a system NAME=TEXT, one option for each field'
    add("--guess", action="append", default=[], metavar="TEXT", help=guess)
    add("--continuation", metavar="NAME", help="parameter to follow where a nonlinear problem is too hard at once")
    add = parser.add_argument_group("effort and output").add_argument
    add("--tol", type=float, default=1e-8, help="largest error, relative to max(1, max|u|); 1e-8 unless given")
    add("--max-neurons", type=int, metavar="N", help="give up beyond this many kernels")
    add("--max-rounds", type=int, metavar="N", help="give up after this many rounds of refinement")
    add("--max-steps", type=int, metavar="N", help="give up after this many steps of Newton's method in all")
    add("--max-memory", type=float, metavar="BYTES", help="on a rectangle: refuse what needs more; 4e9 unless given")
    add("--out", metavar="DIR", help="write solution.png, .svg, .csv and .json into this folder")
    add("--json", action="store_true", help="print one JSON object and nothing else")
    return parser.parse_args(joined(argv))


def joined(argv: Sequence[str]) -> list[str]:
    """`--equation TEXT` as `--equation=TEXT`: argparse takes a separate TEXT with a leading minus for an option."""
    result: list[str] = []
    for argument in argv:
        if result and result[-1] in TEXTS and not argument.startswith("--"):
            result[-1] += "=" + argument
        else:
            result.append(argument)
    return result


def terminal_width() -> int:
    try:
        return min(max(os.get_terminal_size().columns - 2, 60), 120)
    except OSError:
        return 100
