"""Where Newton's method starts on an interval: the plainest polynomials that meet the conditions, or what is given."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial.legendre import Legendre, legvander

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Layer
from gated_xtfc.gates.bends import layers_at_bends
from gated_xtfc.gauss_legendre import rule
from gated_xtfc.language.parser import parse, require_shallow
from gated_xtfc.operator.linearise import Points
from gated_xtfc.operator.polynomials import Polynomials
from gated_xtfc.problem.complex_parts import split_expression
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.domain import Axis, evaluated
from gated_xtfc.problem.nonlinear_condition import Sight, sight_of
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.types import Array, Orders

# A higher degree must be asked for by the conditions: each costs ten times the one below.
COST = 10.0
GAUSS = 16  # points for the integrals in conditions
MOST_CORRECTIONS = 20  # by Newton's method, for conditions that are not linear
MET = 1e-10  # what is left of these, relative to the polynomials
BESIDE = ((0.0,), (1.0,), (1.0, 0.5), (1.0, -0.5), (-1.0, 0.5), (-1.0, -0.5))
ROUNDING = 1e-13  # of the largest coefficient
NARROW = 0.3  # kernel widths
BENT = 1001  # places at which a solution's bends are looked for
SMOOTH = 64  # degree of the polynomial through a guess that is given without derivatives

Function = Callable[[Array, int], Array]  # points and the order of a derivative -> values


def plain(problem: Problem, constants: Sequence[float] | None = None) -> Start:
    """The polynomials of least effort that meet the conditions: a straight line between two end values."""
    (axis,) = problem.axes
    values = tuple(problem.starts.values()) if constants is None else tuple(constants)
    degree = max(problem.order.values()) + 3
    found = _met(problem, dict(zip(problem.unknown, values, strict=True)), degree)
    half = 0.5 * axis.length
    derivatives = [found / half**j @ _in_monomials(degree, j) for j in range(max(problem.order.values()) + 1)]
    about = Polynomials(np.stack(derivatives, axis=1), axis.left + half, half)
    return Start(about, values, jets=about.jets(tuple(problem.order.values())))


@lru_cache
def _in_monomials(degree: int, order: int) -> Array:
    """What turns coefficients of the first Legendre polynomials into the monomials of a derivative."""
    return _differentiated(degree, order) @ _monomials(degree)


@lru_cache
def _differentiated(degree: int, order: int) -> Array:
    """What turns coefficients of the first Legendre polynomials into those of a derivative, (degree, degree)."""
    once = np.zeros((degree, degree))
    for k in range(degree):
        once[k, k - 1 :: -2] = 2.0 * np.arange(k - 1, -1, -2) + 1.0 if k else 0.0
    return np.linalg.matrix_power(once, order)


@lru_cache
def _monomials(degree: int) -> Array:
    """The first Legendre polynomials as monomials, a row each: few enough for that to cost no digits."""
    found = np.zeros((degree, degree))
    found[0, 0] = found[1, 1] = 1.0
    for k in range(1, degree - 1):
        found[k + 1, 1:] = (2 * k + 1) * found[k, :-1]
        found[k + 1] = (found[k + 1] - k * found[k - 1]) / (k + 1)
    return found


def _met(problem: Problem, constants: Mapping[str, float], degree: int) -> Array:
    """Coefficients (fields, degree) with which the conditions are met, those that are not linear as well as can be."""
    found = _least_effort(problem, problem.conditions, constants, degree)
    if not problem.nonlinear_conditions:
        return found
    best, least = found, np.inf
    # where a law is flat about zero, u(0)*u'(0) = 1, Newton's method begins beside it
    for beside in BESIDE:
        here = found.copy()
        here[:, : len(beside)] += beside
        for _ in range(MOST_CORRECTIONS):
            sight = _sight(problem, here, constants)
            misfit = max(abs(one.residual(sight)) for one in problem.nonlinear_conditions)
            if not misfit < np.inf:
                break
            if misfit < least:
                best, least = here, misfit
            linear = [one.about(sight) for one in problem.nonlinear_conditions]
            last, here = here, _least_effort(problem, (*problem.conditions, *linear), constants, degree)
            if np.abs(here - last).max() <= ROUNDING * np.abs(here).max():
                break
        if least <= MET * max(1.0, float(np.abs(best).max())):
            break
    return best


def _sight(problem: Problem, coefficients: Array, constants: Mapping[str, float]) -> Sight:
    (axis,) = problem.axes
    polynomials = [Legendre(part, domain=[axis.left, axis.right]) for part in coefficients]
    nodes, weights = rule(GAUSS)
    half = 0.5 * axis.length

    def evaluate(name: str, x: Array, order: int) -> Array:
        return _derivative(polynomials[problem.fields.index(name)], x, order)

    quadrature = axis.left + half * (1.0 + nodes), half * weights
    return sight_of(problem.nonlinear_conditions, evaluate, quadrature, constants)


def _least_effort(
    problem: Problem, conditions: Sequence[Condition], constants: Mapping[str, float], degree: int
) -> Array:
    """Coefficients (fields, degree) of the polynomials of least effort that meet linear conditions."""
    values = np.array([one.value - sum(w * constants[name] for name, w in one.constants) for one in conditions])
    (axis,), fields = problem.axes, len(problem.fields)
    half, places = 0.5 * axis.length, {name: f for f, name in enumerate(problem.fields)}
    at_places = tuple(
        tuple((places[one.field], one.order, (one.point - axis.left) / half - 1.0, one.weight) for one in own.terms)
        for own in conditions
    )
    if any(condition.all_integrals for condition in conditions):
        rows = _at_places(at_places, half, fields, degree)
        inverse = _inverse(rows + _of_integrals(problem, conditions, degree))
    else:
        inverse = _local_inverse(at_places, half, fields, degree)
    # conditions beyond double precision are met by nothing: that is for the verdict to say
    known = inverse is not None and np.isfinite(values).all()
    found = inverse @ values if known else np.zeros(fields * degree)
    # a field that begins at rounding has no size of its own, and every step would be too long for it
    size = np.abs(found)
    found[size < ROUNDING * size.max()] = 0.0
    return np.asarray(found.reshape(fields, degree))


Local = tuple[tuple[tuple[int, int, float, float], ...], ...]  # terms by field, order, place in [-1, 1] and weight


@lru_cache(64)
def _local_inverse(conditions: Local, half: float, fields: int, degree: int) -> Array | None:
    """For conditions at places, once for all values of a family."""
    return _inverse(_at_places(conditions, half, fields, degree))


def _at_places(conditions: Local, half: float, fields: int, degree: int) -> Array:
    """Conditions applied to the first Legendre polynomials, (conditions, fields, degree)."""
    rows = np.zeros((len(conditions), fields, degree))
    for row, terms in zip(rows, conditions, strict=True):
        for f, order, at, weight in terms:
            row[f] += weight * half**-order * _vandermonde(np.array([at]), degree, order)[0]
    return rows


def _of_integrals(problem: Problem, conditions: Sequence[Condition], degree: int) -> Array:
    """The same for the integrals in them."""
    (axis,) = problem.axes
    half, (nodes, weights) = 0.5 * axis.length, rule(GAUSS)
    rows = np.zeros((len(conditions), len(problem.fields), degree))
    for i, condition in enumerate(conditions):
        for integral in condition.all_integrals:
            for (field, order), coefficient in integral.coefficients(axis.left + half * (1.0 + nodes)).items():
                density = integral.weight * half ** (1 - order) * coefficient * weights
                rows[i, problem.fields.index(field)] += density @ _vandermonde(nodes, degree, order)
    return rows


def _inverse(rows: Array) -> Array | None:
    """From values of conditions to the coefficients of least effort; None where it is not finite."""
    _, fields, degree = rows.shape
    effort = np.tile(COST ** np.maximum(np.arange(degree) - 1.0, 0.0), fields)
    matrix = rows.reshape(len(rows), effort.size) / effort
    if not np.isfinite(matrix).all():
        return None
    found: Array = np.linalg.pinv(matrix, rcond=np.finfo(float).eps * max(matrix.shape)) / effort[:, None]
    return found


def _vandermonde(at: Array, degree: int, order: int) -> Array:
    """The order-th derivatives of the first Legendre polynomials at points of [-1, 1], (n, degree)."""
    return np.asarray(legvander(at, degree - 1) @ _differentiated(degree, order).T)


def given(guess: Any, problem: Problem) -> Start:
    """A guess of the user's: a text, a number, a function of x, a Solution, values on a mesh, or these by field."""
    if isinstance(guess, Start):
        return guess
    if problem.complex_pairs and not isinstance(guess, IntervalSolution):
        guess = _in_parts(guess, problem)
    layers: tuple[Layer, ...] = ()
    by_field: dict[str, Function] = {}
    default = None
    constants = _constants(guess, problem)
    (axis,) = problem.axes
    ends = problem.free_ends
    if ends is not None:  # the guess is one in x
        axis = ends.axis(dict(zip(problem.unknown, constants, strict=True)))
    if isinstance(guess, IntervalSolution):
        by_field = {name: _of_solution(guess, name) for name in problem.fields}
        layers = _bends(guess)
    elif isinstance(guess, Mapping):
        known = (*problem.fields, *problem.unknown)
        for name in guess:
            if name not in known:
                raise InputError(
                    f"the guess names {quoted(str(name))}, which is not a field or an unknown constant: "
                    f"known are {', '.join(known)}"
                )
        by_field = {name: _one(guess[name], problem, name, axis) for name in problem.fields if name in guess}
        default = plain(problem, constants)
    elif isinstance(guess, tuple) and len(guess) == 2 and np.ndim(guess[1]) == 2:
        rows, count = np.asarray(guess[1]), len(problem.fields)
        if len(rows) != count:
            raise InputError(f"the guess has {len(rows)} rows of values: give one for each of the {count} fields")
        by_field = {name: _on_mesh((guess[0], row), name, axis) for name, row in zip(problem.fields, rows, strict=True)}
    elif len(problem.fields) > 1 + len(problem.auxiliary):
        raise InputError(f"give the guess by field, such as {{{problem.fields[0]!r}: '0'}}")
    else:
        by_field = {problem.fields[0]: _one(guess, problem, problem.fields[0], axis)}
        default = plain(problem, constants) if problem.auxiliary else None

    def about(f: int, points: Points, orders: Orders) -> Array:
        name = problem.fields[f]
        if default is not None and name not in by_field:
            return default.about(f, points, orders)
        if ends is None:
            return by_field[name](points[0], orders[0])
        return axis.length ** orders[0] * by_field[name](axis.left + axis.length * points[0], orders[0])

    return Start(about, constants, layers=layers)


