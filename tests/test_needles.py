"""What hides between samples is found, whatever it is made of; or the solution says that it was not."""

import numpy as np
import pytest

from gated_xtfc import Problem, solve

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
BACKGROUNDS = {
    "0": lambda x: 0.0 * x,
    "1": lambda x: 0.0 * x + 1.0,
    "exp(x)": np.exp,
    "sin(7*x)": lambda x: np.sin(7 * x),
}


def with_zero_ends(source, panels):
    """The solution of u'' = source at the ends of the panels: two integrals, each panel by Gauss' rule."""
    half = 0.5 * np.diff(panels)[:, None]
    x = 0.5 * (panels[1:] + panels[:-1])[:, None] + half * NODES
    mass, moment = ((half * WEIGHTS * f).sum(axis=1) for f in (source(x), source(x) * (x - panels[:-1, None])))
    slope = np.concatenate([[0.0], np.cumsum(mass)])
    rise = np.concatenate([[0.0], np.cumsum((slope[:-1] + mass) * np.diff(panels) - moment)])
    return rise - panels * rise[-1]


def panels_around(places, width):
    """Panels that grow away from all places."""
    steps = np.concatenate([np.linspace(0, 12, 49), 12 * 1.3 ** np.arange(1, 80)]) * width
    every = np.concatenate(
        [[0.0, 1.0], np.linspace(0, 1, 65), *(p + steps for p in places), *(p - steps for p in places)]
    )
    return np.unique(every[(every >= 0.0) & (every <= 1.0)])


def box(rng):
    width = 10 ** rng.uniform(-6, -2)
    a = rng.uniform(0.02, 0.95)
    b = a + width
    tall = 10 ** rng.uniform(0, 1) / width
    kind = rng.integers(3)
    if kind == 0:
        return f"where((x - {a!r})*(x - {b!r}) < 0, {tall!r}, 0)", lambda x: tall * ((x > a) & (x < b)), (a, b), width
    if kind == 1:
        return f"{tall!r}*(1 - sign((x - {a!r})*(x - {b!r})))", lambda x: 2 * tall * ((x > a) & (x < b)), (a, b), width
    middle, square = 0.5 * (a + b), (0.5 * width) ** 2
    a, b = middle - np.sqrt(square), middle + np.sqrt(square)
    return f"where((x - {middle!r})^2 < {square!r}, {tall!r}, 0)", lambda x: tall * ((x > a) & (x < b)), (a, b), width


def boxes_of_a_wave(rng):
    number, below = rng.uniform(5, 40), 10 ** rng.uniform(-7, -3)
    tall = float(10 ** rng.uniform(0, 1) * number / np.sqrt(below))
    half = np.arccos(1 - below) / number
    crests = (0.5 + 2.0 * np.arange(20)) * np.pi / number
    ends = np.concatenate([crests - half, crests + half])
    text = f"where(sin({number!r}*x) > {1 - below!r}, {tall!r}, 0)"
    return text, lambda x: tall * (np.abs(x[..., None] - crests).min(axis=-1) < half), ends[ends < 1.0], half


def flat_top(rng):
    width, power = 10 ** rng.uniform(-6, -2.3), int(rng.choice([4, 6, 8]))
    c, tall = rng.uniform(0.05, 0.95), 10 ** rng.uniform(0, 1) / width
    sharp = width**-power
    text = f"{tall!r}*exp(-{sharp!r}*(x - {c!r})^{power})"
    if rng.integers(3):
        return text, lambda x: tall * np.exp(-sharp * (x - c) ** power), (c,), width
    d = c + rng.uniform(-0.7, 0.7) * width
    text = f"{text}*exp(-{sharp!r}*(x - {d!r})^4)" if power == 4 else f"{text}*exp(-((x - {d!r})/{width!r})^6)"
    other = 4 if power == 4 else 6
    return text, lambda x: tall * np.exp(-sharp * (x - c) ** power - ((x - d) / width) ** other), (c,), width


def power_of_a_smooth_function(rng):
    width = 10 ** rng.uniform(-6, -2.3)
    c, tall = rng.uniform(0.05, 0.95), 10 ** rng.uniform(0, 1) / width
    kind = rng.integers(3)
    if kind == 0:
        high = float(2 * int(1 / width**2))
        return f"{tall!r}*cos(x - {c!r})^{high!r}", lambda x: tall * np.cos(x - c) ** high, (c,), width
    if kind == 1:
        high = float(int(1 / width**2))
        return f"{tall!r}*(1 - (x - {c!r})^2)^{high!r}", lambda x: tall * (1 - (x - c) ** 2) ** high, (c,), width
    waves = int(rng.integers(1, 6))
    high = float(2 * int(1 / (width * waves * np.pi) ** 2) + 2)
    places = (np.arange(waves) + 0.5) / waves
    return f"{tall!r}*sin({waves}*pi*x)^{high!r}", lambda x: tall * np.sin(waves * np.pi * x) ** high, places, width


HIDDEN = [box, boxes_of_a_wave, flat_top, power_of_a_smooth_function]


@pytest.mark.parametrize("kind", HIDDEN, ids=lambda kind: kind.__name__)
def test_hidden_needles_are_solved_right_or_refused(kind):
    rng = np.random.default_rng(HIDDEN.index(kind))
    solved = 0
    for _ in range(60):
        text, source, places, width = kind(rng)
        background = str(rng.choice([*BACKGROUNDS]))
        solution = solve(Problem(f"u'' = {text} + {background}", LINE, ENDS), tol=1e-6)
        panels = panels_around(places, width)
        exact = with_zero_ends(lambda x, f=source, g=BACKGROUNDS[background]: f(x) + g(x), panels)
        error = np.abs(solution(panels) - exact).max() / max(1.0, np.abs(exact).max())
        assert error <= 1e-5 or not solution.converged, f"{text} + {background}: {error}, said {solution.error}"
        solved += solution.converged
    assert solved >= 54
