"""Linear equations on elements: values inside follow from those at the left end, and those are found together."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.scipy.element_curve import ElementCurve
from gated_xtfc.types import Array

SINGULAR = 1e9  # condition of the system for the ends of elements from which on it is for others to decide


@dataclass(frozen=True)
class Condensation:
    """Condensation equations on elements, with what solves them."""

    curve: ElementCurve
    residual: Array  # (g, e, k, n)
    misfit: Array  # (g, c)
    inside: Array  # (g, e, k n, k n)
    along: Array  # (g, e, k n, n): values inside by those at the left end
    by_constant: Array  # (g, e, k n, constants)
    whole: Array  # (g, size, size), of the ends of elements and the constants
    inverse: Array

    @property
    def regular(self) -> bool:
        """Whether the equations determine the ends of elements."""
        rows = np.abs(self.whole).max(axis=2)
        condition = np.abs(self.inverse * rows[:, None, :]).sum(axis=2).max(axis=1)
        return bool((condition <= SINGULAR).all())

    def step(self, residual: Array, misfit: Array) -> ElementCurve:
        """The step that takes these residuals to zero."""
        groups, elements, k, n = residual.shape
        own = -(self.inside @ residual.reshape(groups, elements, k * n, 1))[..., 0]
        target = np.concatenate([own[..., -n:].reshape(groups, -1), -misfit], axis=1)
        found = (self.inverse @ target[..., None])[..., 0]
        edges, p = found[:, : (elements + 1) * n].reshape(groups, elements + 1, n), found[0, (elements + 1) * n :]
        inner = own + (self.along @ edges[:, :-1, :, None])[..., 0]
        if p.size:
            inner = inner + self.by_constant @ p
        values = np.concatenate([edges[:, :-1, None], inner.reshape(groups, elements, k, n)], axis=2)
        values[:, :, -1] = edges[:, 1:]
        return ElementCurve(self.curve.edges, values.transpose(0, 3, 1, 2), p)
