"""What stands above every figure: the equation, what came of it, and where it did not converge, why."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from gated_xtfc.plots.panel import plural, shortened
from gated_xtfc.plots.style import GREY, VERMILION
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution

SIZES = {14.0: 95, 11.0: 125, 9.5: 145}  # of the headline: characters that fit


def header(figure: Figure, solution: Solution) -> None:
    """The equation; what came of it; and where it did not converge, why."""
    problem = solution.problem
    found = solution.gates
    gates = sum(map(len, found.values())) if isinstance(found, Mapping) else len(found)
    # Not the seconds: the same problem should give the same picture.
    estimate = f"error estimate {solution.error:.1e}" if math.isfinite(solution.error) else "no error estimate"
    facts = [
        *(f"{name} = {value:.8g}" for name, value in solution.constants.items()),
        f"{solution.status}: {estimate} (tolerance {solution.tol:.1e})",
        plural(solution.neurons, "neuron"),
        plural(gates, "gate"),
        plural(solution.rounds, "round"),
    ]
    headline(figure, problem, facts, "" if solution.converged else solution.message)


def headline(figure: Figure, problem: Problem, facts: Sequence[str], trouble: str = "", varied: str = "") -> None:
    """The equation, its parameters but the one that is varied, and what came of it; what went wrong stands below."""
    equations = ",   ".join(problem.texts)
    text, size = fitted(": ".join(filter(None, (problem.title, equations))))
    inch = 1.0 / figure.get_size_inches()[1]
    figure.text(0.012, 1.0 - 0.34 * inch, text, size=size, weight="bold", parse_math=False)
    fixed = [f"{name} = {value:.4g}" for name, value in problem.parameters.items() if name != varied]
    facts = [*fixed, *facts]
    figure.text(0.012, 1.0 - 0.57 * inch, "     ".join(facts), size=10, color=GREY, parse_math=False)
    if trouble:
        figure.text(0.012, 1.0 - 0.78 * inch, shortened(trouble, 150), size=10, color=VERMILION, parse_math=False)


def fitted(text: str) -> tuple[str, float]:
    """The headline and the size at which it fits the page."""
    flat = " ".join(text.split())
    size = next((size for size, longest in SIZES.items() if len(flat) <= longest), min(SIZES))
    return shortened(flat, SIZES[size]), size
