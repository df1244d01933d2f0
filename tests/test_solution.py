"""A solution is a function that never changes, knows its domain, and comes back bit for bit from a file."""

import copy
import csv
import dataclasses
import gc
import json
import pickle
import warnings

import numpy as np
import pytest

import gated_xtfc as gx
from differences import slope
from gated_xtfc import InputError, Layer, Problem, Solution, solve
from gated_xtfc.discretise.element_sum import ElementSum

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
LAYER = Problem("u' - nu*u'' = 0", LINE, ENDS, exact="(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))", nu=1e-4)
BROKEN = Problem("nu*u'' - where(x < 0.3, 1, 2)*u = 1", LINE, ENDS, nu=1e-4)


@pytest.fixture(scope="module")
def layer():
    return solve(LAYER)


@pytest.fixture(scope="module")
def broken():
    return solve(BROKEN)


@pytest.fixture(scope="module")
def kernels():
    """A sum of kernels: they serve singular points."""
    return solve(Problem("x*u'' + 2*u' + nu*x*u = 0", LINE, ["u(0) = 1", "u'(0) = 0"], nu=100))


def arrays_of(solution):
    function = solution.function
    if isinstance(function, ElementSum):
        return [*function.elements, function.coefficients]
    return [function.free, function.switch]


@pytest.fixture(scope="module", params=["layer", "broken", "refined", "wide", "kernels"])
def solution(request, layer, broken, kernels):
    if request.param == "refined":  # with blocks
        return solve(Problem("u'' = 1/(x + 0.01)", LINE, ENDS))
    if request.param == "wide":
        return solve(Problem("u'' + u = x", {"x": (-2, 5)}, ["u(-2) = 1", "u'(5) = 0"]))
    return {"layer": layer, "broken": broken, "kernels": kernels}[request.param]


