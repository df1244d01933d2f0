"""What the texts of the start and of the equations show along space: layers, needles, breaks, and what spreads."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.gates.probe_lines import ProbeLines
from gated_xtfc.gates.text import Feature, Reading, read
from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.evolution import Evolution, Leads
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.moving.breaks import BESIDE, given_values, stated_values
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.needles import lasting, looked_through
from gated_xtfc.types import Array

IDLE = 257  # places at which the factors of derivatives in time are looked at
NOTHING = 1e-12  # of the largest of them: it vanishes
LATER = 0.37  # of the time: a needle that is there at the start and then is there always
SLIGHTLY = 1e-6  # of the time: what has moved by then does not stand still


@dataclass(frozen=True)
class StartFeatures:
    """Where texts say that the start, or an equation, is sharp: gates to begin with."""

    sharp: tuple[Feature, ...]
    breaks: tuple[float, ...]  # of the start
    anchors: tuple[float, ...] = ()  # of the equations, inside: gates that stay
    needles: tuple[Feature, ...] = ()  # of the equations, at all times


def features(problem: Problem, evolution: Evolution) -> StartFeatures:
    """What the texts of the values at the start, and of the equations, show along space."""
    space = evolution.space
    runs: list[Any] = [
        lambda t, _, watch, one=one: one.run(Dual(t, {space.name: 1.0}), watch)
        for one in evolution.initial
        if one is not None
    ]
    ends, time = (space.left, space.right), evolution.time
    sharp: list[Feature] = []
    breaks: set[float] = set()
    anchors: set[float] = set()
    needles: list[Feature] = []
    for run in runs:
        reading = read(ProbeLines(space.name, *ends, 1, run))
        sharp += [one for one in reading.features if space.left <= one.location <= space.right]
        breaks.update(reading.breaks)
    for equation in problem.equations:
        if not isinstance(equation, TextEquation):
            continue
        lines = [_along_space(equation, evolution, at) for at in (time.left, time.left + LATER * evolution.horizon)]
        sharp += [one for one in lines[0].features if space.left <= one.location <= space.right]
        for line, at in zip(lines, (0.0, LATER), strict=True):
            if line.breaks:  # those that stand still, also where they are there for a part of the time only
                later = _along_space(equation, evolution, time.left + (at + SLIGHTLY) * evolution.horizon).breaks
                anchors.update(x for x in line.breaks if any(abs(x - one) <= BESIDE * space.length for one in later))
        needles += lasting(lines, ends)
    anchors.update(idle_places(problem, evolution))
    return StartFeatures(tuple(sharp), tuple(sorted(breaks)), tuple(sorted(anchors)), tuple(needles))


def idle_places(problem: Problem, evolution: Evolution) -> list[float]:
    """Places inside at which the factor of the derivatives in time vanishes, as in (x - 0.5)^2*u_t = u_xx.

    Nothing but u_xx = 0 is left of the equation there: a place like that is joined to what is around it.
    """
    space = evolution.space
    given = stated_values(evolution)
    own, rate = np.array(evolution.evolving), evolution.along(0, 1)
    rows = np.array([any(orders == rate for _, orders in one.derivatives) for one in problem.equations])

    def factor(x: Array) -> Array:
        jets = np.stack([given(x), *np.zeros((2, own.size, x.size))])
        mass = Leads.at(problem.equations, problem.fields, evolution, x, evolution.time.left, jets).mass
        found: Array = np.abs(np.linalg.det(mass[:, rows][:, :, own]))
        return found

    x = np.linspace(space.left, space.right, IDLE)
    size = factor(x)
    found = []
    for i in np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] < size[2:])) + 1:
        low, high = x[i - 1], x[i + 1]
        while high - low > BESIDE * space.length:
            near = np.linspace(low, high, 9)
            best = int(np.argmin(factor(near)))
            low, high = near[max(best - 1, 0)], near[min(best + 1, 8)]
        place = 0.5 * (low + high)
        if float(factor(np.array([place]))[0]) <= NOTHING * float(size.max()):
            found.append(float(place))
    return found


def _along_space(equation: TextEquation, evolution: Evolution, t: float) -> Reading:
    """What a text shows along space at one time."""
    space, state = evolution.space, {key: unknown(key, 0.3) for key in equation.derivatives}

    def run(x: Any, _: Any, watch: Any) -> Any:
        return equation.residual(evolution.point(Dual(x, {space.name: 1.0}), t), state, watch)

    ends = space.left, space.right
    return looked_through(space.name, ends, run, equation.free_text, **{evolution.time.name: t})


def spreading(equations: Equations) -> list[bool]:
    """Whether every field is spread by its own second derivative somewhere at the start."""
    space = equations.evolution.space
    x = space.left + space.length * np.linspace(0.0, 1.0, 65)[1:-1] ** 1.1
    u = given_values(equations)(x)
    zero, own = np.zeros_like(u), np.arange(equations.count)
    partials = equations.inserted(equations.partials(x, equations.evolution.time.left, (u, zero, zero)))
    return [bool((row > 0.0).any()) for row in partials.second[own, own]]
