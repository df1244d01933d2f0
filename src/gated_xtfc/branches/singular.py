"""Eigenvalues of the equations linearised about a solution: which cross zero, and whether the solution is stable.

    F'(u) v = mu M v,

with M a sign for every equation, such that u_t = M F(u) is diffusion where the equations are of an even order in a
field of their own. Then a solution is stable when no mu has a positive real part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from gated_xtfc.branches.family import BranchFamily, BranchState, Direction
from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.fit import fit
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.spectra.estimate import EigenCandidate, candidates
from gated_xtfc.spectra.pencil import Pencil, Powers
from gated_xtfc.spectra.shifted import ShiftedPencil
from gated_xtfc.types import Array

NEAREST = 6  # eigenvalues on either side that are looked at
OFFSET = 1.37e-3  # of the unit of eigenvalues: where zero is looked at from
PROBES = 6  # sources of every equation, and functionals of every field
SEEN = 40  # places at which the answers to sources are looked at
ROUGH = 0.05  # residual of a mode above which it is none


@dataclass(frozen=True)
class LinearisedPencil:
    """The linearised equations as a pencil, known at the points of one layout."""

    problem: Problem
    linear: Linearisation
    signs: tuple[float, ...]
    degree: int = 1
    moving: tuple[()] = ()  # conditions with the eigenvalue: none
    is_complex: bool = False

    def powers(self, x: Array) -> Powers:
        zero = np.zeros_like(x)
        fields = list(self.problem.order.values())
        mass = [
            [[zero - sign if e == f and j == 0 else zero for j in range(order + 1)] for f, order in enumerate(fields)]
            for e, sign in enumerate(self.signs)
        ]
        return [self.linear.by_order, mass]


@dataclass(frozen=True, eq=False)
class Modes:
    """What tells that the linearised equations are singular, and whether the solution is stable.

    `tests` are numbers that pass zero where the equations are singular: real eigenvalues next to zero where there is
    diffusion, otherwise one number that passes zero with the determinant.
    """

    tests: tuple[float, ...]
    null: Direction | None  # the mode of the test next to zero
    growth: float | None  # the largest real part; None where nothing is said on stability

    @property
    def positive(self) -> int:
        """How many of the tests are positive."""
        return sum(test > 0.0 for test in self.tests)

    @property
    def smallest(self) -> float | None:
        """The test next to zero."""
        return min(self.tests, key=abs, default=None)


def modes_at(family: BranchFamily, state: BranchState) -> Modes:
    """The eigenvalues next to zero at a state, and its stability."""
    problem = family.member(state.parameter)
    constants = state.fit.constants[:-1]
    space = IntervalDiscretisation(problem, 1.0 / state.fit.basis.bases[0].spacing)
    try:
        layout = space.lay_out(state.fit.coordinates)
        start = Start(lambda f, points, orders: state.fields(f, points[0], orders[0]), tuple(constants.tolist()))
        iterate = space.iterate(layout, start)
        linear = space.linearise(layout, iterate)
        layout = layout.conditioned(linear.conditions)
        signs = diffusion(linear)
        if signs is None or problem.unknown:
            return _determinant(layout, linear, constants.size + 1)
        pencil = cast(Pencil, LinearisedPencil(problem, linear, signs))
        size, top = _unit(linear, problem), _highest(linear, signs)
        near = _resolved(candidates(ShiftedPencil.of(pencil, layout, complex(OFFSET * size)), NEAREST))
        first = _resolved(candidates(ShiftedPencil.of(pencil, layout, complex(top + 0.1 * size)), 3))
    except np.linalg.LinAlgError:
        return Modes((), None, None)
    growth = max((one.value.real for one in (*first, *near)), default=None)
    real = sorted((one for one in near if one.value.imag == 0.0), key=lambda one: abs(one.value))
    null = as_direction(real[0], constants.size + 1) if real else None
    return Modes(tuple(one.value.real for one in real), null, growth)


def as_direction(mode: EigenCandidate, constants: int) -> Direction:
    """A mode as a direction in which the constants stay."""
    return Direction(lambda f, x, order: mode.at(x, f, order).real, np.zeros(constants))


def _determinant(layout: IntervalLayout, linear: Linearisation, constants: int) -> Modes:
    """1/det T with T = C^T F'(u)^-1 B, for as many smooth sources B as functionals C of the answer.

    Unknown constants are functionals of it, and as many conditions are violated: a source that a constant balances does
    nothing to the fields, and T without it would be singular wherever one looks. `constants` counts the parameter too.

    The inverse is next to nothing but on smooth functions, so that T is as good as all of it: its determinant has poles
    where F'(u) is singular, and no zeros beside them. What is largest of the answers is the mode that is annihilated.
    """
    found = fit(layout, linear)
    layout, rows = found.layout, found.rows
    basis, fields = layout.basis, rows.fields
    shapes = np.polynomial.legendre.legvander(2.0 * rows.xi / basis.length - 1.0, PROBES - 1)
    sources = np.einsum("nj,ef->nefj", shapes, np.eye(rows.equations)).reshape(-1, rows.equations * PROBES)
    conditions, own = layout.trial.switch.shape[1], constants - 1
    violations = np.zeros((conditions, sources.shape[1] + own))
    violations[conditions - own :, sources.shape[1] :] = np.eye(own)
    weights, balanced = found.answer_with_constants(np.pad(sources, ((0, 0), (0, own))), violations)
    functions = [KernelSum(Chart(basis), one, np.zeros_like(one)) for one in weights.T]
    nodes, shares = np.polynomial.legendre.leggauss(SEEN)
    x = basis.inverse(0.5 * basis.length * (nodes + 1.0))
    seen = np.polynomial.legendre.legvander(nodes, PROBES - 1).T * shares
    tested = np.stack(
        [np.concatenate([seen @ one.within(f, x, 0) for f in range(fields)]) for one in functions], axis=1
    )
    tested = np.concatenate([tested, balanced])
    if not np.isfinite(tested).all() or fields != rows.equations:
        return Modes((), None, None)
    sign, logarithm = np.linalg.slogdet(tested)
    _, _, across = np.linalg.svd(tested)
    mode = weights @ across[0]
    function = KernelSum(Chart(basis), mode, np.zeros_like(mode))
    direction = Direction(lambda f, at, order: function.within(f, at, order), np.append(balanced @ across[0], 0.0))
    return Modes((float(sign * np.exp(-logarithm)),) if np.isfinite(logarithm) else (), direction, None)


def diffusion(linear: Linearisation) -> tuple[float, ...] | None:
    """The sign of every equation with which it diffuses; None where some equation is no diffusion of its own field."""
    signs = []
    for e, fields in enumerate(linear.by_order):
        order = len(fields[e]) - 1
        lead = fields[e][-1]
        others = [jets[-1] for f, jets in enumerate(fields) if f != e and len(jets) - 1 >= order]
        definite = bool((lead > 0.0).all() or (lead < 0.0).all())
        if order % 2 or not definite or any(np.any(other != 0.0) for other in others):
            return None
        sign = 1.0 if lead[0] > 0.0 else -1.0
        signs.append(sign if order % 4 == 2 else -sign)
    return tuple(signs)


def _resolved(found: Sequence[EigenCandidate]) -> list[EigenCandidate]:
    return [one for one in found if one.roughness <= ROUGH]


def _highest(linear: Linearisation, signs: Sequence[float]) -> float:
    """A bound of the real parts, from the terms without a derivative."""
    total = 0.0
    for e, fields in enumerate(linear.by_order):
        own = signs[e] * fields[e][0]
        beside = sum(np.abs(jets[0]) for f, jets in enumerate(fields) if f != e)
        total = max(total, float(np.max(own + beside)))
    return total


def _unit(linear: Linearisation, problem: Problem) -> float:
    """The size of eigenvalues whose modes are as long as the domain."""
    (axis,) = problem.axes
    sizes = [
        float(np.median(np.abs(jets[-1]))) * (np.pi / axis.length) ** (len(jets) - 1)
        for e, fields in enumerate(linear.by_order)
        for jets in [fields[e]]
    ]
    return max([*sizes, 1e-300])
