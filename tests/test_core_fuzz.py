"""Whatever the core's functions are given, they answer, or refuse it by an exception: nothing ends the process."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.core import compiled

LINE = {"x": (0, 1)}
LAYER = gx.Problem("u' - nu*u'' = 0", LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-3)
NUMBERS = (np.nan, np.inf, -np.inf, 0.0, 1e308, -1e308, 5e-324, -1.0)
WHOLE = (-1, 0, 1, 3, 64, 1001, 2**31 - 1, -(2**31), 2**62)
FUNCTIONS = (
    "solve",
    "solve_tied",
    "fit",
    "slopes",
    "partition",
    "evaluate",
    "divide",
    "predict",
    "linearise",
    "linear",
)


def work():
    gx.solve_many(LAYER, {"nu": [1e-2, 1e-3, 1e-4] * 4})
    gx.solve(LAYER)(np.linspace(0, 1, 7), 1)
    gx.solve(gx.Problem("-nu*u'' + u' = 1", LINE, ["u(0) = 0", "integral(u) = 1"], nu=1e-3))
    gx.solve(gx.Problem("nu*u'' + 2*(x - 0.5)*u' = 0", LINE, ["u(0) = -1", "u(1) = 1"], nu=1e-3), 1e-12)
    gx.solve(
        gx.Problem("-nu*u'' + (1 + x)*u' = exp(-((x - 0.4)/0.01)^2)", LINE, ["u(0) = 0", "u(1) = 0"], nu=1e-4), 1e-12
    )
    gx.solve(gx.Problem("nu*u'' + u*u' - u = 0", LINE, ["u(0) = -1", "u(1) = 1.3"], nu=1e-1))
    gx.solve(gx.Problem(["u'' = v*u + x", "v'' = u - v^3"], LINE, ["u(0) = 1", "u(1) = 0", "v(0) = 0", "v(1) = 1"]))
    x = np.linspace(0, 1, 20)
    gx.infer(LAYER, (x, gx.solve(LAYER(nu=2e-2))(x)), {"nu": (1e-3, 1e-1)})


@pytest.fixture(scope="module")
def calls():
    """Arguments that the library itself calls each function with."""
    seen = {name: [] for name in FUNCTIONS}
    with pytest.MonkeyPatch.context() as patch:
        for name in FUNCTIONS:
            own = getattr(compiled, name)

            def kept(*given, name=name, own=own):
                if len(seen[name]) < 8:
                    seen[name].append(tuple(copied(one) for one in given))
                return own(*given)

            patch.setattr(compiled, name, kept)
        work()
    return seen


def copied(one):
    if isinstance(one, tuple):
        return tuple(map(copied, one))
    return one if isinstance(one, bool | int | float | bytes | type(None)) else np.array(one)


def spoilt(one, random):
    """One argument as it should not be."""
    if isinstance(one, tuple) and one:
        at = int(random.integers(len(one)))
        return [one[:-1], one + one, (*one[:at], spoilt(one[at], random), *one[at + 1 :])][random.integers(3)]
    if isinstance(one, np.ndarray) and one.size:
        bad, flat = random.choice(WHOLE[:-1] if one.dtype.kind == "i" else NUMBERS), one.copy()
        flat.reshape(-1)[random.integers(one.size)] = bad
        odd = memoryview(bytearray(one.nbytes + 1))[1:]  # no number begins where it should
        others = one.ravel()[:-1], np.tile(one.ravel(), 2), one.ravel()[:0], one.astype(np.float32), odd, None
        return flat if random.random() < 0.5 else others[random.integers(len(others))]
    if isinstance(one, int) and not isinstance(one, bool):
        return WHOLE[random.integers(len(WHOLE))]
    return random.choice(NUMBERS) if isinstance(one, float) else "x"


@pytest.mark.skipif(compiled.solve is None, reason="there is no compiled core on this machine")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_hostile_is_answered_or_refused(calls, name):
    random = np.random.default_rng(0)
    assert calls[name]
    refused = 0
    for _ in range(150):
        given = [copied(one) for one in calls[name][random.integers(len(calls[name]))]]
        for at in random.integers(len(given), size=random.integers(1, 4)).tolist():
            with np.errstate(all="ignore"):  # of single precision
                given[at] = spoilt(given[at], random)
        try:
            getattr(compiled, name)(*given)
        except (ValueError, TypeError, MemoryError, OverflowError, BufferError):
            refused += 1
    assert refused
