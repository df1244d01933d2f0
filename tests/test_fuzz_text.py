"""Whatever a stranger writes: a meaning or one clear error, within a second."""

import math
import time
from functools import reduce

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import erf  # noqa: F401  loaded here so that no example pays for it

from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import unknown
from gated_xtfc.language.functions import FUNCTIONS
from gated_xtfc.language.parser import parse, parse_equation
from gated_xtfc.language.program import Program
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.interchange import read as load
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.problem import Problem

WITHIN_A_SECOND = settings(deadline=1000, max_examples=200)
WORDS = [
    *(
        "u",
        "u'",
        "u''",
        "u_x",
        "x",
        "nu",
        "pi",
        "e",
        "v",
        "1",
        "2.5",
        "1e-3",
        ".5",
        "0",
        "9**9**9",
        "''",
        "’",
        "−",
        "ε",
    ),
    *("+", "-", "*", "/", "**", "^", "(", ")", ",", "=", "<", "<=", ">", ">=", "==", " ", "\n", "u(0)", "u(", "\x00"),
    *("sin(", "exp(", "log(", "sqrt(", "abs(", "erf(", "min(", "max(", "where(", "integral(", "where(x < 0.5, 1, 2)"),
]
WORDY = st.lists(st.sampled_from(WORDS), max_size=30).map("".join)
ANYTHING = st.one_of(st.text(max_size=200), WORDY, st.tuples(WORDY, WORDY).map(" = ".join))


def understood(read, *arguments, **parameters):
    """What the text means, or None and a clear error; any other exception passes through."""
    try:
        return read(*arguments, **parameters)
    except InputError as error:
        message = str(error)
    assert 0 < len(message) < 500
    assert "\n" not in message
    return None


@WITHIN_A_SECOND
@given(ANYTHING)
@example("__import__('os').system('true')")
def test_any_string_is_a_program_or_one_error(text):
    for read in (parse, parse_equation):
        assert isinstance(understood(read, text), Program | None)


@WITHIN_A_SECOND
@given(ANYTHING)
def test_any_string_is_a_condition_or_one_error(text):
    condition = understood(ConditionReader(Axis("x", 0.0, 1.0), {"u": 2}, {"nu": 0.1}).read, text)
    assert isinstance(condition, Condition | NonlinearCondition | None)


@WITHIN_A_SECOND
@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING)
def test_any_strings_are_a_problem_or_one_error(equation, end, condition, exact):
    statements = [
        (equation, {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], None),
        ("u'' = nu", {"x": (0, end)}, ["u(0) = 0", "u(1) = 1"], None),
        ("u'' = nu", {"x": (0, 1)}, ["u(0) = 0", condition], exact),
        ("u'' = nu", {end: (0, 1)}, ["u(0) = 0", "u(1) = 1"], None),
    ]
    for statement in statements:
        assert isinstance(understood(Problem, *statement, nu=0.1), Problem | None)


@settings(deadline=1000, max_examples=100)
@given(content=st.one_of(st.binary(max_size=200), ANYTHING.map(str.encode)))
@example(content=b"a.b.c = [{")
def test_any_file_is_a_problem_or_one_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    assert understood(load, path) is None


