"""The outer searches on a line: one bounded minimisation inside another, or Bayesian optimisation for two splits.

Every evaluation is recorded. Transitions at their physical bound make the scale irrelevant; the same layout is
not solved twice.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gated_xtfc.baselines.constrained import dirichlet
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published.fit import ON_A_LINE, fit, physical_scale
from gated_xtfc.published.objective import Objective
from gated_xtfc.published.soft_split import SoftSplit, SplitLayout
from gated_xtfc.ranges import Range


@dataclass(frozen=True)
class SplitEvaluation:
    splits: tuple[float, ...]
    scale: float
    value: float  # of the objective, J
    seconds: float
    ridge_used: float
    repeated: bool  # the layout had been solved before

    def record(self) -> dict[str, object]:
        return {**vars(self), "splits": list(self.splits)}


@dataclass(frozen=True, eq=False)
class FoundSplit:
    best: SoftSplit
    surrogate: Surrogate
    value: float  # J at the best
    evaluations: tuple[SplitEvaluation, ...]
    seconds: float

    @property
    def solves(self) -> int:
        return sum(not evaluation.repeated for evaluation in self.evaluations)


Progress = Callable[[SplitEvaluation], None]


@dataclass(frozen=True)
class NestedSearch:
    """The forward search: the split outside, the transition scale inside, each by Brent's bounded minimisation."""

    split: SoftSplit = field(default_factory=SoftSplit)  # where it splits is what is searched for
    places: tuple[float, float] = (0.80, 0.999)  # of the split, in domain lengths from the left end
    scales: tuple[float, float] = (10.0, 100.0)
    place_tolerance: float = 1e-4
    scale_tolerance: float = 1e-1
    objective: Objective = field(default_factory=Objective)

    def sized(self, count: int, tolerances: tuple[float, float]) -> "NestedSearch":
        """The same with so many centres and sites a block, and these tolerances of the split and of the scale."""
        split, (place, scale) = replace(self.split, centres=count, sites=count), tolerances
        return replace(self, split=split, place_tolerance=place, scale_tolerance=scale)


@dataclass(frozen=True)
class BayesianSearch:
    """The search for twin layers: distances of the first and last split from the ends, and the transition scale."""

    split: SoftSplit = field(default_factory=lambda: SoftSplit((0.05, 0.95), centres=1200, sites=1200))
    distances: tuple[float, float] = (0.01, 0.1)  # in domain lengths
    scales: tuple[float, float] = (10.0, 100.0)
    evaluations: int = 60
    initial: int = 8
    objective: Objective = field(default_factory=Objective)
    seed: int = 0


def search(problem: Problem, settings: NestedSearch | BayesianSearch, progress: Progress | None = None) -> FoundSplit:
    """The best split and its surrogate; `progress` is called with every evaluation."""
    begun = time.perf_counter()
    dirichlet(problem, ON_A_LINE)  # what it cannot handle is refused before anything is measured
    trials = _Trials(problem, settings.split, settings.objective, progress)
    if isinstance(settings, NestedSearch):
        _nested(trials, settings)
    else:
        _bayesian(trials, settings)
    if trials.surrogate is None or trials.best is None:
        raise InputError("the residual was finite nowhere in the search: check the coefficients of the equation")
    seconds = time.perf_counter() - begun
    return FoundSplit(trials.best, trials.surrogate, trials.value, tuple(trials.evaluations), seconds)


class _Trials:
    """The objective as a function of splits and scale; remembers what it has seen."""

    def __init__(self, problem: Problem, split: SoftSplit, objective: Objective, progress: Progress | None) -> None:
        self.problem, self.split, self.objective, self.progress = problem, split, objective, progress
        self.physical = physical_scale(problem, split)
        self.evaluations: list[SplitEvaluation] = []
        self.seen: dict[tuple[tuple[float, ...], tuple[float, ...]], SplitEvaluation] = {}  # by splits and transitions
        self.value = float("inf")
        self.best: SoftSplit | None = None
        self.surrogate: Surrogate | None = None

    def __call__(self, fractions: tuple[float, ...], scale: float) -> float:
        """The objective J with splits at these fractions of the domain."""
        begun, axis = time.perf_counter(), self.problem.axes[0]
        places = tuple(axis.left + axis.length * fraction for fraction in fractions)
        split = replace(self.split, splits=places, scale=scale)
        key = places, SplitLayout.of(split, axis, self.physical).transitions
        if key in self.seen:
            before = self.seen[key]
            evaluation = replace(before, scale=scale, seconds=time.perf_counter() - begun, repeated=True)
        else:
            surrogate = fit(self.problem, split)
            value = self.objective(surrogate, split)
            ridge = float(surrogate.details["ridge_used"])
            evaluation = SplitEvaluation(places, scale, value, time.perf_counter() - begun, ridge, False)
            self.seen[key] = evaluation
            if value < self.value:
                self.best, self.surrogate, self.value = split, surrogate, value
        self.evaluations.append(evaluation)
        if self.progress is not None:
            self.progress(evaluation)
        return evaluation.value


def _nested(trials: _Trials, settings: NestedSearch) -> None:
    if len(settings.split.splits) != 1:
        raise InputError(f"the nested search moves one split, not {len(settings.split.splits)}: use BayesianSearch()")

    def best_scale(place: float) -> float:
        return _least(lambda scale: trials((place,), scale), settings.scales, settings.scale_tolerance)

    _least(best_scale, settings.places, settings.place_tolerance)


def _least(function: Callable[[float], float], bounds: tuple[float, float], tolerance: float) -> float:
    """The least value that Brent's bounded minimisation finds."""
    from scipy.optimize import minimize_scalar

    options = {"xatol": tolerance}
    return float(minimize_scalar(lambda x: function(float(x)), bounds=bounds, method="bounded", options=options).fun)


def _bayesian(trials: _Trials, settings: BayesianSearch) -> None:
    from gated_xtfc.published.expected_improvement import minimise

    if len(settings.split.splits) != 2:
        raise InputError(f"the twin search moves two splits, not {len(settings.split.splits)}: use NestedSearch()")
    box = (Range(*settings.distances), Range(*settings.distances), Range(*settings.scales))
    minimise(
        lambda point: trials((point[0], 1.0 - point[1]), point[2]),
        box,
        settings.evaluations,
        initial=settings.initial,
        seed=settings.seed,
    )
