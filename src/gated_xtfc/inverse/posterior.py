"""What data say of unknown parameters and of the field. It never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.field_model import FieldModel
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.observations import Observations, quantity
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class Posterior:
    problem: Problem
    priors: Mapping[str, Prior]
    observations: Observations
    noise: Noise
    distributions: Mapping[str, Distribution]  # of the parameters, then of what is unknown of the noise
    measure: Measure  # the parameters' posterior on their unit scales
    samples: Mapping[str, Array]  # draws by name
    field_model: FieldModel
    residuals: Array  # (observations,) data less the mean of the field
    evidence: float  # log p(data): what equations are compared by
    status: str  # "determined", or what stands in the way
    message: str
    solves: int
    failures: int
    seconds: float
    discrepancy: bool = False

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {one.mean:.4g} ± {one.std:.1g}" for name, one in self.distributions.items())
        return f"Posterior({found}; {self.status}, {self.observations.size} measurements)"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.distributions)

    @property
    def mean(self) -> Mapping[str, float]:
        return MappingProxyType({name: one.mean for name, one in self.distributions.items()})

    @property
    def std(self) -> Mapping[str, float]:
        return MappingProxyType({name: one.std for name, one in self.distributions.items()})

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """The interval that holds the parameter with this probability, with equal tails."""
        if name not in self.distributions:
            hint = suggestion(str(name), self.names, f"known are {', '.join(self.names)}")
            raise InputError(f"there is no posterior of {quoted(str(name))}: {hint}")
        if not (isinstance(level, float | int) and 0.0 < level < 1.0):
            raise InputError(f"the level of an interval is {level!r}: give a number between 0 and 1 such as 0.95")
        return self.distributions[name].interval(float(level))

    @cached_property
    def correlation(self) -> Array:
        """(names, names) from the draws."""
        return np.atleast_2d(np.corrcoef(np.stack([self.samples[name] for name in self.names])))

    def predict(self, x: ArrayLike, quantity: str | None = None) -> tuple[Any, Any]:
        """Mean and standard deviation of the field at x, without the noise; `quantity` says which: "u", "v'"."""
        mean, std = self._quantity(
            quantity, lambda points, f, order: np.stack(self.field_model.moments(points, f, order))
        )(x)
        return mean, std

    def band(self, x: ArrayLike, level: float = 0.95, quantity: str | None = None) -> tuple[Any, Any]:
        """Between which two values the field at x is with this probability, with equal tails."""
        if not (isinstance(level, float | int) and 0.0 < level < 1.0):
            raise InputError(f"the level of a band is {level!r}: give a number between 0 and 1 such as 0.95")
        tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
        low, high = self._quantity(
            quantity, lambda points, f, order: np.quantile(self.field_model.draws(points, f, order), tails, axis=0)
        )(x)
        return low, high

    def solution(self, tol: float = 1e-8) -> IntervalSolution:
        """The solution at the mean of the parameters."""
        found = solve(self.problem(**{name: self.mean[name] for name in self.priors}), tol)
        assert isinstance(found, IntervalSolution)
        return found

    def next_sites(self, count: int = 1, quantity: str | None = None, noise: float | None = None) -> Array:
        """Where `count` more measurements would shrink the posterior most, in the order of their worth."""
        from gated_xtfc.inverse.design import next_sites

        return next_sites(self, count, quantity, noise)

    def summary(self) -> dict[str, Any]:
        """The figures of this posterior, ready for JSON."""
        return {
            "status": self.status,
            "message": self.message,
            "parameters": {
                name: {
                    "mean": one.mean,
                    "std": one.std,
                    "interval_50": list(one.interval(0.5)),
                    "interval_95": list(one.interval(0.95)),
                }
                for name, one in self.distributions.items()
            },
            "names": list(self.names),
            "correlation": self.correlation.tolist(),
            "evidence": self.evidence if np.isfinite(self.evidence) else None,
            "measurements": self.observations.size,
            "discrepancy": self.discrepancy,
            "solves": self.solves,
            "failures": self.failures,
            "seconds": self.seconds,
        }

    def to_csv(self, path: str | Path) -> None:
        """The draws: a header with the names, then one line each."""
        from gated_xtfc.inverse.archive import write_csv

        write_csv(self, path)

    def to_json(self, path: str | Path) -> None:
        """The summary, with the problem."""
        from gated_xtfc.inverse.archive import write_json

        write_json(self, path)

    def save(self, path: str | Path) -> None:
        """One file from which `load` gives back the same posterior."""
        from gated_xtfc.inverse.archive import write

        write(self, path)

    def plot(self, path: str | Path) -> None:
        """The figure: marginals and pairs; the field with data and bands, over x and along the gated coordinate."""
        # Matplotlib takes longer to import than most posteriors to find: only here, and only when asked for.
        from gated_xtfc.plots.posterior_figure import plot

        plot(self, path)

    def _quantity(self, name: str | None, function: Any) -> Component:
        """A function of points, field and order as a function on the domain."""
        if name is None and len(self.problem.fields) > 1:
            raise InputError(f"say which field: {', '.join(self.problem.fields)}")
        f, order = quantity(self.problem, self.problem.fields[0] if name is None else name)
        return Component(self.problem.axes, 0, lambda points, _: function(points[0], f, order))
