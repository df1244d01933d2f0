"""Batches on whatever JAX has: solves a second, true errors against estimates, and what a gradient costs.

    python benchmarks/batch.py [--gpu] [--members 20000]

`--gpu` takes 1e5 and 1e6 members; nothing but NumPy, SciPy and JAX is needed.
"""

import argparse
import math
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import gated_xtfc as gx
from gated_xtfc.types import Array

jax.config.update("jax_enable_x64", True)
ERF = np.vectorize(math.erf)
LOW, HIGH = 1e-8, 1e-1
LOOKED = 2_000  # members whose true error is computed


def convection(nu: Array, x: Array) -> Array:
    return (np.exp((x - 1) / nu) - np.exp(-1 / nu)) / (1 - np.exp(-1 / nu))


def reaction(nu: Array, x: Array) -> Array:
    d = np.sqrt(nu)
    return 1 - (np.exp(-x / d) + np.exp((x - 1) / d)) / (1 + np.exp(-1 / d))


def turning(nu: Array, x: Array) -> Array:
    return ERF((x - 0.5) / np.sqrt(nu)) / ERF(0.5 / np.sqrt(nu))


FAMILIES: dict[str, tuple[str, tuple[str, str], Callable[[Array, Array], Array]]] = {
    "convection-diffusion": ("u' - nu*u'' = 0", ("u(0) = 0", "u(1) = 1"), convection),
    "reaction-diffusion": ("-nu*u'' + u = 1", ("u(0) = 0", "u(1) = 0"), reaction),
    "turning point": ("nu*u'' + 2*(x - 0.5)*u' = 0", ("u(0) = -1", "u(1) = 1"), turning),
}
VARIABLE = (
    "-nu*u'' + (1 + a*sin(3*x))*u' + (1 + b*x^2)*u = cos(4*x + a)",
    ("u(0) = a", "u(1) + b*u'(1)*nu = 1"),
)


def problem_of(text: str, conditions: tuple[str, str], **parameters: float) -> gx.Problem:
    return gx.Problem(text, {"x": (0, 1)}, list(conditions), **parameters)


def clock() -> float:
    """CPU time where the processor works, the wall clock where a graphics card does."""
    return time.process_time() if jax.default_backend() == "cpu" else time.perf_counter()