def _bends(guess: IntervalSolution) -> tuple[Layer, ...]:
    """Where a solution bends that is to be carried to a wider window, whose kernels would be too wide for it."""
    if guess.problem.domain.finite:
        return ()
    (axis,), (window,) = guess.problem.axes, guess.window
    beyond = window.length * np.linspace(
        0.01, 1.0, BENT
    )  # where it no longer bends, which is what bends stand out from
    x = np.concatenate([window.left - beyond[::-1], guess.points(BENT), window.right + beyond])
    x = x[(x >= axis.left) & (x <= axis.right)]
    orders = [(name, order) for name, order in guess.problem.order.items() if order]
    slopes = [guess[name](x, 2) if order > 1 else np.gradient(guess[name](x, 1), x) for name, order in orders]
    singular = [place for piece in guess.function.chart.coordinates for place in piece.singular]
    found = [layer for slope in slopes for layer in layers_at_bends(x, slope, singular)]
    # narrower than its kernels is the cut itself, not the solution
    return tuple(layer for layer in found if layer.thickness > NARROW * guess.width(layer.location))


def _in_parts(guess: Any, problem: Problem) -> dict[str, Any]:
    """A guess for complex fields and constants as one for their parts."""
    pairs, (axis,) = problem.complex_pairs, problem.axes
    fields = [name for name, (real, _) in pairs.items() if real in problem.fields]
    if not isinstance(guess, Mapping):
        if len(fields) > 1:
            raise InputError(f"give the guess by field, such as {{{fields[0]!r}: '0'}}")
        guess = {fields[0]: guess}
    found: dict[str, Any] = {}
    for name, one in guess.items():
        if name not in pairs:
            found[name] = one
        elif isinstance(one, str):
            found |= zip(pairs[name], split_expression(one, axis.name, problem.parameters), strict=True)
        elif callable(one):
            parts = (lambda x, one=one: np.real(one(x)), lambda x, one=one: np.imag(one(x)))
            found |= zip(pairs[name], parts, strict=True)
        else:
            found |= zip(pairs[name], (complex(one).real, complex(one).imag), strict=True)
    return found


