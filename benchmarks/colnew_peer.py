"""COLNEW (Ascher and Bader, 1987) on scalar equations of second order, where a library that has it is on this machine.

Scilab is built on it (Debian: `apt install scilab-minimal-bin`), and exports it as `colnew_`. Functions and Jacobians
are compiled from the text of the equation, as its own users have them: nothing of ours runs inside the peer. The
Jacobian is a complex step, exact to rounding. Where there is no library or no C compiler the peer is left out.
"""

import ast
import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import gated_xtfc as gx

FOLDERS = ("/usr/lib/scilab", "/usr/lib/x86_64-linux-gnu/scilab", "/usr/lib64/scilab")
HOME = "libscilab-cli.so"
POINTS, FIRST, MOST = 5, 10, 20_000  # collocation points in an interval; intervals at first and at most
Values = Callable[[np.ndarray], np.ndarray]  # at places
CALLS = {"abs": "fabs", "arctan": "atan", "ln": "log"}
PROGRAM = """
#include <complex.h>
#include <tgmath.h>
#define RESIDUAL (%(residual)s)
static const double pi = 3.14159265358979323846;
static double plain(double x, double u, double u1, double u2) { (void)x; return RESIDUAL; }
static double complex seeded(double x, double complex u, double complex u1, double u2) { (void)x; return RESIDUAL; }
static const double values[2] = {%(left)s, %(right)s};
static double complex solved(double x, double complex u, double complex u1) {
    double complex none = seeded(x, u, u1, 0.0);
    return -none / (seeded(x, u, u1, 1.0) - none);
}
static void f(double *x, double *z, double *out) {
    double none = plain(*x, z[0], z[1], 0.0);
    *out = -none / (plain(*x, z[0], z[1], 1.0) - none);
}
static void df(double *x, double *z, double *out) {
    const double step = 1e-30;
    out[0] = cimag(solved(*x, z[0] + step * I, z[1])) / step;
    out[1] = cimag(solved(*x, z[0], z[1] + step * I)) / step;
}
static void g(int *i, double *z, double *out) { *out = z[0] - values[*i - 1]; }
static void dg(int *i, double *z, double *out) { (void)i; (void)z; out[0] = 1.0; out[1] = 0.0; }
static void guess(double *x, double *z, double *d) { (void)x; z[0] = z[1] = d[0] = 0.0; }
void colnew_(int *, int *, double *, double *, double *, int *, int *, double *, double *, int *, double *, int *,
             void *, void *, void *, void *, void *);
void appsln_(double *, double *, double *, int *);
int run(double left, double right, int *ipar, double tol, int *ispace, double *fspace) {
    int one = 1, order = 2, ltol = 1, flag = 0;
    double zeta[2] = {left, right}, fixed = 0.0;
    colnew_(&one, &order, &left, &right, zeta, ipar, &ltol, &tol, &fixed, ispace, fspace, &flag, f, df, g, dg, guess);
    return flag;
}
void values_at(int n, double *x, double *out, int *ispace, double *fspace) {
    double z[2];
    for (int k = 0; k < n; k++) { appsln_(x + k, z, fspace, ispace); out[k] = z[0]; }
}
"""


def available() -> Path | None:
    """The folder of the library; None where it cannot be had here."""
    if shutil.which("cc") is None:
        return None
    return next((Path(folder) for folder in FOLDERS if (Path(folder) / HOME).exists()), None)


class Colnew:
    """One problem, compiled."""

    def __init__(self, problem: gx.Problem) -> None:
        (axis,), (equation,) = problem.axes, problem.equations
        values = {condition.terms[0].point: condition.value for condition in problem.conditions}
        self.ends, self.nonlinear = (axis.left, axis.right), int(not problem.linear)
        constants = {**problem.parameters}
        source = PROGRAM % {
            "residual": in_c(equation.text, constants),
            "left": repr(float(values[axis.left])),
            "right": repr(float(values[axis.right])),
        }
        self.program = compiled(source)
        self.space = np.empty(60 * MOST + 10_000), np.empty(12 * MOST + 1_000, dtype=np.int32)

    def solve(self, tol: float):
        """Whether it claims success, and the values at places, until the next solve."""
        space = self.space
        ipar = np.array([self.nonlinear, POINTS, FIRST, 1, space[0].size, space[1].size, 1, 0, 0, 0, 0], dtype=np.int32)
        flag = self.program.run(
            ctypes.c_double(self.ends[0]), ctypes.c_double(self.ends[1]), _integers(ipar), ctypes.c_double(tol),
            _integers(space[1]), _doubles(space[0]),
        )  # fmt: skip

        def at(x: np.ndarray) -> np.ndarray:
            if flag not in (1, -1, -2):
                return np.full_like(x, np.nan)
            given, out = np.ascontiguousarray(x, dtype=float), np.empty(x.size)
            self.program.values_at(x.size, _doubles(given), _doubles(out), _integers(space[1]), _doubles(space[0]))
            return out

        return flag == 1, at


def within(problem: gx.Problem, goal: float, error: Callable[[Values], float]) -> Callable[[], object] | None:
    """A solve at the loosest tolerance whose true error is within the goal; None where none is, or it is not here."""
    if available() is None or len(problem.equations) > 1:
        return None
    program = Colnew(problem)
    for digits in range(1, 13):
        claimed, at = program.solve(10.0**-digits)
        if claimed and error(at) <= goal:
            return lambda: program.solve(10.0**-digits)
    return None


@cache
def compiled(source: str) -> ctypes.CDLL:
    folder = Path(tempfile.gettempdir()) / f"colnew-{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    (folder / "problem.c").write_text(source)
    made, home = folder / "problem.so", available()
    # its parts need each other, and are found only where all of them are named
    others = sorted(path.name for path in home.glob("*.so") if path.name not in (HOME, "libscilab.so"))
    parts = [f"-l:{name}" for name in (HOME, *others)]
    options = ["-O2", "-shared", "-fPIC", f"-L{home}", f"-Wl,-rpath,{home}", "-Wl,--no-as-needed"]
    subprocess.run(["cc", *options, "problem.c", "-o", made.name, *parts, "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(made))


def in_c(equation: str, constants: dict[str, float]) -> str:
    """left - right of an equation in x, u, u', u'' as an expression of C."""
    left, _, right = equation.replace("^", "**").partition("=")
    text = f"({left}) - ({right})"
    for derivative, name in (("u''", "u2"), ("u'", "u1"), ("u_xx", "u2"), ("u_x", "u1")):
        text = re.sub(rf"\b{derivative}(?![\w'])", name, text)
    return _c(ast.parse(" ".join(text.split()), mode="eval").body, constants)


def _c(node: ast.expr, constants: dict[str, float]) -> str:
    signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
    match node:
        case ast.Constant(value):
            return repr(float(value))
        case ast.Name(name):
            return repr(float(constants[name])) if name in constants else name
        case ast.UnaryOp(_, inside):
            return f"(-{_c(inside, constants)})"
        case ast.BinOp(base, ast.Pow(), ast.Constant(2)):
            return f"({_c(base, constants)}*{_c(base, constants)})"
        case ast.BinOp(base, ast.Pow(), power):
            return f"pow({_c(base, constants)}, {_c(power, constants)})"
        case ast.BinOp(first, sign, second):
            return f"({_c(first, constants)} {signs[type(sign)]} {_c(second, constants)})"
        case ast.Call(ast.Name(name), given):
            return f"{CALLS.get(name, name)}({', '.join(_c(one, constants) for one in given)})"
    raise NotImplementedError(ast.dump(node))


def _doubles(array: np.ndarray):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _integers(array: np.ndarray):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
