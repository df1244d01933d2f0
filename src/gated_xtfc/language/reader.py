"""Operator precedence (shunting yard): tokens to postfix instructions in one pass, nothing evaluated but constants."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language import program as op
from gated_xtfc.language.field import orders_in
from gated_xtfc.language.functions import FUSED
from gated_xtfc.language.program import Instruction, Program, execute
from gated_xtfc.language.tokens import Token
from gated_xtfc.language.total_derivative import total_derivative
from gated_xtfc.language.vocabulary import Vocabulary, infinite
from gated_xtfc.language.written import ALIASES, WRITTEN
from gated_xtfc.types import Orders

DEEPEST = 1000

# operator: (precedence, instruction); unary minus binds looser than a power and tighter than a product, as in Python
_BINARY = {
    "+": (2, op.ADD),
    "-": (2, op.SUBTRACT),
    "*": (3, op.MULTIPLY),
    "/": (3, op.DIVIDE),
    "**": (5, op.POWER),
    "<": (1, op.COMPARE),
    "<=": (1, op.COMPARE),
    ">": (1, op.COMPARE),
    ">=": (1, op.COMPARE),
}
_UNARY = (4, op.NEGATE, None)
_SYMBOLS = {code: symbol for symbol, (_, code) in _BINARY.items()}
# of what stays as it is written; least and greatest take any number
_ARITY = {**dict.fromkeys((op.ADD, op.SUBTRACT, op.MULTIPLY, op.DIVIDE, op.POWER), 2), op.NEGATE: 1, op.CALL: 1}


class _Frame:
    """An open parenthesis: of a group, a function, or a field at a point."""

    __slots__ = ("arguments", "compared", "field", "function", "start", "table")

    def __init__(
        self,
        function: str | None = None,
        field: tuple[str, Orders] | None = None,
        table: tuple[str, int] | None = None,
    ) -> None:
        self.function = function if table is None else table[0]
        self.field = field
        self.table = table  # with the order of its derivative
        self.arguments = 1
        self.compared = False
        self.start = 0  # of its instructions


class Reader:
    """Tokens of one text to instructions; `what` is how messages call the text, `words` what its names mean."""

    def __init__(self, text: str, what: str, words: Vocabulary) -> None:
        self.text = text
        self.what = what
        self.words = words
        self.output: list[Instruction] = []
        self.waiting: list[tuple[int, int, Any]] = []  # (precedence, code, argument), 0 for "("
        self.frames: list[_Frame] = []
        self.fluxes: list[Program] = []

    def read(self, tokens: Sequence[Token]) -> list[Instruction]:
        """The instructions in postfix order."""
        output, waiting = self.output, self.waiting
        operand_next = True
        index, count = 0, len(tokens)
        while index < count:
            token = tokens[index]
            kind = token.kind
            index += 1
            if operand_next:
                if kind == "number":
                    output.append((op.NUMBER, token.value))
                    operand_next = False
                elif kind == "name" and self.words.is_table(token.text):
                    if index < count and tokens[index].kind == "(":
                        self._open(_Frame(table=(token.text, token.order)))
                        index += 1
                    else:
                        output += [(op.NAME, self._table_of(token)), (op.TABLE, (token.text, token.order))]
                        operand_next = False
                elif kind == "name":
                    if index < count and tokens[index].kind == "(" and self._written_out(token, tokens, index):
                        output.append(self.words.instruction_for(token, self.text))
                        index = self._closing(tokens, index) + 1
                        operand_next = False
                    elif index < count and tokens[index].kind == "(":
                        field = self.words.called(token, self.text)
                        beyond = None if field is None else self._infinite(tokens, index)
                        if beyond is not None:
                            output += [(op.NUMBER, beyond), (op.POINT, field)]
                            index = self._closing(tokens, index) + 1
                            operand_next = False
                        elif token.text == "integral" or self._extreme(token, tokens, index):
                            index = self._over_domain(token.text, tokens, index)
                            operand_next = False
                        else:
                            self._open(_Frame(token.text, field))
                            index += 1
                    else:
                        output.append(self.words.instruction_for(token, self.text))
                        operand_next = False
                elif kind == "(":
                    self._open(_Frame())
                elif kind == "-":
                    waiting.append(_UNARY)
                elif kind != "+":
                    raise self._misplaced(tokens, index - 1)
            elif kind in _BINARY:
                precedence, code = _BINARY[kind]
                if code == op.COMPARE:
                    self._compare()
                self._emit_down_to(precedence if code != op.POWER else precedence + 1)
                waiting.append((precedence, code, kind if code == op.COMPARE else None))
                operand_next = True
            elif kind == ")":
                frame = self._close(token.order)
                if index < count and not tokens[index].spaced and tokens[index].text.startswith("_"):
                    self._differentiate_along(frame, tokens[index].text[1:])
                    index += 1
            elif kind == ",":
                self._next_argument()
                operand_next = True
            elif self._product(tokens[index - 2], token):
                self._emit_down_to(_BINARY["*"][0])
                waiting.append((*_BINARY["*"], None))
                operand_next, index = True, index - 1
            else:
                raise self._missing_operator(tokens[index - 2], token)
        if operand_next:
            last = f"after '{tokens[-1].text}'" if tokens else "at all"
            raise self._error(f"there is nothing {last} in {self.what}")
        if self.frames:
            raise self._error("a '(' is never closed")
        self._emit_down_to(1)
        return output

    def _written_out(self, token: Token, tokens: Sequence[Token], start: int) -> bool:
        return not self.words.points and self.words.written_out(token, tokens[start + 1 : self._closing(tokens, start)])

    def _table_of(self, token: Token) -> str:
        """The coordinate that a table without an argument is of."""
        if self.words.points or len(self.words.coordinates) != 1:
            raise self._error(f"'{token.text}' is a table: say where its value is taken, {token.text}(...)")
        return self.words.coordinates[0]

    def _product(self, before: Token, after: Token) -> bool:
        """Whether two factors stand side by side, as on the page: 2x, 2(x + 1), x y, (x + 1)(x - 1), u(0) v(0).

        Not where it could be read in two ways: 1/2x, 2e.
        """
        if after.kind not in ("name", "(") or before.kind not in ("number", "name", ")"):
            return False
        if before.kind == "name" and after.kind == "(":
            return False
        if before.kind == "number" and after.text in ("e", "E") and not after.spaced:
            return False  # an exponent that was not finished
        divided = bool(self.waiting) and self.waiting[-1][1] == op.DIVIDE
        return not divided or (after.kind == "name" and after.spaced)

    def _open(self, frame: _Frame) -> None:
        if len(self.frames) >= DEEPEST:
            raise self._error(f"parentheses are nested more than {DEEPEST} deep")
        frame.start = len(self.output)
        self.frames.append(frame)
        self.waiting.append((0, 0, None))

    def _emit_down_to(self, precedence: int) -> None:
        waiting = self.waiting
        while waiting and waiting[-1][0] >= precedence:
            _, code, argument = waiting.pop()
            if code == op.COMPARE:
                self.output.append((code, argument))
            else:
                self._emit(code, argument)

    def _emit(self, code: int, argument: Any) -> None:
        output = self.output
        arity = _ARITY.get(code) or int(argument)
        if output[-1][0] == op.NUMBER and (arity == 1 or all(operand[0] == op.NUMBER for operand in output[-arity:])):
            with np.errstate(all="ignore"):
                value = execute((*output[-arity:], (code, argument)), {}, {}, None)
            if not (isinstance(value, float) and math.isfinite(value)):
                raise self._error(f"{_shown(code, argument, output[-arity:])} is not a finite number")
            output[-arity:] = [(op.NUMBER, value)]
        else:
            output.append((code, argument))

    def _compare(self) -> None:
        frame = self.frames[-1] if self.frames else None
        if frame is None or frame.function != "where" or frame.arguments != 1 or frame.compared:
            raise self._error("one comparison can stand as the first argument of where(...), and nowhere else")
        frame.compared = True

    def _next_argument(self) -> None:
        if not self.frames or self.frames[-1].function is None:
            raise self._error("a ',' can only separate the arguments of a function: numbers are written 0.5")
        self._emit_down_to(1)
        frame = self.frames[-1]
        if frame.function == "where" and not frame.compared:
            raise self._error("the first argument of where must be a comparison, as in where(x < 0.5, 1, 2)")
        frame.arguments += 1

    def _close(self, primes: int = 0) -> _Frame:
        """Ends the innermost parenthesis; `primes` after it ask for its derivative along the coordinate."""
        if not self.frames:
            raise self._error("a ')' has no '(' before it")
        self._emit_down_to(1)
        self.waiting.pop()
        frame = self.frames.pop()
        self._call(frame)
        for _ in range(primes):
            self._differentiate(frame)
        return frame

    def _differentiate_along(self, frame: _Frame, coordinates: str) -> None:
        """What `_x` behind a parenthesis does."""
        words = self.words
        orders = orders_in(coordinates, words.coordinates)
        if frame.field is not None or words.points or not orders:
            shown = " or ".join(f"'_{name}'" for name in words.coordinates)
            raise self._error(f"'_{coordinates}' cannot stand behind a parenthesis: {shown} can, in an equation")
        for coordinate, order in zip(words.coordinates, orders, strict=True):
            for _ in range(order):
                inside = self.output[frame.start :]
                self.fluxes.append(Program(self.text, tuple(inside)))
                self.output[frame.start :] = total_derivative(inside, words.coordinates, coordinate, self.text)

    def _differentiate(self, frame: _Frame) -> None:
        words = self.words
        if frame.field is not None or words.points or len(words.coordinates) != 1:
            raise self._error("a prime after a parenthesis can stand in an equation along one coordinate only")
        inside = self.output[frame.start :]
        self.output[frame.start :] = total_derivative(inside, words.coordinates, words.coordinates[0], self.text)

    def _call(self, frame: _Frame) -> None:
        """What a function makes of the arguments in its parenthesis."""
        name, arguments = frame.function, frame.arguments
        if name is None:
            return
        if frame.table is not None:
            self._expect(name, arguments == 1, "one argument, for it is a table")
            self.output.append((op.TABLE, frame.table))
        elif frame.field is not None:
            self._expect(name, arguments == 1, "one point")
            self.output.append((op.POINT, frame.field))
        elif name in ("min", "max"):
            self._expect(name, arguments >= 2, "two or more arguments")
            self._emit(op.MINIMUM if name == "min" else op.MAXIMUM, arguments)
        elif name == "where":
            self._expect(name, arguments == 3, "three arguments, as in where(x < 0.5, 1, 2)")
            self.output.append((op.WHERE, None))
        else:
            self._expect(name, arguments == 1, "one argument")
            if name in WRITTEN:
                self._write(name)
                return
            name = ALIASES.get(name, name)
            last = self.output[-1]
            if last[0] == op.CALL and (last[1], name) in FUSED:
                self.output.pop()
                name = FUSED[last[1], name]
            elif name == "sqrt" and self.words.real and (base := _squared(self.output[frame.start :])):
                # as it stands it has a derivative of zero over zero where it bends
                self.output[frame.start :], name = base, "abs"
            self._emit(op.CALL, name)

    def _write(self, name: str) -> None:
        """What a function that is written with others does to its argument."""
        for code, argument in WRITTEN[name]:
            if code in (op.NUMBER, op.COMPARE, op.WHERE):
                self.output.append((code, argument))
            else:
                self._emit(code, argument)

    def _infinite(self, tokens: Sequence[Token], start: int) -> float | None:
        """Plus or minus infinity where that is all that stands in the parentheses that open at `start`."""
        return infinite(tokens[start + 1 : self._closing(tokens, start)])

    def _extreme(self, name: Token, tokens: Sequence[Token], start: int) -> bool:
        """Whether this is max(u) or min(u): of one argument, over the domain."""
        if not self.words.extremes or name.text not in ("min", "max"):
            return False
        depth = 0
        for token in tokens[start : self._closing(tokens, start)]:
            depth += (token.kind == "(") - (token.kind == ")")
            if token.kind == "," and depth == 1:
                return False
        return True

    def _closing(self, tokens: Sequence[Token], start: int) -> int:
        """The place of the parenthesis that closes the one at `start`."""
        depth = 0
        for end in range(start, len(tokens)):
            depth += (tokens[end].kind == "(") - (tokens[end].kind == ")")
            if depth == 0:
                return end
        raise self._error("a '(' is never closed")

    def _over_domain(self, name: str, tokens: Sequence[Token], start: int) -> int:
        """Read what stands between the parentheses that open at `start` as an expression of its own."""
        end = self._closing(tokens, start)
        words = replace(self.words, points=False, extremes=False)
        inner = Reader(self.text, f"{name}(...)", words).read(tokens[start + 1 : end])
        program = Program("".join(token.text + "'" * token.order for token in tokens[start + 1 : end]), tuple(inner))
        self.output.append((op.INTEGRAL, program) if name == "integral" else (op.OVER_DOMAIN, (name, program)))
        return end + 1

    def _expect(self, name: str, met: bool, expected: str) -> None:
        if not met:
            raise self._error(f"{name} takes {expected}")

    def _misplaced(self, tokens: Sequence[Token], index: int) -> InputError:
        token = tokens[index]
        place = f"after '{tokens[index - 1].text}'" if index else "at the beginning"
        if token.kind in ("**", "*") and index and tokens[index - 1].kind in ("**", "*"):
            return self._error("there are too many '*' in a row")
        return self._error(f"'{token.text}' cannot stand {place}")

    def _missing_operator(self, before: Token, after: Token) -> InputError:
        if after.kind in ("=", "=="):
            return self._error("an expression has no '='")
        left, right = before.text[-20:], after.text[:20] + "'" * min(after.order, 4)
        if before.kind in ("number", "name", ")") and after.kind in ("number", "name", "("):
            close = "...)" if after.kind == "(" else ""
            open_ = "(..." if before.kind == ")" else ""
            return self._error(f"an operator is missing: for a product write {open_}{left}*{right}{close}")
        return self._error(f"'{right}' cannot stand after '{left}'")

    def _error(self, reason: str) -> InputError:
        return InputError(f"cannot read {quoted(self.text)}: {reason}")


def _squared(code: list[Instruction]) -> list[Instruction]:
    """y, where this is y^2 or y*y; nothing where it is neither."""
    if code[-2:] == [(op.NUMBER, 2.0), (op.POWER, None)]:
        return code[:-2]
    half = len(code) // 2
    return code[:half] if code[-1] == (op.MULTIPLY, None) and code[:half] == code[half:-1] else []


def _shown(code: int, argument: Any, operands: list[Instruction]) -> str:
    """An operation on numbers as text, for messages."""
    numbers = [f"{number:.15g}" for _, number in operands[:4]]
    if code in _SYMBOLS:
        return _SYMBOLS[code].join(numbers)
    return f"{argument if code == op.CALL else 'its constant part'}({', '.join(numbers)})"
