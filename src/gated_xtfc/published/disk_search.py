"""The outer search of the plane: centre and radius of the disk by Bayesian optimisation of the residual."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.disk import Disk
from gated_xtfc.published.fit import ON_A_RECTANGLE, fit_disk
from gated_xtfc.published.objective import PlaneObjective
from gated_xtfc.published.plane_surrogate import PlaneSurrogate
from gated_xtfc.published.rectangle import Rectangle, rectangle
from gated_xtfc.ranges import Range


@dataclass(frozen=True)
class DiskEvaluation:
    centre: tuple[float, float]
    radius: float
    value: float  # of the objective
    seconds: float
    ridge_used: float

    def record(self) -> dict[str, object]:
        return {**vars(self), "centre": list(self.centre)}


@dataclass(frozen=True)
class DiskSearch:
    """Centres and radii in fractions of the domain; `start` is the disk tried first, as fractions of these ranges."""

    disk: Disk = field(default_factory=Disk)  # where it is and how large is what is searched for
    centres: tuple[float, float] = (0.4, 0.6)  # for both coordinates
    radii: tuple[float, float] = (0.1, 0.2)  # of the shorter side
    evaluations: int = 50
    initial: int = 8
    start: tuple[float, float, float] | None = (0.0, 1.0, 1.0)  # (0.4, 0.6) and 0.2: where the printed history begins
    objective: PlaneObjective = field(default_factory=PlaneObjective)
    seed: int = 0


@dataclass(frozen=True, eq=False)
class FoundDisk:
    best: Disk
    surrogate: PlaneSurrogate
    value: float
    evaluations: tuple[DiskEvaluation, ...]
    seconds: float


def search_disk(
    problem: Problem | Rectangle, settings: DiskSearch, progress: Callable[[DiskEvaluation], None] | None = None
) -> FoundDisk:
    """The best disk and its surrogate; `progress` is called with every evaluation."""
    from gated_xtfc.published.expected_improvement import minimise

    begun = time.perf_counter()
    stated = rectangle(problem, ON_A_RECTANGLE)
    across, along = stated.axes
    seen: list[DiskEvaluation] = []
    best: list[tuple[float, Disk, PlaneSurrogate]] = []

    def tried(point: tuple[float, ...]) -> float:
        start = time.perf_counter()
        centre = across.left + across.length * point[0], along.left + along.length * point[1]
        disk = replace(settings.disk, centre=centre, radius=point[2] * min(across.length, along.length))
        surrogate = fit_disk(stated, disk)
        value = settings.objective(surrogate)
        ridge = float(surrogate.details["ridge_used"])
        seen.append(DiskEvaluation(centre, disk.radius, value, time.perf_counter() - start, ridge))
        if np.isfinite(value) and (not best or value < best[0][0]):
            best[:] = [(value, disk, surrogate)]
        if progress is not None:
            progress(seen[-1])
        return value

    box = (Range(*settings.centres), Range(*settings.centres), Range(*settings.radii))
    count, initial = settings.evaluations, settings.initial
    minimise(tried, box, count, initial=initial, seed=settings.seed, start=settings.start)
    if not best:
        raise InputError("the residual was finite nowhere in the search: check the coefficients of the equation")
    value, disk, surrogate = best[0]
    return FoundDisk(disk, surrogate, value, tuple(seen), time.perf_counter() - begun)
