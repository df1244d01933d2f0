"""The interval and the rectangle walk the same pipeline: what holds on one holds on the other.

A problem on a rectangle whose data do not depend on y, with u_y = 0 on y = 0 and y = 1, is the problem on the interval.
"""

import math
import pickle
import re
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import InputError, Problem, Status
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.spaces import space_of

LINE: dict[str, Any] = {"x": (0, 1)}
SQUARE: dict[str, Any] = {"x": (0, 1), "y": (0, 1)}
INSULATED = ["u_y(x, 0) = 0", "u_y(x, 1) = 0"]
SPACES = ("interval", "rectangle")


def pair(across: str, along: str, left: str, right: str, **parameters: float) -> dict[str, Problem]:
    """The same problem twice: `along` is written with u' and u'', `across` with u_x, u_xx and a multiple of u_yy."""
    ends = [text.replace("u_x(*)", "u'(*)") for text in (left, right)]
    line = [text.replace("*)", f"{end})") for text, end in zip(ends, (0, 1), strict=True)]
    sides = [left.replace("(*)", "(0, y)"), right.replace("(*)", "(1, y)")]
    return {
        "interval": Problem(along, LINE, line, **parameters),
        "rectangle": Problem(across, SQUARE, [*sides, *INSULATED], **parameters),
    }


def reaction(eps: float = 1e-4) -> dict[str, Problem]:
    return pair("-eps*(u_xx + u_yy) + u = 1", "-eps*u'' + u = 1", "u(*) = 0", "u(*) = 0", eps=eps)