def _constants(guess: Any, problem: Problem) -> tuple[float, ...]:
    """Where unknown constants begin: as a Solution or the guess by name has them, otherwise at one."""
    known = guess.unknown_values if isinstance(guess, IntervalSolution) else guess if isinstance(guess, Mapping) else {}
    found = []
    for name in problem.unknown:
        what = f"the guess for the constant {name}"
        value = evaluated(known.get(name, problem.starts[name]), problem.parameters, what)
        if not np.isfinite(value):
            raise InputError(f"{what} must be a finite number, not {value}")
        found.append(value)
    ends, named = problem.free_ends, dict(zip(problem.unknown, found, strict=True))
    if ends is not None and not ends.length(named) > 0.0:
        shown = ", ".join(f"{name} = {named[name]:g}" for name in ends.starts)
        raise InputError(f"with the guess {shown} the domain is empty: give one with which its left end is left")
    return tuple(found)


def _of_solution(guess: IntervalSolution, name: str) -> Function:
    """A solution with all its layers; beyond its own domain it goes on as it ends."""
    if name not in guess.problem.fields:
        raise InputError(f"the solution given as guess has no field {name}")
    (axis,) = guess.problem.axes

    def function(at: Array, order: int) -> Array:
        if order > guess.problem.order[name]:
            return np.zeros_like(at)
        return guess[name](np.clip(at, axis.left, axis.right), order)

    return function


