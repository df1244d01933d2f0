"""What follows at once: fields without a derivative in time, and values at ends, set so that their equations hold."""

from dataclasses import replace

import numpy as np
from scipy.linalg import solve_banded

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.evolution import UNMET, EndCondition
from gated_xtfc.solver.moving.breaks import Break, gap_at_end
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.layout import State
from gated_xtfc.solver.moving.size import field_sizes
from gated_xtfc.solver.moving.system import ENDS
from gated_xtfc.types import Array

NEWTON = 40  # steps, to find what follows at once
SETTLED = 1e-9  # of the values: a step whose square is lost in rounding
SHORTEST = 1e-4  # part of a step
LOST = 1e12  # by which rounding grows where nothing is left


def consistent(state: State, held: bool = False) -> State:
    """What follows at once, such as fields without a derivative in time, set so that its equations hold.

    Newton's method, damped as long as its steps do not shrink. With `held`, only fields without a derivative in time.
    """
    system = state.layout.system
    packing = system.packing
    mass = packing.packed(np.where(system.at_once[:, None], system.mass, 1.0)[None])[0] if held else system.packed_mass
    if mass.all():
        return state
    values, t = state.values, np.array([state.t])
    band, size = packing.band, packing.size
    row = np.arange(size) + np.arange(-band, band + 1)[:, None]
    inside = (row >= 0) & (row < size)
    kept = np.where(inside, mass[np.clip(row, 0, size - 1)], 0.0) == 1.0

    def missed(values: Array) -> Array:
        penalties = system.penalties(state.frame, state.t, values)
        right = packing.packed(system.right_side(state.frame, t, values[None], None, penalties)[0])[0]
        return np.where(mass == 1.0, 0.0, -right)

    solved, matrix, step = False, np.zeros(0), np.zeros(0)
    for _ in range(NEWTON):
        penalties = system.penalties(state.frame, state.t, values)
        matrix = system.jacobian(state.frame, state.t, values, None, penalties)[band:]
        matrix[kept] = 0.0
        matrix[band, mass == 1.0] = 1.0
        step = _solved(band, matrix, missed(values))
        length, part = float(np.abs(step).max()), 1.0
        if not np.isfinite(length):
            break
        solved = length <= SETTLED * float(np.abs(values).max())
        while True:
            ahead = values + part * packing.unpacked(step[None])[0]
            again = float(np.abs(_solved(band, matrix, missed(ahead))).max()) if not solved else 0.0
            if again <= (1.0 - 0.25 * part) * length or part < SHORTEST:
                break
            part *= 0.5
        values = ahead
        if solved or length <= 1e-12 * np.abs(values).max():
            solved = True
            break
    if system.at_once.any() and not (solved and _determined(band, matrix, mass)):
        names = system.equations.problem.fields
        listed = ", ".join(names[f] for f in np.flatnonzero(system.at_once))
        time = system.equations.evolution.time.name
        raise InputError(
            f"{listed} could not be found at {time} = {state.t:.6g} from the equations without a derivative in {time}: "
            "look whether these and the conditions determine one solution, or give values near it at that time"
        )
    if not np.isfinite(values).all():
        raise np.linalg.LinAlgError("conditions at the start that are not determined by the equations")
    return State(state.t, state.layout, state.gates, state.frame, values, state.error)


def _solved(band: int, matrix: Array, right: Array) -> Array:
    try:
        found: Array = solve_banded((band, band), matrix, right)
    except (np.linalg.LinAlgError, ValueError):
        return np.full_like(right, np.nan)
    return found


def _determined(band: int, matrix: Array, mass: Array) -> bool:
    """Whether rounding of the equations' terms leaves something of what they are solved for."""
    size = mass.size
    row = np.arange(size) + np.arange(-band, band + 1)[:, None]
    inside = (row >= 0) & (row < size)
    largest = np.zeros(size)
    np.maximum.at(largest, row[inside], np.abs(matrix[inside]))
    signs = np.where(np.arange(size) * 0.6180339887 % 1.0 < 0.5, 1.0, -1.0)
    moved = _solved(band, matrix, np.where(mass == 1.0, 0.0, signs * largest))
    return bool(np.abs(moved).max() < LOST)


def contradicted(state: State) -> str:
    """A sentence where a field that follows at once begins with something else than it is given."""
    equations = state.layout.system.equations
    evolution, names = equations.evolution, equations.problem.fields
    for f, initial in enumerate(evolution.initial):
        if initial is None or evolution.evolving[f]:
            continue
        given = initial(state.x)
        off = np.abs(state.values[f] - given)
        at = int(off.argmax())
        if off[at] > UNMET * max(float(np.abs(state.values[f]).max()), float(np.abs(given).max())):
            return (
                f"{quoted(initial.text)} contradicts the equations, which make {names[f]} begin with "
                f"{state.values[f, at]:.6g}, not {given[at]:.6g}, at {evolution.space.name} = {state.x[at]:.3g}"
            )
    return ""


def follows(condition: EndCondition, equations: Equations) -> bool:
    """Whether a field without a derivative in time is in a condition: what it is at the start has to be found first."""
    names, evolving = equations.problem.fields, equations.evolution.evolving
    return any(not evolving[names.index(name)] for name in condition.fields)


def missed_at_ends(state: State, tol: float) -> list[Break]:
    """Conditions with fields that follow at once which the start does not meet, for fields that evolve."""
    system = state.layout.system
    equations, names = system.equations, system.equations.problem.fields
    slopes = state.frame.slope[0] * state.layout.sites.derivatives(state.values)[0]
    size, length = field_sizes(state.values), equations.evolution.space.length
    found: list[Break] = []
    for end, site, _ in ENDS:
        for f, condition in enumerate(equations.evolution.ends[end]):
            if condition is None or not equations.evolution.evolving[f] or not follows(condition, equations):
                continue
            values, whole, x = state.values[:, [site]].copy(), 0.0, state.x[[site]]
            for _ in range(NEWTON):  # the condition need not be linear in what follows
                partials = equations.partials(x, state.t, (values, np.zeros_like(values), np.zeros_like(values)))
                jets = {name: (float(values[g, 0]), float(slopes[g, site])) for g, name in enumerate(names)}
                gaps = gap_at_end(condition, f, names, state.t, jets, equations.follows(partials)[:, f, 0])
                whole += gaps[0].leap if gaps else 0.0
                if not gaps or not abs(gaps[0].leap) > 1e-12 * size[f]:
                    break
                values[f] += gaps[0].leap
                values = equations.completed(x, state.t, values)
            gaps = [replace(one, leap=whole) for one in gaps]
            found += [one for one in gaps if max(abs(one.leap), abs(one.kink) * length) > 10.0 * tol * size[f]]
    return found
