"""The pencil seen from a shift: with A(lam) = sum_k (lam - shift)^k P_k on a layout, eigenvalues are those of

    T f = -P_1 A^+ f,      A = P_0,  f = A c,      T f = f / (lam - shift),

for what is f = (the operator at the shift on u), at the sites: A^+ is the solver of the equations, conditions built in,
so T is as well conditioned as they are, whatever kernels are used. A polynomial pencil of degree d has d blocks of f.
Conditions that hold lam, C(lam) u = 0, are rows like those of the sites: f has what they give at the shift behind it.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack

from gated_xtfc.discretise.kernel_window import pull_back
from gated_xtfc.discretise.rows import Rows, interleaved, row_scale
from gated_xtfc.discretise.trial import Trial
from gated_xtfc.linalg.arnoldi import Numbers
from gated_xtfc.linalg.complex_dense import ComplexDense
from gated_xtfc.solver.interval.fit import columns, factorised
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.spectra.pencil import Pencil
from gated_xtfc.types import Array

Sparse = Any  # SciPy has no types
EXPLICIT = 2500  # sites up to which T is kept as a matrix; beyond, it is applied by the factorisation along the band


@dataclass(frozen=True, eq=False)
class ShiftedPencil:
    """T on one layout."""

    pencil: Pencil
    layout: IntervalLayout
    shift: complex
    powers: tuple[Array, ...]  # of every power of lam: the operator on the windows of kernels, rows scaled
    frame: Trial  # of the factorisation's columns
    factor: Any
    beside: Any  # (sites, supports) columns of the operator at the shift, where some conditions hold lam

    @classmethod
    def of(cls, pencil: Pencil, layout: IntervalLayout, shift: complex) -> "ShiftedPencil":
        """Scales the rows by the size of the operator at the shift, and factorises it."""
        real = shift.imag == 0.0 and not pencil.is_complex
        at = shift.real if real else shift
        coefficients, window = pencil.powers(layout.x), layout.window
        equations = range(len(coefficients[0]))
        scales = []
        for e in equations:
            fields = [
                [sum(at**k * power[e][f][j] for k, power in enumerate(coefficients)) for j in range(len(jets))]
                for f, jets in enumerate(coefficients[0][e])
            ]
            scales.append(row_scale(fields, window.jets[1]))  # type: ignore[arg-type]
        inner = [
            [[pull_back(window.jets, [a / scales[e] for a in jets]) for jets in power[e]] for e in equations]
            for power in coefficients
        ]
        values = tuple(interleaved(window, own) for own in inner)
        total: Any = sum(at**k * value for k, value in enumerate(values))
        nothing = np.zeros(total.shape[0])
        rows = Rows(layout.x, window, inner[0], total, nothing, np.zeros((nothing.size, 0)))[layout.site_indices]
        trial, moving = layout.trial, len(pencil.moving) > 0
        if real:
            frame, real_factor, *_ = factorised(layout, rows)
            beside = columns(rows, trial.pivots) if moving else None
            return cls(pencil, layout, shift, values, frame, real_factor, beside)
        raw: Any = np.zeros((rows.target.size, layout.functionals.size + rows.values.shape[1]), dtype=complex)
        raw[np.arange(raw.shape[0])[:, None], rows.first[:, None] + np.arange(rows.values.shape[1])] = rows.values
        reduced: Any = trial.reduce(raw[:, : layout.functionals.size])
        factor = ComplexDense.of(reduced)
        return cls(pencil, layout, shift, values, trial, factor, raw[:, trial.pivots] if moving else None)

    @property
    def real(self) -> bool:
        return self.shift.imag == 0.0 and not self.pencil.is_complex

    @property
    def equations(self) -> int:
        return len(self.layout.functionals.fields)

    @property
    def sites(self) -> int:
        """Rows of the equations."""
        return int(self.layout.site_indices.size * self.equations)

    @property
    def block(self) -> int:
        """Rows of one block of f: those of the equations, and the conditions that hold lam."""
        return self.sites + len(self.pencil.moving)

    @property
    def size(self) -> int:
        return self.block * self.pencil.degree

    @cached_property
    def row_sizes(self) -> Array:
        """(equations, fields) how large an equation becomes at the most for a field of size one."""
        at, e, fields = (
            self.shift.real if self.real else self.shift,
            self.equations,
            len(self.layout.functionals.fields),
        )
        total = np.abs(sum(at**k * value for k, value in enumerate(self.powers)))
        return np.asarray(total.reshape(-1, e, total.shape[1] // fields, fields).sum(axis=2).max(axis=0))

    @cached_property
    def site_rows(self) -> Array:
        e = self.equations
        return np.asarray((self.layout.site_indices[:, None] * e + np.arange(e)).ravel())

    @cached_property
    def everywhere(self) -> tuple[Sparse, ...]:
        """The operator of every power of lam at all points, on all kernels: (points equations, columns)."""
        e, fields = self.equations, len(self.layout.functionals.fields)
        first = np.repeat(self.layout.window.first * fields, e)
        width, size = self.powers[0].shape[1], self.layout.functionals.size
        columns = np.minimum(first[:, None] + np.arange(width), size - 1).ravel()  # windows are padded with zeros
        start = np.arange(0, columns.size + 1, width)
        return tuple(csr_matrix((values.ravel(), columns, start), shape=(first.size, size)) for values in self.powers)

    @cached_property
    def conditions(self) -> tuple[Numbers, ...]:
        """C_0, C_1, ... of the conditions that hold lam, (conditions, columns), their rows of size one at the shift."""
        powers = self.pencil.moving.powers(self.layout.functionals)
        at = sum(abs(self.shift) ** k * np.abs(power) for k, power in enumerate(powers))
        size = np.asarray(at).max(axis=1, keepdims=True)
        return tuple(power / size for power in powers)

    @cached_property
    def steps(self) -> tuple[Sparse, ...]:
        """P_1, P_2, ... at the sites, and of the conditions that hold lam behind them."""
        found = self._about_shift([matrix[self.site_rows] for matrix in self.everywhere])[1:]
        if not len(self.pencil.moving):
            return tuple(found)
        behind = [csr_matrix(one) for one in self._about_shift(list(self.conditions))[1:]]
        return tuple(
            vstack([found[k] if k < len(found) else found[0] * 0.0, behind[k] if k < len(behind) else behind[0] * 0.0])
            for k in range(self.pencil.degree)
        )

    def _about_shift(self, powers: list[Any]) -> list[Any]:
        """Factors of the powers of lam - shift from those of the powers of lam."""
        at = self.shift.real if self.real else self.shift
        powers = powers if len(powers) > 1 else [*powers, 0.0 * powers[0]]
        number = range(len(powers))
        return [sum(comb(k, j) * at ** (k - j) * powers[k] for k in number if k >= j) for j in number]

    @cached_property
    def lift(self) -> tuple[Numbers, Numbers]:
        """Kernel weights (columns, q) of what solves the equations with one condition that holds lam violated by one,
        and these conditions at the shift, (q, columns)."""
        trial, number = self.layout.trial, len(self.pencil.moving)
        last = len(self.layout.functionals.conditions)
        supports = trial.switch[:, last - number : last]
        found = self._from_coefficients(self.factor.homogeneous(-(self.beside @ supports)))
        found[trial.pivots] += supports
        here = np.asarray(self._about_shift(list(self.conditions))[0])
        return np.linalg.solve((here @ found).T, found.T).T, here

    def weights(self, f: Numbers) -> Numbers:
        """Kernel weights (columns, r) of the functions with these f, (block, r)."""
        if self.real and np.iscomplexobj(f):
            return np.asarray(self.weights(f.real) + 1j * self.weights(f.imag))
        weights = self._from_coefficients(self.factor.homogeneous(f[: self.sites]))
        if not len(self.pencil.moving):
            return weights
        lift, here = self.lift
        return np.asarray(weights + lift @ (f[self.sites :] - here @ weights))

    def _from_coefficients(self, c: Numbers) -> Numbers:
        weights, frame = np.zeros((self.layout.functionals.size, c.shape[1]), dtype=c.dtype), self.frame
        weights[frame.free] = c
        weights[frame.pivots] = -(frame.couple @ c)
        return weights

    @cached_property
    def blocks(self) -> tuple[Numbers, ...]:
        """-P_1 A^+, -P_2 A^+, ... as matrices, (block, block).

        Row by row: P A^+ is found without the coefficients of rough functions, which are large and cancel.
        """
        return tuple(self._solved(step.toarray()) for step in self.steps)

    def _solved(self, rows: Numbers) -> Numbers:
        """-rows times the solver, (p, block), for rows (p, columns)."""
        if not len(self.pencil.moving):
            return np.asarray(-self.factor.adjoint(self.frame.reduce(rows)))
        lift, here = self.lift
        behind = rows @ lift
        return np.hstack([-self.factor.adjoint(self.frame.reduce(rows - behind @ here)), -behind])

    def matrix(self) -> Numbers:
        """T itself, (size, size)."""
        m, whole = self.block, np.eye(self.size, k=-self.block, dtype=self.kind)
        for k, block in enumerate(self.blocks):
            whole[:m, k * m : (k + 1) * m] = block
        return whole

    @property
    def kind(self) -> type[np.float64] | type[np.complex128]:
        return np.float64 if self.real else np.complex128

    def apply(self, f: Numbers) -> Numbers:
        """T f for blocks (size, r)."""
        m, explicit = self.block, self.sites <= EXPLICIT
        result = np.zeros(f.shape, dtype=np.result_type(f.dtype, self.kind))
        for k in range(self.pencil.degree):
            part = f[k * m : (k + 1) * m]
            result[:m] += self.blocks[k] @ part if explicit else -(self.steps[k] @ self.weights(part))
        if self.pencil.degree > 1:
            result[m:] = f[:-m]
        return result

    def adjoint(self, z: Numbers) -> Numbers:
        """T^H z for blocks (size, r)."""
        m, explicit = self.block, self.sites <= EXPLICIT
        result = np.zeros(z.shape, dtype=np.result_type(z.dtype, self.kind))
        for k in range(self.pencil.degree):
            if explicit:
                part = self.blocks[k].conj().T @ z[:m]
            else:
                part = self._solved(np.asarray(z[:m].conj().T @ self.steps[k])).conj().T
            result[k * m : (k + 1) * m] = part
        if self.pencil.degree > 1:
            result[:-m] += z[m:]
        return result

    def residual(self, value: complex, weights: Numbers) -> Numbers:
        """The equations at all points for a value of lam, (points equations,)."""
        powers = (value**k * (matrix @ weights) for k, matrix in enumerate(self.everywhere))
        return np.asarray(sum(powers))

    def violations(self, value: complex, weights: Numbers) -> tuple[Numbers, Numbers]:
        """What the conditions that hold lam give, and what is added up in them, in size."""
        if not len(self.pencil.moving):
            return np.zeros(0), np.zeros(0)
        powers = list(enumerate(self.conditions))
        found = sum(value**k * (rows @ weights) for k, rows in powers)
        added = sum(abs(value) ** k * (np.abs(rows) @ np.abs(weights)) for k, rows in powers)
        return np.asarray(found), np.asarray(added)

    def sizes(self, value: complex, weights: Numbers) -> Numbers:
        """What is added up in each row of the sites, in size."""
        parts = (abs(value) ** k * (matrix @ np.abs(weights)) for k, matrix in enumerate(self._absolute))
        return np.asarray(sum(parts))

    @cached_property
    def _absolute(self) -> tuple[Sparse, ...]:
        return tuple(abs(matrix[self.site_rows]) for matrix in self.everywhere)
