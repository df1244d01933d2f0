"""Complex problems as real ones: every field is u_re + i u_im, and every text falls into its two parts.

The parts are texts again, so that all that is known of real texts holds of them. A part that vanishes is left out.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language import program as op
from gated_xtfc.language.parser import parse, parse_condition, parse_equation
from gated_xtfc.language.program import Program
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.vocabulary import UNIT, Vocabulary
from gated_xtfc.problem.statement import Statement

LONGEST = 50_000  # characters of a part: products of products of sums have four parts each time
MOST_FACTORS = 8  # of a whole power


@dataclass(frozen=True)
class Pair:
    """The texts of a real and an imaginary part; an imaginary part that is nothing is None."""

    re: str
    im: str | None = None

    @property
    def imaginary(self) -> str:
        return self.im or "0"


def _is_complex(statement: Statement) -> bool:
    """Whether the imaginary unit stands in some text, and means nothing else."""
    every = (*statement.equations, *statement.conditions)
    if UNIT in (*statement.names, statement.coordinate) or not all(isinstance(one, str) for one in every):
        return False
    stated = [(text, "the equation") for text in statement.equations]
    stated += [(text, "the condition") for text in statement.conditions]
    tokens = [token for text, what in stated if UNIT in text for token in tokenize(text, what)]
    named = [token for token in tokens if token.kind == "name" and token.text == UNIT]
    return bool(named) and not any(token.order for token in named)


def rewritten(statement: Statement) -> Statement:
    """The statement in real texts."""
    if not _is_complex(statement):
        return statement
    coordinate, known = statement.coordinate, {**statement.given, **dict.fromkeys((*statement.unknown, UNIT))}
    words = Vocabulary((coordinate,), parameters=known)
    fields = frozenset[str]().union(*(words.fields_in(tokenize(text, "the equation")) for text in statement.equations))
    made = {name: (f"{name}_re", f"{name}_im") for name in (*sorted(fields), *statement.unknown)}
    for name in (one for pair in made.values() for one in pair if one in known or one in fields):
        raise InputError(f"{quoted(name)} cannot be a name in a complex problem: it means a part of a complex one")
    texts, limits = [], []
    for text in statement.equations:
        pair = _parts(parse_equation(text, fields, known, (coordinate,)), made)
        texts += [f"{pair.re} = 0", f"{pair.imaginary} = 0"]
    for text in statement.conditions:
        pair = _parts(parse_condition(text, fields, known, (coordinate,)), made)
        limits += [f"{part} = 0" for part in (pair.re, pair.im) if part is not None]
    halves = [made[name] for name in statement.unknown]
    return replace(
        statement,
        equations=tuple(texts),
        conditions=tuple(limits),
        unknown=tuple(part for pair in halves for part in pair),
        starts={**dict.fromkeys((re for re, _ in halves), 1.0), **dict.fromkeys((im for _, im in halves), 0.0)},
        pairs=made,
    )


def split_expression(text: str, coordinate: str, parameters: Collection[str]) -> tuple[str, str]:
    """The real and the imaginary part of an expression in the coordinate."""
    pair = _parts(parse(text, (), (*parameters, UNIT), (coordinate,)), {})
    return pair.re, pair.imaginary


def _parts(program: Program, made: dict[str, tuple[str, str]]) -> Pair:
    stack: list[Any] = []
    shown = quoted(program.text)
    for code, argument in program.instructions:
        if code == op.NUMBER:
            stack.append(Pair(repr(argument) if argument >= 0 else f"({argument!r})"))
        elif code == op.NAME:
            pair = Pair(*made[argument]) if argument in made else Pair(argument)
            stack.append(Pair("0", "1") if argument == UNIT else pair)
        elif code == op.FIELD:
            stack.append(_primed(argument, made, ""))
        elif code == op.POINT:
            point = _real(stack.pop(), shown)
            stack.append(_primed(argument, made, point if point.startswith("(") else f"({point})"))
        elif code == op.INTEGRAL:
            inner = _parts(argument, made)
            stack.append(Pair(f"integral({inner.re})", None if inner.im is None else f"integral({inner.im})"))
        elif code == op.NEGATE:
            a = stack.pop()
            stack.append(Pair(f"(-{a.re})", None if a.im is None else f"(-{a.im})"))
        elif code == op.CALL:
            stack.append(_called(argument, stack.pop(), shown))
        elif code == op.TABLE:
            name, order = argument
            stack.append(Pair(f"{name}{chr(39) * order}({_real(stack.pop(), shown)})"))
        elif code in (op.MINIMUM, op.MAXIMUM):
            operands = [_real(one, shown) for one in stack[-argument:]]
            stack[-argument:] = [Pair(f"{'min' if code == op.MINIMUM else 'max'}({', '.join(operands)})")]
        elif code == op.COMPARE:
            b, a = _real(stack.pop(), shown), _real(stack.pop(), shown)
            stack.append(f"{a} {argument} {b}")
        elif code == op.WHERE:
            b, a, condition = stack.pop(), stack.pop(), stack.pop()
            both = a.im is None and b.im is None
            im = None if both else f"where({condition}, {a.imaginary}, {b.imaginary})"
            stack.append(Pair(f"where({condition}, {a.re}, {b.re})", im))
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(_power(a, b, shown) if code == op.POWER else _BINARY[code](a, b))
        last = stack[-1]
        if isinstance(last, Pair) and len(last.re) + len(last.imaginary) > LONGEST:
            raise InputError(f"the parts of {shown} are too long: write it with fewer products of complex sums")
    found: Pair = stack[-1]
    return found


def _primed(derivative: tuple[str, tuple[int, ...]], made: dict[str, tuple[str, str]], at: str) -> Pair:
    name, orders = derivative
    re, im = made[name]
    primes = "'" * orders[0]
    return Pair(f"{re}{primes}{at}", f"{im}{primes}{at}")


def _real(a: Pair, shown: str) -> str:
    if a.im is not None:
        raise InputError(f"{shown} compares complex numbers, or names a complex place: only real ones have an order")
    return a.re


def _add(a: Pair, b: Pair) -> Pair:
    return Pair(_sum(a.re, b.re), a.im if b.im is None else b.im if a.im is None else _sum(a.im, b.im))


def _subtract(a: Pair, b: Pair) -> Pair:
    im = a.im if b.im is None else f"({a.imaginary} - {b.im})"
    return Pair(a.re if b.re == "0" else f"({a.re} - {b.re})", im)


def _multiply(a: Pair, b: Pair) -> Pair:
    if a.im is None or b.im is None:
        whole, factor = (b, a.re) if a.im is None else (a, b.re)
        return Pair(_product(factor, whole.re), None if whole.im is None else _product(factor, whole.im))
    re = f"({_product(a.re, b.re)} - {_product(a.im, b.im)})"
    return Pair(re, _sum(_product(a.re, b.im), _product(a.im, b.re)))


def _divide(a: Pair, b: Pair) -> Pair:
    if b.im is None:
        return Pair(f"({a.re}/{b.re})", None if a.im is None else f"({a.im}/{b.re})")
    size = f"({b.re}^2 + {b.im}^2)"
    above = _multiply(a, Pair(b.re, f"(-{b.im})"))
    return Pair(f"({above.re}/{size})", f"({above.imaginary}/{size})")


def _sum(a: str, b: str) -> str:
    return b if a == "0" else a if b == "0" else f"({a} + {b})"


def _product(a: str, b: str) -> str:
    return "0" if "0" in (a, b) else b if a == "1" else a if b == "1" else f"({a}*{b})"


_BINARY: dict[int, Callable[[Pair, Pair], Pair]] = {
    op.ADD: _add,
    op.SUBTRACT: _subtract,
    op.MULTIPLY: _multiply,
    op.DIVIDE: _divide,
}


def _power(a: Pair, b: Pair, shown: str) -> Pair:
    if a.im is None and b.im is None:
        return Pair(f"({a.re}^{b.re})")
    if a.im is None:
        return _called("exp", _multiply(Pair(f"log({a.re})"), b), shown)
    try:
        exponent = float(b.re.strip("()"))
    except ValueError:
        exponent = 0.5
    if b.im is not None or exponent != int(exponent) or not 1 <= abs(exponent) <= MOST_FACTORS:
        raise InputError(f"{shown} has a power of a complex number: whole powers up to {MOST_FACTORS} are supported")
    whole = a
    for _ in range(int(abs(exponent)) - 1):
        whole = _multiply(whole, a)
    return whole if exponent > 0 else _divide(Pair("1"), whole)


def _called(name: str, a: Pair, shown: str) -> Pair:
    if a.im is None:
        return Pair(f"log(cosh({a.re}))" if name == "log cosh" else f"{name}({a.re})")
    re, im = a.re, a.im
    if name == "exp":
        size = "1" if re == "0" else f"exp({re})"
        return Pair(_product(size, f"cos({im})"), _product(size, f"sin({im})"))
    if name == "sin":
        return Pair(f"(sin({re})*cosh({im}))", f"(cos({re})*sinh({im}))")
    if name == "cos":
        return Pair(f"(cos({re})*cosh({im}))", f"(-sin({re})*sinh({im}))")
    if name == "sinh":
        return Pair(f"(sinh({re})*cos({im}))", f"(cosh({re})*sin({im}))")
    if name == "cosh":
        return Pair(f"(cosh({re})*cos({im}))", f"(sinh({re})*sin({im}))")
    if name == "abs":
        return Pair(f"sqrt({re}^2 + {im}^2)")
    raise InputError(
        f"{shown} has {name}(...) of a complex number: exp, sin, cos, sinh, cosh and abs of one are supported"
    )
