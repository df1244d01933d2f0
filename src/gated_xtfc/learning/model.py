"""Gates learned from a sweep: settings with intervals for a member never seen, and a start for its solve.

    model = learn(table);   model.predict(nu)["layer 1 thickness"];   solve(problem, gates=model)

A solve begins with the gates that the operator asks for, joined by those learned: it is never coarser than without.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc import __version__
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.learning.groups import Forecast, Group, forecast, nearest
from gated_xtfc.learning.material import Material
from gated_xtfc.learning.scaling import Scaling
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.solver.warm_start import WarmStart
from gated_xtfc.sweeps.study import StatedFamily, family_of
from gated_xtfc.sweeps.table import Table
from gated_xtfc.types import Array, Index, Record

FORMAT = "gated-xtfc gates 1"
LEAST = 12  # rows of one structure from which something is learned
POOR = 0.3  # error of the learned solution, relative to its size, above which it is no start


class GateModel:
    """Gates learned from a sweep: for ``solve(problem, gates=model)``, and to predict settings with intervals.

    The conventions are those of scikit-learn: settings in the constructor, `fit`, `predict`, `get_params`; `learn`
    does the first two at once. What is learned is there after `fit`.

    Parameters
    ----------
    seed
        Decides which rows are learned from, which are held out, and the folds of the cross-validation.
    most
        Rows that are learned from at most.
    held_out
        The part of the rows on which intervals are checked instead, 0 to 0.5.

    Attributes
    ----------
    names
        The parameters that were swept.
    family
        The problem without them; None where it cannot be written down.
    linear
        Whether the problem is.
    tol
        The tolerance of the solves that were learned from.
    scaling
        The ranges of the parameters.
    groups
        What was learned, for each structure of the gates.
    known, rounds
        Where the rows are on the scales of the parameters, (n, d), and how many rounds each of them took, (n,).
    coverage
        By setting: how many held-out values fell into their 95 % interval, and of how many.

    Raises
    ------
    InputError
        Where a setting cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> table = gx.sweep(layer, {"nu": np.geomspace(1e-5, 1e-2, 20)}, workers=1)
    >>> model = gx.GateModel(held_out=0.1).fit(table)
    >>> model
    GateModel(nu -> 1 layer, 0 blocks)
    >>> mean, low, high = model.predict(1e-3)["layer 1 thickness"]
    >>> f"{mean[0]:.2e}"
    '6.00e-04'
    >>> model.save("layer.json")
    >>> gx.solve(layer(nu=3e-4), gates=gx.GateModel.load("layer.json")).converged
    True
    """

    names: tuple[str, ...]
    family: StatedFamily | None
    linear: bool
    tol: float
    scaling: Scaling
    groups: list[Group]
    known: Array
    rounds: Index
    coverage: dict[str, tuple[int, int]]

    def __init__(self, *, seed: int = 0, most: int = 400, held_out: float = 0.2) -> None:
        if not (isinstance(most, int) and most >= 2 * LEAST):
            raise InputError(f"most is {most!r}: give a number of rows to learn from, at least {2 * LEAST}")
        if not (isinstance(held_out, int | float) and 0.0 <= held_out <= 0.5):
            raise InputError(f"held_out is {held_out!r}: give the part of the rows that is kept for checking, 0 to 0.5")
        self.seed, self.most, self.held_out = seed, most, held_out

    def get_params(self, deep: bool = True) -> dict[str, float]:
        """The settings.

        Parameters
        ----------
        deep
            For scikit-learn, which asks with it; it makes no difference.

        Returns
        -------
        dict
            By name, as the constructor takes them.
        """
        return {"seed": self.seed, "most": self.most, "held_out": self.held_out}

    def fit(self, table: Table) -> "GateModel":
        """Learn from the converged rows of a sweep; some are held out, to check the intervals on.

        Parameters
        ----------
        table
            Of a family with one coordinate. Where it holds the solutions of a nonlinear family, a start for Newton's
            method is learned as well.

        Returns
        -------
        GateModel
            This model.

        Raises
        ------
        InputError
            Where there is too little to learn from.
        """
        if table.family is not None:
            require_interval(table.family, "gates are learned from problems")
        rows = [int(i) for i in np.flatnonzero(table.converged)]
        if len(rows) < LEAST or table.family is None:
            raise InputError(f"the table has {len(rows)} converged rows: {LEAST} or more are needed to learn from")
        self.names, self.linear, self.tol = table.parameters, table.family.linear, table.tol
        self.family = _stated(table.family, table.parameters)
        material = Material.of(table, rows, self.linear)
        self.scaling = Scaling.of(material.points, table.parameters)
        inputs = self.scaling(material.points)
        order = np.random.default_rng(self.seed).permutation(len(rows))
        learning, checking = np.split(order, [min(self.most, len(rows) - int(self.held_out * len(rows)))])
        self.known, self.rounds = inputs[learning], material.columns["rounds"][learning].astype(int)
        self.groups = []
        for structure in material.common(learning, LEAST):
            own = material.alike(structure, learning)
            self.groups.append(Group.of(structure, inputs[own], material.settings(structure, own), self.seed))
        if not self.groups:
            raise InputError(
                f"no {LEAST} rows of the table have gates of the same structure: sweep more densely, or a smaller range"
            )
        if material.solutions is not None:
            which = nearest(self.groups, inputs[learning])
            for g, group in enumerate(self.groups):
                own = learning[which == g]
                self.groups[g] = group.shaped(inputs[own], [material.solutions[i] for i in own], self.seed)
        self.coverage = _covered(self.groups, material, inputs, checking)
        return self

    def predict(self, points: ArrayLike | Mapping[str, ArrayLike], level: float = 0.95) -> Forecast:
        """Settings of the gates, and what a solve will cost, with intervals.

        Parameters
        ----------
        points
            Values of the one parameter, rows (m, d) of several, or ``{"nu": values, "a": values}``.
        level
            The probability with which a new value lies in its interval.

        Returns
        -------
        Forecast
            ``forecast["layer 1 thickness"]`` is (mean, low, high), each (m,).

        Raises
        ------
        InputError
            Where the points cannot be used.
        """
        self._require_fitted()
        return forecast(self.groups, self.scaling(self.scaling.points(points)), level)

    def warm_start(self, problem: Problem) -> WarmStart | None:
        """Where a solve should begin; `solve` asks for it.

        Parameters
        ----------
        problem
            A member of the family that was swept.

        Returns
        -------
        WarmStart or None
            None where the usual beginning is as good, or nothing was learned.

        Raises
        ------
        InputError
            Where the gates were learned from another problem.
        """
        self._require_fitted()
        if self.family is not None and _stated(problem, self.names) != self.family:
            raise InputError("the gates were learned from another problem: give a member of the family that was swept")
        raw = np.array([[problem.parameters[name] for name in self.names]])
        if not self.scaling.inside(raw)[0]:
            return None
        x = self.scaling(raw)
        near = np.argsort(np.sum((self.known - x) ** 2, axis=1))[: 2 * x.shape[1]]
        if self.linear and (self.rounds[near] == 1).all():
            return None  # nothing to gain
        which = int(nearest(self.groups, x)[0])
        if which < 0:
            return None
        group = self.groups[which]
        coordinates = group.coordinates(x)
        if not all(np.isfinite(group.structure.settings(coordinates))):
            return None
        if self.linear:
            return WarmStart(coordinates)
        if group.profile is None or group.profile.error > POOR:
            return None
        return WarmStart(coordinates, group.profile(x, coordinates[0]))

    def save(self, path: str | Path) -> None:
        """Write one JSON file of numbers and names only, so that a stranger's can be read safely.

        Parameters
        ----------
        path
            The file; one that is there is replaced.
        """
        self._require_fitted()
        content = {"format": FORMAT, "version": __version__, **self._record()}
        write_text(path, json.dumps(content, allow_nan=False))

    @staticmethod
    def load(path: str | Path) -> "GateModel":
        """Read a model that `save` wrote.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        GateModel

        Raises
        ------
        InputError
            Where there is no such file, or it holds no gates that this version can read.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise ValueError(content["format"])
            return GateModel._read(content)
        except FileNotFoundError:
            raise InputError(f"there is no file {quoted(str(path))}") from None
        except Exception:  # whatever a stranger's file makes the readers do
            raise InputError(
                f"{quoted(str(path))} holds no gates that this version can read: give a file of model.save in the "
                f"format '{FORMAT}'"
            ) from None

    def _record(self) -> dict[str, object]:
        """Ready for JSON; `_read` takes it back."""
        return {
            "params": self.get_params(),
            "names": self.names,
            "family": self.family,
            "linear": self.linear,
            "tol": self.tol,
            "coverage": self.coverage,
            "scaling": self.scaling.record(),
            "known": self.known.tolist(),
            "rounds": self.rounds.tolist(),
            "groups": [group.record() for group in self.groups],
        }

    @classmethod
    def _read(cls, record: Record) -> "GateModel":
        model = cls(**record["params"])
        model.names, model.family = tuple(record["names"]), record["family"]
        model.linear, model.tol = record["linear"], record["tol"]
        model.coverage = {name: (held, of) for name, (held, of) in record["coverage"].items()}
        model.scaling = Scaling.read(record["scaling"])
        model.known = np.array(record["known"], dtype=float)
        model.rounds = np.array(record["rounds"], dtype=np.intp)
        model.groups = [Group.read(group) for group in record["groups"]]
        return model

    def plot(self, path: str | Path) -> None:
        """Draw every setting over the parameters, with its 95 % interval and the rows it was learned from.

        Parameters
        ----------
        path
            The picture; its ending decides the format.

        Raises
        ------
        InputError
            Where the ending is none that can be drawn.
        """
        self._require_fitted()
        from gated_xtfc.plots.gate_model import plot_model  # matplotlib: only here, and only when asked for

        plot_model(self, path)

    def _require_fitted(self) -> None:
        if not hasattr(self, "groups"):
            raise InputError("the model has learned nothing yet: call its fit with the table of a sweep first")

    def __repr__(self) -> str:
        learned = " or ".join(group.structure.describe() for group in getattr(self, "groups", ()))
        return f"GateModel({', '.join(self.names)} -> {learned})" if learned else "GateModel(not fitted)"


