"""Fields of first order that carry one another both ways: as many conditions at an end as waves come in there."""

from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from evolution_errors import off
from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.sites import sites
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.layout import laid_out
from gated_xtfc.solver.moving.system import MovingSystem, weak_values

STRIP = {"x": (0, 1), "t": (0, 1.3)}
WAVES = ["u_t = v_x", "v_t = u_x"]
SHALLOW = ["h_t + U*h_x + u_x = 0", "u_t + U*u_x + h_x = 0"]
START = ["u(x, 0) = exp(-((x - 0.4)/0.06)^2)", "v(x, 0) = 0"]
HILL = ["h(x, 0) = exp(-((x - 0.4)/0.06)^2)", "u(x, 0) = 0"]


def pulse(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.exp(-(((x - 0.4) / 0.06) ** 2))
    return found


def met(equations: list[str], conditions: list[str], tol: float, exact: dict[str, Any], **parameters: float) -> None:
    solution = gx.solve(gx.Problem(equations, STRIP, conditions, **parameters), tol)
    assert isinstance(solution, EvolutionSolution)
    assert solution.converged, solution.message
    assert off(solution, 0.02, 17, **exact) <= min(tol, 3.0 * solution.error)


@pytest.mark.parametrize("eps", [0.0, 1e-2])
def test_a_string_that_is_held_swings_with_and_without_diffusion_of_one_field(eps: float) -> None:
    # u = sin(pi x) f, v = cos(pi x) h: f' = -eps pi^2 f - pi h, h' = pi f
    rates, modes = np.linalg.eig(np.array([[-eps * np.pi**2, -np.pi], [np.pi, 0.0]]))
    share = np.linalg.solve(modes, [1.0, 0.0])

    def amplitude(t: float) -> np.ndarray:
        return np.asarray((modes @ (share * np.exp(rates * t))).real)

    exact = {
        "u": lambda x, t: np.sin(np.pi * x) * amplitude(t)[0],
        "v": lambda x, t: np.cos(np.pi * x) * amplitude(t)[1],
    }
    first = "u_t = v_x + eps*u_xx" if eps else "u_t = v_x"
    more = {"eps": eps} if eps else {}
    held = ["u(x, 0) = sin(pi*x)", "v(x, 0) = 0", "u(0, t) = 0", "u(1, t) = 0"]
    met([first, "v_t = u_x"], held, 1e-8, exact, **more)


@pytest.mark.parametrize("impedance", [1.0, 3.0])
def test_an_end_with_an_impedance_returns_its_share(impedance: float) -> None:
    back = (impedance - 1.0) / (impedance + 1.0)
    exact = {
        "u": lambda x, t: 0.5 * (pulse(x + t) + pulse(x - t) + back * pulse(2.0 - x - t)),
        "v": lambda x, t: 0.5 * (pulse(x + t) - pulse(x - t) + back * pulse(2.0 - x - t)),
    }
    met(WAVES, [*START, "u(0, t) = v(0, t)", "u(1, t) + Z*v(1, t) = 0"], 1e-5, exact, Z=impedance)


def test_a_telegraph_line_fades_as_it_should() -> None:
    a = 0.7
    w = np.sqrt(np.pi**2 - a**2)
    exact = {
        "u": lambda x, t: np.sin(np.pi * x) * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t)),
        "v": lambda x, t: np.cos(np.pi * x) * np.exp(-a * t) * np.pi / w * np.sin(w * t),
    }
    start = ["u(x, 0) = sin(pi*x)", "v(x, 0) = 0", "u = 0 on boundary"]
    met(["u_t = v_x", "v_t = u_x - 2*a*v"], start, 1e-7, exact, a=a)


@pytest.mark.parametrize(
    ("stream", "ends"),
    [(0.5, ["h(0, t) + u(0, t) = 0", "h(1, t) = u(1, t)"]), (2.0, ["h(0, t) = 0", "u(0, t) = 0"])],
    ids=["one at each end", "two at one end"],
)
def test_conditions_stand_where_the_speeds_of_shallow_water_come_in(stream: float, ends: list[str]) -> None:
    exact = {
        "h": lambda x, t: 0.5 * (pulse(x - (stream + 1) * t) + pulse(x - (stream - 1) * t)),
        "u": lambda x, t: 0.5 * (pulse(x - (stream + 1) * t) - pulse(x - (stream - 1) * t)),
    }
    met(SHALLOW, [*HILL, *ends], 1e-5, exact, U=stream)


def test_waves_that_go_round_come_back() -> None:
    exact = {
        "u": lambda x, t: np.sin(2 * np.pi * x) * np.cos(2 * np.pi * t),
        "v": lambda x, t: np.cos(2 * np.pi * x) * np.sin(2 * np.pi * t),
    }
    joined = ["u(x, 0) = sin(2*pi*x)", "v(x, 0) = 0", "u(0, t) = u(1, t)", "v(0, t) = v(1, t)"]
    met(WAVES, joined, 1e-7, exact)


