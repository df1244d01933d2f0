"""Tables in and out: frames, files and columns give the same posterior; what a solution hands over is the solution."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.inverse.data_file import read_table
from gated_xtfc.inverse.observations import Observations, observed

FLOW = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
SYSTEM = gx.Problem(["u' = v", "nu*v' = v"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.1)
X, Y, SIGMA = [0.5, 0.75, 0.875], [0.25, 0.5, 0.625], [0.01, 0.02, 0.03]
COLUMNS = {"x": X, "u": Y, "sigma": SIGMA}


def frames() -> dict[str, Any]:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    frame = pandas.DataFrame(COLUMNS)
    made = {
        "columns": COLUMNS,
        "pandas": frame,
        "index": frame.set_index("x"),
        "polars": polars.DataFrame(COLUMNS),
        "lazy": polars.LazyFrame(COLUMNS),
        "records": frame.to_records(index=False),
    }
    try:
        import xarray
    except ImportError:
        return made
    return {**made, "xarray": xarray.Dataset({"u": ("x", Y), "sigma": ("x", SIGMA)}, {"x": X})}


def same(found: Observations, x: list[float], y: list[float], sigma: list[float] | None = None) -> bool:
    (one,) = found.series
    spread = one.sigma is None if sigma is None else one.sigma is not None and one.sigma.tolist() == sigma
    return one.x.tolist() == x and one.y.tolist() == y and spread


def test_every_kind_of_table_says_the_same() -> None:
    for kind, table in frames().items():
        assert same(observed(FLOW, table), X, Y, SIGMA), kind


@pytest.mark.parametrize(
    "text",
    [
        "x,u\n0.5,0.25\n0.75,0.5\n",
        "x;u\n0.5;0.25\n0.75;0.5\n",
        "x;u\n0,5;0,25\n0,75;0,5\n",
        "x\tu\n0.5\t0.25\n0.75\t0.5\n",
        "x u\n0.5   0.25\n0.75 0.5\n",
        "# x u\n5.0e-01 2.5e-01\n7.5e-01 5.0e-01\n",
        "x, u\n0.5, 0.25\n# a remark\n0.75, 0.5\n",
        "x,u\n0.5,0.25\n0.6,\n0.7,NaN\n,\n0.75,0.5\n",
    ],
)
def test_files_are_read_with_the_separators_that_people_use(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    found = observed(FLOW, path)
    assert same(found, [0.5, 0.75], [0.25, 0.5])
    assert found.series[0].missing == (2 if "NaN" in text else 0)
    assert same(observed(FLOW, str(path)), [0.5, 0.75], [0.25, 0.5])


def test_a_cell_without_a_value_is_a_measurement_that_was_not_made() -> None:
    found = observed(SYSTEM, {"x": [0.1, 0.2, 0.3], "u": [1.0, None, 3.0], "v": [float("nan"), 2.0, "NA"]})
    assert [(one.quantity, one.x.tolist(), one.y.tolist(), one.missing) for one in found.series] == [
        ("u", [0.1, 0.3], [1.0, 3.0], 1),
        ("v", [0.2], [2.0], 2),
    ]


@pytest.mark.parametrize(
    ("data", "columns", "says"),
    [
        ({"x": [0.1, None], "u": [1, 2]}, (), "row 2, column x of the table is empty beside a value of u"),
        ({"x": [0.1], "u": [1], "sigma": [None]}, (), "row 1, column sigma of the table is empty beside a value of u"),
        ({"x": [0.1], "u": [None]}, (), 'the column "u" of the table has no measurement'),
        ({"x": [0.1], "u": ["high"]}, (), 'row 1, column u of the table is "high", not a number'),
        ({"x": [0.1], "u": [np.inf]}, (), "row 1, column u of the table is inf: give a finite number"),
        ({"x": [0.1], "temperature": [1]}, (), '"temperature" of the table is not a field: .* say which columns'),
        ({"x": [0.1, 0.2], "u": [1]}, (), "the columns of the table have different lengths: 1, 2"),
        ({"x": [], "u": []}, (), "the table has no rows"),
        ({"x": [0.1], "u": [1]}, ("x", "w"), 'the table has no column "w"'),
        (([0.1], [1]), ("x", "u"), "columns are those of a table or a CSV file, but the data are a tuple"),
        ("no such file.csv", (), 'there is no data file "no such file.csv"'),
        (3.0, (), r"must be \(x, y\) or \(x, y, sigma\), not float"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_one_sentence(data: Any, columns: Any, says: str) -> None:
    with pytest.raises(gx.InputError, match=says):
        observed(FLOW, data, columns)


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    table = {"place": [0.5], "temperature": [0.25], "flux": [3.0]}
    assert same(observed(FLOW, table, ["place", "temperature"]), [0.5], [0.25])
    (flux,) = observed(FLOW, table, {"x": "place", "u'": "flux"}).series
    assert (flux.quantity, flux.order, flux.y.tolist()) == ("u'", 1, [3.0])


def test_infer_takes_a_frame_and_a_problem_file(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    gx.write(FLOW, tmp_path / "flow.toml")
    x = np.linspace(0.9, 1.0, 12)
    noisy = gx.solve(FLOW(nu=0.02))(x) + 0.01 * np.random.default_rng(0).standard_normal(12)
    arrays = gx.infer(FLOW, (x, noisy), {"nu": (1e-3, 1)}, 0.01)
    frame = pandas.DataFrame({"x": [*x, 0.5], "u": [*noisy, np.nan]})
    posterior = gx.infer(tmp_path / "flow.toml", frame, {"nu": (1e-3, 1)}, 0.01)
    assert posterior.mean["nu"] == arrays.mean["nu"]
    assert posterior.to_pandas()["nu"].mean() == pytest.approx(posterior.mean["nu"], rel=0.01)
    frame.to_csv(tmp_path / "data.csv", sep=";", decimal=",", index=False)
    assert read_table(tmp_path / "data.csv").measured(FLOW)["u"].missing == 1


def test_frames_of_a_solution_hold_its_values() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    solution = gx.solve(FLOW)
    x = solution.points(50)
    for frame in (solution.to_pandas(50), solution.to_polars(50)):
        assert list(frame.columns) == ["x", "u", "u'", "u''"]
        assert np.array_equal(np.asarray(frame["u'"]), solution(x, 1))
    assert solution.to_pandas().attrs["status"] == "converged"
    system = gx.solve(SYSTEM).to_pandas(5)
    assert list(system.columns) == ["x", "u", "u'", "v", "v'"]


def test_datasets_of_a_solution_have_its_coordinates() -> None:
    pytest.importorskip("xarray")
    dataset = gx.solve(FLOW).to_xarray(50)
    assert dict(dataset.sizes) == {"x": 50}
    assert dataset.attrs["nu"] == 1e-2
    plane = gx.Problem("u_xx + u_yy = 1", {"x": (0, 1), "y": (0, 2)}, ["u = 0 on boundary"])
    solution = gx.solve(plane, tol=1e-4)
    dataset = solution.to_xarray(7)
    assert dict(dataset.sizes) == {"x": 7, "y": 7}
    value = solution(float(dataset["x"][2]), float(dataset["y"][3]), (1, 0))
    assert float(dataset["u_x"][2, 3]) == pytest.approx(value, rel=1e-10)


def test_a_table_of_a_sweep_is_iterated_by_rows() -> None:
    table = gx.sweep(FLOW, {"nu": [1e-2, 1e-1]}, workers=1, quantities="u(0.5)")
    assert [row["nu"] for row in table] == [1e-2, 1e-1]
    assert [row["u(0.5)"] for row in table] == table["u(0.5)"].tolist()
    assert {*next(iter(table))} == {*table.columns}