def _one(guess: Any, problem: Problem, field: str, axis: Axis) -> Function:
    """One field's guess, as the polynomial through it: text and functions come without derivatives."""
    if isinstance(guess, tuple):
        return _on_mesh(guess, field, axis)
    if isinstance(guess, str):
        read = parse(guess, parameters=problem.given, coordinates=(axis.name,), what="the guess")
        program = require_shallow(read)
        function: Callable[[Array], Any] = lambda at: program.run({**problem.given, axis.name: at})  # noqa: E731
    elif callable(guess):
        function = guess
    elif isinstance(guess, int | float):
        function = lambda at: float(guess)  # noqa: E731
    else:
        raise InputError(
            f"the guess for {field} must be a text, a number, a function, a Solution, or a pair of arrays, places and "
            f"values, not {type(guess).__name__}"
        )
    nodes = 0.5 * (axis.left + axis.right) - 0.5 * axis.length * np.cos(
        np.pi * (np.arange(SMOOTH + 1) + 0.5) / (SMOOTH + 1)
    )
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(function(nodes), dtype=float) + np.zeros_like(nodes)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"the guess for {field} failed with {type(error).__name__}: {str(error)[:200]}") from None
    if not np.isfinite(values).all():
        where = nodes[~np.isfinite(values)][0]
        raise InputError(f"the guess for {field} is not finite at {axis.name} = {where:.6g}")
    polynomial = Legendre.fit(nodes, values, SMOOTH // 2, domain=[axis.left, axis.right])
    return lambda at, order: _derivative(polynomial, at, order)


def _on_mesh(guess: tuple[Any, ...], field: str, axis: Axis) -> Function:
    """Values on a mesh, joined by cubics that do not overshoot; beyond the mesh they go on as it ends."""
    from scipy.interpolate import PchipInterpolator  # most guesses need no spline

    expected = f"the guess for {field} on a mesh must be two rows of finite numbers, places and values"
    try:
        x, values = (np.asarray(part, dtype=float) for part in guess)
    except (TypeError, ValueError):
        raise InputError(f"{expected}, not {quoted(str(guess)[:200])}") from None
    if x.ndim != 1 or x.shape != values.shape or x.size < 2 or not (np.isfinite(x).all() and np.isfinite(values).all()):
        raise InputError(f"{expected}: their shapes are {x.shape} and {values.shape}")
    if not (np.diff(x) > 0.0).all():
        raise InputError(f"the mesh of the guess for {field} must increase along {axis.name}")
    pieces = PchipInterpolator(x, values)

    def function(at: Array, order: int) -> Array:
        inside = np.clip(at, x[0], x[-1])
        found: Array = pieces(inside, order) if order <= 3 else np.zeros_like(at)
        return found

    return function


def _derivative(polynomial: Legendre, x: Array, order: int) -> Array:
    value: Array = np.asarray((polynomial.deriv(order) if order else polynomial)(x), dtype=float)
    return value + np.zeros_like(x)
