"""Deep-TFC: a deep network inside the constrained expression, so that only the equation is left to minimise."""

from gated_xtfc.baselines.dirichlet import dirichlet
from gated_xtfc.baselines.network import Constrained, Network
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.baselines.training import Budget, train
from gated_xtfc.problem.problem import Problem

NAME = "Deep-TFC"


def solve(problem: Problem, *, budget: Budget | None = None, seed: int = 0) -> Surrogate:
    """Trained on a linear equation of order 2 with the values of u given at both ends."""
    ends, budget = dirichlet(problem, NAME), budget or Budget()
    network = Network(ends.left, ends.right, budget.layers, budget.width)
    trial = Constrained(network, ends.left_value, ends.right_value)
    return train(NAME, problem, ends, trial, budget, 0.0, seed)
