"""Pictures: drawn without a display, the same every time, and with every layer opened up."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import gated_xtfc as gx
from gated_xtfc.plots import draw, plot
from gated_xtfc.plots.samples import Samples
from gated_xtfc.plots.solution_panels import grouped
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


def test_panels_have_titles_that_a_reader_understands(thin: gx.Solution) -> None:
    texts = {text.get_text() for axes in draw(thin).axes for text in axes.texts}
    assert {"Solution over x", "Resolution", "Accuracy"} <= texts


def test_a_solution_plots_itself(thin: gx.Solution, tmp_path: Path) -> None:
    thin.plot(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["figure", "figure.xyz", "no/such/folder/figure.png"])
def test_a_name_that_cannot_be_drawn_to_is_an_input_error(name: str, thin: gx.Solution, tmp_path: Path) -> None:
    with pytest.raises(gx.InputError, match="cannot"):
        plot(thin, tmp_path / name)


def test_along_the_gated_coordinate_a_thin_layer_takes_a_good_part_of_the_axis(thin: gx.Solution) -> None:
    samples = Samples.of(thin)
    layered = samples.fields["u"] > 0.01
    rise = samples.xi[layered]
    assert np.ptp(samples.x[layered]) < 1e-4
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
    assert any("a piece of it" in axes.get_xlabel() for axes in figure.axes)


def test_the_figure_says_what_was_solved_and_how_well(thin: gx.Solution) -> None:
    said = texts(draw(thin))
    for part in ("u' - nu*u'' = 0", "nu = 1e-05", "converged", f"{thin.neurons} neurons", "Accuracy"):
        assert part in said


def test_a_solution_that_did_not_converge_says_so_in_the_figure() -> None:
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    solution = gx.solve(problem, 1e-17)
    assert solution.message[:100] in texts(draw(solution))


BEAM = [
    "z' = sin(theta)", "theta' = M", "eps*M' = -Q", "eps*Q' = (z-1)*cos(theta) - M*(1/cos(theta) + eps*Q*tan(theta))",
]  # fmt: skip


def test_a_system_shows_every_field_and_its_largest_residual() -> None:
    problem = gx.Problem(BEAM, {"x": (0, 1)}, ["z(0)=0", "M(0)=0", "z(1)=0", "M(1)=0"], eps=1e-2)
    solution = gx.solve(problem)
    figure = draw(solution)
    assert len(figure.axes) == 5
    for axes in figure.axes[:2]:
        lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
        assert [line.get_label() for line in lines] == ["z", "theta", "M", "Q"]
        assert len({line.get_color() for line in lines}) == 4
    assert "theta' = M" in texts(figure)
    samples = Samples.of(solution)
    assert samples.error is None
    assert samples.residual.shape == samples.x.shape


def test_fields_of_different_size_get_axes_of_their_own_and_errors_are_relative_to_each() -> None:
    exact = {"u": "exp((x - 1)/nu)", "v": "exp((x - 1)/nu)/nu"}
    problem = gx.Problem(["u' = v", "nu*v' = v"], {"x": (0, 1)}, ["u(1) = 1", "v(1) = 1/nu"], exact, nu=1e-4)
    solution = gx.solve(problem)
    figure = draw(solution)
    assert len(figure.axes) == 7
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["u", "v", "exact"]
    error = Samples.of(solution).error
    assert error is not None
    assert error.max() == pytest.approx(solution.true_error(), rel=0.5, abs=1e-15)


def test_fields_are_grouped_while_each_can_be_read() -> None:
    x = np.linspace(0, 1, 11)
    assert grouped({"a": x, "b": 100 * x, "c": 3 - x, "d": 5000 * x}) == [["a", "c"], ["b", "d"]]
    assert grouped({"a": x, "b": x + 1000}) == [["a"], ["b"]]


def test_unknown_constants_are_named_in_the_figure() -> None:
    conditions = ["u(0) = 0", "u(1) = 0", "u'(0) = 1"]
    problem = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, conditions, unknown=["lam"])
    assert "lam = 9.8696044" in texts(draw(gx.solve(problem, guess="x*(1 - x)")))


def test_a_guess_is_not_called_a_solution() -> None:
    problem = gx.Problem("u'' + 60*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    said = texts(draw(gx.solve(problem, max_steps=8)))
    assert "Guess over x" in said
    assert "no error estimate" in said


def test_dollars_in_a_text_are_not_taken_for_mathematics(tmp_path: Path) -> None:
    problem = gx.Problem("u'' = where(x < 0.5, 1, 2)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], title="cost $a_{$ up")
    plot(gx.solve(problem), tmp_path / "figure.svg")


def test_turning_points_are_counted_and_rounding_is_not() -> None:
    x = np.linspace(0, 1, 2001)
    noise = 1e-9 * np.random.default_rng(0).standard_normal(x.size)
    wavy = np.sin(20 * np.pi * x) + noise
    assert len(Samples(x, x, {"u": wavy, "v": x}, {}, x, x).turns()) == 20
    assert len(Samples(x, x, {"u": 0 * x}, {}, x, x).turns()) == 0


def test_an_envelope_lies_above_its_values() -> None:
    x = np.linspace(0, 1, 501)
    values = np.abs(np.sin(40 * x))
    at, largest = Samples(x, x, {"u": x}, {}, x, x).envelope(values, 50)
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
    kept = fitting([Tick(at, at, f"${at:.1f}{at}$", 3) for at in (0.0, 1.0, 0.01, 0.5, 0.51)])
    assert [tick.at for tick in kept] == [0.0, 1.0, 0.5]


def test_a_label_is_not_shown_twice() -> None:
    assert len(fitting([Tick(at, at, "$0.3$", 3) for at in (0.2, 0.8)])) == 1


def test_ticks_around_a_layer_at_no_round_place_are_round_numbers() -> None:
    def position(x: float) -> float:
        return float(np.interp(x, *shock))

    t = np.linspace(-1, 1, 4001)
    shock = 1 / 3 + np.sinh(12 * t) / np.sinh(12) * (2 / 3), (1 + t) / 2
    ticks = StretchedTicks(position, (float(shock[0][0]), 1.0), {0.333203: 6e-5, 0.333519: 6e-5}).choose()
    labels = [tick.label.strip("$") for tick in ticks]
    assert "0.3334" in labels  # both sides of the shock are one place
    assert {"0.3", "0.4"} & set(labels)
    assert all(label == f"{tick.x:.6g}" for label, tick in zip(labels[1:], ticks[1:], strict=True))


@pytest.mark.parametrize("ends", [(0.0, 1e-9), (-1e6, 1e6), (1000.0, 1001.0)])
def test_ticks_fit_every_domain(ends: tuple[float, float]) -> None:
    left, right = ends
    ticks = StretchedTicks(lambda x: (x - left) / (right - left), ends, {right: 1e-3 * (right - left)}).choose()
    assert 2 <= len(ticks) <= 20
    assert ticks[0].x == left
    assert ticks[-1].x == right


def test_curves_over_time_show_what_happens_before_a_solution_rests() -> None:
    warmed = gx.Problem("u_t = u_xx + 1", {"x": (0, 1), "t": (0, "inf")}, ["u(x, 0) = 0", "u = 0 on boundary"])
    axes = draw(gx.solve(warmed, 1e-5)).axes[0]
    peaks = np.array([np.asarray(line.get_ydata(), dtype=float).max() for line in axes.lines])
    assert np.diff(peaks)[:3].min() > 0.1 * peaks[-1]  # several curves on the way, not all at rest
