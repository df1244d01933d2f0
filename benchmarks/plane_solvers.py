"""Coefficients that vary along both axes: GMRES with the nearest separable operator, with differences, and the choice.

`python benchmarks/plane_solvers.py 2` takes two problems of each kind instead of eight.
"""

import single_thread  # noqa: F401

# isort: split
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from time import process_time

import numpy as np

import gated_xtfc as gx
from gated_xtfc.linalg.krylov import Corrected, solve_by_corrections
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.rectangle.differences import factorised
from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation
from gated_xtfc.solver.rectangle.fit import MOST, Product, RectangleLayout, fit
from gated_xtfc.solver.rectangle.grid_operator import GridOperator, Separable
from measure import milliseconds, table

SQUARE = {"x": (0, 1), "y": (0, 1)}
GOAL = 1e-11
KINDS = {
    "smooth": "{a}*u_xx + {b}*u_yy + {c}*u_x + {d}*u_y - {e}*u",
    "reaction": "-eps*({a}*u_xx + {b}*u_yy) + {e}*u",
    "waves": "{a}*(u_xx + u_yy) + {k}*{e}*u",
    "tensor": "exp(2*sin({p}*x*y))*u_xx + exp(2*cos({q}*x*y))*u_yy + {f}*u_xy",
    "flow along x": "-eps*(u_xx + u_yy) + {e}*u_x + {f}*u_y + u",
    "slanted flow": "-eps*(u_xx + u_yy) + {e}*u_x + {a}*u_y + u",
    "vortex": "-eps*(u_xx + u_yy) + (2*y - 1)*(1 - (2*x - 1)^2)*u_x - {k}/200*(2*x - 1)*(1 - (2*y - 1)^2)*u_y + u",
}
HEADER = ("kind", "sites", "steps", "", "ms, set-up included", "", "", "choice over the better")
SECOND = ("", "", "near", "differences", "near", "differences", "choice", "median, largest")


@dataclass(frozen=True)
class Run:
    steps: int
    seconds: float  # infinite where it did not settle


def problems(kind: str, count: int) -> Iterator[gx.Problem]:
    """Random members of a kind; eps from 1 to 1e-4."""
    for seed in range(count):
        generator = np.random.default_rng([seed, list(KINDS).index(kind)])

        def smooth(low: float, high: float, generator: np.random.Generator = generator) -> str:
            a, b, c, d = generator.uniform(0.5, 4.0, 4)
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            return f"({middle:.4g} + {half:.4g}*sin({a:.3g}*x + {b:.3g})*cos({c:.3g}*y + {d:.3g}))"

        text = KINDS[kind].format(
            a=smooth(0.3, 3.0), b=smooth(0.3, 3.0), c=smooth(-5.0, 5.0), d=smooth(-5.0, 5.0), e=smooth(0.3, 2.0),
            f=smooth(-0.1, 0.1), k=f"{generator.uniform(20.0, 400.0):.4g}", p=f"{generator.uniform(1.0, 5.0):.3g}",
            q=f"{generator.uniform(1.0, 3.0):.3g}",
        )  # fmt: skip
        parameters = {"eps": float(f"{10.0 ** -generator.uniform(0.0, 4.0):.3g}")} if "eps" in text else {}
        yield gx.Problem(f"{text} = 1", SQUARE, ["u = 0 on boundary"], **parameters)


def measured(run: Callable[[], tuple[int, bool]]) -> Run:
    """The shortest of three, for the machine may be busy."""
    times = []
    for _ in range(3):
        start = process_time()
        steps, settled = run()
        times.append(process_time() - start)
    return Run(steps, min(times) if settled else inf)


def compared(problem: gx.Problem) -> tuple[RectangleLayout, Run, Run, Run]:
    """With the nearest separable operator, with differences, and as it is chosen."""
    space = RectangleDiscretisation(problem)
    layout = space.lay_out(space.predict(1e-8))
    linear = GridOperator.of(Operator(problem)(layout.points))
    x, y = layout.x, layout.y
    slopes = [grid.coordinate()[1][grid.inner] for grid in (x, y)]
    fit(layout, linear, space.derivatives, 1e-2)  # what is made once for a layout is there

    def alone(make: Callable[[], Callable]) -> tuple[int, bool]:
        found: Corrected = solve_by_corrections(
            Product(linear, layout), make(), linear.source, np.zeros_like(linear.source), GOAL, MOST
        )
        return found.steps, found.settled

    def chosen() -> tuple[int, bool]:
        found = fit(layout, linear, space.derivatives, GOAL)
        return found.steps, found.settled

    near = measured(lambda: alone(lambda: Separable.near(linear, *slopes).on(x, y).solve))
    return layout, near, measured(lambda: alone(lambda: factorised(linear, x, y))), measured(chosen)


def measure(count: int = 8) -> str:
    rows, ratios = [SECOND], []
    for kind in KINDS:
        found = [compared(problem) for problem in problems(kind, count)]
        sites = [max(layout.x.size, layout.y.size) for layout, *_ in found]
        middle = [statistics.median(run.seconds for run in column) for column in list(zip(*found, strict=True))[1:]]
        steps = [statistics.median(run.steps for run in column) for column in list(zip(*found, strict=True))[1:3]]
        own = [choice.seconds / min(near.seconds, other.seconds) for _, near, other, choice in found]
        ratios += own
        rows.append(
            (
                kind,
                f"{min(sites)} to {max(sites)}",
                *(f"{one:.0f}" for one in steps),
                *(milliseconds(one) if one < inf else "not settled" for one in middle),
                f"{statistics.median(own):.2f}, {max(own):.2f}",
            )
        )
    return (
        f"{count} random problems of each kind, eps from 1 to 1e-4, on the first layout for tol = 1e-8; one linear "
        f"solve until corrections are below {GOAL:.0e}. Medians; processor time. Alone, each solver is made and used "
        "without a trial; the choice is what `solve` does.\n\n"
        f"{table(HEADER, rows)}\n\n"
        f"Time of the choice over that of the better of both, {len(ratios)} problems: median "
        f"{statistics.median(ratios):.2f}, largest {max(ratios):.2f}."
    )


if __name__ == "__main__":
    print(measure(*map(int, sys.argv[1:2])))
