"""The options of `gated-xtfc infer`."""

import argparse
from collections.abc import Sequence

from gated_xtfc.apps.solve_options import TEXTS, Formatter, Parser, joined

DESCRIPTION = "Find unknown parameters of a problem from measurements of its solution, with their uncertainty."
EXAMPLES = """\
examples:
  gated-xtfc infer examples/convection_diffusion.toml --data examples/sensors.csv --unknown nu=1e-4:1 --noise 0.01
  gated-xtfc infer PROBLEM.toml --data FILE.csv --unknown nu=1e-4:1 --prior nu=lognormal:1e-2:0.5 --out out

The data are a CSV file with a header: the coordinate, a field or a derivative such as u', and perhaps sigma. Without
--noise and sigma the noise is inferred too. Bounds that are positive and more than a decade apart are explored in the
logarithm. Priors: uniform, loguniform, normal:MEAN:STD, lognormal:MEDIAN:SPREAD (standard deviation of the logarithm).

exit codes: 0 the posterior was found, and the message says what data do not determine; 1 it is approximate; 2 bad input
"""
NAMES = ("--unknown", "--prior", "--noise", "--columns", "--student", "--seed", "--sites", "--data")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("gated-xtfc infer", None, DESCRIPTION, EXAMPLES, formatter_class=Formatter, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE.toml", help="problem file")
    add = parser.add_argument_group("data and unknowns").add_argument
    add("--data", required=True, metavar="FILE.csv", help="measurements, with a header such as x,u or x,u,sigma")
    add("--columns", metavar="X,U[,SIGMA]", help="columns to use, by name, or as x=NAME,u'=NAME")
    unknown = "a parameter to be found and its bounds, such as nu=1e-4:1; one option for each"
    add("--unknown", action="append", required=True, metavar="NAME=LOW:HIGH", help=unknown)
    prior = (
        "in place of one that is even between the bounds, such as nu=lognormal:1e-2:0.5; then NAME alone may be unknown"
    )
    add("--prior", action="append", default=[], metavar="NAME=PRIOR", help=prior)
    add(
        "--noise",
        metavar="SIGMA",
        help="standard deviation of the measurements; inferred unless given here or in the data",
    )
    add("--student", type=float, metavar="DOF", help="noise with the tails of Student's t, against outliers; such as 4")
    add("--discrepancy", action="store_true", help="let the equation be wrong by an amount that is inferred")
    add = parser.add_argument_group("the problem").add_argument
    setting = "another parameter: a number, or an expression such as 1/101; of two values for one name the last counts"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=setting)
    guess = 'where a nonlinear problem starts, such as "4*x*(1-x)"; of a system NAME=TEXT, one option for each field'
    add("--guess", action="append", default=[], metavar="TEXT", help=guess)
    add("--continuation", metavar="NAME", help="parameter to follow where a nonlinear problem is too hard at once")
    add = parser.add_argument_group("effort and output").add_argument
    add("--tol", type=float, help="tolerance of the solves; otherwise it follows from the noise")
    add("--seed", type=int, default=0, metavar="N", help="of the draws; 0 unless given")
    add("--sites", type=int, metavar="N", help="say where N more measurements would help most")
    add(
        "--out",
        metavar="DIR",
        help="write posterior.png, .svg, .csv (draws), .json, .npz and field.csv into this folder",
    )
    add("--json", action="store_true", help="print one JSON object and nothing else")
    return parser.parse_args(_joined(argv))


def _joined(argv: Sequence[str]) -> list[str]:
    """As for solve, with the options of this command whose values may begin with a minus sign."""
    result: list[str] = []
    for argument in joined(argv):
        if result and result[-1] in NAMES and result[-1] not in TEXTS and not argument.startswith("--"):
            result[-1] += "=" + argument
        else:
            result.append(argument)
    return result
