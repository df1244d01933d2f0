"""The system as it stands, by collocation: polynomials on a few elements, Newton's method, elements halved where they
miss; tried before the pipeline, and left to it wherever its own estimate does not vouch for the tolerance.

On an element with the nodes t_0 = -1, ..., t_k = 1 the equations hold at the k points of Gauss,

    2/h sum_j D_cj y_j = f(x_c, sum_j P_cj y_j),

and the values inside follow from those at its left end: what is left is a system for the ends of elements, with the
conditions. A Newton step with four points more an element is the correction, and its size the estimate. Groups of
fields that do not see each other are columns of the same arrays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gated_xtfc.scipy.condensation import Condensation
from gated_xtfc.scipy.element_curve import ElementCurve, at_pieces, basis, places, samples, slope_blocks
from gated_xtfc.scipy.structure import FieldGroup
from gated_xtfc.scipy.system import System
from gated_xtfc.types import Array, Index

FIRST = 3  # elements to begin with
DEGREES = ((1e-4, 6), (1e-7, 8), (0.0, 12))  # of the elements, by tolerance
MORE = 4  # points an element in the step that estimates
MOST_ELEMENTS = 120
MOST_ROUNDS = 9
MOST_STEPS = 40
LEAST_DAMPING = 1.0 / 32.0
GOAL = 0.1  # of the tolerance, before the last step
FINEST = 1e-12
SMALL = 1e-10  # of the largest field
SETTLED = 0.1  # of the goal: what Newton's method may leave over
ROUNDING = 1e-13
LINEAR = 1e-13  # relative: conditions that miss what their derivatives say by no more are linear
NEAR = 30.0  # times the goal: what elements may miss for the estimate to be worth its while
SHARE = 0.3  # of the goal that an element may miss
MOST_PIECES = 4  # that an element falls into at once
ROUGH = 1e-2  # of the fields: as far as Newton's method goes on the first elements
SAMPLES = 256  # at least: where nobody has looked


@dataclass(frozen=True)
class Vouched:
    """A solution within the tolerance, as functions of x."""

    curve: ElementCurve
    error: float
    rounds: int
    fields: Index  # (groups, fields) of the system

    @property
    def points(self) -> int:
        return int(self.curve.y.size)

    def pieces(self, count: int, nodes: Array) -> tuple[Array, Array]:
        """The ends of equal pieces of all elements, and the fields at nodes (0 to 1) of each, (n, pieces, nodes)."""
        edges = self.curve.edges
        starts = np.arange(count)[:, None] / count
        values = self.curve.y @ at_pieces(self.curve.degree, count, tuple(nodes.tolist()))
        y = np.empty((self.fields.size, (edges.size - 1) * count, nodes.size))
        y[self.fields] = values.reshape(*self.fields.shape, -1, nodes.size)
        x = (edges[:-1, None] + np.diff(edges)[:, None] * starts.T).ravel()
        return np.append(x, edges[-1]), y


def collocated(
    system: System, groups: Sequence[FieldGroup], guess: Callable[[Array], Array], p: Array, tol: float, most: int
) -> Vouched | None:
    """The solution; None where it is for others to find, or to say that there is none.

    `guess` gives fields (n, m) at places, p the unknown constants, `most` the largest number of points.
    """
    if len({len(group.fields) for group in groups}) > 1 or (len(groups) > 1 and p.size):
        return None
    if any(len(group.conditions) != len(group.fields) + p.size for group in groups):
        return None
    work = Collocation(
        system,
        np.array([group.fields for group in groups]),
        np.array([group.conditions for group in groups]),
    )
    goal = max(GOAL * tol, FINEST)
    degree = next(degree for least, degree in DEGREES if tol >= least)
    edges = np.linspace(system.left, system.right, FIRST + 1)
    x = places(edges, basis(degree).nodes)
    curve = ElementCurve(edges, guess(x.ravel())[work.fields].reshape(*work.fields.shape, *x.shape), p)
    enough = ROUGH  # what Newton's method may leave over
    for number in range(MOST_ROUNDS):
        if edges.size - 1 > MOST_ELEMENTS or (edges.size - 1) * (degree + MORE) > most:
            return None
        found = work.newton(curve if curve.edges is edges else curve.on(edges, degree), max(SETTLED * goal, enough))
        if found is None:
            return None
        finer = found.on(edges, degree + MORE)
        residual, misfit = work.residual(finer)
        sizes = work.sizes(finer)
        missing = (np.abs(residual) / sizes.transpose(0, 2, 3, 1)).max(axis=(0, 2, 3)) * finer.lengths
        if not np.isfinite(missing).all():
            return None
        if missing.max() <= NEAR * goal:
            linear = work.linearised(finer)
            if linear is None or not linear.regular:
                return None
            step = linear.step(residual, misfit)
            error = work.size_of(step, finer, sizes)
            best = ElementCurve(edges, finer.y + step.y, finer.p + step.p)
            if error <= goal and work.between(best) <= tol:
                return Vouched(best, error, number + 1, work.fields)
            found = best
        pieces = np.ceil((missing / (SHARE * goal)) ** (1.0 / (degree + 1.0))).clip(1, MOST_PIECES).astype(int)
        if (pieces == 1).all():
            pieces[missing >= 0.5 * missing.max()] = 2
        edges = np.concatenate(
            [np.linspace(a, b, k, endpoint=False) for a, b, k in zip(edges[:-1], edges[1:], pieces, strict=True)]
            + [edges[-1:]]
        )
        curve, enough = found, min(ROUGH, 1e-2 * float(missing.max()))
    return None


@dataclass(frozen=True)
class Collocation:
    """The equations of a system on elements, by groups of fields."""

    system: System
    fields: Index  # (groups, n)
    conditions: Index  # (groups, n + constants)
    last_ends: dict[str, Array] = field(default_factory=dict)  # what is known of the conditions
    last_blocks: dict[str, Array] = field(default_factory=dict)  # ... and of elements: those of linear equations stay

    @property
    def seeds(self) -> list[list[int]]:
        """Fields that no equation shares: one of each group."""
        if len(self.fields) == 1:
            return self.fields[0].tolist()  # type: ignore[no-any-return]
        return [column.tolist() for column in self.fields.T]

    def slope(self, x: Array, y: Array, p: Array) -> tuple[Array, Array, Array]:
        """f (g, m, n), its derivatives by fields (g, m, n, n) and by constants (g, m, n, k); y is (g, n, m)."""
        system = self.system
        whole = np.empty((self.fields.size, x.size))
        whole[self.fields] = y
        f, partials = system.slope(x, whole, p, self.seeds, range(p.size))
        if system.singular is not None:
            inverse = 1.0 / (x - system.left)
            f = f + (system.singular @ whole) * inverse
            partials = np.array(partials)
            partials[: self.fields.size] += system.singular.T[:, :, None] * inverse
        found = f[self.fields].transpose(0, 2, 1)
        n = self.fields.shape[1]
        by_seed = partials[:, self.fields].transpose(1, 3, 2, 0)  # (g, m, n, seeds)
        return found, by_seed[..., :n], by_seed[..., n:]

    def ends(self, curve: ElementCurve) -> tuple[Array, Array, Array, Array]:
        """Conditions (g, c), and their derivatives by the values at both ends, (g, c, n), and by the constants."""
        n = self.fields.size
        ya, yb = self._at_ends(curve)
        at = np.concatenate([ya, yb, curve.p])
        known = self.last_ends
        if known:  # conditions that go on as their derivatives say keep them: most are linear
            value = self._conditions(ya, yb, curve.p)
            expected = known["value"] + known["partials"].T @ (at - known["at"])
            size = np.abs(known["value"]) + np.abs(known["partials"].T) @ (np.abs(at) + np.abs(known["at"]))
            if not (np.abs(value - expected) <= LINEAR * size).all():
                known.clear()
        if not known:
            value, partials = self.system.ends(ya, yb, curve.p)
            known |= {"at": at, "value": value, "partials": partials}
        rows = known["partials"].T[self.conditions]  # (g, c, 2 n + k)
        if len(self.fields) == 1:
            left, right = rows[:, :, :n], rows[:, :, n : 2 * n]
        else:
            places = self.fields[:, None, :]
            left, right = (np.take_along_axis(rows, places + shift, axis=2) for shift in (0, n))
        return np.asarray(value)[self.conditions], left, right, rows[:, :, 2 * n :]

    def _at_ends(self, curve: ElementCurve) -> Array:
        whole = np.empty((2, self.fields.size))
        whole[:, self.fields] = curve.y[:, :, 0, 0], curve.y[:, :, -1, -1]
        return whole

    def _conditions(self, ya: Array, yb: Array, p: Array) -> Array:
        system = self.system
        return system.apart(np.asarray(system.bc(system.together(ya), system.together(yb), p)))

    def linearised(self, curve: ElementCurve) -> Condensation | None:
        """The equations about a curve, eliminated down to the ends of elements; None where they have no value."""
        base = basis(curve.degree)
        groups, n, elements, _ = curve.y.shape
        k, rate = curve.degree, 2.0 / curve.lengths
        x = places(curve.edges, base.points)
        values = (curve.y @ base.values.T).reshape(groups, n, -1)
        f, by_field, by_constant = self.slope(x.ravel(), values, curve.p)
        shape = (groups, elements, k)
        slopes = (curve.y @ base.slopes.T).transpose(0, 2, 3, 1) * rate[:, None, None]
        residual = slopes - f.reshape(*shape, n)
        misfit, left, right, constant = self.ends(curve)
        if not np.isfinite(by_field.sum() + residual.sum() + misfit.sum() + left.sum() + right.sum()):
            return None
        last = self.last_blocks
        if last.get("edges") is not curve.edges or not np.array_equal(last["by_field"], by_field):
            blocks = rate[:, None, None, None, None] * slope_blocks(k, n)
            blocks = blocks - by_field.reshape(*shape, n, 1, n) * base.values[:, None, :, None]
            blocks = blocks.reshape(groups, elements, k * n, (k + 1) * n)
            inside = np.asarray(np.linalg.inv(blocks[..., n:]), dtype=float)
            last |= {"edges": curve.edges, "by_field": by_field, "inside": inside, "along": -inside @ blocks[..., :n]}
        inside, along = last["inside"], last["along"]
        by_p = inside @ by_constant.reshape(groups, elements, k * n, -1)
        size, count = (elements + 1) * n + curve.p.size, elements * n
        whole = np.zeros((groups, size, size))
        at, following = np.arange(count).reshape(elements, n), np.arange(n, count + n).reshape(elements, n)
        whole[:, at, following] = 1.0
        whole[:, at[:, :, None], at[:, None, :]] = -along[..., -n:, :]
        whole[:, :count, count + n :] = -by_p[..., -n:, :].reshape(groups, count, -1)
        whole[:, count:, :n], whole[:, count:, count : count + n] = left, right
        whole[:, count:, count + n :] = constant
        inverse = np.linalg.inv(whole)
        return Condensation(curve, residual, misfit, inside, along, by_p, whole, inverse)

    def newton(self, curve: ElementCurve, goal: float) -> ElementCurve | None:
        """Damped Newton's method, by the natural monotonicity test; None where it does not converge."""
        part = 1.0
        for _ in range(MOST_STEPS):
            linear = self.linearised(curve)
            if linear is None:
                return None
            step = linear.step(linear.residual, linear.misfit)
            sizes = self.sizes(curve)
            length = self.size_of(step, curve, sizes)
            if not np.isfinite(length):
                return None
            while True:
                after = ElementCurve(curve.edges, curve.y + part * step.y, curve.p + part * step.p)
                residual = self.residual(after)
                following = linear.step(*residual)
                remaining = self.size_of(following, curve, sizes)
                if remaining <= (1.0 - 0.25 * part) * length or length <= goal:
                    break
                part *= 0.5
                if part < LEAST_DAMPING:
                    return None
            curve = after
            if part == 1.0 and remaining <= max(goal, ROUNDING):
                return ElementCurve(curve.edges, curve.y + following.y, curve.p + following.p)
            part = min(1.0, 4.0 * part)
        return None

    def residual(self, curve: ElementCurve) -> tuple[Array, Array]:
        """What equations and conditions miss."""
        base = basis(curve.degree)
        groups, n, elements, _ = curve.y.shape
        x = places(curve.edges, base.points).ravel()
        f = self._f(x, (curve.y @ base.values.T).reshape(groups, n, -1), curve.p)
        slopes = (curve.y @ base.slopes.T).transpose(0, 2, 3, 1) * (2.0 / curve.lengths)[:, None, None]
        shaped = f.transpose(0, 2, 1).reshape(groups, elements, curve.degree, n)
        ya, yb = self._at_ends(curve)
        return slopes - shaped, self._conditions(ya, yb, curve.p)[self.conditions]

    def _f(self, x: Array, y: Array, p: Array) -> Array:
        """(g, n, m)"""
        system = self.system
        whole = np.empty((self.fields.size, x.size))
        whole[self.fields] = y
        f = system.apart(np.asarray(system.fun(x, system.together(whole), p)))
        if system.singular is not None:
            f = f + (system.singular @ whole) / (x - system.left)
        found: Array = f[self.fields]
        return found

    def sizes(self, curve: ElementCurve) -> Array:
        """The largest value of every field, (g, n, 1, 1); of one that is nothing, that of all."""
        own = np.abs(curve.y).max(axis=(2, 3), keepdims=True)
        largest = float(own.max())
        return np.where(own > SMALL * largest, own, largest or 1.0)

    def size_of(self, step: ElementCurve, curve: ElementCurve, sizes: Array) -> float:
        """A step, relative to the fields and the constants."""
        constants = np.abs(step.p) / np.maximum(np.abs(curve.p), 1.0)
        return max(float((np.abs(step.y) / sizes).max()), float(constants.max(initial=0.0)))

    def between(self, curve: ElementCurve) -> float:
        """The largest residual, relative to the slopes, at places where nobody has looked yet."""
        t, values, slopes = samples(curve.degree, max(SAMPLES // curve.lengths.size, 2 * curve.degree))
        shape = (*self.fields.shape, -1)
        f = self._f(places(curve.edges, t).ravel(), (curve.y @ values).reshape(shape), curve.p)
        found = (curve.y @ slopes * (2.0 / curve.lengths[:, None])).reshape(shape)
        return float((np.abs(found - f) / (1.0 + np.abs(f))).max())