@pytest.mark.parametrize("x", [-1e-9, 1.0 + 1e-9, np.nextafter(1.0, 2.0), np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("ask", ["__call__", "residual", "scaled_residual", "coordinate", "width"])
def test_points_outside_the_domain_are_refused(layer, ask, x):
    for given in (x, [0.5, x], np.array([[0.1, 0.2], [x, 0.3]])):
        with pytest.raises(InputError, match=r"is outside the domain \[0, 1\]"):
            getattr(layer, ask)(given)


@pytest.mark.parametrize("x", ["a", [0.1, "b"], 1j, [[0.1], [0.2, 0.3]]])
def test_points_that_are_no_numbers_are_refused(layer, x):
    with pytest.raises(InputError):
        layer(x)


@pytest.mark.parametrize("x", [0, 1, 0.5, True, np.float64(0.25), np.float32(0.25), np.array(0.25)])
def test_a_number_gives_a_float(layer, x):
    for value in (layer(x), layer(x, 1), layer.residual(x), layer.coordinate(x), layer.width(x)):
        assert type(value) is float


@pytest.mark.parametrize("shape", [(0,), (1,), (5,), (2, 3), (2, 1, 4)])
def test_an_array_gives_an_array_of_the_same_shape(layer, shape):
    x = np.random.default_rng(0).uniform(size=shape)
    for ask in (layer, layer.residual, layer.scaled_residual, layer.coordinate, layer.width):
        assert ask(x).shape == shape
    assert np.array_equal(layer(x), layer(x.ravel()).reshape(shape))


def test_lists_and_integers_are_points_too(layer):
    assert np.array_equal(layer([0, 1]), [0.0, 1.0])


def test_one_point_and_many_give_the_same_bits(solution):
    x = solution.points(50)
    for order in (0, 1, 2):
        assert np.array_equal(solution(x, order), [solution(float(point), order) for point in x])


@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_are_the_derivatives_of_the_values(solution, order):
    x = solution.points(203)[1:-1]
    edges = np.array([solution.problem.axes[0].left, *solution.breaks, solution.problem.axes[0].right])
    room = np.abs(x[:, None] - edges).min(axis=1)
    step = np.minimum(0.02 * solution.width(x), room / 8.5)
    # next to an end there is no room for differences
    inside = step > 1e-3 * solution.width(x)
    x, step = x[inside], step[inside]
    width = solution.width(x)
    found = solution(x, order) * width**order
    expected = slope(lambda at: solution(at, order - 1), x, step) * width**order
    assert np.abs(found - expected).max() <= 1e-8 * solution.scale


@pytest.mark.parametrize("order", [-1, 3, 1.0, "1", None])
def test_derivatives_beyond_the_order_of_the_equation_are_refused(layer, order):
    with pytest.raises(InputError, match="orders 0 to 2 are available"):
        layer(0.5, order)


def test_a_fourth_order_equation_has_derivatives_up_to_the_fourth():
    beam = solve(Problem("u'''' = 24", LINE, ["u(0) = 0", "u'(0) = 0", "u''(0) = 0", "u'''(0) = 0"]))
    values = [beam(0.5, order) for order in range(5)]
    np.testing.assert_allclose(values, [0.5**4, 4 * 0.5**3, 3.0, 12.0, 24.0], rtol=1e-8)


@pytest.mark.parametrize("nu", [1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_end_values_hold_to_the_last_bit(nu):
    found = solve(LAYER(nu=nu))
    assert found(0.0) == 0.0
    assert found(1.0) == 1.0


def test_conditions_hold_to_rounding_of_what_is_added_up():
    problem = Problem("nu*u'''' - u'' = 1", LINE, ["u(0) = 0", "u'(0) = 2", "u(1) + u(0.5) = 1", "u'(1) = 0"], nu=1e-6)
    found = solve(problem)
    assert abs(found(0.0)) <= 1e-16
    assert abs(found(0.0, 1) - 2.0) <= 1e-12
    assert abs(found(1.0) + found(0.5) - 1.0) <= 4e-16
    assert abs(found(1.0, 1)) <= 1e-12


def test_periodic_ends_agree():
    found = solve(Problem("nu*u'' - u = -exp(sin(2*pi*x))", LINE, ["u(0) = u(1)", "u'(0) = u'(1)"], nu=1e-3))
    assert abs(found(0.0) - found(1.0)) <= 1e-15
    assert abs(found(0.0, 1) - found(1.0, 1)) <= 1e-12


def test_the_residual_is_small_where_the_operator_is_measured_at_the_kernel_width(solution):
    x = solution.points(2001)
    assert np.abs(solution.scaled_residual(x)).max() <= solution.error * solution.scale


def test_the_residual_is_left_side_minus_right_side(layer):
    x = layer.points(101)
    expected = layer(x, 1) - 1e-4 * layer(x, 2)
    assert np.abs(layer.residual(x) - expected).max() <= 1e-12 * np.abs(layer(x, 1)).max()


def test_points_run_from_end_to_end_and_are_dense_in_the_layer(layer):
    x = layer.points(1001)
    assert x.shape == (1001,)
    assert (x[0], x[-1]) == (0.0, 1.0)
    assert (np.diff(x) > 0).all()
    assert (x > 1 - 20e-4).sum() > 200
    np.testing.assert_allclose(np.diff(layer.coordinate(x)), layer.coordinate(1.0) / 1000, rtol=1e-3)


@pytest.mark.parametrize("count", [0, -1, 2.5, "a"])
def test_a_number_of_points_that_is_none_is_refused(layer, count):
    with pytest.raises(InputError):
        layer.points(count)


def test_the_width_is_the_slope_of_the_coordinate(layer):
    x = np.array([0.2, 0.9, 1 - 1e-3, 1 - 1e-5])
    found = slope(layer.coordinate, x, 0.02 * layer.width(x))
    np.testing.assert_allclose(found * layer.width(x), 1.0, rtol=1e-8)


def test_nothing_can_be_assigned(layer):
    for name in ("error", "status", "function", "problem", "anything"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(layer, name, 0)


def test_arrays_are_read_only(solution):
    for array in arrays_of(solution):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_arrays_of_a_copy_are_read_only_too(layer):
    for other in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        assert not any(array.flags.writeable for array in arrays_of(other))


def test_what_a_solution_hands_out_is_the_callers_own(layer):
    values = layer(np.array([0.1, 0.2]))
    values[:] = 7.0
    assert layer(0.1) != 7.0


def same(a, b):
    x = a.points(501)
    return all(np.array_equal(a(x, order), b(x, order)) for order in (0, 1, 2)) and np.array_equal(x, b.points(501))


def test_a_saved_solution_comes_back_bit_for_bit(solution, tmp_path):
    solution.save(tmp_path / "solution.npz")
    for back in (gx.load(tmp_path / "solution.npz"), Solution.load(str(tmp_path / "solution.npz"))):
        assert same(solution, back)
        assert back.problem == solution.problem
        assert back.summary() == solution.summary()
        assert back.gates == solution.gates
        assert back.history == solution.history
        assert not any(array.flags.writeable for array in arrays_of(back))


def test_a_file_of_any_name_will_do(layer, tmp_path):
    layer.save(tmp_path / "no ending")
    assert [path.name for path in tmp_path.iterdir()] == ["no ending"]
    assert same(layer, gx.load(tmp_path / "no ending"))


def test_a_solution_pickles(solution):
    back = pickle.loads(pickle.dumps(solution))
    assert same(solution, back)
    assert back.problem == solution.problem


def test_a_solution_of_a_function_says_that_it_cannot_be_saved(tmp_path):
    found = solve(Problem(lambda x, u: u.x - 1e-2 * u.xx, LINE, ENDS))
    with pytest.raises(InputError, match="state it as text"):
        found.save(tmp_path / "solution.npz")


def forge(solution, path, change):
    """A saved solution with its description changed by a stranger."""
    solution.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    arrays["about"] = np.array(json.dumps(change(about)))
    np.savez(path, **arrays)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        gx.load(tmp_path / "nothing.npz")


def test_a_folder_is_no_solution(tmp_path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        gx.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK", b'{"format": 1}', b"\x93NUMPY", b"\x80\x04."])
def test_a_strangers_file_is_refused(tmp_path, content):
    path = tmp_path / "strange.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a solution saved by this program"):
        gx.load(path)


@pytest.mark.parametrize("arrays", [{}, {"free": np.zeros(3)}, {"about": np.array("[]")}, {"about": np.array("{")}])
def test_an_archive_of_other_arrays_is_refused(tmp_path, arrays):
    np.savez(tmp_path / "other.npz", **arrays)
    with pytest.raises(InputError, match="not a solution saved by this program"):
        gx.load(tmp_path / "other.npz")


def test_a_pickled_object_in_a_file_is_not_opened(tmp_path):
    path = tmp_path / "objects.npz"
    np.savez(path, about=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="not a solution saved by this program"):
        gx.load(path)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("part", [0.01, 0.3, 0.7, 0.95, 0.999])
def test_a_truncated_file_is_refused(layer, tmp_path, part):
    path = tmp_path / "solution.npz"
    layer.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(InputError, match="not a solution saved by this program"):
        gx.load(path)


def test_a_file_that_was_refused_is_closed(tmp_path):
    path = tmp_path / "broken.npz"
    path.write_bytes(b"PK\x03\x04 and nothing more")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(InputError):
            gx.load(path)
        gc.collect()
    assert [str(entry.message) for entry in seen] == []


FORGERIES = {
    "another format": lambda about: about | {"format": "gated-xtfc solution 999"},
    "a list": lambda about: [about],
    "no problem": lambda about: {k: v for k, v in about.items() if k != "problem"},
    "a number for a problem": lambda about: about | {"problem": 3},
    "an unreadable equation": lambda about: about | {"problem": about["problem"] | {"equation": "u' ="}},
    "no pieces": lambda about: about | {"pieces": []},
    "strange pieces": lambda about: about | {"pieces": [{"size": 3}]},
    "another domain": lambda about: about | {"problem": about["problem"] | {"domain": {"x": [0, 2]}}},
}


@pytest.mark.parametrize("kind", ["layer", "kernels"])
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused(layer, kernels, tmp_path, name, kind):
    path = tmp_path / "solution.npz"
    forge({"layer": layer, "kernels": kernels}[kind], path, FORGERIES[name])
    with pytest.raises(InputError):
        gx.load(path)


def test_more_kernels_than_there_are_places_for_are_refused(kernels, tmp_path):
    path = tmp_path / "solution.npz"
    forge(kernels, path, lambda about: about | {"pieces": [about["pieces"][0] | {"size": 10**6}]})
    with pytest.raises(InputError):
        gx.load(path)


CHANGED_ARRAYS = {
    "fewer weights": ("kernels", lambda arrays: {"free": arrays["free"][:-1]}),
    "fewer elements": ("layer", lambda arrays: {name: arrays[name][1:] for name in ("anchor", "offset", "length")}),
    "a gap between elements": ("layer", lambda arrays: {"length": 0.999 * arrays["length"]}),
    "a length below zero": ("layer", lambda arrays: {"length": -arrays["length"]}),
    "no polynomials": ("layer", lambda arrays: {"coefficients": arrays["coefficients"][:, :, :3]}),
    "no number": ("layer", lambda arrays: {"coefficients": np.full_like(arrays["coefficients"], np.nan)}),
}


@pytest.mark.parametrize("name", CHANGED_ARRAYS)
def test_arrays_that_do_not_fit_together_are_refused(layer, kernels, tmp_path, name):
    path = tmp_path / "solution.npz"
    kind, change = CHANGED_ARRAYS[name]
    {"layer": layer, "kernels": kernels}[kind].save(path)
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **(arrays | change(arrays)))
    with pytest.raises(InputError):
        gx.load(path)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_changed_byte_changes_no_value_or_is_refused(layer, tmp_path):
    path = tmp_path / "solution.npz"
    layer.save(path)
    x, refused = layer.points(7), 0
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        changed = bytearray(content)
        # the headers of the archive are at its end and before every array
        at = rng.integers(len(content) - 400, len(content)) if rng.random() < 0.7 else rng.integers(0, 200)
        changed[at] = rng.integers(256)
        path.write_bytes(changed)
        try:
            found = gx.load(path)
        except InputError:
            refused += 1
        else:
            np.testing.assert_array_equal(found(x), layer(x))
    assert 0 < refused < 300


def test_a_table_comes_back_from_csv_bit_for_bit(layer, tmp_path):
    layer.to_csv(tmp_path / "table.csv", points=77)
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    table = np.array(lines, dtype=float)
    assert header == ["x", "u", "u'", "u''"]
    assert table.shape == (77, 4)
    assert np.array_equal(table[:, 0], layer.points(77))
    for order in (0, 1, 2):
        assert np.array_equal(table[:, 1 + order], layer(layer.points(77), order))


def test_a_table_names_the_fields_and_coordinates_of_the_problem(tmp_path):
    found = solve(Problem("T' + T = 0", {"t": (0, 1)}, ["T(0) = 1"]))
    found.to_csv(tmp_path / "table.csv", points=3)
    assert (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()[0] == "t,T,T'"


def test_the_true_error_is_known_where_the_exact_solution_is(layer):
    assert 0 < layer.true_error() <= 1e-8
    x = np.linspace(0.0, 1.0, 1001)
    assert np.abs(layer(x) - LAYER.exact(x)).max() <= layer.true_error()


def test_without_an_exact_solution_there_is_no_true_error(broken):
    assert broken.true_error() is None
    assert broken.summary()["true_error"] is None


def test_the_summary_is_json(solution):
    summary = json.loads(json.dumps(solution.summary()))
    assert summary["status"] == "converged"
    assert summary["neurons"] == solution.neurons
    assert summary["gates"] == [gate.describe() for gate in solution.gates]


def test_breaks_are_where_coefficients_jump(layer, broken):
    assert layer.breaks == ()
    assert broken.breaks == (0.3,)


def test_value_and_slope_are_continuous_at_a_break_and_the_curvature_jumps(broken):
    before, after = np.nextafter(0.3, 0.0), 0.3
    assert abs(broken(before) - broken(after)) <= 1e-12
    assert abs(broken(before, 1) - broken(after, 1)) <= 1e-9 * abs(broken(after, 1)) + 1e-9
    assert abs(broken(before, 2) - broken(after, 2)) > 1e-3 * abs(broken(after, 2))


def test_gates_given_by_the_user_are_used(layer):
    given = Layer(1.0, 1e-4, 0.3)
    found = solve(LAYER, gates=[given])
    assert found.gates[0] == given
    assert found.converged
    assert found.true_error() <= 1e-8


def test_gates_of_one_solution_serve_the_next(layer):
    again = solve(LAYER, gates=[gate for gate in layer.gates if isinstance(gate, Layer)])
    assert again.gates == layer.gates
    assert same(layer, again)


def test_gates_may_come_from_an_iterator():
    assert solve(LAYER, gates=iter([Layer(1.0, 1e-4)])).converged


BAD_GATES = {
    "negative thickness": [Layer(0.5, -1.0)],
    "no thickness": [Layer(0.5, 0.0)],
    "thickness not a number": [Layer(0.5, float("nan"))],
    "no grading": [Layer(0.5, 0.1, 0.0)],
    "outside": [Layer(2.0, 0.1)],
    "not gates": [1.0],
    "a text": "layer",
    "a number": 3,
}


@pytest.mark.parametrize("name", BAD_GATES)
def test_gates_that_cannot_be_are_refused(name):
    with pytest.raises(InputError):
        solve(LAYER, gates=BAD_GATES[name])


@pytest.mark.parametrize("tol", [0, -1e-8, float("nan"), float("inf"), "1e-8", None])
def test_a_tolerance_that_is_no_positive_number_is_refused(tol):
    with pytest.raises(InputError, match="tol is"):
        solve(LAYER, tol)


@pytest.mark.parametrize("limits", [{"max_neurons": 10}, {"max_neurons": 1e3}, {"max_rounds": 0}, {"max_rounds": "2"}])
def test_limits_that_are_none_are_refused(limits):
    with pytest.raises(InputError, match=f"{next(iter(limits))} is"):
        solve(LAYER, **limits)


def test_the_history_tells_every_round():
    found = solve(Problem("u'' = abs(x - 0.3)**1.5", LINE, ENDS), 1e-10)
    assert found.rounds == len(found.history) > 1
    assert all(entry.error > 0 and entry.rounding > 0 and entry.neurons > 0 for entry in found.history)
    assert found.history[-1].error <= found.history[0].error


def test_solving_twice_gives_the_same_bits(layer):
    assert same(layer, solve(LAYER))


def test_a_solution_shows_itself_in_one_line() -> None:
    solution = gx.solve(gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4))
    text = repr(solution)
    assert "\n" not in text
    assert "converged" in text
    assert "nu=0.0001" in text
