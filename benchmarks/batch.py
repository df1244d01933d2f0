"""Batches on whatever JAX has: solves a second, true errors against estimates, and what a gradient costs.

    python benchmarks/batch.py [--gpu] [--members 20000]

`--gpu` takes 1e5 and 1e6 members; nothing but NumPy, SciPy and JAX is needed. On a processor times are its own, of one
core; the first call, which compiles, does not count.
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import gated_xtfc as gx
from gated_xtfc.types import Array
from measure import table

ERF = np.vectorize(math.erf)
LOW, HIGH = 1e-8, 1e-1
LOOKED = 10_000  # members whose true error is computed, at most
BESIDE = 20  # members of other families that are solved alone as well ...
SOLVABLE = 1e-5  # ... where their small parameter is above this: tight solves of the others take long
LINE = {"x": (0, 1)}
Ranges = dict[str, tuple[float, float]]


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
BEAM = gx.Problem("eps*u'''' - u'' = b", LINE, ["u(0) = 0", "u'(0) = 0", "u(1) = b", "u'(1) = 0"], eps=1e-3, b=1)
OPPOSED = gx.Problem(
    ["-eps*u'' + u' + v = 1", "-eps*v'' - v' + u = x"],
    LINE,
    ["u(0) = 0", "v(0) = 0", "u(1) = b", "v(1) = 0"],
    eps=1e-3,
    b=1,
)
SHOCK = gx.Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = a", "u(1) = b"], eps=1e-2, a=-7 / 6, b=3 / 2)
OTHERS: dict[str, tuple[gx.Problem, Ranges]] = {
    "fourth order, eps u'''' - u'' = b": (BEAM, {"eps": (1e-8, 1e-1), "b": (-1.0, 1.0)}),
    "two fields with layers at opposite ends": (OPPOSED, {"eps": (1e-8, 1e-1), "b": (-1.0, 1.0)}),
    "shock, eps u'' + u u' - u = 0": (SHOCK, {"eps": (1e-6, 0.05), "a": (-1.4, -1.0), "b": (1.2, 1.6)}),
}


def problem_of(text: str, conditions: tuple[str, str], **parameters: Any) -> gx.Problem:
    return gx.Problem(text, LINE, list(conditions), **parameters)


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


def rates(counts: tuple[int, ...]) -> Iterator[str]:
    """Solves a second for so many members, and true errors against estimates."""
    x = np.linspace(0.0, 1.0, 5)
    batches = {
        name: gx.compile(problem_of(text, conditions, nu=1e-3), over=["nu"])
        for name, (text, conditions, _) in FAMILIES.items()
    }
    for members in counts:
        rows = []
        for name, batch in batches.items():
            nu = logarithmic(np.random.default_rng(0), members)

            def run(batch: gx.Batch = batch, nu: Array = nu) -> Array:
                return batch(nu=nu, x=x, one_by_one=False).error

            alone = timed(run)
            begun = clock()
            result = batch(nu=nu, x=x)
            whole = clock() - begun
            figures = (
                f"{members / alone:,.0f}",
                f"{members / whole:,.0f}",
                f"{100 * len(result.messages) / members:g} %",
            )
            rows.append([name, *figures, *true_errors(name, batch, nu[:LOOKED])])
        head = ["family", "a second", "with `solve`", "one by one", "largest error", "largest error over estimate"]
        yield f"{members:,} members, nu log-uniform in [{LOW:g}, {HIGH:g}], tol 1e-8:\n\n{table(head, rows)}"


def true_errors(name: str, batch: gx.Batch, nu: Array) -> tuple[str, str]:
    """The largest error in the layers and beside them, and the largest over its estimate."""
    looked = batch(nu=nu)
    distance = nu[:, None] if name == "convection-diffusion" else np.sqrt(nu)[:, None]
    layer = distance * np.geomspace(0.01, 30.0, 40)
    middle = 0.5 if name == "turning point" else 1.0
    whole = np.broadcast_to(np.linspace(0, 1, 41), (nu.size, 41))
    at = np.clip(np.concatenate([middle - layer, whole], 1), 0, 1)
    true = np.abs(looked(at) - FAMILIES[name][2](nu[:, None], at)).max(1)
    return f"{true.max():.1e}", f"{(true / looked.error).max():.2f}"


def others(members: int) -> str:
    """Fourth order, a system and a shock, with some members beside `solve`."""
    rows = []
    for name, (problem, ranges) in OTHERS.items():
        random = np.random.default_rng(1)
        given = {}
        for parameter, (low, high) in ranges.items():
            part = random.uniform(0.0, 1.0, members)
            wide = low > 0.0 and high > 50.0 * low
            given[parameter] = low * (high / low) ** part if wide else low + (high - low) * part
        batch = gx.compile(problem, over=list(ranges))

        def run(batch: gx.Batch = batch, given: dict[str, Array] = given) -> Array:
            return batch(one_by_one=False, **given).error

        seconds = timed(run, 2)
        found = batch(one_by_one=False, **given)
        ratios = [beside(problem, found, given, number) for number in range(BESIDE)]
        known = [ratio for ratio in ratios if ratio is not None]
        share = 100.0 * float(found.converged.mean())
        rows.append([name, f"{members / seconds:,.0f}", f"{share:.2f} %", f"{max(known):.3f} of {len(known)}"])
    head = ["family", "a second", "certified in the batch", "largest error over estimate"]
    return f"{members:,} members, tol 1e-8, small parameters log-uniform:\n\n{table(head, rows)}"


def beside(problem: gx.Problem, found: gx.BatchSolutions, given: dict[str, Array], number: int) -> float | None:
    """The difference from a tight solve, beyond that one's own estimate, over the estimate of the batch."""
    own = {parameter: float(column[number]) for parameter, column in given.items()}
    if not found.converged[number] or own["eps"] < SOLVABLE:
        return None
    solution = gx.solve(problem(**own), tol=1e-11)
    x = [np.linspace(0.0, 1.0, 101)]
    x += [
        one.location + one.thickness * np.linspace(-30, 30, 101) for one in solution.gates if isinstance(one, gx.Layer)
    ]
    at = np.unique(np.clip(np.concatenate(x), 0.0, 1.0))
    gaps = []
    for field, scale in zip(problem.fields, solution.scales, strict=True):
        values = found(np.broadcast_to(at, (len(found), at.size)), field=field)[number]
        gaps.append(float(np.abs(values - solution[field](at)).max()) / scale)
    return max(max(gaps) - solution.error, 0.0) / float(found.error[number])