SAME = {
    "reaction layers": reaction(),
    "outflow layer": pair("-eps*(u_xx + u_yy) + u_x = 1", "-eps*u'' + u' = 1", "u(*) = 0", "u(*) = 0", eps=1e-6),
    "Robin": pair(
        "-eps*(u_xx + u_yy) + u = x", "-eps*u'' + u = x", "u(*) - 0.1*u_x(*) = 1", "u(*) + 0.2*u_x(*) = 0", eps=1e-3
    ),
    "jumping source": pair(
        "u_xx + u_yy - u = where(x < 0.3, 1, 2)", "u'' - u = where(x < 0.3, 1, 2)", "u(*) = 0", "u(*) = 1"
    ),
    "needle": pair(
        "u_xx + u_yy = exp(-((x - 0.3)/w)^2)", "u'' = exp(-((x - 0.3)/w)^2)", "u(*) = 0", "u(*) = 0", w=1e-3
    ),
    "nonlinear": pair("u_xx + u_yy + exp(u) = 0", "u'' + exp(u) = 0", "u(*) = 0", "u(*) = 0"),
    "nonlinear with layers": pair(
        "eps*(u_xx + u_yy) - u - u^3 = -1", "eps*u'' - u - u^3 = -1", "u(*) = 0", "u(*) = 0", eps=1e-2
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_a_rectangle_on_which_nothing_depends_on_y_is_the_interval(name: str) -> None:
    line, square = (gx.solve(SAME[name][space], tol=1e-6) for space in SPACES)
    assert line.status == square.status == Status.CONVERGED
    x = line.points(201)
    for y in (0.0, 0.37, 1.0):
        away = np.abs(square(x, np.full_like(x, y)) - line(x)).max() / line.scale
        assert away <= line.error + square.error


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("space", SPACES)
def test_the_translated_problem_has_the_translated_solution(space: str, name: str) -> None:
    problem = SAME[name][space]
    origins = (0.3, 0.6)[: len(problem.axes)]
    there = problem.transformed(Translation(origins))
    assert there != problem
    assert pickle.loads(pickle.dumps(there)) == there
    here, moved = gx.solve(problem, tol=1e-6), gx.solve(there, tol=1e-6)
    assert moved.converged
    places = [np.linspace(0.0, 1.0, 33), np.full(33, 0.25)][: len(problem.axes)]
    away = here(*places) - moved(*(x - origin for x, origin in zip(places, origins, strict=True)))
    assert np.abs(away).max() <= (here.error + moved.error) * here.scale


@pytest.mark.parametrize("space", SPACES)
def test_an_operator_that_is_singular_is_called_so(space: str) -> None:
    resonant = pair("u_xx + u_yy + pi^2*u = 1", "u'' + pi^2*u = 1", "u(*) = 0", "u(*) = 0")[space]
    solution = gx.solve(resonant)
    assert solution.status == Status.NEARLY_SINGULAR
    assert "is nearly singular" in solution.message
    assert solution.error >= 1.0


@pytest.mark.parametrize("space", SPACES)
def test_where_newton_finds_nothing_the_guess_is_handed_over_and_called_so(space: str) -> None:
    # a number and not a parameter: there is nothing to follow
    hopeless = pair("u_xx + u_yy + 60*exp(u) = 0", "u'' + 60*exp(u) = 0", "u(*) = 1", "u(*) = 1")[space]
    solution = gx.solve(hopeless, max_steps=8)
    assert solution.status == Status.NOT_FOUND
    assert solution.message.startswith("Newton's method found no solution")
    assert solution.error == math.inf
    assert solution(*((0.0,) if space == "interval" else (0.0, 0.4))) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("space", SPACES)
def test_a_path_that_ends_at_a_fold_is_stopped_and_says_where(space: str) -> None:
    folded = pair("u_xx + u_yy + k*exp(u) = 0", "u'' + k*exp(u) = 0", "u(*) = 0", "u(*) = 0", k=5.0)[space]
    solution = gx.solve(folded, tol=1e-5, continuation="k")
    assert solution.status == Status.STOPPED
    assert "could be followed to k = 3.49" in solution.message
    assert solution.continuation == "k"
    assert solution.problem.parameters["k"] == pytest.approx(3.49, abs=0.02)
    assert solution.history[0].value == 1.0


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("status", [Status.RESOLUTION, Status.MAX_NEURONS, Status.MAX_MEMORY])
def test_budgets_end_a_solve_with_their_own_status(space: str, status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    for way in ("attempt_elements", "attempt_patiently"):  # elements take less than is allowed
        monkeypatch.setattr(f"gated_xtfc.solver.attempts.{way}", lambda *_: None)
    # its first layout does not do, and the next one takes more than the 1.2 times that are allowed here
    steep = pair(
        "u_xx + u_yy - u = 1/(1e-5 + (x - 0.4)^4)", "u'' - u = 1/(1e-5 + (x - 0.4)^4)", "u(*) = 0", "u(*) = 0"
    )[space]  # fmt: skip
    tol = 1e-11
    discretisation = space_of(steep, tol)
    first = discretisation.size(discretisation.predict(tol))
    options: dict[Status, dict[str, Any]] = {
        Status.RESOLUTION: {"max_rounds": 1},
        Status.MAX_NEURONS: {"max_neurons": int(1.2 * first.neurons)},
        Status.MAX_MEMORY: {"max_memory": 1.2 * first.memory},
    }
    solution = gx.solve(steep, tol=tol, **options[status])
    assert solution.status == status
    assert solution.rounds == 1
    assert solution.error > tol
    assert gx.solve(steep, tol=tol).converged


@pytest.mark.parametrize("space", SPACES)
def test_a_problem_that_needs_more_memory_than_allowed_is_refused(space: str) -> None:
    with pytest.raises(InputError, match=r"needs about .* GB of memory, more than the .* GB of max_memory"):
        gx.solve(reaction()[space], max_memory=1e4)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tol": 0.0}, "tol is 0.0: give a positive number"),
        ({"max_neurons": 3}, "max_neurons is 3"),
        ({"max_rounds": 0}, "max_rounds is 0"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"max_memory": -1.0}, "max_memory is -1.0"),
        ({"continuation": "k"}, 'continuation in "k" is not possible'),
        ({"guess": object()}, "must be a text"),
        ({"guess": "1/0*x"}, "not a finite number"),
        ({"guess": "log(x - 0.5)"}, "is not finite at x = "),
        ({"gates": 3}, "gates"),
    ],
)
def test_options_that_cannot_be_used_are_refused_alike(space: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        gx.solve(SAME["nonlinear"][space], **options)


@pytest.mark.parametrize("space", SPACES)
def test_steps_of_newtons_method_are_counted_and_limited(space: str) -> None:
    problem = SAME["nonlinear with layers"][space]
    solution = gx.solve(problem, max_steps=2)
    assert sum(entry.steps for entry in solution.history) <= 2
    assert not solution.converged


@pytest.mark.parametrize("space", SPACES)
def test_progress_is_told_of_every_round(space: str) -> None:
    told: list[gx.Round] = []
    solution = gx.solve(SAME["nonlinear"][space], progress=told.append)
    assert tuple(told) == solution.history


@pytest.mark.parametrize("space", SPACES)
def test_a_solution_is_a_guess(space: str) -> None:
    first = gx.solve(SAME["nonlinear"][space])
    again = gx.solve(SAME["nonlinear"][space], guess=first)
    assert again.converged
    assert again.history[0].steps < first.history[0].steps


@pytest.mark.parametrize("space", SPACES)
def test_a_sweep_starts_warm_and_takes_a_guess(space: str) -> None:
    family = SAME["nonlinear with layers"][space]
    values = {"eps": [0.3, 0.2]}
    warm = gx.sweep(family, values, workers=1, tol=1e-5)
    cold = gx.sweep(family, values, workers=1, tol=1e-5, warm=False)
    guessed = gx.sweep(family, values, workers=1, tol=1e-5, guess="x*(1 - x)")
    assert warm.converged.all()
    assert cold.converged.all()
    assert guessed.converged.all()
    with pytest.raises(InputError, match="guess"):
        gx.sweep(family, values, workers=1, guess=[1.0])
