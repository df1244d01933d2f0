"""PINN and Deep-TFC: networks trained by Adam first, L-BFGS after it, on a mean square of residuals, all in float64.

loss = mean_j (a2 u'' + a1 u' + a0 u - f)^2 at fixed points x_j. The network of Deep-TFC meets the end values by
construction; that of a PINN does not, and its loss has + boundary_weight (|u(a) - u_a|^2 + |u(b) - u_b|^2)/2.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from gated_xtfc.baselines.checks import check_positive, check_whole
from gated_xtfc.baselines.constrained import Ends, dirichlet
from gated_xtfc.baselines.jax_backend import backend
from gated_xtfc.baselines.network import ConstrainedNetwork, Deep, Network, Traced, Trained
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

PINN, DEEP_TFC = "PINN", "Deep-TFC"
Rated = Callable[[Traced], tuple[Traced, Traced]]  # loss and gradient at the parameters
MEMORY = 50  # pairs of steps that L-BFGS keeps: few beside the parameters, many beside its usual ten


@dataclass(frozen=True)
class Budget:
    """The size of the network, the points and the steps that a training may use."""

    layers: int = 3  # hidden ones
    width: int = 32  # neurons a layer
    points: int = 300  # equally spaced, both ends among them
    adam_steps: int = 3_000
    adam_rate: float = 2e-3
    lbfgs_steps: int = 6_000

    def __post_init__(self) -> None:
        check_whole(1, layers=self.layers, width=self.width)
        check_whole(3, points=self.points)
        check_whole(0, adam_steps=self.adam_steps, lbfgs_steps=self.lbfgs_steps)
        check_positive(adam_rate=self.adam_rate)

    def network(self, ends: Ends) -> Network:
        return Network(ends.left, ends.right, self.layers, self.width)


def pinn(problem: Problem, *, budget: Budget | None = None, boundary_weight: float = 1.0, seed: int = 0) -> Surrogate:
    """A network for u itself; a linear equation of order 2 with the values of u given at both ends."""
    check_positive(boundary_weight=boundary_weight)
    ends, budget = dirichlet(problem, PINN), budget or Budget()
    return train(PINN, problem, ends, budget.network(ends), budget, boundary_weight, seed)


def deep_tfc(problem: Problem, *, budget: Budget | None = None, seed: int = 0) -> Surrogate:
    """A network inside the constrained expression, for the same problems: only the equation is left to minimise."""
    ends, budget = dirichlet(problem, DEEP_TFC), budget or Budget()
    trial = ConstrainedNetwork(budget.network(ends), ends.left_value, ends.right_value)
    return train(DEEP_TFC, problem, ends, trial, budget, 0.0, seed)


def train(name: str, problem: Problem, ends: Ends, trial: Deep, budget: Budget, weight: float, seed: int) -> Surrogate:
    """The trial with its parameters trained; a `weight` of the end values of zero means that it meets them itself."""
    tools, start = backend(), time.perf_counter()
    x = np.linspace(ends.left, ends.right, budget.points)
    linear = Operator(problem)((x,))
    (a0, a1, a2), source = linear.by_order[0][0], linear.source[0]
    with tools.double():
        rated = _loss_and_slope(trial, weight)
        data = [tools.numpy.asarray(array) for array in (x, a0, a1, a2, source)]
        given = tools.numpy.asarray([ends.left_value, ends.right_value])

        def loss_and_slope(parameters: Traced) -> tuple[Traced, Traced]:
            loss, slope = rated(parameters, *data, given)
            return loss, slope

        parameters, losses = _adam(loss_and_slope, trial.initial(seed), budget)
        parameters, later, message = _lbfgs(loss_and_slope, parameters, budget)
    history = np.array([*losses, *later])
    if not (np.isfinite(history).all() and np.isfinite(parameters).all()):
        raise InputError(
            f"the training of {name} ran off to infinity: give it a smaller adam_rate than {budget.adam_rate:g}"
        )
    own = {"boundary_weight": weight} if weight else {}
    return Surrogate(
        name=name,
        problem=problem,
        evaluate=Trained(trial, parameters),
        neurons=budget.layers * budget.width,
        points=budget.points,
        seconds=time.perf_counter() - start,
        settings={**asdict(budget), **own, "seed": seed, "precision": "float64", **tools.versions},
        details={
            "loss": history,
            "final_loss": float(history[-1]) if len(history) else None,
            "parameters": len(parameters),
            "adam_steps": len(losses),
            "lbfgs_steps": len(later),
            "stopped": message,
        },
    )


@cache  # compiling takes seconds: the members of a family of problems share it
def _loss_and_slope(trial: Deep, weight: float) -> Callable[..., Traced]:
    """(loss, gradient) as a compiled function of the parameters and the data of a problem."""
    tools = backend()

    def loss(
        parameters: Traced, x: Traced, a0: Traced, a1: Traced, a2: Traced, source: Traced, given: Traced
    ) -> Traced:
        u, u1, u2 = trial.jet(parameters, x, tools.numpy)
        total = tools.numpy.mean((a2 * u2 + a1 * u1 + a0 * u - source) ** 2)
        if weight:
            total += weight * ((u[0] - given[0]) ** 2 + (u[-1] - given[1]) ** 2) / 2
        return total

    compiled: Callable[..., Traced] = tools.jax.jit(tools.jax.value_and_grad(loss))
    return compiled


@cache
def _adam_rule(rate: float, steps: int) -> tuple[Callable[..., Traced], Callable[..., Traced]]:
    """(the state to start with, one step), compiled; the rate falls to zero along half a cosine."""
    tools = backend()
    rule = tools.optax.adam(tools.optax.cosine_decay_schedule(rate, steps))

    def step(parameters: Traced, gradient: Traced, state: Traced) -> Traced:
        change, state = rule.update(gradient, state)
        return tools.optax.apply_updates(parameters, change), state

    return rule.init, tools.jax.jit(step)


def _adam(loss_and_slope: Rated, start: Array, budget: Budget) -> tuple[Array, list[float]]:
    """The parameters after the steps, and the loss before each of them."""
    if budget.adam_steps == 0:
        return start, []
    initial, step = _adam_rule(budget.adam_rate, budget.adam_steps)
    parameters, losses = backend().numpy.asarray(start), []
    state = initial(parameters)
    for _ in range(budget.adam_steps):
        loss, gradient = loss_and_slope(parameters)
        parameters, state = step(parameters, gradient, state)
        losses.append(loss)
    return np.array(parameters), [float(loss) for loss in losses]


def _lbfgs(loss_and_slope: Rated, start: Array, budget: Budget) -> tuple[Array, list[float], str]:
    """The parameters at the end, the loss after each step, and why it ended."""
    losses: list[float] = []

    def numbers(parameters: Array) -> tuple[float, Array]:
        loss, gradient = loss_and_slope(parameters)
        return float(loss), np.array(gradient)

    def record(intermediate_result: OptimizeResult) -> None:
        losses.append(float(intermediate_result.fun))

    if budget.lbfgs_steps == 0:
        return start, losses, "after Adam, no L-BFGS steps were asked for"
    # SciPy's own stopping rule counts a loss below 1 as if it were 1, and would stop a good training halfway
    options = {
        "maxiter": budget.lbfgs_steps,
        "maxfun": 2 * budget.lbfgs_steps,
        "maxcor": MEMORY,
        "ftol": 0.0,
        "gtol": 1e-14,
    }
    result = minimize(numbers, start, jac=True, method="L-BFGS-B", callback=record, options=options)
    used_up = result.status == 1  # otherwise the line search found nothing lower
    message = "the steps are used up" if used_up else "no step lowers the loss any more"
    return np.asarray(result.x, dtype=float), losses, message
