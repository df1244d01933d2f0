"""How far solutions that evolve are off others, which are known in closed form."""

from collections.abc import Callable

import numpy as np

from gated_xtfc.solution.evolution import EvolutionSolution

Field = Callable[[np.ndarray, float], np.ndarray]


def off(solution: EvolutionSolution, first: float = 0.03, count: int = 23, **exact: Field) -> float:
    """The largest error of all fields relative to their scales, at so many times from a first part of the whole on."""
    largest = 0.0
    for name, field in exact.items():
        scale = solution.scales[solution.problem.fields.index(name)]
        for t in np.linspace(*solution.problem.axes[1].at(np.array([first, 1.0])), count):
            x = solution.places(t)
            largest = max(largest, float(np.abs(solution[name](x, t) - field(x, t)).max()) / scale)
    return largest