COUNT = 99_000
LONG = {
    "sum": "x+" * (COUNT // 2) + "1",
    "signs": "-" * COUNT + "x",
    "tower": "x**" * (COUNT // 3) + "x",
    "tower of numbers": "2**" * (COUNT // 3) + "2",
    "tower of fields": "u**" * (COUNT // 3) + "u",
    "products": "(u+u'+u'')" + "*x" * (COUNT // 2),
    "quotients": "(u+u'+u'')" + "/x" * (COUNT // 2),
    "greatest": "max(" + "u," * (COUNT // 2) + "x)",
    "jumps": "+".join(["where(x<.5,u,1)"] * (COUNT // 16)),
    "functions": "+".join(["tan(x)"] * (COUNT // 7)),
    "parentheses": "(" * (COUNT // 2) + "x" + ")" * (COUNT // 2),
    "calls": "sin(" * (COUNT // 4),
    "name": "a" * COUNT,
    "number": "1" * COUNT,
    "primes": "u" + "'" * COUNT,
    "suffix": "u_" + "x" * COUNT,
    "megabyte": "x+" * 500_000 + "1",
}


@pytest.mark.parametrize("name", LONG)
def test_the_longest_texts_come_to_an_end(name):
    start = time.process_time()
    problem = understood(Problem, f"u'' = {LONG[name]}", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    assert time.process_time() - start < 2.0  # a second, and one more for a busy machine
    assert isinstance(problem, Problem | None)


# --- expressions with a meaning: (our text, the same for Python's eval, which only this test may use)


class Same:
    """Pairs of texts, ours and Python's, that must mean the same."""

    @staticmethod
    def number(digits):
        return digits, f"F({digits})"

    @staticmethod
    def binary(parts):
        (a, b), operator, (c, d) = parts
        theirs = "**" if operator == "^" else operator
        return f"{a} {operator} {c}", f"{b} {theirs} {d}"

    @staticmethod
    def group(pair):
        return f"({pair[0]})", f"({pair[1]})"

    @staticmethod
    def sign(parts):
        sign, (a, b) = parts
        return f"{sign}{a}", f"{sign}{b}"

    @staticmethod
    def call(parts):
        name, arguments = parts
        ours, theirs = (", ".join(side) for side in zip(*arguments, strict=True))
        return f"{name}({ours})", f"{name}({theirs})"

    @staticmethod
    def where(parts):
        (a, b), comparison, (c, d), (e, f), (g, h) = parts
        return f"where({a} {comparison} {c}, {e}, {g})", f"(({f}) if ({b}) {comparison} ({d}) else ({h}))"


NUMBERS = st.sampled_from(["0", "1", "2", "3", "0.5", ".25", "1e-3", "7."]).map(Same.number)
NAMES = st.sampled_from(["x", "nu", "pi", "e"]).map(lambda name: (name, name))


def extend(inner):
    operators = st.sampled_from(["+", "-", "*", "/", "**", "^"])
    return st.one_of(
        st.tuples(inner, operators, inner).map(Same.binary),
        inner.map(Same.group),
        st.tuples(st.sampled_from(["-", "+", "--", "-+-"]), inner).map(Same.sign),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), inner.map(lambda pair: [pair])).map(Same.call),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=3)).map(Same.call),
        st.tuples(inner, st.sampled_from(["<", "<=", ">", ">="]), inner, inner, inner).map(Same.where),
    )


EXPRESSIONS = st.recursive(st.one_of(NUMBERS, NAMES), extend, max_leaves=12)


def double(function):
    return lambda *arguments: np.float64(function(*map(float, arguments)))


def extreme(prefer):
    """The first of equals, and nan once there is one: what happens to 0 and -0 is part of the meaning."""
    return lambda *arguments: reduce(lambda a, b: a if np.isnan(a) or prefer(a, b) else b, arguments)


THEIRS = {
    "__builtins__": {},
    "F": np.float64,
    "pi": np.float64(math.pi),
    "e": np.float64(math.e),
    "min": extreme(np.less_equal),
    "max": extreme(np.greater_equal),
    **{name: double(function) for name, (function, _) in FUNCTIONS.items()},
}


@settings(deadline=1000, max_examples=400)
@given(EXPRESSIONS, st.floats(-3, 3), st.floats(0.01, 3))
@example(("-x ** 2", "-x ** F(2)"), 3.0, 1.0)
@example(("2 ^ -x ** 2", "F(2) ** -x ** F(2)"), 1.5, 1.0)
def test_our_arithmetic_is_that_of_python(pair, x, nu):
    ours, theirs = pair
    with np.errstate(all="ignore"):
        expected = eval(theirs, THEIRS, {"x": np.float64(x), "nu": np.float64(nu)})
    program = understood(parse, ours)
    if program is None:
        with pytest.raises(InputError, match="is not a finite number"):
            parse(ours)
        return
    np.testing.assert_equal(float(program.run({"x": x, "nu": nu})), float(expected))


# --- smooth expressions, never near a singularity: derivatives against the complex step


def extend_smoothly(inner):
    one = st.sampled_from(["sin({})", "cos({})", "tanh({})", "atan({})", "exp(-({})**2)", "sqrt(1 + ({})**2)", "-({})"])
    two = st.sampled_from(["({} + {})", "({} - {})", "({} * {})", "({})/(2 + ({})**2)", "(1 + ({})**2)**sin({})"])
    return st.one_of(
        st.tuples(one, inner).map(lambda parts: parts[0].format(parts[1])),
        st.tuples(two, inner, inner).map(lambda parts: parts[0].format(*parts[1:])),
    )


SMOOTH = st.recursive(st.sampled_from(["x", "u", "u'", "0.7", "nu", "x*u"]), extend_smoothly, max_leaves=6)


@settings(deadline=1000, max_examples=200)
@given(SMOOTH, st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_partials_equal_the_complex_step(text, x, u, slope):
    at = {"x": x, "u": u, "du": slope}
    seeds = {"x": "x", "u": ("u", (0,)), "du": ("u", (1,))}
    dual = {name: unknown(seeds[name], np.array([value])) for name, value in at.items()}
    state = {("u", (0,)): dual["u"], ("u", (1,)): dual["du"]}
    result = parse(text, fields={"u"}).run({"x": dual["x"], "nu": 0.3}, state)
    theirs = text.replace("u'", "du").replace("atan", "arctan")
    functions = {name: getattr(np, name) for name in ("sin", "cos", "tanh", "arctan", "exp", "sqrt")}
    for name, seed in seeds.items():
        stepped = {**at, name: at[name] + 1e-30j, "nu": 0.3}
        expected = np.imag(eval(theirs, {"__builtins__": {}, **functions}, stepped)) / 1e-30
        found = result.partials.get(seed, 0.0) if hasattr(result, "partials") else 0.0
        np.testing.assert_allclose(np.ravel(found)[0], expected, rtol=1e-9, atol=1e-12)
