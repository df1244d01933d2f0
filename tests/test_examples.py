"""Every example runs at its own parameters and does what its comments say, with one number pinned for each."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import mathieu_a

import gated_xtfc as gx
from gated_xtfc.problem.file import Guidance, from_mapping, read

FOLDER = Path(__file__).parents[1] / "examples"
A = float(np.sqrt(1 + 8e-5))
# One value of u by hand or from the closed form, at a place where it says something about the layer.
PINNED = {
    "beam": (0.5, 0.125 - 0.0005),
    "convection_diffusion": (1 - 1e-4, float(np.exp(-1.0))),
    "jump": (0.5, 1 / 3),
    "needle_source": (0.3, 0.21 - 0.5e-5 / float(np.sqrt(np.pi))),
    "robin": (1.0, 4 * A * float(np.exp(-4 / (1 + A))) / (1 + A) ** 2),  # what leaves Danckwerts' reactor
    "turning_point": (0.0, 1.0),
    "twin_layers": (0.0, 1.0),
}
# The same for those whose exact solution is not a formula: (field, place, value).
NONLINEAR = {
    "blasius": ("f", 100.0, 100.0 - 1.7207876575),  # far out f = x - the displacement of the flow
    "bratu": ("u", 0.5, 1.0851589478),
    "burgers_shock": ("u", 1 / 3, 0.0),  # the shock stands where it is symmetric
    "corner_layers": ("u", 1 / 3, -0.545081185e-3),  # sqrt(eps) U(0), with U'' + U U' - U = 0 from s to 0
    "elastic_beam": ("M", 0.5, -0.891686175),
    "mathieu": ("u", np.pi, 1.0),
}
# On a rectangle: (x, y, value).
PLANE = {
    "characteristic_layers": (0.5, 0.5, 0.5),  # away from the layers u = x
    "circular_layer": (0.5, 0.5, -float(np.arctan(30 / 16))),
    "outflow_layers": (1 - 1e-4, 0.5, (1 - 1e-4 - float(np.exp(-2.0))) / 4),
    "poisson_peak": (0.5, 0.5, -0.62545006882367),  # the double sine series
}
# What evolves: (field, x, t, value, error).
EVOLVING = {
    "merging_fronts": ("u", 41 / 45, 1.0, 0.55, 1e-4),  # what flows in and what was there tell where the front is
    "nerve_pulse": ("u", 0.5, 1.0, 0.88275863, 1e-5),  # finite differences of 1,000 and 2,000 cells, extrapolated
    "riemann": ("u", 0.8, 1.0, 0.5, 1e-5),
    "shock_from_sine": ("u", 0.5, 1.0, -0.376181395748, 1e-5),  # Cole and Hopf
    "travelling_front": ("u", 0.8, 1.0, 0.6, 1e-5),
}


def solved(name: str, **options: Any) -> gx.Solution:
    statement = read(FOLDER / f"{name}.toml")
    solution = gx.solve(from_mapping(statement), **{**vars(Guidance.stated(statement)), **options})
    assert solution.status == "converged", solution.message
    return solution


def test_every_example_is_pinned_and_begins_with_what_to_look_at() -> None:
    files = list(FOLDER.glob("*.toml"))
    assert {file.stem for file in files} == PINNED.keys() | NONLINEAR.keys() | PLANE.keys() | EVOLVING.keys()
    assert all(file.read_text(encoding="utf-8").startswith("# ") for file in files)
    assert all("ook at" in file.read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize("name", sorted(PINNED))
def test_an_example_converges_to_its_exact_solution(name: str) -> None:
    solution = solved(name)
    true_error = solution.true_error()
    assert true_error is not None
    assert true_error <= 1e-8
    place, value = PINNED[name]
    assert solution(place) == pytest.approx(value, abs=3e-8)


@pytest.mark.parametrize("name", sorted(PLANE))
def test_an_example_on_a_rectangle_converges_to_its_pinned_value(name: str) -> None:
    x, y, value = PLANE[name]
    solution = solved(name)
    assert solution(x, y) == pytest.approx(value, abs=3e-8)
    assert (solution.true_error() or 0.0) <= 1e-8


@pytest.mark.parametrize("name", sorted(NONLINEAR))
def test_a_nonlinear_example_converges_to_its_pinned_value(name: str) -> None:
    field, place, value = NONLINEAR[name]
    assert solved(name)[field](place) == pytest.approx(value, abs=3e-8)


def test_the_shock_is_as_steep_as_its_tanh() -> None:
    # u = 5/6 tanh(5/6 s/(2 eps)) at first order in eps
    assert solved("burgers_shock")(1 / 3, 1) == pytest.approx((5 / 6) ** 2 / 2e-4, rel=1e-3)


@pytest.mark.parametrize(("guess", "number"), [("cos(2*x)", 2), ("cos(4*x)", 4), ("cos(6*x)", 6)])
def test_different_guesses_reach_different_eigenvalues(guess: str, number: int) -> None:
    assert solved("mathieu", guess=guess).constants["lam"] == pytest.approx(float(mathieu_a(number, 5.0)), abs=1e-8)


@pytest.mark.parametrize(("guess", "bracket"), [("0", (1, 4.7)), (None, (1, 4.7)), ("16*x*(1-x)", (4.9, 9))])
def test_both_branches_of_bratu(guess: str | None, bracket: tuple[float, float]) -> None:
    # u(1/2) = 2 log cosh(t/4) with t = sqrt(2 k) cosh(t/4)
    t = float(brentq(lambda t: t - np.sqrt(7.0) * np.cosh(t / 4), *bracket, xtol=1e-14))
    assert solved("bratu", guess=guess)(0.5) == pytest.approx(2 * np.log(np.cosh(t / 4)), abs=1e-8)


@pytest.mark.parametrize("name", sorted(EVOLVING))
def test_an_example_that_evolves_has_its_pinned_value(name: str) -> None:
    field, x, t, value, error = EVOLVING[name]
    assert solved(name, tol=1e-5)[field](x, t) == pytest.approx(value, abs=error)
