"""The functions behind a solution on an interval: every field as a sum of kernels, conditions met to the last bit.

u = g + sum_k s_k (b_k - L_k[g]): the free functions and the switching part are kept and added up apart.
"""

from dataclasses import dataclass
from typing import Any

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class KernelSum:
    """Called with the number of a field, points of the user's coordinate, and the order of a derivative."""

    chart: Chart
    free: Array  # (kernels fields,) weights of the free functions
    switch: Array  # (kernels fields,) weights of the switching part

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickled arrays would be writable."""
        self.__dict__.update(state)
        for weights in (self.free, self.switch):
            weights.setflags(write=False)

    @property
    def basis(self) -> Piecewise:
        return self.chart.basis

    @property
    def fields(self) -> int:
        return int(self.free.size // self.basis.size)

    def __call__(self, field: int, x: Array, order: int) -> Array:
        return self.within(field, self.chart.translated(x), order)

    def within(self, field: int, y: Array, order: int) -> Array:
        """The same at points of the kernels' own coordinate."""
        part = slice(field, None, self.fields)
        return self.basis.evaluate(y, order, self.free[part], self.switch[part])
