"""Enclosures hold what they enclose: intervals the values on a cell, discs those on a disc of the complex plane."""

import numpy as np
import pytest
from scipy.special import erf

from gated_xtfc.language.bounds import Sum, bounds
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.language.functions import FUNCTIONS
from gated_xtfc.language.parser import parse
from gated_xtfc.language.program import ADD, CALL, DIVIDE, MULTIPLY, NAME, NEGATE, NUMBER, POWER, SUBTRACT

FUNCTION_NAMES = sorted(FUNCTIONS)
SMOOTH = [name for name in FUNCTION_NAMES if name not in ("abs", "sign")]


def whole(found):
    """The one term of a text without fields."""
    (parts,) = found.terms
    with np.errstate(all="ignore"):
        return Sum(parts).whole


def interval(text, low, high):
    return whole(bounds(parse(text), {"x": Interval(low, high)}))


def disc(text, middle, reach):
    one = np.ones_like(middle)
    return whole(bounds(parse(text), {"x": Disc(middle, (one,), 0.0 * one, (reach,))}))


def random_text(rng, depth, smooth):
    """A text of nested operations, with numbers of many sizes in it."""
    if depth == 0:
        number = f"{rng.choice([0.5, 1.0, 2.0, 7.0, 40.0]) * rng.uniform(-1, 1):.4g}"
        return str(rng.choice(["x", f"(x - {rng.uniform(0, 1):.3f})", f"({number})", "x"]))
    one, two = (random_text(rng, depth - 1, smooth) for _ in range(2))
    kinds = ["call", "call", "+", "-", "*", "/", "power", "negate"] + ([] if smooth else ["where", "min", "max"])
    kind = rng.choice(kinds)
    if kind == "call":
        return f"{rng.choice(SMOOTH if smooth else FUNCTION_NAMES)}({one})"
    if kind == "power":
        return f"({one})^{rng.choice(['2', '3', '(-1)', '(-2)', '0.5', '1.5', '6', '(-0.5)', '37'])}"
    if kind == "negate":
        return f"(-{one})"
    if kind == "where":
        return f"where({one} < {two}, {two}, {random_text(rng, depth - 1, smooth)})"
    return f"{kind}({one}, {two})" if kind in ("min", "max") else f"({one} {kind} {two})"


def texts(seed, count, smooth):
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        text = random_text(rng, int(rng.integers(1, 5)), smooth)
        try:
            program = parse(text)
        except Exception:  # a constant part that is not finite
            continue
        if "x" in program.names and any(code == NAME for code, _ in program.instructions):
            found.append((text, rng))
    return found


def cells(rng, least=-12.0, count=24):
    """Cells of all sizes, some that begin or end at a round number."""
    low = rng.uniform(-1, 2, count)
    low[: count // 4] = rng.choice([0.0, 0.5, 1.0, -1.0], count // 4)
    return low, low + 10.0 ** rng.uniform(least, 0.3, count)


def value_and_whether_all_of_it_is_finite(program, x):
    """A comparison with what has no value is false, which no enclosure knows."""
    known = np.ones_like(x, dtype=bool)

    def watch(_, operands):
        for operand in operands:
            known[:] &= np.isfinite(operand)

    value = program.run({"x": x}, watch=watch) + np.zeros_like(x)
    return value, known & np.isfinite(value)


def test_an_interval_holds_every_value_on_its_cell():
    checked = 0
    for text, rng in texts(1, 400, smooth=False):
        low, high = cells(rng)
        program = parse(text)
        found = bounds(program, {"x": Interval(low, high)})
        if not found.terms:
            continue
        held = whole(found)
        for part in (0.0, 1.0, *rng.uniform(0, 1, 6)):
            x = np.minimum(np.maximum(low + part * (high - low), low), high)
            value, known = value_and_whether_all_of_it_is_finite(program, x)
            assert (held.low[known] <= value[known]).all(), text
            assert (value[known] <= held.high[known]).all(), text
            checked += np.count_nonzero(known)
    assert checked > 20_000


@pytest.mark.parametrize("name", FUNCTION_NAMES)
def test_the_interval_of_every_function_holds_its_values_and_little_more(name):
    rng = np.random.default_rng(2)
    low = rng.uniform(-3, 3, 400)
    high = low + 10.0 ** rng.uniform(-9, 0.5, 400)
    found = interval(f"{name}(x)", low, high)
    with np.errstate(all="ignore"):
        x = low + np.linspace(0, 1, 201)[:, None] * (high - low)
        values = FUNCTIONS[name][0](x)
        inside = np.isfinite(values).all(axis=0)
        assert (found.low <= values)[:, inside].all()
        assert (values <= found.high)[:, inside].all()
        if name != "tan":
            slack = 2e-2 * (values.max(axis=0) - values.min(axis=0)) + 1e-13 * (1 + np.abs(values).max(axis=0))
            assert (found.high <= values.max(axis=0) + slack)[inside].all()
            assert (found.low >= values.min(axis=0) - slack)[inside].all()


COMPLEX = {name: getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name), None)
           for name in SMOOTH} | {"erf": erf, "log cosh": lambda z: np.log(np.cosh(z))}  # fmt: skip


