"""The arguments of every command. Imports argparse and nothing heavier.

Each command has a function of its name. What several commands take, such as FILE.toml, --set or --json, is said once,
in the functions at the end.
"""

from argparse import Action, Namespace
from collections.abc import Callable, Sequence

from gated_xtfc.apps.manual import PAGES
from gated_xtfc.apps.parser import Parser

SECTIONS = ("forward", "state_of_the_art", "table1", "inverse", "meta", "twin", "poisson", "sensitivity")

Add = Callable[..., Action]  # `add_argument` of a parser, or of one of the groups in its help


def parse(command: str, argv: Sequence[str]) -> Namespace:
    """Exits as argparse does: 0 after the help, 2 with one sentence where something is wrong."""
    parser = Parser(f"gated-xtfc {command}", PAGES[command])
    COMMANDS[command](parser)
    return parser.read(argv)


def solve(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE.toml", help="problem file; or state the problem by options")
    add = parser.add_argument_group("the problem, without a file").add_argument
    several(add, "--equation", "TEXT", "such as \"u' - nu*u'' = 0\"; for a system one option each")
    several(add, "--domain", "X=A:B", "coordinate and its ends, such as x=0:1 or t=0:2*pi")
    several(add, "--condition", "TEXT", 'such as "u(0) = 0"; one option for each')
    add = parser.add_argument_group("in place of what a file says, or without one").add_argument
    settings(add, "a parameter")
    tables = "a function f(...) of the texts: two columns of a CSV file, joined by straight lines, or with :spline"
    several(add, "--table", "NAME=FILE.csv", tables)
    several(add, "--unknown", "NAME", "a constant that the solution fixes; each asks for one condition more")
    exact = "exact solution; then the true error is reported too; of a system NAME=TEXT, one option for each field"
    several(add, "--exact", "TEXT", exact)
    guidance(add)
    add = parser.add_argument_group("effort and output").add_argument
    tolerance(add)
    absolute(add)
    limits(add)
    add("--max-seconds", type=float, metavar="S", help="end with the best so far after this time")
    add("--max-memory", type=float, metavar="BYTES", help="refuse what needs more; 4e9 unless given")
    stop = 'of what evolves: end it where this happens, such as "max(u) = 2", or with "steady" when nothing moves'
    add("--stop", metavar="EVENT", help=stop)
    add("--out", metavar="DIR", help="write solution.png, .svg, .csv and .json into this folder")
    add("--film", choices=("gif", "mp4"), default="gif", help="of what evolves, with --out; mp4 takes ffmpeg")
    json(add)


def eigen(parser: Parser) -> None:
    add = parser.add_argument
    problem_file(add)
    settings(add, "a parameter")
    several(add, "--unknown", "NAME", "the eigenvalue, where the file names none")
    add("--count", type=int, default=6, metavar="N", help="how many eigenvalues; 6 unless given")
    near = 'which ones: "smallest", "largest real", or those near a number such as 0.25+0.01i'
    add("--near", metavar="WHERE", help=near)
    tolerance(add, "largest error, relative to each eigenvalue")
    add("--max-neurons", type=int, metavar="N", help="give up beyond this many kernels")
    add("--max-seconds", type=float, metavar="S", help="end with what was found after this time")
    add("--out", metavar="DIR", help="write spectrum.png, .svg, .csv and .json, and a CSV file for each mode")
    json(add)


def branch(parser: Parser) -> None:
    add = parser.add_argument
    problem_file(add)
    add("--along", required=True, metavar="NAME=FIRST:LAST", help="the parameter and its range, such as k=0:10")
    shown = 'a number that each solution has, such as "max(u)" or "u(0.5)"; the first is drawn; may be repeated'
    several(add, "--show", "TEXT", shown)
    settings(add, "another parameter")
    add("--no-switch", action="store_true", help="stay on the curve of the first solution")
    tolerance(add)
    add("--max-points", type=int, metavar="N", help="solutions on each curve in each direction; 200 unless given")
    add("--max-seconds", type=float, metavar="S", help="end with what was found after this time")
    add("--store", metavar="FILE", help="SQLite file that points go into; the same command goes on from what is there")
    add("--out", metavar="DIR", help="write branch.png, .svg, .csv and .json into this folder")
    json(add)


def infer(parser: Parser) -> None:
    problem_file(parser.add_argument)
    add = parser.add_argument_group("data and unknowns").add_argument
    add("--data", required=True, metavar="FILE.csv", help="measurements, with a header such as x,u or x,u,sigma")
    add("--columns", metavar="X,U[,SIGMA]", help="columns to use, by name, or as x=NAME,u'=NAME")
    unknown = "a parameter to be found and its bounds, such as nu=1e-4:1; one option for each"
    several(add, "--unknown", "NAME=LOW:HIGH", unknown, required=True)
    even = "in place of one that is even between the bounds"
    several(add, "--prior", "NAME=PRIOR", f"{even}, such as nu=lognormal:1e-2:0.5; then NAME alone may be unknown")
    noise = "standard deviation of the measurements; inferred unless given here or in the data"
    add("--noise", metavar="SIGMA", help=noise)
    add("--student", type=float, metavar="DOF", help="noise with the tails of Student's t, against outliers; such as 4")
    add("--discrepancy", action="store_true", help="let the equation be wrong by an amount that is inferred")
    add = parser.add_argument_group("the problem").add_argument
    settings(add, "another parameter")
    guidance(add)
    add = parser.add_argument_group("effort and output").add_argument
    add("--tol", type=float, help="tolerance of the solves; otherwise it follows from the noise")
    add("--seed", type=int, default=0, metavar="N", help="of the draws; 0 unless given")
    add("--max-seconds", type=float, metavar="S", help="end exploring then, and say so; no end unless given")
    add("--sites", type=int, metavar="N", help="say where N more measurements would help most")
    out = "write posterior.png, .svg, .csv (draws), .json, .npz and field.csv into this folder"
    add("--out", metavar="DIR", help=out)
    json(add)


def sweep(parser: Parser) -> None:
    problem_file(parser.add_argument)
    add = parser.add_argument_group("the points").add_argument
    several(add, "--over", "NAME=VALUES", "a parameter and its values; may be repeated", required=True)
    add("--sobol", type=int, metavar="N", help="N points that fill the box of all --over evenly")
    add("--random", type=int, metavar="N", help="N points drawn independently from the box of all --over")
    add("--seed", type=int, default=0, help="of --sobol and --random; 0 unless given")
    settings(add, "a parameter that is not swept")
    add = parser.add_argument_group("what is kept").add_argument
    add("--store", required=True, metavar="FILE", help="SQLite file; a second run computes only what is missing in it")
    quantity = 'a number that each solution has, such as "u(0.5)", "u\'(1)", "max(u)", "integral(u)"; may be repeated'
    several(add, "--quantity", "TEXT", quantity)
    add("--solutions", action="store_true", help="keep the solutions themselves too")
    add("--csv", metavar="FILE", help="write the rows of this sweep as CSV at the end")
    add("--parquet", metavar="FILE", help="the same as Parquet; needs the extra polars")
    data = "training data, parameters, x and fields: a file .npz or a folder .zarr; needs --engine batch"
    add("--dataset", metavar="PATH", help=data)
    add("--places", type=int, metavar="N", help="along the domain in the data set; 101 unless given")
    add = parser.add_argument_group("how it is done").add_argument
    add("--engine", choices=("solve", "batch"), default="solve", help="batch: thousands side by side, as compile does")
    add("--workers", type=int, metavar="N", help="processes; as many as there are cores unless given")
    add("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler; needs the extra dask")
    add("--time-limit", type=float, metavar="SECONDS", help="for each point; one that takes longer is recorded as such")
    add("--retry", action="store_true", help="compute points again that failed or ran out of time before")
    tolerance(add)
    limits(add)
    json(add)


def compare(parser: Parser) -> None:
    add = parser.add_argument
    problem_file(add)
    settings(add, "a parameter")
    tolerance(add, "tolerance of the default solver and of solve_bvp")
    add("--full", action="store_true", help="the peers with the sizes of the paper: minutes instead of seconds")
    several(add, "--skip", "METHOD", "leave this one out, such as pinn; may be repeated")
    json(add)


def paper(parser: Parser) -> None:
    add = parser.add_argument
    add("--quick", action="store_true", help="smaller sizes, marked as such on the page")
    several(add, "--only", "SECTION", f"this section alone, one option for each: {', '.join(SECTIONS)}")
    add("--out", default="out/paper", metavar="DIR", help="records and report.html go here; out/paper unless given")
    optima = "optima made elsewhere for the section meta (see python -m gated_xtfc.apps.meta_optima --help)"
    add("--optima", metavar="FILE", help=optima)
    add("--fresh", action="store_true", help="start over, whatever was done before")


def studio(parser: Parser) -> None:
    add = parser.add_argument
    add("--port", type=int, help="where to listen; unless given, 8760 or the next one that is free")
    add("--host", default="127.0.0.1", help="address to listen on; any other than this machine's own needs a token")
    add("--workers", type=int, metavar="N", help="solves at the same time; unless given, one for each core, 2 to 4")
    add("--seconds", type=float, help="longest time of one solve; 20 unless given")
    add("--no-browser", action="store_true", help="print the address and open nothing")


def examples(parser: Parser) -> None:
    add = parser.add_argument
    add("name", nargs="*", metavar="NAME", help="examples to copy; without one, they are listed")
    add("--all", action="store_true", help="copy all of them")
    add("--to", metavar="DIR", help="copy into this folder; here unless given")
    json(add)


def completion(parser: Parser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


COMMANDS: dict[str, Callable[[Parser], None]] = {
    "solve": solve,
    "eigen": eigen,
    "branch": branch,
    "infer": infer,
    "sweep": sweep,
    "compare": compare,
    "paper": paper,
    "studio": studio,
    "examples": examples,
    "completion": completion,
}


def problem_file(add: Add) -> None:
    add("file", metavar="FILE.toml", help="problem file")


def settings(add: Add, what: str) -> None:
    expression = "a number, or an expression such as 1/101; of two values for one name the last counts"
    several(add, "--set", "NAME=VALUE", f"{what}: {expression}")


def guidance(add: Add) -> None:
    guess = 'where a nonlinear problem starts, such as "4*x*(1-x)"; of a system NAME=TEXT, one option for each field'
    several(add, "--guess", "TEXT", guess)
    add("--continuation", metavar="NAME", help="parameter to follow where a nonlinear problem is too hard at once")


def tolerance(add: Add, what: str = "largest error, relative to max|u|") -> None:
    add("--tol", type=float, default=1e-8, help=f"{what}; 1e-8 unless given")


def absolute(add: Add) -> None:
    add("--atol", type=float, metavar="E", help="an error that does not matter, in the units of the solution")


def limits(add: Add) -> None:
    add("--max-neurons", type=int, metavar="N", help="give up beyond this many kernels")
    add("--max-rounds", type=int, metavar="N", help="give up after this many rounds of refinement")
    add("--max-steps", type=int, metavar="N", help="give up after this many steps of Newton's method in all")


def json(add: Add) -> None:
    add("--json", action="store_true", help="print one JSON object and nothing else")


def several(add: Add, option: str, shown: str, help: str, required: bool = False) -> None:
    """An option that may be given more than once; its values are a list."""
    add(option, action="append", default=[], required=required, metavar=shown, help=help)
