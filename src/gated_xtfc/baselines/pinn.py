"""PINN: a deep network for u itself; the equation and the end values are both penalties in what is minimised."""

from gated_xtfc.baselines.dirichlet import dirichlet
from gated_xtfc.baselines.network import Network
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.baselines.training import Budget, check_positive, train
from gated_xtfc.problem.problem import Problem

NAME = "PINN"


def solve(problem: Problem, *, budget: Budget | None = None, boundary_weight: float = 1.0, seed: int = 0) -> Surrogate:
    """Trained on a linear equation of order 2 with the values of u given at both ends."""
    check_positive("boundary_weight", boundary_weight)
    ends, budget = dirichlet(problem, NAME), budget or Budget()
    network = Network(ends.left, ends.right, budget.layers, budget.width)
    return train(NAME, problem, ends, network, budget, boundary_weight, seed)