def at_complex_points(program, z):
    """The program's value at complex points."""
    stack = []
    binary = {ADD: np.add, SUBTRACT: np.subtract, MULTIPLY: np.multiply, DIVIDE: np.divide, POWER: np.power}
    for code, argument in program.instructions:
        if code == NUMBER:
            stack.append(argument)
        elif code == NAME:
            stack.append(z)
        elif code in binary:
            b = stack.pop()
            stack[-1] = binary[code](stack[-1], b)
        elif code == NEGATE:
            stack[-1] = -stack[-1]
        else:
            assert code == CALL
            stack[-1] = COMPLEX[argument](stack[-1])
    return stack[-1]


def assert_held(text, found, program, middle, reach, rng):
    """On every disc that has a bound: f - centre - slope z is within the rest, and |f| is not below its floor."""
    with np.errstate(all="ignore"):
        bounded = np.isfinite(found.radius) & np.isfinite(found.centre)
        for _ in range(8):
            z = reach * rng.choice([1.0, 0.999, 0.5, 0.1]) * np.exp(2j * np.pi * rng.uniform())
            value = at_complex_points(program, middle + z) + 0j * z
            known = bounded & np.isfinite(value)
            size = np.abs(value - found.centre - found.slopes[0] * z)
            # what the evaluation at complex points loses itself, where the point is rounded first of all
            slack = 1e-11 * (np.abs(value) + np.abs(found.centre)) + 1e-13 + 1e-8 * found.radius
            assert (size <= found.rest * (1 + 1e-9) + slack)[known].all(), text
            assert (np.abs(value) >= found.least * (1 - 1e-9) - slack)[known].all(), text
        return np.count_nonzero(bounded)


def test_a_disc_holds_every_value_at_complex_points_around_it():
    held = 0
    for text, rng in texts(3, 400, smooth=True):
        program = parse(text)
        if any(argument == "log cosh" for _, argument in program.instructions):
            continue
        low, high = cells(rng, least=-6.0)
        middle, reach = 0.5 * (low + high), high - low
        held += assert_held(text, disc(text, middle, reach), program, middle, reach, rng)
    assert held > 3_000


@pytest.mark.parametrize("name", [*SMOOTH, "x^5", "x^40", "x^(-3)", "x^0.3", "x^2.7", "x^(-0.4)", "2^x"])
def test_the_disc_of_every_function_holds_its_values_up_to_its_singularities(name):
    rng = np.random.default_rng(4)
    text = f"{name}(x)" if name in SMOOTH else name
    middle = rng.uniform(-4, 4, 3000)
    reach = 10.0 ** rng.uniform(-6, 0.5, 3000)
    held = assert_held(text, disc(text, middle, reach), parse(text), middle, reach, rng)
    assert held > 300


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("exp(-((x - 0.3)/1e-5)^2)", 1e-5),
        ("exp(-1.6e19*(x - 0.3)^4)", 1.6e-5),
        ("cos(x - 0.3)^787664512", 5e-5),
        ("(1 - (x - 0.3)^2)^41677069", 1.5e-4),
        ("1/cosh((x - 0.3)/1e-5)^2", 1e-5),
        ("1/(1 + ((x - 0.3)/1e-5)^2)", 1e-5),
        ("tanh((x - 0.3)/1e-5)", 1e-5),
    ],
)
def test_a_needle_is_bounded_on_discs_of_its_own_width_and_on_none_much_wider(text, width):
    reach = width * 2.0 ** np.arange(-3, 12)
    found = disc(text, np.full_like(reach, 0.3), reach)
    bounded = found.radius <= 1e3
    assert bounded[0]
    assert not bounded[-7:].any()


def test_a_smooth_text_is_bounded_on_wide_discs():
    middle = np.linspace(0, 1, 9)
    for text in [
        "exp(x)",
        "sin(3*x)",
        "1/(2 + x)",
        "cosh(x - 0.5)",
        "x^6*exp(-x)",
        "tanh(x)",
        "log(1 + x)*sqrt(2 - x)",
    ]:
        found = disc(text, middle, np.full(9, 1 / 7))
        assert (found.radius <= 3.0 * np.abs(found.centre).max()).all(), text


def test_terms_are_the_largest_parts_without_a_field():
    program = parse("exp(x)*u + sin(x)*(1 + cos(x)) - u*u*x", fields=["u"])
    found = bounds(program, {"x": Interval(np.zeros(1), np.ones(1))})
    assert len(found.terms) == 3


def test_the_arguments_of_switches_are_kept():
    program = parse("abs(x - 0.2) + where(x < 0.3, u, 1) + max(x, 0.4, 0.5)", fields=["u"])
    found = bounds(program, {"x": Interval(np.zeros(1), np.ones(1))})
    assert len(found.switches) == 4
