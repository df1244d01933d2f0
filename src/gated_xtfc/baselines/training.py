"""How both deep baselines are trained: Adam first, L-BFGS after it, on a mean square of residuals, all in float64.

loss = mean_j (a2 u'' + a1 u' + a0 u - f)^2 at fixed points x_j, and, where the trial does not meet the end values by
construction, + boundary_weight (|u(a) - u_a|^2 + |u(b) - u_b|^2)/2
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import minimize

from gated_xtfc.baselines.dirichlet import Ends
from gated_xtfc.baselines.jax_backend import backend
from gated_xtfc.baselines.network import Constrained, Network, Trained
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

MEMORY = 50  # pairs of steps that L-BFGS keeps: few beside the parameters, many beside its usual ten


@dataclass(frozen=True)
class Budget:
    """What a training may use."""

    layers: int = 3  # hidden ones
    width: int = 32  # neurons a layer
    points: int = 300  # equally spaced, both ends among them
    adam_steps: int = 3_000
    adam_rate: float = 2e-3
    lbfgs_steps: int = 6_000

    def __post_init__(self) -> None:
        least = {"layers": 1, "width": 1, "points": 3, "adam_steps": 0, "lbfgs_steps": 0}
        for name, lowest in least.items():
            value = getattr(self, name)
            if not (isinstance(value, int) and value >= lowest):
                raise InputError(f"{name} = {value!r} was given: a whole number of at least {lowest} is needed")
        check_positive("adam_rate", self.adam_rate)


def check_positive(name: str, value: float) -> None:
    if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
        raise InputError(f"{name} = {value!r} was given: a positive number is needed")


def train(
    name: str, problem: Problem, ends: Ends, trial: Network | Constrained, budget: Budget, weight: float, seed: int
) -> Surrogate:
    """The trial with its parameters trained; a `weight` of the end values of zero means that it meets them itself."""
    tools, start = backend(), time.perf_counter()
    x = np.linspace(ends.left, ends.right, budget.points)
    linear = Operator(problem)(x)
    (a0, a1, a2), source = linear.coefficients[0][0], linear.source[0]
    with tools.double():
        rated = _loss_and_slope(trial, weight)
        data = [tools.numpy.asarray(array) for array in (x, a0, a1, a2, source)]
        given = tools.numpy.asarray([ends.left_value, ends.right_value])

        def loss_and_slope(parameters: Any) -> Any:
            return rated(parameters, *data, given)

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
def _loss_and_slope(trial: Network | Constrained, weight: float) -> Callable[..., Any]:
    """(loss, gradient) as a compiled function of the parameters and the data of a problem."""
    tools = backend()

    def loss(parameters: Any, x: Any, a0: Any, a1: Any, a2: Any, source: Any, given: Any) -> Any:
        u, u1, u2 = trial.jet(parameters, x, tools.numpy)
        total = tools.numpy.mean((a2 * u2 + a1 * u1 + a0 * u - source) ** 2)
        if weight:
            total += weight * ((u[0] - given[0]) ** 2 + (u[-1] - given[1]) ** 2) / 2
        return total

    compiled: Callable[..., Any] = tools.jax.jit(tools.jax.value_and_grad(loss))
    return compiled


@cache
def _adam_rule(rate: float, steps: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(the state to start with, one step), compiled; the rate falls to zero along half a cosine."""
    tools = backend()
    rule = tools.optax.adam(tools.optax.cosine_decay_schedule(rate, steps))

    def step(parameters: Any, gradient: Any, state: Any) -> Any:
        change, state = rule.update(gradient, state)
        return tools.optax.apply_updates(parameters, change), state

    return rule.init, tools.jax.jit(step)


def _adam(loss_and_slope: Callable[[Any], Any], start: Array, budget: Budget) -> tuple[Array, list[float]]:
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


def _lbfgs(loss_and_slope: Callable[[Any], Any], start: Array, budget: Budget) -> tuple[Array, list[float], str]:
    """The parameters at the end, the loss after each step, and why it ended."""
    losses: list[float] = []

    def numbers(parameters: Array) -> tuple[float, Array]:
        loss, gradient = loss_and_slope(parameters)
        return float(loss), np.array(gradient)

    def record(intermediate_result: Any) -> None:
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
