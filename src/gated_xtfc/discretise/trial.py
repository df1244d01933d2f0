"""The constrained expression: u = g + sum_k s_k (b_k - L_k[g]) meets L_k[u] = b_k for every free function g.

Conditions become rows, what each functional gives on every kernel of every field; a break of the domain adds rows of
its own: u, u', ..., u^(order - 1) of every field agree from both sides. The supports of the switching functions s_k are
kernels of the basis itself, chosen by a pivoted factorisation of these rows. They are local and as wide as the layer
they stand in, so that derivative conditions cost no digits and the rows stay banded.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc import lapack
from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.errors import InputError
from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.jumps import Jump
from gated_xtfc.types import Array, Index

# Sixteen Gauss-Legendre points a kernel width integrate kernels to rounding.
GAUSS = 16


@dataclass(frozen=True)
class Functionals:
    """All functionals of one problem on one basis: its conditions, then the joints."""

    basis: Piecewise
    fields: tuple[str, ...]
    orders: tuple[int, ...]  # of the equations in each field: what must be continuous at a break
    conditions: tuple[Condition, ...]
    constants: tuple[str, ...] = ()  # unknown constants, which conditions may hold as well
    jumps: tuple[Jump, ...] = ()  # what does not agree from both sides of a break

    @property
    def size(self) -> int:
        """Columns: kernels times fields."""
        return self.basis.size * len(self.fields)

    def local(self) -> "Functionals":
        """Those conditions that live at one place each: the ones that keep the rows banded."""
        return replace(self, conditions=tuple(c for c in self.conditions if c.local))

    def distant(self) -> "Functionals":
        """The other conditions, which tie distant places together, without the joints."""
        none = (0,) * len(self.fields)
        return replace(self, orders=none, conditions=tuple(c for c in self.conditions if not c.local))

    def rows(self) -> Array:
        """(number of functionals, columns)."""
        count = len(self.fields)
        rows = np.zeros((len(self.conditions), self.size))
        for (f, order), (owner, points, weights) in self._terms.items():
            np.add.at(rows[:, f::count], owner, weights[:, None] * self.basis.matrix(points, order))
        for k, f, order, x, density in self._densities:
            window = self.basis.window(x, order)
            entries = (density[:, None] * window.derivative(order)).ravel()
            found = np.bincount(window.columns().ravel(), entries, minlength=self.basis.size)
            rows[k, f::count] += found[: self.basis.size]
        return np.vstack([rows, *self._joints]) if self._joints else rows

    def on(self, weights: Array) -> Array:
        """The functionals of a sum of kernels with these weights (columns,), (number of functionals,).

        Computed from the same sums that evaluate the solution, not from `rows`: then what is added to meet a condition
        cancels exactly what evaluation will find there.
        """
        count = len(self.fields)
        found = np.zeros(len(self.conditions))
        for (f, order), (owner, points, factors) in self._terms.items():
            np.add.at(found, owner, factors * self.basis.evaluate(points, order, weights[f::count]))
        for k, f, order, x, density in self._densities:
            found[k] += np.sum(density * self.basis.evaluate(x, order, weights[f::count]))
        return np.append(found, [joint @ weights for joint in self._joints])

    def values(self) -> Array:
        """What the functionals are to give: the values of the conditions, and the jumps at the joints."""
        return np.append([condition.value for condition in self.conditions], self._jumps)

    def without_constants(self) -> "Functionals":
        """The same for constants that are known."""
        conditions = tuple(replace(condition, constants=()) for condition in self.conditions)
        return replace(self, conditions=conditions)

    def of_constants(self) -> Array:
        """What multiplies the unknown constants in each, (number of functionals, constants); zero in the joints."""
        found = np.zeros((len(self.conditions) + len(self._joints), len(self.constants)))
        for row, condition in zip(found, self.conditions, strict=False):
            for name, weight in condition.constants:
                row[self.constants.index(name)] = weight
        return found

    @cached_property
    def holds_constants(self) -> bool:
        """Whether some condition has an unknown constant in it."""
        return any(condition.constants for condition in self.conditions)

    def names(self) -> list[str]:
        """What messages call them."""
        joints = [f"continuity at {x:.6g}" for x in self.basis.breaks for _ in range(sum(self.orders))]
        return [condition.text for condition in self.conditions] + joints

    @cached_property
    def _terms(self) -> dict[tuple[int, int], tuple[Index, Array, Array]]:
        """By field and order of derivative: which condition, where, with which weight."""
        found: dict[tuple[int, int], list[tuple[int, float, float]]] = {}
        for k, condition in enumerate(self.conditions):
            for term in condition.terms:
                key = (self.fields.index(term.field), term.order)
                found.setdefault(key, []).append((k, term.point, term.weight))
        return {
            key: (np.array([t[0] for t in terms]), np.array([t[1] for t in terms]), np.array([t[2] for t in terms]))
            for key, terms in found.items()
        }

    @cached_property
    def _densities(self) -> list[tuple[int, int, int, Array, Array]]:
        """Integrals: which condition, field, order, quadrature points, weights times what multiplies the field."""
        found = []
        for k, condition in enumerate(self.conditions):
            for integral in condition.all_integrals:
                x, w = self.quadrature
                for (field, order), coefficient in integral.coefficients(x).items():
                    found.append((k, self.fields.index(field), order, x, integral.weight * coefficient * w))
        return found

    @cached_property
    def _jumps(self) -> Array:
        """Left less right at every joint."""
        places, count = self.basis.breaks, sum(self.orders)
        found = np.zeros((places.size, count))
        for jump in self.jumps if count else ():
            f = self.fields.index(jump.field)
            found[np.argmin(np.abs(places - jump.place)), sum(self.orders[:f]) + jump.order] -= jump.value
        return found.ravel()

    @cached_property
    def _joints(self) -> list[Array]:
        found = []
        for p, at in enumerate(self.basis.breaks.tolist()):
            for f, order in enumerate(self.orders):
                for j in range(order):
                    row = np.zeros(self.size)
                    row[f :: len(self.fields)] = self.basis.piece_row(p, at, j) - self.basis.piece_row(p + 1, at, j)
                    found.append(row)
        return found

    @cached_property
    def quadrature(self) -> tuple[Array, Array]:
        """Points and weights that integrate over the domain, each (n,)."""
        return quadrature(self.basis)


def quadrature(basis: Piecewise) -> tuple[Array, Array]:
    """Points and weights that integrate sums of kernels over the domain, each (n,)."""
    points, weights = [], []
    for coordinate in basis.coordinates:
        edges = coordinate.inverse(np.linspace(0.0, coordinate.length, int(np.ceil(coordinate.length)) + 1))
        edges[0], edges[-1] = coordinate.left, coordinate.right
        there, factors = on_intervals(edges[:-1], edges[1:], GAUSS)
        points.append(there.ravel())
        weights.append(factors.ravel())
    return np.concatenate(points), np.concatenate(weights)


# Two conditions closer to dependence than this cannot both be met in double precision.
DEPENDENT = 1e-11


@dataclass(frozen=True)
class Trial:
    """The constrained expression on one basis: free kernels, and supports whose weights follow from the conditions.

    Where conditions hold unknown constants y, some may say nothing more of the fields than others do, u(0) = a and
    u(0) = b^2, or nothing at all. These are met by the constants: y = pin @ values + loose @ z, with z free.
    """

    functionals: Functionals
    kept: Index  # (p,) the conditions and joints that the supports meet: all q, unless constants meet the others
    pivots: Index  # (p,) kernels that serve as supports
    free: Index  # (n,) the others: one coefficient each
    switch: Array  # (p, q) support weights of each switching function
    couple: Array  # (p, n) what a unit of each free kernel takes from the supports
    particular: Array  # (p,) support weights of the particular solution
    pin: Array  # (constants, q)
    loose: Array  # (constants, free constants)

    @property
    def basis(self) -> Piecewise:
        return self.functionals.basis

    @classmethod
    def on(cls, functionals: Functionals) -> "Trial":
        """Chooses the supports; refuses conditions that depend on each other."""
        rows, values = functionals.rows(), functionals.values()
        if not len(values):
            return cls(functionals, *_unconstrained(functionals.size, len(functionals.constants)))
        kept, pin, loose = _kept(rows, functionals)
        number, rows, values = len(values), rows[kept], values[kept]
        size = np.abs(rows).max(axis=1)
        if not np.all(size > 0):
            raise InputError(
                f"the condition '{functionals.names()[int(np.argmin(size))]}' does not involve the solution"
            )
        scaled = rows / size[:, None]
        if not np.isfinite(scaled).all():
            raise np.linalg.LinAlgError("the conditions are not finite")
        factor, order, _, _, _ = lapack.dgeqp3(scaled)
        pivots = np.sort(order[: len(values)] - 1).astype(np.intp)
        diagonal = np.abs(np.diag(factor))
        if diagonal.min() < DEPENDENT * diagonal.max():
            raise InputError(_dependence(scaled, values / size, functionals.names()))
        inverse = np.linalg.inv(scaled[:, pivots])
        free = np.delete(np.arange(rows.shape[1]), pivots)
        couple = inverse @ scaled[:, free]
        switch = np.zeros((len(values), number))
        switch[:, kept] = inverse / size
        return cls(functionals, kept, pivots, free, switch, couple, inverse @ (values / size), pin, loose)

    @property
    def met(self) -> Functionals:
        """The functionals that the supports meet."""
        conditions = self.functionals.conditions
        return replace(self.functionals, conditions=tuple(conditions[k] for k in self.kept if k < len(conditions)))

    def constants(self, loose: Array) -> Array:
        """All unknown constants, from those that the conditions leave free."""
        found: Array = self.pin @ self.functionals.values() + self.loose @ loose
        return found

    @cached_property
    def lift(self) -> Array:
        """(q, constants) weights of the supports that a unit of each constant in the conditions takes away."""
        return self.switch @ self.functionals.of_constants()

    def reduce(self, raw: Array) -> Array:
        """Columns of an operator on all kernels (n, size) turned into columns on the free ones, conditions built in."""
        reduced: Array = raw[:, self.free] - raw[:, self.pivots] @ self.couple
        return reduced

    def weights(self, coefficients: Array, constants: Array | None = None) -> tuple[Array, Array]:
        """Kernel weights of g and of the switching part, kept apart so that conditions hold to the last bit."""
        free, switch = np.zeros(self.functionals.size), np.zeros(self.functionals.size)
        free[self.free] = coefficients
        values = self.functionals.values()
        if constants is not None and self.functionals.holds_constants:
            values = values - self.functionals.of_constants() @ constants
        switch[self.pivots] = self.switch @ (values - self.functionals.on(free))
        return free, switch

    def all_weights(self, coefficients: Array) -> Array:
        """Weights of all kernels, supports included, (size,): enough for fitting, where the last bits do not matter."""
        weights = self.homogeneous_weights(coefficients)
        weights[self.pivots] += self.particular
        return weights

    def homogeneous_weights(self, coefficients: Array) -> Array:
        """The same of a function that meets the conditions with values of zero."""
        weights = np.zeros(self.functionals.size)
        weights[self.free] = coefficients
        weights[self.pivots] = -(self.couple @ coefficients)
        return weights


def _unconstrained(size: int, constants: int) -> tuple[Index, Index, Index, Array, Array, Array, Array, Array]:
    none, pin, loose = np.zeros(0, dtype=np.intp), np.zeros((constants, 0)), np.eye(constants)
    return none, none, np.arange(size), np.zeros((0, 0)), np.zeros((0, size)), np.zeros(0), pin, loose


def _kept(rows: Array, functionals: Functionals) -> tuple[Index, Array, Array]:
    """Conditions that are independent in the fields, and what the others make of the unknown constants."""
    count, number = rows.shape[0], len(functionals.constants)
    every, pin, loose = np.arange(count), np.zeros((number, count)), np.eye(number)
    if not functionals.holds_constants:
        return every, pin, loose
    beside = functionals.of_constants()
    if not (np.isfinite(rows).all() and np.isfinite(beside).all()):
        raise np.linalg.LinAlgError("the conditions are not finite")
    size = np.abs(rows).max(axis=1)
    scaled = rows / np.where(size > 0.0, size, 1.0)[:, None]
    # a condition with a constant in it is the one to leave to the constants
    first = np.where(beside.any(axis=1), 1.0, 2.0)
    factor, order, _, _, _ = lapack.dgeqp3(np.asfortranarray((scaled * first[:, None]).T))
    diagonal = np.abs(np.diag(factor))
    rank = int((diagonal > DEPENDENT * diagonal.max()).sum())
    if rank == count:
        return every, pin, loose
    kept, others = np.sort(order[:rank] - 1), np.sort(order[rank:] - 1)
    combination, *_ = np.linalg.lstsq(rows[kept].T, rows[others].T)
    remainder = np.zeros((others.size, count))  # times the conditions: what is left has no field in it
    remainder[np.arange(others.size), others] = 1.0
    remainder[:, kept] = -combination.T
    left, values, right = np.linalg.svd(remainder @ beside)
    if others.size > number or values.min() <= DEPENDENT * max(1.0, values.max()):
        raise InputError(_dependence(scaled, functionals.values(), functionals.names()))
    pin = right[: others.size].T @ ((left.T @ remainder) / values[:, None])
    return kept.astype(np.intp), pin, right[others.size :].T


def _dependence(rows: Array, values: Array, names: list[str]) -> str:
    """Says which conditions depend on each other, and whether they contradict."""
    weights = np.linalg.svd(rows, full_matrices=False)[0][:, -1]
    involved = [f"'{name}'" for name, weight in zip(names, weights, strict=True) if abs(weight) > 1e-3]
    clash = abs(float(weights @ values)) > 1e-9 * float(np.abs(values).max())
    listed = " and ".join(involved)
    if clash:
        return f"the conditions {listed} contradict each other: give conditions that can hold together"
    return f"the conditions {listed} say the same thing twice: replace one of them by an independent condition"
