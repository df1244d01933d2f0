"""Arrays of dual numbers: NumPy code of every kind is differentiated as differences have it, or it raises."""

import numpy as np
import pytest

from gated_xtfc.language.dual_array import DualArray, gathered, seeded
from gated_xtfc.scipy.jacobians import Differentiable, by_duals

M = np.array([[0.3, -1.2, 0.5], [2.0, 0.1, -0.4], [0.7, 0.9, 1.1]])
X = np.linspace(0.1, 0.9, 5)
Y = np.random.default_rng(3).uniform(0.2, 1.5, (3, X.size))


def assigned(y):
    f = np.zeros_like(y)
    f[::2] = y[1:2] * np.sin(y[::2])
    f[1] = 3.0
    f[1, 2:] = y[0, 2:] ** 2
    f[2] += y[1]
    f[0] *= y[2]
    return f


def like(y):
    f = np.ones_like(y)
    g = np.full_like(y, 2.0)
    e = np.empty_like(y)
    e[:] = y
    return f * y + g / y + e


FUNCTIONS = {
    "vstack": lambda y: np.vstack((y[1], -np.exp(y[0]), X * y[2])),
    "stack": lambda y: np.stack([y[1] * y[0], np.zeros_like(X), np.tanh(y[2])]),
    "stack along the last axis": lambda y: np.stack([y[0], y[1] ** 2], axis=-1),
    "hstack": lambda y: np.hstack((y[0], 1.0, y[2] ** 0.5)),
    "concatenate": lambda y: np.concatenate([y[1:], y[:1] ** 3]),
    "column_stack": lambda y: np.column_stack([y[0], y[1] / y[2]]),
    "array of rows": lambda y: np.array([y[1], -(y[0] ** 5), X]),
    "a list of rows": lambda y: [y[1], y[2] / (1 + y[0]), y[0] * y[1]],
    "item assignment": assigned,
    "zeros, ones, full and empty like": like,
    "where": lambda y: np.where(y > 0.8, y**2, np.sqrt(y)),
    "where on x": lambda y: np.where(X < 0.5, y[0], 2.0 * y[1]),
    "maximum, minimum, clip": lambda y: np.maximum(y[0], 0.7) + np.minimum(y[1], y[2]) + np.clip(y[0], 0.5, 1.0),
    "powers": lambda y: y[0] ** y[1] + 2.0 ** y[2] + y[0] ** -1.5 + y[1] ** 0 + np.power(y[2], 3),
    "quotients": lambda y: 1.0 / y[0] + y[1] / y[2] - np.reciprocal(y[2]) + y[0] / 3,
    "elementary": lambda y: np.sin(y[0]) + np.arctan(y[1]) + np.log(y[2]) + np.cosh(y[0]) - np.expm1(y[1]),
    "more elementary": lambda y: np.log1p(y[0]) + np.cbrt(y[1]) + np.arcsinh(y[2]) + np.square(y[0]) + np.exp2(y[1]),
    "two arguments": lambda y: np.arctan2(y[0], y[1]) + np.hypot(y[1], y[2]),
    "matrix product": lambda y: M @ y,
    "product from the right": lambda y: y.T @ M,
    "dot and einsum": lambda y: np.dot(M, y) + np.einsum("ij,jk,jk->ik", M, y, y),
    "sums": lambda y: y.sum(axis=0) * y[0] + np.mean(y, axis=0),
    "reshape, roll, flip": lambda y: np.roll(y, 1, axis=0) * np.flip(y, 0) + y.reshape(-1).reshape(y.shape),
    "fancy indices": lambda y: y[[2, 0, 1]] * y + y[np.array([1, 1, 0])],
    "masks": lambda y: y[:, X > 0.4] ** 2,
    "abs and sign": lambda y: np.abs(y - 0.8) + np.sign(y - 0.8),
    "from the left": lambda y: np.float64(2.0) * y + X * y - X / y,
    "unpacking": lambda y: np.array([a * b for a, b in zip(y, (y[1], y[2], y[0]), strict=True)]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_differences(name):
    function, step = FUNCTIONS[name], 1e-5
    value, partials = by_duals(function, (Y,), (range(3),))
    np.testing.assert_array_equal(value, np.asarray(function(Y)))
    for partial, moved in zip(partials, step * np.eye(3)[:, :, None], strict=True):
        difference = (np.asarray(function(Y + moved)) - np.asarray(function(Y - moved))) / (2 * step)
        np.testing.assert_allclose(partial, difference, atol=1e-7)


@pytest.mark.parametrize(
    "function",
    [
        lambda y: np.asarray(y, dtype=float),
        lambda y: np.array([float(y[0, 0])]),
        lambda y: np.linalg.solve(M, y),
        lambda y: np.interp(y[0], X, X),
        lambda y: np.zeros((3, 5)).__setitem__(0, y[0]),
        lambda y: np.add(y, y, out=np.zeros((3, 5))),
    ],
)
def test_what_is_not_known_raises_and_never_drops_a_derivative(function):
    with pytest.raises(Exception, match=r".+"):
        function(seeded(Y, range(3), 0, 3))


def test_a_function_that_defeats_dual_numbers_is_differenced():
    def into_floats(y):
        f = np.zeros((3, X.size))
        f[0], f[1] = y[1], np.exp(y[0])
        return f

    found = Differentiable.tried(into_floats, (Y,))
    assert not found.exact
    value, partials = found((Y,), (range(3),))
    np.testing.assert_allclose(partials[0, 1], np.exp(Y[0]), rtol=1e-8)
    np.testing.assert_allclose(value[0], Y[1])


def test_a_function_that_drops_derivatives_by_its_own_means_is_differenced():
    def values_taken_out(y):
        return y * np.array([[one.value if isinstance(one, DualArray) else one for one in row] for row in y])

    assert not Differentiable.tried(values_taken_out, (Y,)).exact


def test_writing_into_a_dual_array_leaves_the_original_alone():
    before = Y.copy()
    array = seeded(Y, range(3), 0, 3)
    array[0] = 7.0
    np.testing.assert_array_equal(Y, before)
    assert not array.partials[:, 0].any()


def test_complex_functions_have_complex_derivatives():
    z = Y + 0.3j
    _, partials = by_duals(lambda y: np.exp(1j * y[:1]) * y[1:2], (z,), (range(3),))
    np.testing.assert_allclose(partials[0, 0], 1j * np.exp(1j * z[0]) * z[1], rtol=1e-14)
    np.testing.assert_allclose(partials[1, 0], np.exp(1j * z[0]), rtol=1e-14)


def test_constants_have_no_derivatives():
    assert not gathered(np.ones((2, 4)), 3).partials.any()
