"""From an easy problem to the one asked for: follow the solution as a parameter of the family goes to its value.

Where there is no parameter to follow, a homotopy takes its place: the factor by which highest derivatives are larger
goes to zero. Steps are even in the logarithm; they grow where Newton's method is at ease and are halved where it fails.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Linearisation, Operator, Points
from gated_xtfc.problem.homotopy import Diffused, Terms
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import Adapted, Limits, adapt, begin, guide
from gated_xtfc.solver.discretisation import Discretisation, F, L, Start
from gated_xtfc.types import Array, Orders

EASY = 1.0  # the value of the parameter with which the easiest member is expected
LEVEL = 1e-3  # largest tolerance on the way
FIRST = 0.5  # decades of the first step
SHORT = 0.3  # decades; after a step shorter than this a member that misses its tolerance is taken all the same
LEAST = 0.002  # decades of the shortest step that is tried
MOST_LEVELS = 200
MOST_TRIED = 3  # parameters, where nothing else leads to a solution ...
FAR = 1.0  # ... that are so many decades from one
HOMOTOPY = "homotopy"
BEGINNING = 10.0  # times what makes highest derivatives as large as all else: where a homotopy begins
END = 0.03  # a factor below which a homotopy goes to zero in one step
# places on each axis where the highest derivatives' coefficients are looked at
PROBED = {1: np.linspace(0.03, 0.97, 21), 2: np.linspace(0.03, 0.97, 11)}
ABOUT = 0.7  # the constant about which equations are linearised for that


@dataclass(frozen=True)
class Way(Generic[L, F]):
    """A family with one number: where to begin, where to end, and the problems on the way."""

    name: str
    target: float
    beginnings: tuple[float, ...]  # the next one where the solution is not found at one
    member: Callable[[float], Discretisation[L, F]]
    small: Callable[[float], float]  # how small the highest derivatives are there

    def after(self, value: float, step: float) -> float:
        """The next value, so many decades on; the last one is the target itself."""
        if self.target == 0.0:
            return value * 10.0**-step if value * 10.0**-step > END else 0.0
        rising = abs(self.target) > abs(value)
        following = abs(value) * 10.0 ** (step if rising else -step)
        size = min(following, abs(self.target)) if rising else max(following, abs(self.target))
        return self.target if size == abs(self.target) else math.copysign(size, self.target)


def along(space: Discretisation[L, F], parameter: str) -> Way[L, F]:
    """The way along a parameter, from where its size is one, or further back from its value."""
    problem = space.problem
    target = problem.parameters[parameter]
    if target == 0.0:
        raise InputError(f"continuation in {parameter} needs a value other than zero")
    back = 1.0 if abs(target) < EASY else -1.0
    return Way(
        parameter,
        target,
        tuple(math.copysign(EASY * 10.0 ** (back * k), target) for k in range(3)),
        lambda value: space if value == target else space.for_problem(problem.on_the_way(**{parameter: value})),
        lambda value: min(abs(value), 1.0 / abs(value)),
    )


def homotopy(space: Discretisation[L, F]) -> Way[L, F] | None:
    """The way from larger highest derivatives; None where there is no telling how large they are."""
    problem, start = space.problem, space.default_start()
    points = _probes(space)
    operator = Operator(problem, start.about, start.constants)
    linear = operator.evaluate(points)
    terms: list[Terms] = []
    for fields in linear.coefficients:
        own = []
        for name, order, factors in zip(problem.fields, operator.orders, fields, strict=True):
            for orders, a in factors.items():
                if sum(orders) == order and np.isfinite(a).all() and np.any(a):
                    own.append((name, orders, float(np.sign(np.median(a)) or 1.0) * float(np.abs(a).max())))
        terms.append(tuple(own))
    texts = tuple(equation.text for equation in problem.equations)
    lead = _lead(space)
    if not all(terms) or len(set(texts)) < len(texts) or not (np.isfinite(lead).all() and np.all(lead > 0.0)):
        return None
    smallest = float(lead.min())
    first = BEGINNING * max(1.0, 1.0 / smallest)

    def member(factor: float) -> Discretisation[L, F]:
        return space if factor == 0.0 else space.for_problem(problem.transformed(Diffused(factor, tuple(terms), texts)))

    return Way(HOMOTOPY, 0.0, (first, 10.0 * first), member, lambda factor: (1.0 + factor) * smallest)


def other_parameters(space: Discretisation[L, F], tried: str | None) -> list[str]:
    """Parameters that may be worth following, those furthest from one first."""
    parameters = {name: abs(value) for name, value in space.problem.parameters.items() if name != tried and value}
    found = [name for name, size in parameters.items() if abs(math.log10(size)) >= FAR]
    return sorted(found, key=lambda name: -abs(math.log(parameters[name])))[:MOST_TRIED]


def small_parameter(space: Discretisation[L, F]) -> str | None:
    """The parameter, small or large, that the highest derivatives, beside all else, follow most closely."""
    problem = space.problem
    lead = _lead(space)
    best, name = 0.1, None
    for parameter, value in problem.parameters.items():
        if value > 0.0 and value != EASY:
            nearer = (2.0 if value < EASY else 0.5) * value
            with np.errstate(all="ignore"):
                other = _lead(space.for_problem(problem.on_the_way(**{parameter: nearer})))
                growth = float(np.log2(np.nanmax(other / lead)))
            if growth > best:
                best, name = growth, parameter
    return name


def _lead(space: Discretisation[L, F]) -> Array:
    """How large the highest derivatives' terms are beside the others in each equation, (equations,).

    Beside the others, for a parameter that multiplies every term is no more than a unit. For a field as large as the
    conditions make it, that varies over the whole domain.
    """
    problem, start = space.problem, space.default_start()
    points = _probes(space)
    value = (0,) * len(points)
    sizes = [float(np.abs(start.about(f, points, value)).max()) or 1.0 for f in range(len(problem.fields))]
    operator = Operator(problem, lambda f, at, orders: np.full(tuple(x.size for x in at), ABOUT * sizes[f]))
    linear = operator.at(points, operator.jets(points), list(problem.starts.values()))
    found, largest = [], _largest(linear)
    for fields, rest in largest:
        lead = 0.0
        for factors, order, size in zip(fields, operator.orders, sizes, strict=True):
            for orders, a in factors.items():
                length = math.prod(axis.length**k for axis, k in zip(problem.axes, orders, strict=True))
                term = a * size / length
                lead, rest = (max(lead, term), rest) if sum(orders) == order else (lead, max(rest, term))
        found.append(lead / rest if rest > 0.0 else 1.0)
    return np.array(found)


def _largest(linear: Linearisation) -> list[tuple[list[dict[Orders, float]], float]]:
    """Of every equation the largest coefficient of each derivative, by fields, and the largest source."""
    if linear.packed is None:
        return [
            (
                [{orders: float(np.abs(a).max()) for orders, a in one.items()} for one in fields],
                float(np.abs(source).max()),
            )
            for fields, source in zip(linear.coefficients, linear.source, strict=True)
        ]
    found = []
    for fields, row in zip(linear.coefficients, np.abs(linear.packed).max(axis=2).tolist(), strict=True):
        own = iter(row)
        found.append(([{orders: next(own) for orders in one} for one in fields], next(own)))
    return found


def _probes(space: Discretisation[L, F]) -> Points:
    axes = space.problem.axes
    return tuple(axis.left + axis.length * PROBED[len(axes)] for axis in axes)


def follow(
    way: Way[L, F],
    tol: float,
    limits: Limits,
    guess: Start | None = None,
    report: Callable[[Round], None] | None = None,
    shortest: float = LEAST,
) -> tuple[Adapted[F] | None, list[Round]]:
    """The solution at the end of the way, or at the last value reached, with the path to it."""
    path: list[Round] = []
    left = limits.steps
    for value in way.beginnings:
        here, wanted = way.member(value), level_tolerance(way.small(value), tol)
        last = adapt(here, *begin(here, wanted, guess), wanted, replace(limits, steps=left))
        left -= last.steps
        if last.found is not None or left <= 0:
            break
    if last.found is None:
        return None, path
    step = FIRST
    while True:
        path.append(replace(min(last.history, key=lambda entry: entry.error), value=value))
        if report is not None:
            report(path[-1])
        if value == way.target or len(path) >= MOST_LEVELS or left <= 0 or limits.over():
            return last, path
        while True:
            following = way.after(value, step)
            wanted = tol if following == way.target else level_tolerance(way.small(following), tol)
            assert last.found is not None
            here = way.member(following)
            coordinates = guide(here, last.found, wanted) or last.found.coordinates
            adapted = adapt(here, coordinates, here.as_start(last.found), wanted, replace(limits, steps=left))
            left -= adapted.steps
            # a member that falls short is worth a shorter step, while there is one
            if adapted.error <= wanted or (adapted.error <= 10.0 * LEVEL and step <= SHORT):
                break
            step *= 0.5
            if step < shortest or left <= 0 or limits.over():
                return last, path
        easy = max(entry.steps for entry in adapted.history) <= 6
        step = min(2.0, step * (2.0 if easy else 1.0))
        value, last = following, adapted


def level_tolerance(value: float, tol: float) -> float:
    """The tolerance for a member on the way.

    A corner layer changes u by no more than the small parameter. Left unresolved, it would lead the next member astray,
    so the error has to be below the parameter.
    """
    return max(tol, min(LEVEL, 0.1 * value))
