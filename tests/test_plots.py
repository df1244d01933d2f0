"""Pictures: drawn without a display, the same every time, and with every layer opened up."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import gated_xtfc as gx
from gated_xtfc.plots import draw, plot
from gated_xtfc.plots.samples import Samples
from gated_xtfc.plots.stretched_ticks import StretchedTicks, Tick, fitting


def layer(nu: float) -> gx.Solution:
    exact = "(exp((x - 1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))"
    return gx.solve(gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], exact, nu=nu), 1e-9)


@pytest.fixture(scope="module")
def thin() -> gx.Solution:
    return layer(1e-5)


def texts(figure: Figure) -> str:
    return "\n".join(
        [text.get_text() for text in figure.texts] + [text.get_text() for axes in figure.axes for text in axes.texts]
    )


def test_the_same_problem_gives_the_same_svg(thin: gx.Solution, tmp_path: Path) -> None:
    plot(thin, tmp_path / "a.svg", tmp_path / "b.svg")
    plot(layer(1e-5), tmp_path / "c.svg")
    first = (tmp_path / "a.svg").read_bytes()
    assert first == (tmp_path / "b.svg").read_bytes() == (tmp_path / "c.svg").read_bytes()


def test_a_solution_plots_itself(thin: gx.Solution, tmp_path: Path) -> None:
    thin.plot(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["figure", "figure.xyz", "no/such/folder/figure.png"])
def test_a_name_that_cannot_be_drawn_to_is_an_input_error(name: str, thin: gx.Solution, tmp_path: Path) -> None:
    with pytest.raises(gx.InputError, match="cannot"):
        plot(thin, tmp_path / name)


def test_along_the_gated_coordinate_a_thin_layer_takes_a_good_part_of_the_axis(thin: gx.Solution) -> None:
    samples = Samples.of(thin)
    rise = samples.xi[samples.u > 0.01]
    assert np.ptp(samples.x[samples.u > 0.01]) < 1e-4
    assert np.ptp(rise) > 0.08


def test_a_layered_solution_is_shown_twice_and_a_smooth_one_once(thin: gx.Solution) -> None:
    assert len(draw(thin).axes) == 5  # over x, the strip, along the coordinate, resolution, accuracy
    assert len(draw(layer(1.0)).axes) == 3


def test_crowded_waves_are_shown_in_a_piece() -> None:
    problem = gx.Problem(
        "eps**2*u'' + pi**2/4*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = sin(pi/(2*eps))"], eps=1 / 201
    )
    figure = draw(gx.solve(problem, 1e-6))
    assert len(figure.axes) == 5
    assert "a piece of it" in figure.axes[2].get_xlabel()


def test_the_figure_says_what_was_solved_and_how_well(thin: gx.Solution) -> None:
    said = texts(draw(thin))
    for part in ("u' - nu*u'' = 0", "nu = 1e-05", "converged", f"{thin.neurons} neurons", "Accuracy"):
        assert part in said


def test_a_solution_that_did_not_converge_says_so_in_the_figure() -> None:
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    solution = gx.solve(problem, 1e-17)
    assert solution.message[:100] in texts(draw(solution))


def test_dollars_in_a_text_are_not_taken_for_mathematics(tmp_path: Path) -> None:
    problem = gx.Problem("u'' = where(x < 0.5, 1, 2)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], title="cost $a_{$ up")
    plot(gx.solve(problem), tmp_path / "figure.svg")


def test_turning_points_are_counted_and_rounding_is_not() -> None:
    x = np.linspace(0, 1, 2001)
    noise = 1e-9 * np.random.default_rng(0).standard_normal(x.size)
    samples = Samples(x, x, np.sin(20 * np.pi * x) + noise, None, x, x)
    assert len(samples.turns()) == 20
    assert len(Samples(x, x, 0 * x, None, x, x).turns()) == 0


def test_an_envelope_lies_above_its_values() -> None:
    x = np.linspace(0, 1, 501)
    values = np.abs(np.sin(40 * x))
    at, largest = Samples(x, x, x, None, x, x).envelope(values, 50)
    assert at.shape == largest.shape == (50,)
    assert np.all(largest >= np.abs(np.sin(40 * at)) - 0.05)


def test_ticks_name_the_ends_the_layer_and_decades_of_distance_from_it(thin: gx.Solution) -> None:
    ticks = StretchedTicks(Samples.of(thin).at, (0.0, 1.0), {1.0: 6e-6}).choose()
    labels = [tick.label for tick in ticks]
    assert labels[0] == "$0$"
    assert labels[-1] == "$1$"
    assert any(label.startswith("$1-10^{-") for label in labels)
    assert [tick.x for tick in ticks] == sorted(tick.x for tick in ticks)


def test_ticks_whose_labels_would_touch_are_left_out() -> None:
    kept = fitting([Tick(at, at, "$0.5$", 3) for at in (0.0, 1.0, 0.01, 0.5, 0.51)])
    assert [tick.at for tick in kept] == [0.0, 1.0, 0.5]


@pytest.mark.parametrize("ends", [(0.0, 1e-9), (-1e6, 1e6), (1000.0, 1001.0)])
def test_ticks_fit_every_domain(ends: tuple[float, float]) -> None:
    left, right = ends
    ticks = StretchedTicks(lambda x: (x - left) / (right - left), ends, {right: 1e-3 * (right - left)}).choose()
    assert 2 <= len(ticks) <= 20
    assert ticks[0].x == left
    assert ticks[-1].x == right
