"""One step of Radau IIA on sites that move: Newton's method for the stages, and gates that follow what it finds.

The Jacobian is kept while a step is computed, unless that slows it down: it does for one kind of error only, a shift of
a front, which h/eps times amplifies. There are a few of them at most, so Anderson acceleration removes them.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack, solve_triangular

from gated_xtfc.core import compiled
from gated_xtfc.discretise.moving.coordinate import Frame
from gated_xtfc.solver.moving.estimate import grown
from gated_xtfc.solver.moving.layout import MovingLayout, State
from gated_xtfc.solver.moving.radau import METHOD
from gated_xtfc.solver.moving.size import largest
from gated_xtfc.solver.moving.tracking import followed
from gated_xtfc.types import Array

ITERATIONS = 20
DEPTH = 6  # of Anderson acceleration
ROUNDING = 1e-12
BLURRED = 1e-15  # by step over thickness: what rounding of the rates leaves of Newton's iteration
THINNEST, THICKEST = 0.05, 20.0  # a gate may become within a step
INSIDE = 1.15  # for u' = z (u - g) + g' the error inside a step is 0.95 to 1.14 times what it is found to be there
LATER = 3.0  # times as far may gates be off their fronts after three iterations
STUCK = 30.0  # times as far where following is slow
STALE = 0.05  # rate of Newton's method above which the Jacobian is taken anew, once: the error is carried along by it
SLOW = 0.5  # of what gates were off before: following that leaves more is slow
FARTHEST = 1.5  # thicknesses that a gate moves in one correction
NOTHING = 1e-8  # of a residual: what is left of it by others


@dataclass(frozen=True, eq=False)
class Stages:
    """A step that was taken: from where, over what time, and how it ran."""

    before: State
    step: float
    gates: Array  # at the stages, (s, 2, g)
    frame: Frame
    changes: Array  # Z, (s, m, n)
    local: Array  # by how much the embedded method differs, (m, n)
    within: Array  # by how much the polynomial may be off inside the step, (m, n)
    error: Array  # carried along, at its end, (m, n)
    embedded: float  # the largest of both errors in time, relative to `size` and the values
    spatial: float  # what differences in space add to the error, relative to `size`
    iterations: int

    @cached_property
    def after(self) -> tuple[float, Array, Array, Frame]:
        """Time, values, gates and sites at its end."""
        return self.before.t + self.step, self.before.values + self.changes[-1], self.gates[-1], self.frame.stage(-1)


@dataclass(eq=False)
class Linear:
    """mu/h mass - J in factors, for the real mu and for one of each complex pair."""

    layout: MovingLayout
    jacobian: Array
    step: float
    _real: tuple[Array, Array] | None = None
    _pairs: list[tuple[Any, Any]] = field(default_factory=list)

    def factored(self) -> bool:
        """Whether the matrices could be factored."""
        band, mass = self.layout.system.packing.band, self.layout.system.packed_mass
        matrix = -self.jacobian
        matrix[2 * band] += METHOD.real / self.step * mass
        factors, pivots, failed = lapack.dgbtrf(matrix, band, band, overwrite_ab=1)
        self._real, self._pairs = (factors, pivots), []
        for mu in METHOD.pairs:
            twin = -self.jacobian.astype(complex)
            twin[2 * band] += mu / self.step * mass
            factors, pivots, wrong = lapack.zgbtrf(twin, band, band, overwrite_ab=1)
            failed = failed or wrong
            self._pairs.append((factors, pivots))
        return not failed

    def real(self, right: Array) -> Array:
        """The real system, for right sides (m n,) or (m n, k)."""
        assert self._real is not None
        band = self.layout.system.packing.band
        found: Array = lapack.dgbtrs(self._real[0], band, band, right, self._real[1])[0]
        return found

    def advanced(self, kept: Array, source: Array) -> Array:
        """What a value and a constant source become over the step, (2, m n), from mass u/h and the source."""
        shares, end = METHOD.from_stages.sum(axis=1), METHOD.to_stages[-1]
        found: Array = shares[0] * end[0] * self.real(np.stack([METHOD.real * kept, source], axis=1)).T
        band = self.layout.system.packing.band
        for k, (mu, (factors, pivots)) in enumerate(zip(METHOD.pairs, self._pairs, strict=True)):
            a, b = 1 + 2 * k, 2 + 2 * k
            right = np.stack([mu * kept, source.astype(complex)], axis=1)
            solved = lapack.zgbtrs(factors, band, band, right, pivots)[0].T
            found = found + ((end[a] - 1j * end[b]) * (shares[a] + 1j * shares[b]) * solved).real
        return found

    def update(self, right: Array, transformed: Array) -> Array:
        """Newton's step in the eigenvectors, from f at the stages (s, m n)."""
        system = self.layout.system
        band, mass = system.packing.band, system.packed_mass
        turned = METHOD.from_stages @ right
        found = np.empty_like(turned)
        found[0] = self.real(turned[0] - METHOD.real / self.step * mass * transformed[0])
        for k, (mu, (factors, pivots)) in enumerate(zip(METHOD.pairs, self._pairs, strict=True)):
            a, b = 1 + 2 * k, 2 + 2 * k
            residual = turned[a] + 1j * turned[b] - mu / self.step * mass * (transformed[a] + 1j * transformed[b])
            solved = lapack.zgbtrs(factors, band, band, residual, pivots)[0]
            found[a], found[b] = solved.real, solved.imag
        return found