def variable(members: int) -> str:
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
    share = float(batch(x=x, one_by_one=False, **given).converged.mean())
    return (
        f"Variable coefficients, Robin: {members / seconds:,.0f} a second, {100 * share:.2f} % certified in the batch."
    )


def gradient(members: int) -> str:
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
    cost = timed(lambda: value(nu, b), 20) / members
    ratio = timed(lambda: both(nu, b), 20) / members / cost
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
    return (
        f"Gradient of a misfit in two parameters: {ratio:.2f} times the misfit alone ({1e6 * cost:.2f} us a member), "
        f"within {worst:.1e} of central differences of tight solves."
    )


def against_others(members: int) -> str:
    """The same members by the loop of `solve`, and by the compiled core."""
    nu = logarithmic(np.random.default_rng(3), members)
    problem = problem_of(*FAMILIES["convection-diffusion"][:2], nu=1e-3)
    few = nu[:40].tolist()
    begun = clock()
    for one in few:
        gx.solve(problem(nu=one), tol=1e-8)
    loop = len(few) / (clock() - begun)
    begun = clock()
    gx.solve_many(problem, {"nu": nu})
    return (
        f"Convection-diffusion by the loop of `solve`: {loop:,.0f} a second; by `solve_many` (the compiled core, "
        f"{members:,} members): {members / (clock() - begun):,.0f} a second."
    )


def data_set(members: int) -> str:
    """Parameters, 101 places and fields into a file, with rows in a store."""
    problem = problem_of(*FAMILIES["convection-diffusion"][:2], nu=1e-3)
    design = gx.Design.random({"nu": (LOW, HIGH, "log")}, members, 0)
    with TemporaryDirectory() as folder:
        path = Path(folder)
        begun = clock()
        made = gx.sweep(problem, design, engine="batch", store=path / "rows.sqlite", dataset=path / "data.npz")
        seconds, size = clock() - begun, (path / "data.npz").stat().st_size / 1e6
    return (
        f"A data set of {members:,} solutions at 101 places, rows in a store, compilation and all: {seconds:.0f} s, "
        f"{size:.0f} MB, {int(made.converged.sum()):,} converged."
    )


def parts(gpu: bool, members: int) -> Iterator[str]:
    """All that is measured, one paragraph after the other."""
    yield f"Device: {jax.devices()[0]}, JAX {jax.__version__}."
    yield from rates((100_000, 1_000_000) if gpu else (members,))
    yield variable(100_000 if gpu else members)
    yield data_set(100_000)
    yield gradient(100_000 if gpu else 64)
    yield others(102_400 if gpu else 4_096)
    yield against_others(members)


def measure(gpu: bool = False, members: int = 20_000) -> str:
    with jax.enable_x64(True):
        return "\n\n".join(parts(gpu, members))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--gpu", action="store_true")
    options.add_argument("--members", type=int, default=20_000)
    arguments = options.parse_args()
    with jax.enable_x64(True):
        for part in parts(arguments.gpu, arguments.members):
            print(part, end="\n\n", flush=True)  # as it is found: some take minutes


if __name__ == "__main__":
    main()
