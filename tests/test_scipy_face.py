"""solve_bvp with SciPy's signature: what its documentation promises, on problems such as its own tests have."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp as theirs
from scipy.interpolate import PPoly
from scipy.special import erf

from gated_xtfc.scipy import solve_bvp
from gated_xtfc.scipy.structure import chains, groups

FIVE = np.linspace(0.0, 1.0, 5)
ZEROS = np.zeros((2, 5))
KEYS = {"sol", "p", "x", "y", "yp", "rms_residuals", "niter", "status", "message", "success"}


def decay(x, y):
    return np.vstack((y[1], y[0]))


def decay_jacobian(x, y):
    jacobian = np.zeros((2, 2, x.size))
    jacobian[0, 1] = jacobian[1, 0] = 1.0
    return jacobian


def decay_ends(ya, yb):
    return np.hstack((ya[0] - 1, yb[0]))


def decay_ends_jacobian(ya, yb):
    return np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]])


def decayed(x):
    return (np.exp(-x) - np.exp(x - 2)) / (1 - np.exp(-2))


@pytest.mark.parametrize("fun_jac", [None, decay_jacobian])
@pytest.mark.parametrize("bc_jac", [None, decay_ends_jacobian])
def test_without_parameters_with_or_without_jacobians(fun_jac, bc_jac):
    found = solve_bvp(decay, decay_ends, FIVE, ZEROS, fun_jac=fun_jac, bc_jac=bc_jac)
    assert found.success
    assert found.status == 0
    assert found.p is None
    x = np.linspace(0, 1, 100)
    y = found.sol(x)
    assert y.shape == (2, 100)
    np.testing.assert_allclose(y[0], decayed(x), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.sol(x, 1)[0], y[1], rtol=1e-5, atol=1e-5)
    assert found.rms_residuals.shape == (found.x.size - 1,)
    assert np.all(found.rms_residuals < 1e-3)
    np.testing.assert_allclose(found.sol(found.x), found.y, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.sol(found.x, 1), found.yp, rtol=1e-10, atol=1e-10)


def test_the_result_has_the_fields_of_scipys_and_is_a_dictionary_too():
    found = solve_bvp(decay, decay_ends, FIVE, ZEROS)
    assert found.keys() >= KEYS | set(theirs(decay, decay_ends, FIVE, ZEROS).keys())
    assert found["success"] is found.success is True
    assert isinstance(found.sol, PPoly)
    assert found.x[0] == 0.0
    assert found.x[-1] == 1.0


def test_the_same_call_of_scipys_gives_the_same_function():
    def fun(x, y):
        return np.vstack((y[1], -np.exp(y[0])))

    def bc(ya, yb):
        return np.array([ya[0], yb[0]])

    hot = np.zeros((2, 5))
    hot[0] = 3.0
    x = np.linspace(0, 1, 33)
    for guess in (ZEROS, hot):  # two solutions: the guess decides, as it does there
        ours, reference = solve_bvp(fun, bc, FIVE, guess), theirs(fun, bc, FIVE, guess, tol=1e-8)
        np.testing.assert_allclose(ours.sol(x), reference.sol(x), atol=1e-5)


def test_unknown_parameters_are_found_with_or_without_jacobians():
    def fun(x, y, p):
        return np.vstack((y[1], -(p[0] ** 2) * y[0]))

    def bc(ya, yb, p):
        return np.hstack((ya[0], yb[0], ya[1] - p[0]))

    def fun_jac(x, y, p):
        by_y, by_p = np.zeros((2, 2, x.size)), np.zeros((2, 1, x.size))
        by_y[0, 1], by_y[1, 0], by_p[1, 0] = 1.0, -(p[0] ** 2), -2 * p[0] * y[0]
        return by_y, by_p

    def bc_jac(ya, yb, p):
        return np.array([[1, 0], [0, 0], [0, 1]]), np.array([[0, 0], [1, 0], [0, 0]]), np.array([[0], [0], [-1]])

    x = np.linspace(0, np.pi, 10)
    at = np.linspace(0, np.pi, 100)
    for jacobians in ({}, {"fun_jac": fun_jac}, {"bc_jac": bc_jac}, {"fun_jac": fun_jac, "bc_jac": bc_jac}):
        found = solve_bvp(fun, bc, x, np.vstack((np.sin(x), np.cos(x))), p=[0.5], **jacobians)
        assert found.success
        np.testing.assert_allclose(found.p, [1.0], rtol=1e-4)
        np.testing.assert_allclose(found.sol(at)[0], np.sin(at), atol=1e-4)


def test_many_fields_with_two_parameters():
    def fun(x, y, p):
        f = np.zeros_like(y)
        f[::2] = y[1::2]
        f[1::4] = -(p[0] ** 2) * y[::4]
        f[3::4] = -(p[1] ** 2) * y[2::4]
        return f

    def bc(ya, yb, p):
        return np.hstack((ya[::2], yb[::2], ya[1] - p[0], ya[3] - p[1]))

    x = np.linspace(0, np.pi, 5)
    guess = np.vstack((np.sin(x), np.cos(x), np.sin(2 * x), 2 * np.cos(2 * x)))
    found = solve_bvp(fun, bc, x, guess, p=[0.9, 2.1])
    assert found.success
    np.testing.assert_allclose(found.p, [1.0, 2.0], rtol=1e-5)


def test_conditions_that_are_not_linear_hold():
    def bc(ya, yb):
        phi_a, slope_a = ya
        phi_c, slope_c = yb
        rise, fall = -phi_a, 0.5 - phi_c - 1.0
        left = 0.01 * (np.exp(38.9 * rise) - np.exp(-38.9 * rise)) + 1.64 * slope_a
        right = 1e-4 * (np.exp(38.9 * fall) - np.exp(-38.9 * fall)) - 1.64 * slope_c
        return np.array([left, right])

    x = np.linspace(0, 0.1, 2)
    found = solve_bvp(lambda x, y: np.stack([y[1], np.zeros_like(x)]), bc, x, np.zeros((2, 2)))
    assert found.success
    assert np.abs(bc(found.sol(0.0), found.sol(0.1))).max() < 1e-9
    assert np.all(found.rms_residuals < 1e-3)


def test_complex_values_are_solved_in_the_complex_plane():
    found = solve_bvp(decay, lambda ya, yb: np.hstack((ya[0] - 1 - 1j, yb[0])), FIVE, ZEROS.astype(complex))
    assert found.success
    x = np.linspace(0, 1, 50)
    np.testing.assert_allclose(found.sol(x)[0], (1 + 1j) * decayed(x), atol=1e-8)
    # y' = i y^2: real and imaginary parts do see each other
    turning = solve_bvp(lambda x, y: 1j * y**2, lambda ya, yb: ya - 1, FIVE, np.ones((1, 5), dtype=complex))
    np.testing.assert_allclose(turning.sol(x)[0], 1 / (1 - 1j * x), atol=1e-5)


def test_a_singular_term_leaves_the_solution_smooth_up_to_the_end():
    found = solve_bvp(
        lambda x, y: np.vstack((y[1], -(y[0] ** 5))),
        lambda ya, yb: np.array([ya[1], yb[0] - (3 / 4) ** 0.5]),
        np.linspace(0, 1, 10),
        np.vstack((np.full(10, (3 / 4) ** 0.5), np.full(10, 1e-4))),
        S=np.array([[0.0, 0.0], [0.0, -2.0]]),
    )
    assert found.success
    x = np.linspace(0, 1, 100)
    np.testing.assert_allclose(found.sol(x)[0], (1 + x**2 / 3) ** -0.5, atol=1e-8)
    np.testing.assert_allclose(found.sol(0.0, 2)[0], -1 / 3, atol=1e-4)


def test_conditions_that_leave_a_component_open_and_ask_too_much_of_another_are_status_2():
    found = solve_bvp(lambda x, y: np.zeros_like(y), lambda ya, yb: np.array([ya[0], yb[0] - 1]), FIVE, ZEROS)
    assert not found.success
    assert found.status == 2
    resonance = solve_bvp(
        lambda x, y: np.vstack((y[1], 1 - np.pi**2 * y[0])), lambda ya, yb: np.array([ya[0], yb[0]]), FIVE, ZEROS
    )
    assert (resonance.success, resonance.status) == (False, 2)


def test_too_few_nodes_are_status_1():
    found = solve_bvp(decay, decay_ends, np.linspace(0, 1, 2), np.zeros((2, 2)), tol=1e-5, max_nodes=5)
    assert (found.success, found.status) == (False, 1)


def test_a_shock_layer_is_resolved_from_a_poor_mesh():
    eps = 1e-3

    def fun(x, y):
        source = eps * np.pi**2 * np.cos(np.pi * x) + np.pi * x * np.sin(np.pi * x)
        return np.vstack((y[1], -(x * y[1] + source) / eps))

    found = solve_bvp(fun, lambda ya, yb: np.array([ya[0] + 2, yb[0]]), np.linspace(-1, 1, 5), ZEROS)
    x = np.linspace(-1, 1, 1001)
    exact = np.cos(np.pi * x) + erf(x / np.sqrt(2 * eps)) / erf(1 / np.sqrt(2 * eps))
    assert found.success
    assert np.abs(found.sol(x)[0] - exact).max() < 1e-7


def big(x, y):
    f = np.zeros_like(y)
    f[::2] = y[1::2]
    return f


def test_sixty_fields_that_do_not_see_each_other_are_solved_apart():
    found = solve_bvp(big, lambda ya, yb: np.hstack((ya[::2], yb[1::2] - 1)), FIVE, np.zeros((60, 5)))
    assert found.success
    x = np.linspace(0, 1, 11)
    np.testing.assert_allclose(found.sol(x)[::2], np.tile(x, (30, 1)), atol=1e-10)
    np.testing.assert_allclose(found.sol(x)[1::2], 1.0, atol=1e-10)


def test_groups_and_chains_are_read_off_the_jacobians():
    slope = np.zeros((5, 5), dtype=bool)
    slope[0, 1] = slope[1, 0] = slope[2, 3] = True
    ends = np.zeros((6, 6), dtype=bool)
    ends[[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]] = True
    ends[5, 4] = True  # the constant and the last field share a condition
    found = groups(slope, np.zeros((5, 1), dtype=bool), ends, chains([1, 0, 3, None, None]))
    assert [group.fields for group in found] == [(0, 1), (2, 3), (4,)]
    assert [group.chains for group in found] == [((0, 1),), ((2, 3),), ((4,),)]
    assert found[2].constants == (0,)
    assert found[2].conditions == (4, 5)


def test_a_function_that_fills_an_array_of_floats_is_solved_by_differences():
    def fun(x, y):
        f = np.zeros((2, x.size))
        f[0] = y[1]
        f[1] = -np.exp(y[0])
        return f

    found = solve_bvp(fun, lambda ya, yb: np.array([ya[0], yb[0]]), FIVE, ZEROS)
    assert found.success
    assert abs(found.sol(0.5)[0] - 0.140539214) < 1e-8
    assert found.x.size < 50  # noise of differences made no gates


def test_verbose_writes_and_silence_is_silent(capsys):
    solve_bvp(decay, decay_ends, FIVE, ZEROS)
    assert capsys.readouterr().out == ""
    solve_bvp(decay, decay_ends, FIVE, ZEROS, verbose=1)
    report = capsys.readouterr().out
    assert "Solved in" in report
    assert "residual" in report
    solve_bvp(decay, decay_ends, FIVE, ZEROS, verbose=2)
    assert len(capsys.readouterr().out) > len(report)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"x": np.zeros((2, 2))}, "`x`"),
        ({"x": [0, 2, 1, 3, 4]}, "increasing"),
        ({"y": np.zeros((3, 4))}, "`y`"),
        ({"y": np.zeros(5)}, "`y`"),
        ({"p": [[1.0]]}, "`p`"),
        ({"S": np.zeros((3, 3)) + 1}, "`S`"),
        ({"fun": lambda x, y: y[:1]}, "`fun`"),
        ({"bc": lambda ya, yb: ya[:1]}, "`bc`"),
    ],
)
def test_arrays_of_the_wrong_shape_are_refused_by_name(change, word):
    with pytest.raises(ValueError, match=word):
        solve_bvp(**{"fun": decay, "bc": decay_ends, "x": FIVE, "y": ZEROS, **change})


def test_a_tolerance_below_rounding_is_raised_with_a_warning():
    with pytest.warns(UserWarning, match="tol"):
        solve_bvp(decay, decay_ends, FIVE, ZEROS, tol=1e-20)
