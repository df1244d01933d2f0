"""Sites that move by the compiled core are those of NumPy, to rounding, and so is every step in time."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.core import compiled
from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.sites import sites
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.features import features
from gated_xtfc.solver.moving.layout import State
from gated_xtfc.solver.moving.radau import radau
from gated_xtfc.solver.moving.start import begin
from gated_xtfc.solver.moving.step import Anderson, Stages, take

pytestmark = pytest.mark.skipif(compiled.moving_step is None, reason="there is no compiled core")
STRIP = {"x": (0, 1), "t": (0, 1)}
TWINS = "moving_eta", "moving_sides", "moving_sites", "moving_step"
FRONT = "0.6 - 0.5*tanh((x - 0.25)/(4*0.001))"
PROBLEMS = {
    "front": ("u_t + u*u_x = 0.001*u_xx", [f"u(x, 0) = {FRONT}", "u(0, t) = 1.1", "u(1, t) = 0.1 + 0.01*sin(t)"]),
    "slopes at the ends": ("u_t = 0.1*u_xx - u^2", ["u(x, 0) = cos(pi*x)", "u_x(0, t) = 0", "u_x(1, t) = 0"]),
    "joined": (
        "u_t + cos(t)*u_x = 0.01*u_xx",
        ["u(x, 0) = sin(2*pi*x)", "u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"],
    ),
    "joined and carried": ("u_t + u_x = 0", ["u(x, 0) = sin(2*pi*x)", "u(0, t) = u(1, t)"]),
    "factor of the rate, conditions not linear": (
        "(1 + x*u)*u_t = u_xx + 9*exp(t)*sin(3*x) + (1 + x*u)*u",
        [
            "u(x, 0) = sin(3*x) + 2",
            "u_x(0, t) + u(0, t) = 5*exp(t)",
            "u_x(1, t)*u(1, t) = exp(2*t)*-2.9*(2.1 + u(1, t))",
        ],
    ),
    "rates that are mixed": (
        ["u_t + x*v_t = u_xx - u*v", "v_t - 0.5*u_t = 0.1*v_xx + where(v > 0.1, u*v, 0)"],
        ["u(x, 0) = sin(pi*x)", "v(x, 0) = exp(-((x - 0.4)/0.1)^2)", "u = 0 on boundary", "v_x(0, t) = 0",
         "v(1, t) = u(1, t)"],
    ),
    "a field that follows at once": (
        ["u_t = -v_xx", "v = u_xx"],
        ["u(x, 0) = sin(pi*x)", "u = 0 on boundary", "v = 0 on boundary"],
    ),
    "fields that follow place by place, and along space": (
        ["u_t + w_x = 0.1*u_xx + p", "v + v^3 = u + 0.1*sin(30*t)", "w = u^2 - v", "0 = p_xx + u*v"],
        ["u(x, 0) = 1.025 + 0.4*tanh((x - 0.4)/0.02)", "w(0, t) = t - 0.109375", "u_x(1, t) = 0", "p = 0 on boundary"],
    ),
    "waves that carry one another": (
        ["u_t = v_x + x*u", "v_t + 0.2*v_x = (1 + u^2)*u_x + 0.1*w", "w_t = 0.01*w_xx + u"],
        ["u(x, 0) = exp(-((x - 0.4)/0.05)^2)", "v(x, 0) = 0", "w(x, 0) = 0", "u(0, t) = 0", "u(1, t) = 0.3*v(1, t) + t",
         "w = 0 on boundary"],
    ),
    "waves that go round": (
        ["u_t = v_x", "v_t = (1 + u^2)*u_x"],
        ["u(x, 0) = sin(2*pi*x)", "v(x, 0) = 0", "u(0, t) = u(1, t)", "v(0, t) = v(1, t)"],
    ),
    "broken": (
        ["where(x < 0.4, 1, 3)*u_t = (where(x < 0.4, 1 + u^2, 2 + v)*u_x)_x", "v_t = 0.1*v_xx + where(x < 0.7, u, 1)"],
        ["u(x, 0) = cos(pi*x)^2", "v(x, 0) = 1 + sin(x)^2", "u_x(0, t) = 0", "u(1, t) = 1", "v(0, t) = 1",
         "v_x(1, t) = v(1, t)"],
    ),
    "broken and joined": (
        "u_t + u_x = 0.05*where(x < 0.4, 1, 3)*u_xx",
        ["u(x, 0) = sin(2*pi*x)", "u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"],
    ),
    "broken and carried": (
        "u_t + where(x < 0.4, 1, 3)*u_x = 0", ["u(x, 0) = exp(-50*(x - 0.6)^2)*x^2", "u(0, t) = 0"],
    ),
}  # fmt: skip


def state_of(name: str) -> State:
    equations, conditions = PROBLEMS[name]
    problem = Equations(gx.Problem(equations, STRIP, conditions))
    return begin(problem, features(problem.problem, problem.evolution), 1e-6, 1e-6, 4000).state


def close(fast: np.ndarray, slow: np.ndarray, within: float = 1e-12, rounding: float = 0.0) -> None:
    size = float(np.abs(slow).max(initial=1e-300))
    np.testing.assert_allclose(fast, slow, rtol=0.0, atol=within * size + rounding)


@pytest.mark.parametrize("seed", range(12))
def test_sites_are_in_the_same_places(seed, monkeypatch):
    dice = np.random.default_rng(seed)
    g = int(dice.integers(1, 8))
    places = np.linspace(0.0, 2.0, g) + (dice.uniform(0.0, 0.1, g) if seed % 3 else 0.0)
    gates = np.stack([np.clip(places, 0.0, 2.0), 10 ** dice.uniform(-8, -1, g)])
    grading = dice.choice([0.5, 0.35, 0.25], g) if seed % 2 else np.full(g, 0.5)
    coordinate = MovingCoordinate(0.0, 2.0, 0.3, grading)
    pins = coordinate.pins(gates) if seed % 4 else None
    eta = sites(90, 10).eta
    moved = gates * np.array([[1.0], [1.001]]) + 0.3 * gates[1] * (gates[0] > 0.0) * (gates[0] < 2.0) * [[1.0], [0.0]]
    begun = coordinate.frame(gates[None], eta, pins)
    fast = coordinate.frame(np.stack([gates, moved]), eta, pins, begun)
    x = np.linspace(0.0, 2.0, 99)
    along = coordinate.eta(x, moved, pins)
    for twin in TWINS:
        monkeypatch.setattr(compiled, twin, None)
    close(along, coordinate.eta(x, moved, pins), 1e-11)
    slow = coordinate.frame(np.stack([gates, moved]), eta, pins, begun)
    step = np.gradient(slow.x, axis=1)
    assert np.abs((fast.x - slow.x) / step).max() < 1e-10
    for own, other in ((fast.slope, slow.slope), (fast.slopes, slow.slopes)):
        np.testing.assert_allclose(own, other, rtol=1e-9)
    close(fast.bend / slow.slope**2, slow.bend / slow.slope**2, 1e-9)
    size = np.abs(slow.motion).max(axis=2, keepdims=True) + 1e-300
    assert np.abs((fast.motion - slow.motion) / size).max() < 1e-9


@pytest.mark.parametrize("name", PROBLEMS)
def test_equations_and_their_derivatives_are_the_same(name, monkeypatch):
    state = state_of(name)
    system, t = state.layout.system, np.array([0.3])
    assert system.core is not None
    velocity = np.sin(3.0 * state.x)
    values = state.values + 1e-3 * np.cos(state.x)

    def found() -> list[np.ndarray]:
        penalties = system.penalties(state.frame, 0.3, values)
        sides = [
            one
            for checking in (False, True)
            for one in system.right_side(state.frame, t, values[None], velocity[None], penalties, checking)
        ]
        return [penalties, *sides, system.jacobian(state.frame, 0.3, values, velocity, penalties)]

    fast = found()
    for twin in TWINS:
        monkeypatch.setattr(compiled, twin, None)
    for own, other in zip(fast, found(), strict=True):
        close(own, other)


@pytest.mark.parametrize("name", PROBLEMS)
def test_steps_in_time_are_the_same(name, monkeypatch):
    state = state_of(name)
    size = np.ptp(state.values, axis=1) + 0.1
    state = State(state.t, state.layout, state.gates, state.frame, state.values, 1e-7 * np.cos(state.values))
    trail = tuple((t, state.gates + t * state.gates[1] * [[1.0], [0.0]]) for t in (-2e-3, -1e-3, 0.0))
    later = State(state.t, state.layout, state.gates, state.frame, state.values, state.error, trail)
    given = [(one, step) for one in (state, later) for step in (1e-3, 1e-2)]

    def taken() -> list[Stages | None]:
        return [take(one, step, size, None, 1e-4, 1e-11) for one, step in given]

    fast = taken()
    for twin in TWINS:
        monkeypatch.setattr(compiled, twin, None)
    for own, other in zip(fast, taken(), strict=True):
        assert (own is None) == (other is None)
        if own is None or other is None:
            continue
        close(own.gates, other.gates, 1e-10)
        close(own.changes, other.changes, 1e-9)
        for fast_error, slow_error in ((own.local, other.local), (own.error, other.error)):
            close(fast_error, slow_error, 1e-4, 1e-9)  # differences of what Newton's method leaves
        assert own.spatial == pytest.approx(other.spatial, rel=1e-4, abs=1e-9)
    assert fast[0] is not None


def test_columns_that_others_explain_do_no_harm_to_the_acceleration():
    dice = np.random.default_rng(0)
    matrix, goal = 0.5 * np.eye(4) + 0.2 * dice.standard_normal((4, 4)), dice.standard_normal(4)
    anderson, iterate, scale = Anderson(), np.zeros((1, 4)), np.ones(4)
    for _ in range(8):
        iterate = anderson.next(iterate, (goal - iterate[0] @ matrix)[None], scale, True)
    np.testing.assert_allclose(iterate[0] @ matrix, goal, atol=1e-9)


def test_what_the_core_does_not_know_goes_the_way_of_numpy():
    conditions = ["u(x, 0) = sin(pi*x)", "u = 0 on boundary"]
    texts = gx.Problem("u_t = u_xx - u^3", {"x": (0, 1), "t": (0, 0.1)}, conditions)
    function = gx.Problem(lambda x, t, u: u.t - u.xx + u**3, {"x": (0, 1), "t": (0, 0.1)}, conditions)
    fast, slow = gx.solve(texts, 1e-7), gx.solve(function, 1e-7)
    assert fast.converged
    assert slow.converged
    x = np.linspace(0, 1, 50)
    np.testing.assert_allclose(fast(x, 0.1), slow(x, 0.1), atol=1e-10)


def test_arrays_that_do_not_fit_are_refused_and_numbers_that_are_none_do_no_harm():
    assert compiled.moving_step is not None
    assert compiled.moving_sides is not None
    state = state_of("front")
    layout = state.layout
    assert layout.core is not None
    system, coordinate = layout.core
    packed = radau(5).packed
    with pytest.raises(ValueError, match="do not fit"):
        compiled.moving_step(system[:-1], coordinate, packed, 5, (), (), 0.0, 1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="do not fit"):
        compiled.moving_step(system, coordinate, packed, 7, (), (), 0.0, 1.0, 1.0, 1.0)
    wrong = (*system[:1], system[1] + 5, *system[2:])  # ranks beyond the sites
    found = np.empty((2, *state.values.shape))
    at = state.frame.x[0], state.frame.slope[0], state.frame.bend[0], state.values
    with pytest.raises(ValueError, match="do not fit"):
        compiled.moving_sides(wrong, 0.0, *at, None, np.zeros((2, 1, 1)), False, (found[0], found[1]), None)
    bad = State(0.0, layout, state.gates, state.frame, np.full_like(state.values, np.nan), state.error)
    assert take(bad, 1e-3, np.ones(1), None, 1e-4, 1e-12) is None
    gates = np.full((1, *state.gates.shape), np.inf)
    assert not layout.frame(gates, state.frame).regular
