"""infer: the posterior of unknown parameters, with the physics exact: p(data | parameters) through certified solves."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.inverse import noise as noises
from gated_xtfc.inverse import priors as kinds
from gated_xtfc.inverse.exact import composed
from gated_xtfc.inverse.explore import explored
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.observations import observed
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.inverse.soft import soften
from gated_xtfc.inverse.target import Target
from gated_xtfc.problem.problem import Problem, only_axis

SOLVER = 0.05  # error of the solver that is let pass, in standard deviations of the noise


def infer(
    problem: Problem,
    data: Any,
    unknown: Mapping[str, Any],
    noise: Any = None,
    *,
    student: float | None = None,
    discrepancy: bool = False,
    tol: float | None = None,
    guess: Any = None,
    continuation: str | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Posterior:
    """The posterior of the unknown parameters from measurements of the solution.

    `data` is (x, y), (x, y, sigma), or these by quantity, {"u": ..., "v'": ...}; `unknown` has two bounds or a prior
    for each name; `noise` is a standard deviation, one for each measurement, or None where it is unknown too.
    `student` gives the noise the tails of Student's t with that many degrees of freedom; `discrepancy` lets the
    equation be wrong by an amount that is inferred. `tol` replaces the tolerance of the solves, which otherwise
    follows from the noise. `seed` is that of draws and of the choice of nodes. `progress` is called with the number
    of solves so far.
    """
    begun = time.perf_counter()
    only_axis(problem, "infer knows problems")
    priors = stated(problem, unknown)
    observations = observed(problem, data)
    noise_model = noises.stated(observations, noise, student)
    if tol is not None and not (isinstance(tol, float | int) and 0.0 < tol < 1.0):
        raise InputError(f"tol is {tol!r}: give a positive number below 1, such as 1e-8")
    target = Target(observations.y, noise_model, priors)
    forward = ForwardMap(problem, priors, observations, noise_model.reference, guess, continuation, tol, progress)
    if discrepancy:
        return replace(soften(forward, target, seed), seconds=time.perf_counter() - begun)
    random = np.random.default_rng(seed)
    for _ in range(3):
        found = explored(forward, target, random)
        posterior = composed(forward, target, found, random)
        finest = posterior.noise.scale(posterior.residuals)
        # an unknown noise that turns out smaller than expected asks for sharper solves
        error = max(node.error for node in found.nodes) * float((forward.noise_scale / finest).max())
        if error <= SOLVER or not noise_model.unknown or tol is not None:
            break
        forward = replace(forward, noise_scale=0.1 * finest, nodes=[], failures=[])
    return replace(posterior, seconds=time.perf_counter() - begun)


def stated(problem: Problem, unknown: Any) -> dict[str, Prior]:
    if not isinstance(unknown, Mapping) or not unknown:
        raise InputError('say what is unknown, by bounds such as unknown={"nu": (1e-4, 1)}')
    found = {}
    for name, given in unknown.items():
        if name in problem.unknown:
            raise InputError(f"{name} is a constant that the solution fixes: it needs no data, only parameters do")
        if name not in problem.parameters:
            known = f"its parameters are {', '.join(problem.parameters)}" if problem.parameters else "it has none"
            hint = suggestion(str(name), problem.parameters, known)
            raise InputError(f"the problem has no parameter {quoted(str(name))} to be inferred: {hint}")
        found[name] = kinds.stated(name, given)
    return found