class Anderson:
    """The last few iterates and residuals, combined so that the residual is least."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.iterates: list[Array] = []
        self.residuals: list[Array] = []
        self._last: tuple[Array, Array] | None = None

    def next(self, iterate: Array, residual: Array, scale: Array, mix: bool) -> Array:
        """The following iterate, (s, m n); residuals are compared relative to a scale (m n,)."""
        if self._last is not None:
            self.iterates = [*self.iterates, iterate - self._last[0]][-DEPTH:]
            self.residuals = [*self.residuals, residual - self._last[1]][-DEPTH:]
        self._last = iterate, residual
        found = iterate + residual
        if not self.residuals or not mix:
            return found
        target = (residual / scale).ravel()
        columns: list[Array] = []
        triangle, side, numbers = np.zeros((DEPTH, DEPTH)), np.zeros(DEPTH), list[int]()
        for number in reversed(range(len(self.residuals))):  # each without what those after it explain
            column = (self.residuals[number] / scale).ravel()
            whole, k = float(np.linalg.norm(column)), len(columns)
            for q, other in enumerate(columns):
                triangle[q, k] = other @ column
                column = column - triangle[q, k] * other
            left = float(np.linalg.norm(column))
            if not left > NOTHING * whole:
                continue
            columns.append(column / left)
            triangle[k, k], side[k] = left, columns[-1] @ target
            numbers.append(number)
        k = len(columns)
        share = solve_triangular(triangle[:k, :k], side[:k]) if k else side[:0]
        for weight, number in zip(share, numbers, strict=True):
            found = found - weight * (self.iterates[number] + self.residuals[number])
        return found


def predicted(state: State, step: float, velocity: Array) -> Array:
    """Gates at the stages, from the last step ends; at the start from their velocity (2, g)."""
    times = (state.t + METHOD.nodes * step)[:, None, None]
    trail = state.trail
    if len(trail) < 2:
        return state.gates + (times - state.t) * velocity
    (t1, g1), (t0, g0) = trail[-1], trail[-2]
    first = (g1 - g0) / (t1 - t0)
    found = g1 + first * (times - t1)
    if len(trail) > 2:
        tm, gm = trail[-3]
        second = (first - (g0 - gm) / (t0 - tm)) / (t1 - tm)
        found = found + second * (times - t1) * (times - t0)
    return found


def gate_velocity(state: State, right: Array, slopes: Array, size: Array) -> Array:
    """Of place and thickness, (2, g), from f and u_x at one time, (m, n)."""
    inner = right.copy()
    inner[:, [0, -1]] = 0.0
    g = state.gates.shape[1]
    distances = state.frame.x[:, None] - state.gates[0][None, :, None]
    change = np.broadcast_to(inner, (1, g, *inner.shape))
    layout = state.layout
    found: Array = followed(
        state.values[None], slopes[None], distances, state.gates[1][None], change, size, layout.sites.gaps, layout.free
    )[0]
    return found


def take(state: State, step: float, size: Array, guess: Array | None, drift: float, settle: float) -> Stages | None:
    """A step of length `step`, None where its equations were not solved.

    `size` (m,) is what values are compared with, `guess` (s, m, n) a first guess of the changes; gates follow until
    they are off by `drift` thicknesses, Newton's method runs until it is off by `settle`.
    """
    layout, u, gates = state.layout, state.values, state.gates
    system, packing = layout.system, layout.system.packing
    if compiled.moving_step is not None and layout.core is not None:
        return _compiled(state, step, size, guess, drift, settle)
    t, g = state.t + METHOD.nodes * step, gates.shape[1]
    penalties = system.penalties(state.frame, state.t, u)
    start, slopes0 = (one[0] for one in system.right_side(state.frame, np.array([state.t]), u[None], None, penalties))
    velocity = gate_velocity(state, start, slopes0, size) if g else np.zeros((2, 0))
    changes = np.zeros((METHOD.stages, *u.shape)) if guess is None else guess
    stages = predicted(state, step, velocity)
    stages[:, 1] = np.clip(stages[:, 1], 0.2 * gates[1], 5.0 * gates[1])
    frame = layout.frame(stages, state.frame)
    moved = _velocity(stages, gates, frame, step)
    linear = _linear(state, step, frame, changes, moved, penalties)
    if linear is None:
        return None
    scale = packing.packed((size[:, None] + np.abs(u))[None])[0]
    noise = ROUNDING + (BLURRED * step / float(gates[1].min()) if g else 0.0)
    transformed = METHOD.from_stages @ packing.packed(changes)
    anderson, follow, converged, fresh, renewed = Anderson(), bool(g), False, True, False
    last = best = nearer = np.inf
    best_at = iteration = 0
    for iteration in range(ITERATIONS):
        changes = packing.unpacked(METHOD.to_stages @ transformed)
        right, _ = system.right_side(frame, t, u + changes, moved, penalties)
        if not np.isfinite(right).all():
            return None
        update = linear.update(packing.packed(right), transformed)
        norm = float(np.sqrt(np.mean((update / scale) ** 2)))
        if not np.isfinite(norm):
            return None
        rate = norm / last if np.isfinite(last) else np.inf
        if fresh:
            best, best_at = np.inf, iteration
            anderson.forget()
        elif iteration > 3 and (norm > 20.0 * best or iteration - best_at > 4):
            converged = best < 100.0 * noise  # no better than rounding allows
            if not converged:
                return None
            break
        if norm <= best:
            best, best_at = norm, iteration
        transformed = anderson.next(transformed, update, scale, iteration >= 2 and not fresh)
        fresh, last = False, norm
        if follow:
            changes = packing.unpacked(METHOD.to_stages @ transformed)
            shift = _shift(state, stages, frame, changes, size)
            off = float(np.abs(shift / gates[1]).max())
            if not np.isfinite(off):
                return None
            stuck = iteration >= 3 and off > SLOW * nearer
            nearer = off
            if off > drift * (1.0 if iteration < 3 else STUCK if stuck else LATER):
                shift *= min(1.0, FARTHEST / off)
                slopes = frame.slope[:, None] * layout.sites.derivatives(u + changes)[0]
                carried = np.einsum("sdn,sd->sn", frame.motion, shift.reshape(METHOD.stages, -1))
                transformed = METHOD.from_stages @ packing.packed(changes + slopes * carried[:, None])
                stages = stages + shift
                stages[:, 1] = np.clip(stages[:, 1], THINNEST * gates[1], THICKEST * gates[1])
                frame = layout.frame(stages, frame)
                moved = _velocity(stages, gates, frame, step)
                fresh, last = True, np.inf
                continue
            follow = iteration < 1
        if norm <= max(settle, noise) or (rate < 0.3 and rate * norm < settle):
            converged = True
            break
        if STALE < rate < np.inf and not renewed:
            changes = packing.unpacked(METHOD.to_stages @ transformed)
            linear = _linear(state, step, frame, changes, moved, penalties)
            if linear is None:
                return None
            fresh, renewed, last = True, True, np.inf
    if not converged and last > 1e3 * settle:
        return None
    changes = packing.unpacked(METHOD.to_stages @ transformed)
    local, within = _errors(state, step, stages, changes, start, slopes0, penalties, frame, linear)
    if not frame.regular:
        return None
    old, added = _carried(state, step, frame.stage(-1), changes[-1], moved[-1], penalties, linear)
    driven = np.where(system.at_once[:, None], 0.0, within)
    error = grown(old, added, local, driven, u + changes[-1], changes[-1], size, layout.regions)
    embedded = float((np.maximum(np.abs(local), np.abs(within)) / (size[:, None] + np.abs(u))).max())
    spatial = largest(added, size)
    return Stages(state, step, stages, frame, changes, local, within, error, embedded, spatial, iteration + 1)


def _compiled(
    state: State, step: float, size: Array, guess: Array | None, drift: float, settle: float
) -> Stages | None:
    """The same by the compiled core."""
    assert compiled.moving_step is not None
    layout, before, gates = state.layout, state.frame, np.ascontiguousarray(state.gates)
    assert layout.core is not None
    count, n, g = METHOD.stages, layout.sites.size, gates.shape[1]
    frame = Frame.empty(count, n, g, layout.pins is not None, before.anchor)
    frame.sigma[:] = before.sigma[-1]
    changes = np.zeros((count, *state.values.shape)) if guess is None else np.array(guess)
    stages = np.empty((count, 2, g))
    local, within, carried = np.empty((3, *state.values.shape))
    times = np.array([t for t, _ in state.trail])
    trail = np.array([one for _, one in state.trail])
    values, error = np.ascontiguousarray(state.values), np.ascontiguousarray(state.error)
    system = layout.system
    penalties = system.penalties(before, state.t, values) if system.coupled else np.zeros(0)
    where = *before.arrays, before.anchor, layout.fixed
    given = gates, values, size, *where, error, times, trail, layout.regions, penalties
    found = changes, stages, *frame.arrays, local, within, carried
    taken, iterations, embedded, spatial = compiled.moving_step(
        *layout.core, METHOD.packed, count, given, found, state.t, step, drift, settle
    )
    if not taken:
        return None
    return Stages(state, step, stages, frame, changes, local, within, carried, embedded, spatial, iterations)


def _linear(
    state: State, step: float, frame: Frame, changes: Array, velocity: Array, penalties: Array
) -> Linear | None:
    """Where the stages are now, None where that has no factors."""
    middle = METHOD.stages // 2
    t, values = state.t + METHOD.nodes[middle] * step, state.values + changes[middle]
    jacobian = state.layout.system.jacobian(frame.stage(middle), t, values, velocity[middle], penalties)
    linear = Linear(state.layout, jacobian, step)
    return linear if np.isfinite(jacobian).all() and linear.factored() else None


def _carried(
    state: State, step: float, frame: Frame, change: Array, velocity: Array, penalties: Array, linear: Linear
) -> tuple[Array, Array]:
    """What the error at the start becomes, and what differences in space add, by the method itself: (m, n) each.

    Backward Euler steps would smear out an error that is carried across the sites.
    """
    system, packing = state.layout.system, state.layout.system.packing
    t, values = np.array([state.t + step]), (state.values + change)[None]
    sides = [system.right_side(frame, t, values, velocity[None], penalties, checking)[0] for checking in (False, True)]
    source = packing.packed((sides[1] - sides[0]) * system.counted)[0]
    kept = packing.packed(state.error[None])[0] * system.packed_mass / step
    old, added = packing.unpacked(linear.advanced(kept, source))
    return old, added


def _velocity(stages: Array, gates: Array, frame: Frame, step: float) -> Array:
    """Of the sites at the stages, (s, n)."""
    moved = (stages - gates).reshape(len(stages), -1)
    found: Array = ((METHOD.rates(METHOD.inverse, moved) / step)[:, None] @ frame.motion)[:, 0]
    return found


def _shift(state: State, stages: Array, frame: Frame, changes: Array, size: Array) -> Array:
    """What is left to follow: the fit of what changed at points carried along with every gate."""
    layout, gates = state.layout, state.gates
    values = state.values + changes
    slopes = frame.slope[:, None] * layout.sites.derivatives(values)[0]
    distances = frame.x[:, None] - stages[:, 0][:, :, None]
    before = state.frame.x[0] - gates[0][:, None]
    rigid = distances - (stages[:, 1] / gates[1])[:, :, None] * before
    change = changes[:, None] - slopes[:, None] * rigid[:, :, None]
    return followed(values, slopes, distances, stages[:, 1], change, size, layout.sites.gaps, layout.free)


def _errors(
    state: State,
    step: float,
    stages: Array,
    changes: Array,
    start: Array,
    slopes: Array,
    penalties: Array,
    frame: Frame,
    linear: Linear,
) -> tuple[Array, Array]:
    """The difference to the embedded method of order s, and the error of the polynomial inside the step, each (m, n).

    By how much a polynomial misses the equations is turned into what it is off by with (mu/h - J)^-1. The embedded
    method misses them at the start: for what is stiff that follows the error at the end of a step, which is at most s
    times as large, but not that inside. The polynomial itself misses them between the stages: most at `looked`.
    """
    layout, system, packing = state.layout, state.layout.system, state.layout.system.packing
    moved = (stages - state.gates).reshape(METHOD.stages, -1)
    rates = METHOD.rates(METHOD.dense[:, 0], moved) / step @ state.frame.motion[0]
    missed = system.mass * (start + slopes * rates + np.tensordot(METHOD.error, changes, 1) / step)
    powers = METHOD.looked ** np.arange(METHOD.stages)
    along, ahead = METHOD.looked * METHOD.dense @ powers, METHOD.dense @ (np.arange(1, METHOD.stages + 1) * powers)
    here = layout.frame((state.gates.ravel() + along @ moved).reshape(1, *state.gates.shape), frame.stage(-1))
    rates = METHOD.rates(ahead, moved) / step @ here.motion[0]
    t, values = np.array([state.t + METHOD.looked * step]), state.values + np.tensordot(along, changes, 1)
    right = system.right_side(here, t, values[None], rates[None], penalties)[0][0]
    gap = system.mass * np.tensordot(ahead, changes, 1) / step - right
    found = linear.real(packing.packed(np.stack([missed, gap])).T).T
    local, within = packing.unpacked(found)
    return local, INSIDE * within
