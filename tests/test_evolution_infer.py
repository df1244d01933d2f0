"""Parameters of equations that evolve, from data over space and time; and sweeps of them."""

from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main

DECAY = gx.Problem("u_t = k*u_xx", {"x": (0, 1), "t": (0, 1)}, ["u(x, 0) = sin(pi*x)", "u = 0 on boundary"], k=0.1)
TRUE, NOISE = 0.07, 0.01


def data(seed: int = 0, count: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    x, t = dice.uniform(0.0, 1.0, count), dice.uniform(0.0, 1.0, count)
    return x, t, np.exp(-TRUE * np.pi**2 * t) * np.sin(np.pi * x) + NOISE * dice.standard_normal(count)


@pytest.fixture(scope="module")
def posterior() -> gx.Posterior:
    return gx.infer(DECAY, data(), {"k": (0.01, 1)}, noise=NOISE)


def test_a_coefficient_is_found_from_data_over_space_and_time(posterior: gx.Posterior) -> None:
    x, t, _ = data()
    low, high = posterior.interval("k", 0.95)
    assert low < TRUE < high
    assert posterior.status == "determined"
    # the Cramer-Rao bound, from the exact sensitivity
    slope = -(np.pi**2) * t * np.exp(-TRUE * np.pi**2 * t) * np.sin(np.pi * x)
    assert posterior.std["k"] == pytest.approx(NOISE / np.linalg.norm(slope), rel=0.15)


def test_the_field_is_predicted_and_the_best_sites_named_at_places_and_times(posterior: gx.Posterior) -> None:
    mean, std = posterior.predict((np.array([0.5, 0.3]), 0.5))
    exact = np.exp(-TRUE * np.pi**2 * 0.5) * np.sin(np.pi * np.array([0.5, 0.3]))
    assert np.abs(mean - exact).max() < 4.0 * std.max()
    (site,) = posterior.next_sites(1)
    assert site == pytest.approx([0.5, 1.0], abs=0.1)  # t exp(-k pi^2 t) sin(pi x) is largest there
    with pytest.raises(gx.InputError, match="given together"):
        posterior.predict(0.5)


def test_a_posterior_over_time_is_drawn_and_comes_back_from_its_file(posterior: gx.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "posterior.npz")
    back = gx.load(tmp_path / "posterior.npz")
    assert isinstance(back, gx.Posterior)
    assert back.predict((0.4, 0.6)) == posterior.predict((0.4, 0.6))
    posterior.plot(tmp_path / "posterior.png")
    assert (tmp_path / "posterior.png").stat().st_size > 10_000


def test_a_table_with_columns_for_place_and_time_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x, t, y = data(1, 25)
    lines = ["x,t,u", *(f"{a},{b},{c}" for a, b, c in zip(x, t, y, strict=True))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    gx.write(DECAY, tmp_path / "decay.toml")
    arguments = ["infer", str(tmp_path / "decay.toml"), "--data", str(tmp_path / "data.csv"), "--unknown", "k=0.01:1"]
    main([*arguments, "--noise", str(NOISE), "--out", str(tmp_path / "out")])
    assert "k" in capsys.readouterr().out
    assert (tmp_path / "out" / "field.csv").read_text().startswith("x,t,u,u_std")


@pytest.mark.parametrize(
    ("given", "options", "says"),
    [
        (([0.5], [0.1]), {}, r"must be \(x, t, y\)"),
        (([0.5], [2.0], [0.1]), {}, "t = 2, outside the domain"),
        (([0.5], [0.5], [0.1]), {"discrepancy": True}, "cannot be given where equations evolve"),
        ({"x": [0.5], "u": [0.1]}, {}, "no column"),
        ({"x": [0.5], "t": [0.5], "u_t": [0.1]}, {}, "derivative"),
    ],
)
def test_data_that_do_not_fit_are_refused_in_one_sentence(given: object, options: dict[str, bool], says: str) -> None:
    with pytest.raises(gx.InputError, match=says):
        gx.infer(DECAY, given, {"k": (0.01, 1)}, noise=NOISE, **options)  # type: ignore[arg-type]


def test_a_family_that_evolves_is_swept_with_quantities_at_the_end_of_its_time() -> None:
    table = gx.sweep(DECAY, {"k": [0.05, 0.1]}, tol=1e-7, quantities=["u(0.5)", "max(u)"], workers=1)
    assert table.converged.all()
    assert table["u(0.5)"] == pytest.approx(np.exp(-np.array([0.05, 0.1]) * np.pi**2), abs=1e-7)
    assert table["max(u)"] == pytest.approx(table["u(0.5)"], abs=1e-6)


def test_members_of_a_nonlinear_family_that_evolves_each_begin_at_their_start() -> None:
    conditions = ["u(x, 0) = 0.6 - 0.5*tanh((x - 0.3)/(4*eps))", "u(0, t) = 1.1", "u(1, t) = 0.1"]
    burgers = gx.Problem("u_t + u*u_x = eps*u_xx", {"x": (0, 1), "t": (0, 0.2)}, conditions, eps=1e-2)
    table = gx.sweep(burgers, {"eps": [2e-3, 1e-3]}, tol=1e-4, quantities="u(0.42)", workers=1)
    assert table.converged.all()
    assert table["u(0.42)"] == pytest.approx([0.6, 0.6], abs=2e-4)
