"""Equations that evolve and break at places: coefficients that leap in space, factors that vanish, seams that leap."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eig
from scipy.special import erfc

import gated_xtfc as gx
from gated_xtfc.apps import cli
from gated_xtfc.plots import animation
from gated_xtfc.solution.evolution import EvolutionSolution

STRIP = {"x": (0, 1), "t": (0, 0.1)}
ROD = ["u(x, 0) = sin(pi*x)", "u = 0 on boundary"]
BODIES = {"x": (-1, 1), "t": (0, 0.002)}
CONTACT = ["u(x, 0) = where(x < 0, 1, 0)", "u_x = 0 on boundary"]
SEAM = ["u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"]


def solved(equation: str | list[str], domain: object, conditions: list[str], tol: float) -> EvolutionSolution:
    found = gx.solve(gx.Problem(equation, domain, conditions), tol)
    assert isinstance(found, EvolutionSolution)
    return found


def true_error(solution: EvolutionSolution, exact: Callable[[np.ndarray, float], np.ndarray], first: int = 0) -> float:
    """At dense places in and after every step but the first ones, relative to the field."""
    worst = 0.0
    for piece in solution.record.pieces[first:]:
        for part in (0.37, 1.0):
            t = piece.start + part * piece.length
            x = piece.places(t, 301)
            worst = max(worst, float(np.abs(piece.at(x, t)[0] - exact(x, t)).max()) / solution.scales[0])
    return worst


def touching(effusivity: tuple[float, float], diffusion: tuple[float, float]) -> Callable[..., np.ndarray]:
    """A body at one to the left of a body at zero."""
    (e, f), (a, b) = effusivity, diffusion

    def values(x: np.ndarray, t: float) -> np.ndarray:
        left = 1.0 - f / (e + f) * erfc(-x / np.sqrt(4.0 * a * t))
        return np.where(x < 0.0, left, e / (e + f) * erfc(x / np.sqrt(4.0 * b * t)))

    return values


@pytest.mark.parametrize(
    ("equation", "exact"),
    [
        ("u_t = (where(x < 0, 1, 4)*u_x)_x", touching((1.0, 2.0), (1.0, 4.0))),
        ("where(x < 0, 1, 9)*u_t = u_xx", touching((1.0, 3.0), (1.0, 1.0 / 9.0))),
        ("u_t = where(x < 0, 1, 4)*u_xx", touching((1.0, 0.5), (1.0, 4.0))),
    ],
)
def test_two_bodies_in_contact_are_within_their_estimate(
    equation: str, exact: Callable[[np.ndarray, float], np.ndarray]
) -> None:
    solution = solved(equation, BODIES, CONTACT, 1e-5)
    assert solution.converged, solution.message
    assert true_error(solution, exact, first=1) <= min(1e-5, 3.0 * solution.error)


def heated(x: np.ndarray, t: float) -> np.ndarray:
    """u_t = u_xx + where(x < 0.3, 1, 0) from sin(pi x)."""
    k = np.pi * np.arange(1, 3001)[:, None]
    found = 2.0 * (1.0 - np.cos(0.3 * k)) / k * -np.expm1(-(k**2) * t) / k**2
    found[0] += np.exp(-(np.pi**2) * t)
    return np.asarray((found * np.sin(k * x)).sum(axis=0))


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8])
def test_a_source_that_ends_inside_takes_few_steps(tol: float) -> None:
    solution = solved("u_t = u_xx + where(x < 0.3, 1, 0)", STRIP, ROD, tol)
    assert solution.converged
    assert true_error(solution, heated) <= 3.0 * solution.error
    assert solution.steps <= 60


def test_slopes_leap_as_fluxes_ask_for_and_not_without() -> None:
    flux = solved("u_t = (where(x < 0.5, 1, 10)*u_x)_x", STRIP, ROD, 1e-7)
    plain = solved("u_t = where(x < 0.5, 1, 10)*u_xx", STRIP, ROD, 1e-7)
    sides = np.array([0.5 - 1e-9, 0.5 + 1e-9])
    left, right = flux(sides, 0.05, 1)
    assert abs(left - 10.0 * right) <= 1e-6 * abs(left)
    left, right = plain(sides, 0.05, 1)
    assert abs(left - right) <= 1e-6 * abs(left)


def test_a_derivative_of_a_parenthesis_is_what_it_is_written_out() -> None:
    short = solved("u_t = ((1 + x^2)*(1 + u)*u_x)_x", STRIP, ROD, 1e-7)
    text = "u_t = (1 + x^2)*(1 + u)*u_xx + 2*x*(1 + u)*u_x + (1 + x^2)*u_x^2"
    x = np.linspace(0, 1, 50)
    np.testing.assert_allclose(short(x, 0.05), solved(text, STRIP, ROD, 1e-7)(x, 0.05), atol=2e-7)


def test_a_layer_that_begins_with_the_first_step_is_resolved_inside_of_it() -> None:
    text = "u_t = ((1 + x^2)*u_x)_x"  # asks for u_t = -2 pi at x = 1, where u is held
    coarse, fine = (solved(text, STRIP, ROD, tol) for tol in (1e-6, 1e-9))
    assert coarse.converged
    x = 1.0 - np.logspace(-5, 0, 301)
    for t in (coarse.times[1] * part for part in (0.1, 0.37, 0.7, 1.0)):
        assert np.abs(coarse(x, t) - fine(x, t)).max() <= 1e-6


def test_a_front_crosses_a_break() -> None:
    conditions = ["u(x, 0) = 0.6 - 0.5*tanh((x - 0.2)/0.04)", "u(0, t) = 1.1", "u(1, t) = 0.1"]
    text = "u_t + u*u_x = (where(x < 0.5, 0.01, 0.03)*u_x)_x"
    coarse, fine = (solved(text, {"x": (0, 1), "t": (0, 1)}, conditions, tol) for tol in (1e-5, 1e-7))
    assert coarse.converged
    assert fine.converged
    for t in (0.2, 0.5, 0.6, 0.9):
        x = coarse.places(t, 301)
        assert np.abs(coarse(x, t) - fine(x, t)).max() <= 3.0 * coarse.error * coarse.scales[0]


def test_what_is_carried_across_a_break_is_stretched() -> None:
    text, begin = "u_t + where(x < 0.5, 1, 2)*u_x = 0", "exp(-200*(x - 0.25)^2)"
    conditions = [f"u(x, 0) = {begin}", "u(0, t) = exp(-200*(t + 0.25)^2)"]
    solution = solved(text, {"x": (0, 1), "t": (0, 0.4)}, conditions, 1e-6)
    assert solution.converged

    def exact(x: np.ndarray, t: float) -> np.ndarray:
        return np.asarray(np.exp(-200.0 * (np.where(x < 0.5, x, 0.25 + 0.5 * x) - t - 0.25) ** 2))

    assert true_error(solution, exact) <= 3.0 * solution.error


def test_a_switch_that_travels_in_space_is_counted() -> None:
    solution = solved("u_t = u_xx + where(x < 0.3 + t, 1, 0)", STRIP, ROD, 1e-4)

    def exact(x: np.ndarray, t: float) -> np.ndarray:
        k = np.pi * np.arange(1, 1001)[:, None]
        decay, ends = np.exp(-(k**2) * t), (0.3 + t, 0.3)
        late, early = (k * np.cos(k * end) + np.sin(k * end) for end in ends)
        moved = 2.0 / k * (-np.expm1(-(k**2) * t) / k**2 - (late - decay * early) / (k**3 + k))
        moved[0] += decay[0]
        return np.asarray((moved * np.sin(k * x)).sum(axis=0))

    assert true_error(solution, exact) <= 3.0 * solution.error
    assert not solution.converged
    assert "by a field or time" in solution.message


def test_what_bends_by_a_field_comes_to_rest_where_it_should() -> None:
    conditions = ["u(x, 0) = x", "u(0, t) = 0", "u(1, t) = 1"]
    solution = solved("u_t = u_xx - 5*max(u - 0.5, 0)", {"x": (0, 1), "t": (0, 6)}, conditions, 1e-6)
    assert solution.converged, solution.message
    rest = gx.solve(gx.Problem("u'' = 5*max(u - 0.5, 0)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]), 1e-10)
    x = np.linspace(0, 1, 201)
    assert np.abs(solution(x, 6.0) - rest(x)).max() <= min(1e-6, 3.0 * solution.error)


def test_a_saved_solution_with_breaks_is_the_same_and_goes_on(tmp_path: Path) -> None:
    early = solved("where(x < 0.5, 1, 2)*u_t = u_xx", {"x": (0, 1), "t": (0, 0.02)}, ROD, 1e-6)
    early.save(tmp_path / "rod.npz")
    loaded = gx.load(tmp_path / "rod.npz")
    x = np.linspace(0, 1, 41)
    assert np.array_equal(loaded(x, 0.013), early(x, 0.013))
    later = gx.solve(gx.Problem("where(x < 0.5, 1, 2)*u_t = u_xx", STRIP, ROD), 1e-5, guess=loaded)
    assert later.converged
    at_once = solved("where(x < 0.5, 1, 2)*u_t = u_xx", STRIP, ROD, 1e-7)
    np.testing.assert_allclose(later(x, 0.1), at_once(x, 0.1), atol=1e-5)


@pytest.mark.parametrize("factor", ["x", "sqrt(1 - x)", "x*(1 - x)"])
def test_a_factor_of_the_rate_may_vanish_at_an_end(factor: str) -> None:
    solution = solved(f"{factor}*u_t = u_xx", STRIP, ROD, 1e-6)
    assert solution.converged
    count = 60
    x = 0.5 - 0.5 * np.cos(np.pi * np.arange(count + 1) / count)
    weights = np.where((np.arange(count + 1) % count) == 0, 2.0, 1.0) * (-1.0) ** np.arange(count + 1)
    apart = x[:, None] - x + np.eye(count + 1)
    first = np.outer(weights, 1.0 / weights) / apart
    first -= np.diag(first.sum(axis=1))
    inner = slice(1, -1)
    mass = {"x": x, "sqrt(1 - x)": np.sqrt(1.0 - x), "x*(1 - x)": x * (1.0 - x)}[factor]
    rates, modes = eig((first @ first)[inner, inner], np.diag(mass[inner]))
    begun = np.linalg.solve(modes, np.sin(np.pi * x[inner]))
    for t in (0.01, 0.1):
        exact = (modes @ (np.exp(rates * t) * begun)).real
        assert np.abs(solution(x[inner], t) - exact).max() <= min(1e-6, 3.0 * solution.error) * solution.scales[0]


def test_a_factor_of_the_rate_may_vanish_inside() -> None:
    solution = solved("abs(x - 0.3)*u_t = u_xx", STRIP, ROD, 1e-5)
    assert solution.converged
    finer = solved("abs(x - 0.3)*u_t = u_xx", STRIP, ROD, 1e-7)
    x = np.linspace(0, 1, 201)
    for t in (1e-3, 1e-2, 0.1):
        assert np.abs(solution(x, t) - finer(x, t)).max() <= 3.0 * solution.error


@pytest.mark.parametrize(
    ("equation", "domain", "conditions", "said"),
    [
        ("where(x < 0.5, 0, 1)*u_t = u_xx", STRIP, ROD, "is zero from x = 0.0135 to 0.497"),
        ("(x - 0.5)*u_t = u_xx", STRIP, ROD, "runs backwards"),
        ("u_t = (where(u < 0.5, 1, 2)*u_x)_x", STRIP, ROD, "can switch at fixed places only"),
        ("u_t = (where(x < 0.5 + t, 1, 2)*u_x)_x", STRIP, ROD, "can switch at fixed places only"),
        ("u_t = (u_x)_z", STRIP, ROD, "'_z' cannot stand behind a parenthesis: '_x' or '_t' can"),
        ("(where(x < 0.5, 1, 2)*u_x)_x + u_yy = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"], "jumps: only"),
        ("u_t + u_x = 0", STRIP, ["u(x, 0) = x", "u(0, t) = u(1, t)"], "nothing spreads it there"),
    ],
)
def test_what_cannot_be_joined_is_refused(equation: str, domain: object, conditions: list[str], said: str) -> None:
    with pytest.raises(gx.InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
        gx.solve(gx.Problem(equation, domain, conditions), 1e-4)


@pytest.mark.parametrize(("speed", "spread"), [(0.0, 1.0), (1.0, 0.02)])
def test_a_periodic_field_may_leap_at_its_seam(speed: float, spread: float) -> None:
    text = f"u_t + {speed}*u_x = {spread}*u_xx"
    solution = solved(text, {"x": (0, 1), "t": (0, 0.5)}, ["u(x, 0) = x", *SEAM], 1e-6)
    assert solution.converged, solution.message

    def exact(x: np.ndarray, t: float) -> np.ndarray:
        y, width = np.mod(x - speed * t, 1.0), np.sqrt(4.0 * spread * t)
        leaps = sum(erfc((k - y) / width) for k in range(1, 9)) - sum(erfc((k + y) / width) for k in range(8))
        return np.asarray(y - 0.5 * leaps)

    assert true_error(solution, exact, first=1) <= 3.0 * solution.error


def test_a_film_that_cannot_be_written_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(animation, "films", lambda: False)
    monkeypatch.setattr("gated_xtfc.apps.solve_command.solve", lambda *_, **__: pytest.fail("it was solved"))
    options = ["--equation", "u_t = u_xx", "--domain", "x=0:1", "--domain", "t=0:0.1"]
    options += [word for condition in ROD for word in ("--condition", condition)]
    code = cli.main(["solve", *options, "--film", "mp4", "--out", str(tmp_path)])
    assert code == 2
    assert "ffmpeg is not installed, so ask for a .gif" in capsys.readouterr().err
