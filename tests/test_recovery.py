"""Newton's method that fails on a layout after it had converged on another: the solve goes on from its best fit.

Real problems do this rarely and not for long. Here the linear equations of chosen layouts have no solution on purpose,
in a thin wrapper around the interval and the rectangle.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from gated_xtfc import Problem, Status
from gated_xtfc.gates.coordinate import refined
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.adapt import MOST_GUIDED, Adapted, Limits, adapt, begin
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.solver.verdict import verdict

TOL = 1e-8
PLENTY = Limits(100_000, 14, 500, 4e9)
PROBLEMS = {
    "interval": Problem("eps*u'' - u - u^3 = -1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=1e-2),
    "rectangle": Problem(
        "eps*(u_xx + u_yy) - u - u^3 = -1",
        {"x": (0, 1), "y": (0, 1)},
        ["u(0, y) = 0", "u(1, y) = 0", "u_y(x, 0) = 0", "u_y(x, 1) = 0"],
        eps=1e-2,
    ),
}
SPACES = pytest.mark.parametrize("name", PROBLEMS)


@dataclass
class Failing:
    """A space whose layouts of these numbers, counted from zero, have linear equations without a solution."""

    space: Any
    numbers: range
    layouts: list[Any] = field(default_factory=list)
    starts: list[Any] = field(default_factory=list)  # where Newton's method began on each layout

    def __getattr__(self, name: str) -> Any:
        return getattr(self.space, name)

    def lay_out(self, coordinates: Any) -> Any:
        self.layouts.append(self.space.lay_out(coordinates))
        return self.layouts[-1]

    def iterate(self, layout: Any, start: Any) -> Any:
        self.starts.append(start)
        return self.space.iterate(layout, start)

    def fit(self, layout: Any, linear: Any, goal: float, near: Any = None) -> Any:
        found = self.space.fit(layout, linear, goal, near)
        if len(self.layouts) - 1 in self.numbers:
            raise np.linalg.LinAlgError("on purpose")
        return found


def adapted(name: str, numbers: range, limits: Limits = PLENTY) -> tuple[Failing, Adapted[Any]]:
    """From a layout on which Newton's method converges and which is too coarse for the tolerance."""
    space = Failing(space_of(PROBLEMS[name], TOL), numbers)
    coordinates, start = begin(space, TOL)
    return space, adapt(space, refined(coordinates, 0.7), start, TOL, limits)


def middle(start: Any, name: str) -> float:
    """A start's value in the middle of the domain."""
    at = (np.array([0.5]),) if name == "interval" else (np.array([0.5]), np.array([0.5]))
    orders = (0,) * len(at)
    return float(start.about(0, at, orders).item())


@SPACES
def test_without_failures_it_takes_more_than_one_layout(name: str) -> None:
    space, found = adapted(name, range(0))
    assert found.error <= TOL
    assert len(space.layouts) == len(found.history) > 1


@SPACES
def test_one_that_fails_on_a_finer_layout_goes_on_from_the_best_fit_and_gets_there(name: str) -> None:
    space, found = adapted(name, range(1, 2))
    assert found.error <= TOL
    assert len(space.layouts) == len(found.history) + 1
    # on the layout after the one that failed it begins at the solution of the first, and needs fewer steps than that
    coarse, again = middle(space.starts[1], name), middle(space.starts[2], name)
    assert again == pytest.approx(coarse, abs=1e-13)
    assert again != pytest.approx(middle(space.starts[0], name), abs=1e-3)
    assert found.history[1].steps < found.history[0].steps


@SPACES
def test_the_layout_after_a_failure_is_another_one(name: str) -> None:
    space, _ = adapted(name, range(1, 2))
    assert space.layouts[2].points[0].size != space.layouts[1].points[0].size


@SPACES
def test_one_that_fails_on_every_finer_layout_hands_over_the_first_and_is_not_called_converged(name: str) -> None:
    space, found = adapted(name, range(1, 100))
    assert found.found is not None
    assert found.found.layout is space.layouts[0]
    assert len(found.history) == 1
    assert found.error == found.history[0].error > TOL
    assert len(space.layouts) <= 2 + MOST_GUIDED
    status, message = verdict(found, TOL, Translation((0.0,) * len(PROBLEMS[name].axes)))
    assert status == Status.RESOLUTION
    assert "not fully resolved" in message


@SPACES
def test_one_that_fails_at_once_finds_nothing(name: str) -> None:
    space, found = adapted(name, range(100))
    assert (found.found, found.history, len(space.layouts)) == (None, (), 1)
    status, message = verdict(found, TOL, Translation((0.0,) * len(PROBLEMS[name].axes)))
    assert status == Status.NOT_FOUND
    assert message.startswith("Newton's method found no solution")


@SPACES
@pytest.mark.parametrize("budget", [Status.MAX_NEURONS, Status.MAX_MEMORY])
def test_the_layout_after_a_failure_is_not_larger_than_allowed(name: str, budget: Status) -> None:
    free, _ = adapted(name, range(1, 2))
    failed, after = (free.size(coordinates_of(layout)) for layout in free.layouts[1:3])
    # room for the layout that fails, and not for the one that comes after it
    neurons, memory = math.ceil(failed.neurons), 0.5 * (failed.memory + after.memory)
    assert neurons < after.neurons
    limits = replace(PLENTY, neurons=neurons) if budget == Status.MAX_NEURONS else replace(PLENTY, memory=memory)
    space, found = adapted(name, range(1, 2), limits)
    assert len(space.layouts) == 2
    assert found.found is not None
    assert found.stopped == budget


def coordinates_of(layout: Any) -> Any:
    return (layout.basis.coordinates,) if hasattr(layout, "basis") else (layout.x.coordinates, layout.y.coordinates)
