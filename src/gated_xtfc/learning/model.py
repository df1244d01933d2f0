"""Gates learned from a sweep: settings with intervals for a member never seen, and a start for its solve.

    model = learn(table);   model.predict(nu)["layer 1 thickness"];   solve(problem, gates=model)

A solve begins with the gates that the operator asks for, joined by those learned: it is never coarser than without.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.learning import model_file
from gated_xtfc.learning.group import Group
from gated_xtfc.learning.material import Material
from gated_xtfc.learning.scaling import Scaling
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.warm_start import WarmStart
from gated_xtfc.sweeps.study import canonical
from gated_xtfc.sweeps.table import Table
from gated_xtfc.types import Array, Index

LEAST = 12  # rows of one structure from which something is learned
POOR = 0.3  # error of the learned solution, relative to its size, above which it is no start


@dataclass(frozen=True, eq=False)
class Forecast:
    """`forecast["layer 1 thickness"]` is (mean, low, high), each (m,); NaN where nothing of the kind was learned."""

    settings: dict[str, tuple[Array, Array, Array]]
    known: NDArray[np.bool_]  # (m,) whether gates were learned there

    def __getitem__(self, name: str) -> tuple[Array, Array, Array]:
        if name not in self.settings:
            raise InputError(f"no setting is called {quoted(str(name))}: there are {', '.join(self.settings)}")
        return self.settings[name]


class GateModel:
    """Conventions of scikit-learn: settings in the constructor, `fit`, `predict`, `get_params`."""

    names: tuple[str, ...]  # of the parameters
    family: dict[str, Any] | None  # the problem without them
    linear: bool
    tol: float  # of the solves it has learned from
    scaling: Scaling
    groups: list[Group]  # one for each structure
    known: Array  # (n, d) inputs of the rows
    rounds: Index  # (n,) that they took
    coverage: dict[str, tuple[int, int]]  # held-out values in their 95 % interval, of how many

    def __init__(self, *, seed: int = 0, most: int = 400, held_out: float = 0.2) -> None:
        if not (isinstance(most, int) and most >= 2 * LEAST):
            raise InputError(f"most is {most!r}: give a number of rows to learn from, at least {2 * LEAST}")
        if not (isinstance(held_out, int | float) and 0.0 <= held_out <= 0.5):
            raise InputError(f"held_out is {held_out!r}: give the part of the rows that is kept for checking, 0 to 0.5")
        self.seed, self.most, self.held_out = seed, most, held_out

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"seed": self.seed, "most": self.most, "held_out": self.held_out}

    def fit(self, table: Table) -> "GateModel":
        """From the converged rows of a sweep; some are held out, to check the intervals on."""
        if table.family is not None and len(table.family.domain.axes) > 1:
            raise InputError("gates are learned from problems with one coordinate only: this table is of a rectangle")
        rows = [int(i) for i in np.flatnonzero(table.converged)]
        if len(rows) < LEAST or table.family is None:
            raise InputError(f"the table has {len(rows)} converged rows: {LEAST} or more are needed to learn from")
        self.names, self.linear, self.tol = table.parameters, table.family.linear, table.tol
        self.family = _identity(table.family, table.parameters)
        material = Material.of(table, rows, self.linear)
        self.scaling = Scaling.of(material.points, table.parameters)
        inputs = self.scaling(material.points)
        order = np.random.default_rng(self.seed).permutation(len(rows))
        learning, checking = np.split(order, [min(self.most, len(rows) - int(self.held_out * len(rows)))])
        self.known, self.rounds = inputs[learning], material.columns["rounds"][learning].astype(int)
        self.groups = []
        for structure in material.common(learning, LEAST):
            own = np.array([i for i in learning if material.structures[i] == structure])
            self.groups.append(Group.of(structure, inputs[own], material.settings(structure, own), self.seed))
        if not self.groups:
            raise InputError(
                f"no {LEAST} rows of the table have gates of the same structure: sweep more densely, or a smaller range"
            )
        if material.solutions is not None:
            which = self._groups_at(inputs[learning])
            for g, group in enumerate(self.groups):
                own = learning[which == g]
                self.groups[g] = group.shaped(inputs[own], [material.solutions[i] for i in own], self.seed)
        self.coverage = self._covered(material, inputs, checking)
        return self

    def predict(self, points: Any, level: float = 0.95) -> Forecast:
        """At values of one parameter, rows (m, d) of several, or {"nu": values, "a": values}."""
        x = self.scaling(self.scaling.points(points))
        which = self._groups_at(x)
        found: dict[str, tuple[Array, Array, Array]] = {}
        for g, group in enumerate(self.groups):
            at = np.flatnonzero(which == g)
            for name in group.fits:
                empty = (np.full(len(x), np.nan), np.full(len(x), np.nan), np.full(len(x), np.nan))
                for column, values in zip(
                    found.setdefault(name, empty), group.forecast(name, x[at], level), strict=True
                ):
                    column[at] = values
        return Forecast(found, which >= 0)

    def warm_start(self, problem: Problem) -> WarmStart | None:
        """Where a solve of this member should begin; None where the usual beginning is as good."""
        if self.family is not None and _identity(problem, self.names) != self.family:
            raise InputError("the gates were learned from another problem: give a member of the family that was swept")
        raw = np.array([[problem.parameters[name] for name in self.names]])
        if not self.scaling.inside(raw)[0]:
            return None
        x = self.scaling(raw)
        near = np.argsort(np.sum((self.known - x) ** 2, axis=1))[: 2 * x.shape[1]]
        if self.linear and (self.rounds[near] == 1).all():
            return None  # nothing to gain
        which = int(self._groups_at(x)[0])
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
        """One JSON file."""
        model_file.write(self, path)

    @staticmethod
    def load(path: str | Path) -> "GateModel":
        """What `save` wrote."""
        params, learned = model_file.read(path)
        model = GateModel(**params)
        model.__dict__.update(learned)
        return model

    def plot(self, path: str | Path) -> None:
        """Every setting over the parameters, with its 95 % interval and the rows it was learned from."""
        from gated_xtfc.plots.gate_model import plot_model  # matplotlib: only here, and only when asked for

        plot_model(self, path)

    def __repr__(self) -> str:
        learned = " or ".join(group.structure.describe() for group in getattr(self, "groups", ()))
        return f"GateModel({', '.join(self.names)} -> {learned})" if learned else "GateModel(not fitted)"

    def _groups_at(self, x: Array) -> Index:
        """The group of the nearest row, for each of x (m, d); -1 outside the box of its rows: none extrapolates."""
        distances = [np.min(np.sum((group.inputs[None] - x[:, None]) ** 2, axis=2), axis=1) for group in self.groups]
        which: Index = np.argmin(np.stack(distances), axis=0)
        for g, group in enumerate(self.groups):
            which[(which == g) & ~group.holds(x)] = -1
        return which

    def _covered(self, material: Material, inputs: Array, checking: Index) -> dict[str, tuple[int, int]]:
        """By setting; constants, and settings that follow the parameters to rounding, are left out."""
        counts: dict[str, tuple[int, int]] = {}
        for group in self.groups:
            own = np.array([i for i in checking if material.structures[i] == group.structure], dtype=np.intp)
            for name, values in material.settings(group.structure, own).items() if own.size else ():
                if group.fits[name].scatters:
                    _, low, high = group.forecast(name, inputs[own], 0.95)
                    held, of = counts.get(name, (0, 0))
                    counts[name] = held + int(np.sum((low <= values) & (values <= high))), of + own.size
        return counts


def learn(table: Table, **settings: Any) -> GateModel:
    """Gate settings as functions of the swept parameters; `settings` are those of GateModel."""
    if not isinstance(table, Table):
        raise InputError(f"learn takes the table of a sweep, not {quoted(type(table).__name__)}")
    return GateModel(**settings).fit(table)


def _identity(problem: Problem, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The problem without what was swept; None where it is a Python function."""
    try:
        stated = problem.statement()
    except InputError:
        return None
    fixed = {name: value for name, value in stated.pop("parameters").items() if name not in names}
    return {**json.loads(json.dumps(canonical(stated))), "parameters": fixed}
