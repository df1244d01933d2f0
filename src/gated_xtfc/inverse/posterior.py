"""What data say of unknown parameters and of the field. It never changes, and solves nothing unless `solution` asks."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.files import write_text
from gated_xtfc.inverse.box import box
from gated_xtfc.inverse.design import next_sites
from gated_xtfc.inverse.distributed import Distributed
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.field_model import FieldModel
from gated_xtfc.inverse.identifiability import PosteriorStatus
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.observations import Observations
from gated_xtfc.inverse.observations import quantity as read_quantity
from gated_xtfc.inverse.posterior_modes import PosteriorMode, posterior_modes
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.html import GOOD, MIDDLING, table, verdict
from gated_xtfc.solution.places import checked_places
from gated_xtfc.solution.tabular import Tabular
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

if TYPE_CHECKING:  # imported when asked for
    from matplotlib.axes import Axes


Places = ArrayLike | tuple[ArrayLike, ArrayLike]  # or places and times, where equations evolve


@dataclass(frozen=True, eq=False)
class Posterior(Distributed, Tabular):
    """What `infer` returns: distributions of the unknowns, and of the field.

    Attributes
    ----------
    problem, priors, observations, noise
        What it was inferred from.
    names, mean, std
        The unknowns: the parameters, then what is unknown of the noise ("noise", of several quantities "noise(u)"),
        and "discrepancy" where the equation may be wrong; their moments by name.
    distributions, samples
        By name: mean, standard deviation and density; 4000 draws, which `to_csv` and `to_pandas` hand on.
    modes
        From the heaviest down: mass, moments and intervals of each; where there is one, it is the whole posterior.
    correlation
        (names, names) from the draws.
    measure
        The parameters' posterior as weighted points on their unit scales.
    field_model
        The field under it: what `predict` and `band` ask.
    residuals
        (observations,) data less the mean of the field.
    evidence
        log p(data): what equations are compared by.
    status, message
        "determined", or the worst that stands in the way, and all of it in words.
    solves, failures, seconds
        What it took; failures are members that could not be solved.
    discrepancy
        Whether the equation was allowed to be wrong.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> decay = gx.Problem("u' + k*u = 0", {"x": (0, 2)}, ["u(0) = 1"], k=1)
    >>> x = np.linspace(0, 2, 20)
    >>> y = np.exp(-1.5 * x) + 0.01 * np.random.default_rng(0).standard_normal(20)
    >>> posterior = gx.infer(decay, (x, y), {"k": (0.1, 10)})  # the noise is unknown too
    >>> posterior
    Posterior(k = 1.511 ± 0.01, noise = 0.009068 ± 0.002; determined, 20 measurements)
    >>> low, high = posterior.interval("k", 0.95)
    >>> low < 1.5 < high
    True
    >>> mean, std = posterior.predict(0.95)
    >>> low, high = posterior.band(x, 0.95)
    >>> low.shape, posterior.next_sites(2).shape
    ((20,), (2,))
    >>> posterior.save("posterior.npz")
    >>> gx.load("posterior.npz").predict(0.95) == (mean, std)
    True
    """

    problem: Problem
    priors: Mapping[str, Prior]
    observations: Observations
    noise: Noise
    distributions: Mapping[str, Distribution]
    measure: Measure
    samples: Mapping[str, Array]
    field_model: FieldModel
    residuals: Array
    evidence: float
    status: PosteriorStatus
    message: str
    solves: int
    failures: int
    seconds: float
    discrepancy: bool = False

    def __repr__(self) -> str:
        return f"Posterior({self._in_words}; {self.status}, {self.observations.size} measurements)"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.distributions)

    @cached_property
    def correlation(self) -> Array:
        return np.atleast_2d(np.corrcoef(np.stack([self.samples[name] for name in self.names])))

    @cached_property
    def modes(self) -> tuple[PosteriorMode, ...]:
        return posterior_modes(self.priors, self.measure, self.distributions, self.samples)

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """The interval that holds an unknown with this probability.

        With equal tails; from a bound on where the posterior runs into one; and across all of its modes. Of several
        unknowns each is in its own with this probability, all at once less often: see `box`.

        Parameters
        ----------
        name
            One of `names`.
        level
            The probability, between 0 and 1.

        Returns
        -------
        low, high : float

        Raises
        ------
        InputError
            Where there is no such unknown, or the level is no probability.
        """
        return self._distribution(name).interval(_level(level, "an interval"))

    def highest_density(self, name: str, level: float = 0.95) -> tuple[tuple[float, float], ...]:
        """The smallest set that holds an unknown with this probability: one interval, or one around each mode.

        Parameters
        ----------
        name
            One of `names`.
        level
            The probability, between 0 and 1.

        Returns
        -------
        tuple of (low, high)
            From left to right.

        Raises
        ------
        InputError
            Where there is no such unknown, or the level is no probability.
        """
        return self._distribution(name).highest_density(_level(level, "a set"))

    def box(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Intervals that hold all unknowns at once with this probability: `interval`, of a higher level for each.

        Parameters
        ----------
        level
            The probability, between 0 and 1.

        Returns
        -------
        dict of (low, high)
            By name.

        Raises
        ------
        InputError
            Where the level is no probability.
        """
        return box(self.distributions, self.samples, _level(level, "a box"))

    @overload
    def predict(self, x: float, quantity: str | None = None) -> tuple[float, float]: ...
    @overload
    def predict(self, x: Places, quantity: str | None = None) -> tuple[Array, Array]: ...
    def predict(self, x: Places, quantity: str | None = None) -> tuple[float, float] | tuple[Array, Array]:
        """Mean and standard deviation of the field, without the noise.

        Parameters
        ----------
        x
            A place, or an array of places; where equations evolve a pair of these for places and times.
        quantity
            A field or a derivative of one, ``"u"``, ``"v'"``; it may be left out where there is one field.

        Returns
        -------
        mean, std : float or ndarray
            Floats for a number, arrays of the same shape for an array.

        Raises
        ------
        InputError
            Where a place is outside the domain, or there is no such quantity.
        """
        return self._pair(x, quantity, self.field_model.moments)

    @overload
    def band(self, x: float, level: float = 0.95, quantity: str | None = None) -> tuple[float, float]: ...
    @overload
    def band(self, x: Places, level: float = 0.95, quantity: str | None = None) -> tuple[Array, Array]: ...
    def band(
        self, x: Places, level: float = 0.95, quantity: str | None = None
    ) -> tuple[float, float] | tuple[Array, Array]:
        """Between which two values the field is with this probability, with equal tails.

        Parameters
        ----------
        x
            A place, or an array of places; where equations evolve a pair of these for places and times.
        level
            The probability, between 0 and 1, at each place by itself.
        quantity
            A field or a derivative of one; it may be left out where there is one field.

        Returns
        -------
        low, high : float or ndarray
            Floats for a number, arrays of the same shape for an array.

        Raises
        ------
        InputError
            Where a place is outside the domain, the level is no probability, or there is no such quantity.
        """
        tails = 0.5 + np.array([-0.5, 0.5]) * _level(level, "a band")

        def ends(points: Array, field: int, order: int) -> tuple[Array, Array]:
            low, high = np.quantile(self.field_model.draws(points, field, order), tails, axis=0)
            return low, high

        return self._pair(x, quantity, ends)

    def solution(self, tol: float = 1e-8) -> Solution:
        """The solution at the mean of the parameters, of the heaviest mode: the one question that takes a solve.

        Parameters
        ----------
        tol
            As for `solve`.

        Returns
        -------
        Solution
        """
        return solve(self.problem(**{name: self.modes[0].mean[name] for name in self.priors}), tol)

    def next_sites(self, count: int = 1, quantity: str | None = None, noise: float | None = None) -> Array:
        """Where more measurements would shrink the posterior most.

        Parameters
        ----------
        count
            How many.
        quantity
            What will be measured; without it, what was measured first.
        noise
            The standard deviation of the new measurements; without it, that of those so far.

        Returns
        -------
        ndarray
            (count,) places in the order of their worth; (count, 2), with times, where equations evolve.

        Raises
        ------
        InputError
            Where count or noise cannot be used, or it is not clear what will be measured.
        """
        return next_sites(self, count, quantity, noise)

    def summary(self) -> dict[str, Any]:
        """Status, message, moments and intervals by name, evidence and what it took, ready for JSON."""
        return {
            "status": str(self.status),
            "message": self.message,
            "parameters": {
                name: {
                    "mean": one.mean,
                    "std": one.std,
                    "interval_50": list(one.interval(0.5)),
                    "interval_95": list(one.interval(0.95)),
                    "highest_density_95": [list(ends) for ends in one.highest_density(0.95)],
                }
                for name, one in self.distributions.items()
            },
            "modes": [{"mass": mode.mass, "mean": dict(mode.mean), "std": dict(mode.std)} for mode in self.modes],
            "names": list(self.names),
            "correlation": self.correlation.tolist(),
            "evidence": self.evidence if np.isfinite(self.evidence) else None,
            "measurements": self.observations.size,
            "discrepancy": self.discrepancy,
            "solves": self.solves,
            "failures": self.failures,
            "seconds": self.seconds,
        }

    def _columns(self) -> dict[str, Array]:
        """The draws, one column for each unknown."""
        return {name: self.samples[name] for name in self.names}

    def to_json(self, path: str | Path) -> None:
        """The summary, with the problem, as a JSON file."""
        told = {**self.summary(), "problem": self.problem.to_dict()}
        write_text(path, json.dumps(told, indent=2, allow_nan=False) + "\n")

    def save(self, path: str | Path) -> None:
        """One file from which `load` gives back the same posterior, with nothing left to solve.

        Parameters
        ----------
        path
            Of the file, an .npz; one that is there is overwritten.
        """
        from gated_xtfc.inverse.archive import write  # needed by few

        write(self, path)

    @overload
    def plot(self, path: str | Path) -> None: ...
    @overload
    def plot(self, path: None = None, *, ax: "Axes | None" = None, quantity: str | None = None) -> "Axes": ...
    def plot(
        self, path: str | Path | None = None, *, ax: "Axes | None" = None, quantity: str | None = None
    ) -> "Axes | None":
        """Draw the field with data and bands into axes of matplotlib, or a whole page into a file.

        Parameters
        ----------
        path
            The file for a page with marginals and pairs, and the field over x and along the gated coordinate; its
            ending says the format.
        ax
            Without a path, the axes to draw into; the current ones of pyplot unless given.
        quantity
            One that was measured; the first of them unless given.

        Returns
        -------
        matplotlib.axes.Axes or None
            The axes; None where a file was written.

        Raises
        ------
        InputError
            Where there is no such format, or no such quantity was measured.
        """
        # Matplotlib takes longer to import than most posteriors to find: only here, and only when asked for.
        from gated_xtfc.plots.posterior_figure import on_axes, plot

        if path is None:
            return on_axes(self, ax, quantity)
        plot(self, path)
        return None

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, and every unknown with its interval."""
        determined = self.status == PosteriorStatus.DETERMINED
        rows = [(name, one.mean, one.std, *one.interval(0.95)) for name, one in self.distributions.items()]
        told = verdict(str(self.status), GOOD if determined else MIDDLING, [self.message])
        return told + table(("unknown", "mean", "std", "2.5 %", "97.5 %"), rows)

    def _distribution(self, name: str) -> Distribution:
        if name not in self.distributions:
            hint = suggestion(str(name), self.names, f"known are {', '.join(self.names)}")
            raise InputError(f"there is no posterior of {quoted(str(name))}: {hint}")
        return self.distributions[name]

    def _pair(
        self, x: Places, name: str | None, function: Callable[[Array, int, int], tuple[Array, Array]]
    ) -> tuple[float, float] | tuple[Array, Array]:
        """Two functions of points, field and order, on the domain."""
        if name is None and len(self.problem.fields) > 1:
            raise InputError(f"say which field: {', '.join(self.problem.fields)}")
        field, order = read_quantity(self.problem, self.problem.fields[0] if name is None else name)
        evolution = self.problem.evolution
        if evolution is None:
            (axis,) = self.problem.axes
            places = checked_places(axis, cast(ArrayLike, x))
            first, second = function(places.ravel(), field, order)
        else:
            if isinstance(x, str) or not isinstance(x, Sequence | np.ndarray) or len(x) != 2:
                raise InputError("places and times are given together where equations evolve: predict((x, t))")
            pair = (checked_places(axis, at) for axis, at in zip((evolution.space, evolution.time), x, strict=True))
            places, times = np.broadcast_arrays(*pair)
            first, second = function(np.stack([places.ravel(), times.ravel()]), field, order)
        if places.ndim == 0:
            return float(first[0]), float(second[0])
        return first.reshape(places.shape), second.reshape(places.shape)


def _level(level: float, what: str) -> float:
    if not (isinstance(level, float | int) and 0.0 < level < 1.0):
        raise InputError(f"the level of {what} is {level!r}: give a number between 0 and 1 such as 0.95")
    return float(level)
