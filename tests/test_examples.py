"""Every example runs at its own parameters and does what its comments say, with one number pinned for each."""

from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.problem_file import load

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


def test_every_example_is_pinned() -> None:
    assert {file.stem for file in FOLDER.glob("*.toml")} == PINNED.keys()


@pytest.mark.parametrize("name", sorted(PINNED))
def test_an_example_converges_to_its_exact_solution(name: str) -> None:
    file = FOLDER / f"{name}.toml"
    assert file.read_text(encoding="utf-8").startswith("# ")
    problem = load(file)
    solution = gx.solve(problem, tol=1e-8)
    assert solution.status == "converged", solution.message
    true_error = solution.true_error()
    assert true_error is not None
    assert true_error <= 1e-8
    place, value = PINNED[name]
    assert solution(place) == pytest.approx(value, abs=3e-8)