def test_speeds_that_depend_on_place_and_on_fields_that_follow_are_those_at_the_ends() -> None:
    # impedance one everywhere, speed 1 + x: u = p = G(log(1 + x) - t), with p through a field of its own
    def wave(x: np.ndarray, t: float) -> np.ndarray:
        found: np.ndarray = np.exp(-(((np.log1p(x) - 0.3 - t) / 0.1) ** 2))
        return found

    start = "exp(-((log(1 + x) - 0.3)/0.1)^2)"
    equations = ["u_t/(1 + x) = -s_x", "p_t = -(1 + x)*u_x", "s + s^3 = p + p^3"]
    ends = [
        f"u(x, 0) = {start}",
        f"p(x, 0) = {start}",
        "u(0, t) + s(0, t) = 2*exp(-((0.3 + t)/0.1)^2)",
        "u(1, t) = p(1, t)",
    ]
    met(equations, ends, 1e-5, {"u": wave, "p": wave, "s": wave})


def largest_growth(equations: list[str], ends: list[str], gates: np.ndarray) -> float:
    """The largest real part of the eigenvalues of the equations at the sites."""
    problem = gx.Problem(equations, STRIP, ["u(x, 0) = 0", "v(x, 0) = 0", *ends])
    read = Equations(problem)
    system = MovingSystem(read, sites(40, 10), weak_values(read, [False, False]))
    layout, frame = laid_out(system, MovingCoordinate(0.0, 1.0, 0.1, np.full(gates.shape[1], 0.5)), gates, 2.5, 4000)
    zero, own = np.zeros((2, layout.sites.size)), layout.system
    band, reach = own.jacobian(frame, 0.0, zero, None, own.penalties(frame, 0.0, zero)), own.packing.band
    size = own.packing.size
    matrix = np.zeros((size, size))
    for row in range(size):
        for column in range(max(0, row - reach), min(size, row + reach + 1)):
            matrix[row, column] = band[2 * reach + row - column, column]
    return float(np.linalg.eigvals(matrix).real.max())


@pytest.mark.parametrize(
    "ends",
    [
        ["u(0, t) = 0", "u(1, t) = 0"],
        ["u(0, t) = 0", "v(1, t) = 0"],
        ["u(0, t) = v(0, t)", "u(1, t) + 3*v(1, t) = 0"],
        ["u(0, t) = u(1, t)", "v(0, t) = v(1, t)"],
    ],
)
def test_what_goes_out_by_its_own_equation_makes_nothing_grow(ends: list[str]) -> None:
    alone = ["u(1, t) = 0", "v(0, t) = 0"] if "u(1, t)" not in ends[0] else ["u(0, t) = u(1, t)", "v(0, t) = v(1, t)"]
    for gates in (np.zeros((2, 0)), np.array([[0.4], [1e-3]]), np.array([[0.3, 0.8], [1e-2, 0.1]])):
        by_themselves = largest_growth(["u_t = u_x", "v_t = -v_x"], alone, gates)
        # sites that gates made uneven leave some: no more than by themselves, and little within the time of a crossing
        assert largest_growth(WAVES, ends, gates) < max(by_themselves, 0.0) + 0.05 < 1.0


@pytest.mark.parametrize(
    ("equations", "conditions", "says"),
    [
        (WAVES, [*START, "u(0, t) = 0"], "1 of the waves of u, v comes in at x = 1, but 0 conditions are given"),
        (WAVES, [*START, "u = 0 on boundary", "v(0, t) = 0"], "one too many at x = 0: 1 of the waves of u, v comes"),
        (SHALLOW, [*HILL, "h = 0 on boundary", "u(0, t) = 0"], "one too many at x = 1: 0 of the waves"),
        (SHALLOW, [*HILL, "h(0, t) = 0"], "2 of the waves of h, u come in at x = 0, but 1 condition is given"),
        (WAVES, [*START, "u(0, t) = 0", "u(1, t) = v(1, t)"], "does not determine what comes in at x = 1"),
        (WAVES, [*START, "u(0, t) = 0", "u_x(1, t) = 0"], "has a derivative in it"),
    ],
)
def test_other_numbers_of_conditions_are_refused_in_one_sentence(
    equations: list[str], conditions: list[str], says: str
) -> None:
    more = {"U": 2.0} if equations is SHALLOW else {}
    with pytest.raises(gx.InputError) as told:
        gx.Problem(equations, STRIP, conditions, **more)
    assert says in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("sign", "number"), [("-", 2), ("+", 0)])
def test_a_field_of_its_own_may_come_in_at_both_ends_or_at_none(sign: str, number: int) -> None:
    ends = ["u(-1, t) = exp(2*t)", "u(1, t) = exp(2*t)"][:number]
    problem = gx.Problem(f"u_t {sign} x*u_x = 0", {"x": (-1, 1), "t": (0, 1)}, ["u(x, 0) = x^2", *ends])
    solution = gx.solve(problem, 1e-7)
    assert solution.converged
    assert solution(0.6, 0.5) == pytest.approx(0.36 * np.exp(1.0 if number else -1.0), abs=1e-6)


def test_where_another_number_of_waves_comes_to_enter_the_solution_ends() -> None:
    hill = ["h(x, 0) = exp(-((x - 0.4)/0.06)^2)", "u(x, 0) = 0", "h(0, t) + u(0, t) = 0", "h(1, t) = u(1, t)"]
    faster = ["h_t + (0.5 + t)*h_x + u_x = 0", "u_t + (0.5 + t)*u_x + h_x = 0"]
    solution = gx.solve(gx.Problem(faster, STRIP, hill), 1e-4)
    assert isinstance(solution, EvolutionSolution)
    assert solution.status == "stopped"
    assert 0.5 <= solution.reached < 0.6
    assert "of the waves of h, u come" in solution.message
