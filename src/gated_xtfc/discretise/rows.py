"""The equations as rows: matrix @ weights = target, each divided by the operator's size on a kernel of local width.

    scale_e(x) = sum_(f, j) |a_(e f j)(x)| xi'(x)^j

Rows go point by point, equation by equation; columns kernel by kernel, field by field, so that all stays banded.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.discretise.kernel_window import KernelWindow, pull_back
from gated_xtfc.operator.linearise import AxisCoefficients, Linearisation
from gated_xtfc.types import Array, Index


@dataclass(frozen=True)
class Rows:
    """The scaled equations at points x: values @ (kernel weights in the window) + border @ constants = target."""

    x: Array  # (n,)
    window: KernelWindow
    coefficients_in_xi: (
        AxisCoefficients  # [equation][field][order]: scaled coefficients of the operator in the coordinate
    )
    values: Array  # (n equations, window fields) scaled operator on the kernels of each window
    target: Array  # (n equations,) scaled
    constant_columns: Array  # (n equations, constants) scaled

    @property
    def equations(self) -> int:
        return len(self.coefficients_in_xi)

    @property
    def fields(self) -> int:
        return len(self.coefficients_in_xi[0])

    @property
    def first(self) -> Index:
        """(n equations,) first column of each row."""
        start = self.window.first * self.fields
        return np.repeat(start, self.equations) if self.equations > 1 else start

    @property
    def xi(self) -> Array:
        return self.window.jets[0]

    def __getitem__(self, index: Index) -> "Rows":
        inner = [[[b[index] for b in jets] for jets in fields] for fields in self.coefficients_in_xi]
        e = self.equations
        rows = index if e == 1 else (index[:, None] * e + np.arange(e)).ravel()
        return Rows(
            self.x[index], self.window[index], inner, self.values[rows], self.target[rows], self.constant_columns[rows]
        )

    def gather(self, weights: Array) -> Array:
        """The weights in the window of each row, (n equations, window fields)."""
        size = self.values.shape[1]
        padded = np.concatenate([weights, np.zeros(size)])
        result: Array = padded[self.first[:, None] + np.arange(size)]
        return result

    def gather_field(self, weights: Array, f: int) -> Array:
        """The weights of field f in the window of each point, (n, window)."""
        padded = np.concatenate([weights.reshape(-1, self.fields)[:, f], np.zeros(self.window.kernels.shape[1])])
        result: Array = padded[self.window.columns()]
        return result

    def derivative_in_xi(self) -> Array:
        """How each entry changes when the point moves in the coordinate and the coefficients stay."""
        zero = np.zeros_like(self.x)
        return interleaved(self.window, [[[zero, *jets] for jets in fields] for fields in self.coefficients_in_xi])


def equation_rows(x: Array, window: KernelWindow, linear: Linearisation) -> Rows:
    """Rows of the operator at x, through their windows of kernels."""
    inner, targets, borders = [], [], []
    for fields, source, border in zip(linear.by_order, linear.source, linear.constant_columns, strict=True):
        scale = row_scale(fields, window.jets[1])
        if not np.isfinite(scale).all():  # divided by it, the equation would be gone, and hold for whatever function
            raise np.linalg.LinAlgError("the operator is beyond double precision")
        inner.append([pull_back(window.jets, [a / scale for a in jets]) for jets in fields])
        targets.append(source / scale)
        borders.append([a / scale for a in border])
    target = np.stack(targets, axis=1).ravel() if len(targets) > 1 else targets[0]
    beside = np.array(borders).transpose(2, 0, 1).reshape(target.size, -1) if borders[0] else np.zeros((target.size, 0))
    return Rows(x, window, inner, interleaved(window, inner), target, beside)


def interleaved(window: KernelWindow, inner: AxisCoefficients) -> Array:
    """The operator on the kernels of all fields, (n equations, window fields)."""
    e, f = len(inner), len(inner[0])
    if e == f == 1:
        return window.operator_in_xi(inner[0][0])
    n, size = window.kernels.shape
    kind: Any = float
    if any(np.iscomplexobj(jet) for fields in inner for jets in fields for jet in jets):  # of a complex eigenproblem
        kind = complex
    values: Array = np.empty((n, e, size, f), dtype=kind)
    for i, fields in enumerate(inner):
        for k, jets in enumerate(fields):
            values[:, i, :, k] = window.operator_in_xi(jets)
    return values.reshape(n * e, size * f)


def row_scale(fields: list[list[Array]], slope: Array) -> Array:
    """The size of the operator on a kernel as wide as the local ones, (n,)."""
    scale = np.zeros_like(slope)
    for jets in fields:
        power = np.ones_like(slope)
        for a in jets:
            scale = scale + np.abs(a) * power
            power = power * slope
    return scale
