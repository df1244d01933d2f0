"""What a sweep does at every point: the family, what is swept, how it is solved, what is kept."""

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, cast

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates import Gate
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solver.options import check
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.solver.warm_start import GatePredictor
from gated_xtfc.sweeps.quantities import Quantity

WORDS = ("name", "number")
FIGURES = ("status", "message", "error", "neurons", "rounds", "seconds", "gates")

Plain = str | float | bool | None | Sequence["Plain"] | Mapping[str, "Plain"]  # what JSON can hold
OneGuess = str | float | Callable[..., object]


class SolverLimits(TypedDict, total=False):
    continuation: str | None
    max_neurons: int | None
    max_rounds: int
    max_steps: int
    max_memory: float


class SolverOptions(SolverLimits, total=False):
    """Options of `solve` that hold for every point."""

    gates: Sequence[Gate] | Mapping[str, Sequence[Gate]] | GatePredictor | None
    guess: OneGuess | Solution | Mapping[str, OneGuess] | None
    rtol: float | Mapping[str, float] | None
    atol: float | Mapping[str, float]
    stop: str | None


class StatedFamily(TypedDict, total=False):
    """A problem as it can be written down, without the values of what is swept."""

    equation: str
    equations: list[str]
    domain: dict[str, list[str | float]]
    conditions: list[str]
    parameters: dict[str, float]
    unknown: list[str]


class Identity(TypedDict):
    """What must agree for two sweeps to be one."""

    problem: StatedFamily
    names: list[str]
    tol: float
    options: dict[str, Plain]
    quantities: list[str]
    solutions: bool


@dataclass(frozen=True)
class Study:
    problem: Problem
    names: tuple[str, ...]  # of the swept parameters
    tol: float = 1e-8
    options: SolverOptions = field(default_factory=SolverOptions)
    quantities: tuple[str, ...] = ()
    solutions: bool = False  # whether they are kept
    time_limit: float | None = None  # seconds for each point
    warm: bool = True  # whether neighbours start from one another where the problem is nonlinear

    def __post_init__(self) -> None:
        known = self.problem.parameters
        for name in self.names:
            if name not in known:
                told = f"its parameters are {', '.join(known)}" if known else "it has none at all"
                raise InputError(f"the problem has no parameter {quoted(name)}: {suggestion(name, known, told)}")
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, int | float) and 0.0 < limit < float("inf")):
            raise InputError(f"time_limit is {limit!r}: give a positive number of seconds for each point, or None")
        limits = {name: value for name, value in self.options.items() if name in SolverLimits.__annotations__}
        check(self.problem, self.tol, **cast(SolverLimits, limits))
        relative = self.tol if self.options.get("rtol") is None else self.options["rtol"]
        Tolerance.of(self.problem, relative, self.options.get("atol", 0.0))
        if self.options.get("stop") is not None and self.problem.evolution is None:
            raise InputError("stop ends equations that evolve in time: this problem does not")
        if self.options.get("guess") is not None:
            space_of(self.problem, self.tol).start_from_guess(self.options["guess"])
        if self.solutions:
            self.problem.to_dict()  # a solution is kept together with its problem, which must be written down
        self.asked()

    @property
    def chained(self) -> bool:
        """Whether a point's solution is the next one's guess."""
        own = self.options.get("guess") is not None or self.options.get("gates") is not None
        return self.warm and not self.problem.linear and not own and self.problem.evolution is None

    @property
    def together(self) -> bool:
        """Whether points may be solved side by side: nothing was asked for that takes a solve of its own."""
        usual = all(value is None for value in self.options.values())
        return self.problem.linear and usual and self.time_limit is None and not self.solutions and not self.quantities

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row, no two alike even where capital letters do not count."""
        taken: set[str] = {"key", "solution", *FIGURES}
        names = [unlike(name, taken) for name in self.names]
        quantities = [unlike(text, taken) for text in self.quantities]
        return (*names, *FIGURES, *quantities, *(("solution",) if self.solutions else ()))

    def asked(self) -> tuple[Quantity, ...]:
        return tuple(Quantity.stated(text, self.problem) for text in self.quantities)

    def member(self, point: Sequence[float]) -> Problem:
        return self.problem(**dict(zip(self.names, point, strict=True)))

    def identity(self) -> Identity:
        """Ready for JSON."""
        options = {name: value for name, value in sorted(self.options.items()) if value is not None}
        return {
            "problem": family_of(self.problem, self.names),
            "names": list(self.names),
            "tol": self.tol,
            "options": {name: _written(value, name) for name, value in options.items()},
            "quantities": list(self.quantities),
            "solutions": self.solutions,
        }


def key_of(point: Sequence[float]) -> bytes:
    """The exact numbers: eight bytes each."""
    return struct.pack(f">{len(point)}d", *point)


def family_of(problem: Problem, names: Sequence[str]) -> StatedFamily:
    """The problem without what is swept; what can be written in two ways is written in one."""
    stated = problem.statement()
    fixed = {name: value for name, value in sorted(stated.pop("parameters").items()) if name not in names}
    return cast(StatedFamily, {**{key: canonical(value) for key, value in stated.items()}, "parameters": fixed})


def canonical(value: Plain) -> Plain:
    """Texts without the freedom of spaces."""
    if isinstance(value, str):
        found, before = "", ""
        for token in tokenize(value, "the text"):
            apart = token.kind in WORDS and before in WORDS  # `0 on boundary`: without a space it is another text
            found += " " * apart + (" = " if token.kind == "=" else token.text + "'" * token.order)
            before = token.kind
        return found
    if isinstance(value, Mapping):
        return {key: canonical(entry) for key, entry in value.items()}
    return [canonical(entry) for entry in value] if isinstance(value, list | tuple) else value


def same(one: object, other: object) -> bool:
    """Whether two parts of an identity differ in the spaces of their texts at most."""
    return _spaceless(one) == _spaceless(other)


def _spaceless(value: object) -> object:
    if isinstance(value, str):
        return "".join(value.split())
    if isinstance(value, dict):
        return {key: _spaceless(entry) for key, entry in value.items()}
    return [_spaceless(entry) for entry in value] if isinstance(value, list | tuple) else value


def unlike(name: str, taken: set[str]) -> str:
    """The name, with underscores added while another one has it; then it is taken."""
    while name.lower() in taken:
        name += "_"
    taken.add(name.lower())
    return name


def texts(quantities: str | Iterable[str]) -> tuple[str, ...]:
    """One text, or several."""
    given = (quantities,) if isinstance(quantities, str) else quantities
    if not isinstance(given, Iterable):
        raise InputError(f'quantities are a list of texts like ["u(0.5)", "max(u)"], not {quoted(str(quantities))}')
    return tuple(given)


def _written(option: object, name: str) -> Plain:
    """An option as it can be compared from one run to the next."""
    if name == "gates":
        return repr(tuple(option) if isinstance(option, list) else option)
    try:
        found: Plain = json.loads(json.dumps(option))
    except TypeError:
        raise InputError(
            "in a sweep with a store the guess is a text, a number, or a table of these by field: a function or a "
            "Solution cannot be written down"
        ) from None
    return found