def learn(table: Table, *, seed: int = 0, most: int = 400, held_out: float = 0.2) -> GateModel:
    """Learn gates from a sweep: their settings as functions of the swept parameters.

    Parameters
    ----------
    table
        What `sweep` or `open_sweep` gave, of a family with one coordinate. Nonlinear families gain most, and want to
        be swept with ``solutions=True``.
    seed, most, held_out
        As for `GateModel`: the seed of what is random, the most rows to learn from, the part held out for checking.

    Returns
    -------
    GateModel
        For ``solve(problem, gates=model)``.

    Raises
    ------
    InputError
        Where it is no table, or there is too little to learn from.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> model = gx.learn(gx.sweep(layer, {"nu": np.geomspace(1e-6, 1e-1, 40)}, workers=1))
    >>> mean, low, high = model.predict([1e-4])["layer 1 thickness"]
    >>> print(f"{mean[0]:.1e}", gx.solve(layer(nu=1e-4), gates=model).status)
    6.0e-05 converged
    """
    if not isinstance(table, Table):
        raise InputError(f"learn takes the table of a sweep, not {quoted(type(table).__name__)}")
    return GateModel(seed=seed, most=most, held_out=held_out).fit(table)


def _covered(groups: list[Group], material: Material, inputs: Array, checking: Index) -> dict[str, tuple[int, int]]:
    """By setting; constants, and settings that follow the parameters to rounding, are left out."""
    counts: dict[str, tuple[int, int]] = {}
    for group in groups:
        own = material.alike(group.structure, checking)
        for name, values in material.settings(group.structure, own).items() if own.size else ():
            if group.fits[name].scatters:
                _, low, high = group.estimate(name, inputs[own], 0.95)
                held, of = counts.get(name, (0, 0))
                counts[name] = held + int(np.sum((low <= values) & (values <= high))), of + own.size
    return counts


def _stated(problem: Problem, names: tuple[str, ...]) -> StatedFamily | None:
    """The problem without what was swept; None where it is a Python function."""
    try:
        return family_of(problem, names)
    except InputError:
        return None
