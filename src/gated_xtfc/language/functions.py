"""Elementary functions of floats and arrays with their first derivatives; beyond their range they give inf or nan.

A float stays a float (and never raises), an array stays an array; callers silence NumPy where arrays go in.
"""

import math
from collections.abc import Callable

import numpy as np

from gated_xtfc.types import Number

Function = Callable[[Number], Number]


def _total(of_float: Callable[[float], float], of_array: Function) -> Function:
    """Extend a function of the math module to where it raises, and to arrays."""

    def function(a: Number) -> Number:
        if isinstance(a, float):
            try:
                return of_float(a)
            except (ValueError, OverflowError):
                with np.errstate(all="ignore"):
                    return float(of_array(a))
        return of_array(a)

    return function


def _sign(a: float) -> float:
    return 1.0 if a > 0 else -1.0 if a < 0 else 0.0 if a == 0 else a


def _abs(a: Number) -> Number:
    found: Number = a.__abs__()
    return found


def _erf_of_array(a: Number) -> Number:
    from scipy.special import erf  # scipy.special costs more to load than most problems cost to solve

    values: Number = erf(a)
    return values


def _log_cosh(a: Number) -> Number:
    """log(cosh(a)) where cosh(a) alone would overflow."""
    size = np.abs(a)
    found: Number = size + np.log1p(np.exp(-2.0 * size)) - math.log(2.0)
    return found


def divide(a: Number, b: Number) -> Number:
    try:
        return a / b
    except ZeroDivisionError:
        with np.errstate(all="ignore"):
            return float(np.divide(float(a), b))


def power(a: Number, b: Number) -> Number:
    if isinstance(a, float) and isinstance(b, float):
        try:
            return math.pow(a, b)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return float(np.power(a, b))
    return np.power(a, b)


exp = _total(math.exp, np.exp)
log = _total(math.log, np.log)
sqrt = _total(math.sqrt, np.sqrt)
sin = _total(math.sin, np.sin)
cos = _total(math.cos, np.cos)
sinh = _total(math.sinh, np.sinh)
cosh = _total(math.cosh, np.cosh)
sign = _total(_sign, np.sign)
ROOT_OF_PI = math.sqrt(math.pi)

# name: (f(a), f'(a) given a and f(a))
FUNCTIONS: dict[str, tuple[Function, Callable[[Number, Number], Number]]] = {
    "sin": (sin, lambda a, f: cos(a)),
    "cos": (cos, lambda a, f: -sin(a)),
    "tan": (_total(math.tan, np.tan), lambda a, f: 1.0 + f * f),
    "asin": (_total(math.asin, np.arcsin), lambda a, f: divide(1.0, sqrt((1.0 - a) * (1.0 + a)))),
    "acos": (_total(math.acos, np.arccos), lambda a, f: divide(-1.0, sqrt((1.0 - a) * (1.0 + a)))),
    "atan": (_total(math.atan, np.arctan), lambda a, f: 1.0 / (1.0 + a * a)),
    "sinh": (sinh, lambda a, f: cosh(a)),
    "cosh": (cosh, lambda a, f: sinh(a)),
    "tanh": (_total(math.tanh, np.tanh), lambda a, f: (1.0 - f) * (1.0 + f)),
    "exp": (exp, lambda a, f: f),
    "log": (log, lambda a, f: divide(1.0, a)),
    "log10": (_total(math.log10, np.log10), lambda a, f: divide(1.0 / math.log(10.0), a)),
    "sqrt": (sqrt, lambda a, f: divide(0.5, f)),
    "abs": (_abs, lambda a, f: sign(a)),
    "sign": (sign, lambda a, f: 0.0),
    "erf": (_total(math.erf, _erf_of_array), lambda a, f: 2.0 / ROOT_OF_PI * exp(-a * a)),
}
FUNCTIONS |= {f"arc{name[1:]}": FUNCTIONS[name] for name in ("asin", "acos", "atan")}
# Compositions whose inner value can overflow though the whole cannot; no text can name them.
FUSED: dict[tuple[str, str], str] = {("cosh", "log"): "log cosh"}
COMPOSED: dict[str, tuple[Function, Callable[[Number, Number], Number]]] = {
    "log cosh": (_total(lambda a: float(_log_cosh(a)), _log_cosh), lambda a, f: FUNCTIONS["tanh"][0](a)),
}