def timed(run: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of the best run; the first one, which compiles, does not count."""
    jax.block_until_ready(run())
    best = math.inf
    for _ in range(repeats):
        begun = clock()
        jax.block_until_ready(run())
        best = min(best, clock() - begun)
    return best


def logarithmic(random: np.random.Generator, members: int) -> Array:
    return np.exp(random.uniform(np.log(LOW), np.log(HIGH), members))


def rates(members: int) -> None:
    print(f"\n{members:,} members, nu log-uniform in [{LOW:g}, {HIGH:g}], tol 1e-8")
    print(f"{'family':22} {'a second':>10} {'with solve':>11} {'one by one':>10} {'error':>8} {'true/estimate':>13}")
    random = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, 5)
    for name, (text, conditions, exact) in FAMILIES.items():
        nu = logarithmic(random, members)
        batch = gx.compile(problem_of(text, conditions, nu=1e-3), over=["nu"])
        alone = timed(lambda batch=batch, nu=nu: batch(nu=nu, x=x, one_by_one=False).error)
        begun = clock()
        result = batch(nu=nu, x=x)
        whole = clock() - begun
        left = len(result.messages)
        few = nu[:LOOKED]
        looked = batch(nu=few)
        distance = np.sqrt(few)[:, None] if name != "convection-diffusion" else few[:, None]
        layer = distance * np.geomspace(0.01, 30.0, 40)
        middle = 0.5 if name == "turning point" else 1.0
        at = np.clip(np.concatenate([middle - layer, np.broadcast_to(np.linspace(0, 1, 41), (few.size, 41))], 1), 0, 1)
        true = np.abs(looked(at) - exact(few[:, None], at)).max(1)
        worst = (true / looked.error).max()
        print(
            f"{name:22} {members / alone:10,.0f} {members / whole:11,.0f} {left:10} {true.max():8.1e} {worst:13.2f}",
            flush=True,
        )


def variable(members: int) -> None:
    """Random variable coefficients with Robin conditions: what share is certified at once."""
    random = np.random.default_rng(1)
    problem = problem_of(*VARIABLE, nu=1e-3, a=0.5, b=1.0)
    batch = gx.compile(problem, over=["nu", "a", "b"])
    given = {
        "nu": logarithmic(random, members),
        "a": random.uniform(-0.9, 0.9, members),
        "b": random.uniform(0.0, 2.0, members),
    }
    x = np.linspace(0.0, 1.0, 5)
    seconds = timed(lambda: batch(x=x, one_by_one=False, **given).error)
    result = batch(x=x, one_by_one=False, **given)
    share = float(result.converged.mean())
    print(
        f"\nvariable coefficients, Robin: {members / seconds:,.0f} a second, {100 * share:.2f} % certified in the batch"
    )


def gradient(members: int) -> None:
    """A misfit at five places with respect to two parameters of every member."""
    problem = problem_of("u' - nu*u'' = b*x", ("u(0) = 0", "u(1) = 1"), nu=1e-3, b=1.0)
    function = gx.compile(problem, over={"nu": (LOW, HIGH), "b": (0.5, 2.0)}).function
    x = jnp.asarray(1.0 - np.geomspace(1e-3, 0.5, 5))

    def misfit(nu: Array, b: Array) -> object:
        return ((function(x, nu=nu, b=b)[0] - x) ** 2).sum()

    random = np.random.default_rng(2)
    nu, b = jnp.asarray(logarithmic(random, members)), jnp.asarray(random.uniform(0.5, 2.0, members))
    value = jax.jit(misfit)
    both = jax.jit(jax.value_and_grad(misfit, (0, 1)))
    cost = timed(lambda: value(nu, b)) / members
    ratio = timed(lambda: both(nu, b)) / members / cost
    step, worst = 1e-4, 0.0
    for own, weight in zip(nu[:5].tolist(), b[:5].tolist(), strict=True):

        def tight(nu: float, b: float) -> float:
            solution = gx.solve(problem(nu=nu, b=b), tol=1e-12)
            return float(((solution(np.asarray(x)) - np.asarray(x)) ** 2).sum())

        found = both(jnp.array([own]), jnp.array([weight]))[1]
        size = max(abs(own * float(found[0][0])), abs(float(found[1][0])), 1e-6)
        by_nu = (tight(own * (1 + step), weight) - tight(own * (1 - step), weight)) / (2 * step)
        by_b = (tight(own, weight + step) - tight(own, weight - step)) / (2 * step)
        worst = max(worst, abs(own * float(found[0][0]) - by_nu) / size, abs(float(found[1][0]) - by_b) / size)
    print(
        f"\ngradient of a misfit in two parameters: value {1e6 * cost:.2f} us a member, with gradient {ratio:.2f} times"
    )
    print(f"... against central differences of tight solves, relative: {worst:.1e}")


def against_loop(members: int = 40) -> None:
    nu = logarithmic(np.random.default_rng(3), members)
    problem = problem_of(*FAMILIES["convection-diffusion"][:2], nu=1e-3)
    begun = clock()
    for one in nu.tolist():
        gx.solve(problem(nu=one), tol=1e-8)
    print(f"\nthe loop of solve, convection-diffusion: {members / (clock() - begun):,.0f} a second")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--gpu", action="store_true")
    options.add_argument("--members", type=int, default=20_000)
    arguments = options.parse_args()
    print(f"device: {jax.devices()[0]}, JAX {jax.__version__}")
    for members in (100_000, 1_000_000) if arguments.gpu else (arguments.members,):
        rates(members)
    variable(100_000 if arguments.gpu else arguments.members)
    gradient(100_000 if arguments.gpu else 64)
    against_loop()


if __name__ == "__main__":
    main()
