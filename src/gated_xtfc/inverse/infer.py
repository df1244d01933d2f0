"""infer: the posterior of unknown parameters, with the physics exact: p(data | parameters) through certified solves."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.inverse import noise as noises
from gated_xtfc.inverse import priors as kinds
from gated_xtfc.inverse.data_table import Columns
from gated_xtfc.inverse.distribution import of_parameter
from gated_xtfc.inverse.evolving import EvolutionMap
from gated_xtfc.inverse.exact import exact
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.identifiability import judged
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.node import Target
from gated_xtfc.inverse.noise import GivenNoise
from gated_xtfc.inverse.observations import Data, observed
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.inverse.soft import soft
from gated_xtfc.notebook import followed
from gated_xtfc.problem.interchange import stated_problem
from gated_xtfc.problem.problem import Problem, require_interval, require_known_ends


@followed(lambda solves: f"{solves} solves")
def infer(
    problem: Problem | str | os.PathLike[str],
    data: Data,
    unknown: Mapping[str, Prior | Sequence[float]],
    noise: GivenNoise = None,
    *,
    columns: Columns = (),
    student: float | None = None,
    discrepancy: bool = False,
    tol: float | None = None,
    guess: object = None,
    continuation: str | None = None,
    seed: int = 0,
    max_seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> Posterior:
    """The posterior of unknown parameters from measurements of the solution.

    Parameters
    ----------
    problem
        An equation on an interval or one that evolves, or the path of a problem file; the values that it has for the
        unknown parameters do not matter.
    data
        ``(x, y)`` or ``(x, y, sigma)``, or these by quantity, ``{"u": (x, y), "v'": (x, y, sigma)}``: fields, and
        derivatives up to the order of the equation; ``(x, t, y)`` where equations evolve. Or a table whose columns
        have the names of the coordinates, of what was measured and perhaps ``sigma``: a frame of pandas or polars, a
        dataset of xarray, columns by name, or the path of a CSV file. A cell without a value is a measurement that
        was not made.
    unknown
        For each parameter two bounds, or a prior: `Uniform`, `LogUniform`, `Normal`, `LogNormal`.
    noise
        A standard deviation, one for each measurement, or these by quantity. Without it, and without sigma in the
        data, it is inferred too.
    columns
        The names of the columns of a table where they differ: ``["place", "temperature"]`` for x and the values (and
        a third for sigma), or what they hold, ``{"x": "place", "u'": "flux"}``.
    student
        Degrees of freedom of Student's t, against outliers; `noise` is then its scale.
    discrepancy
        Whether the equation may be wrong, by an amount that is inferred.
    tol
        The tolerance of the solves, in place of the one that follows from the noise.
    guess, continuation
        As for `solve`.
    seed
        Of the draws and of the choice of members.
    max_seconds
        After which exploring ends, and the status is "approximate" if it was not done; the first look and what is made
        of it are not cut short.
    progress
        Called with the number of solves so far, before each member.

    Returns
    -------
    Posterior
        With `status` "determined" where nothing stands in the way; otherwise `message` says what does.

    Raises
    ------
    InputError
        Where what is given cannot be used, or no member of the family between the bounds can be solved.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1)
    >>> x = np.linspace(0.5, 1, 30)
    >>> y = gx.solve(problem(nu=0.05))(x) + 0.01 * np.random.default_rng(0).standard_normal(30)
    >>> posterior = gx.infer(problem, (x, y), {"nu": (1e-3, 1)}, noise=0.01)
    >>> low, high = posterior.interval("nu", 0.95)
    >>> low < 0.05 < high, posterior.message
    (True, 'the data determine every unknown')
    """
    begun = time.perf_counter()
    problem, guess, continuation = stated_problem(problem, guess, continuation)
    if problem.evolution is None:
        require_interval(problem, "infer knows problems")
    elif discrepancy or guess is not None or continuation is not None:
        raise InputError("discrepancy, guess and continuation cannot be given where equations evolve")
    require_known_ends(problem, "infer")
    priors = stated(problem, unknown)
    observations = observed(problem, data, columns)
    noise_model = noises.stated(observations, noise, student)
    if tol is not None and not (isinstance(tol, float | int) and 0.0 < tol < 1.0):
        raise InputError(f"tol is {tol!r}: give a positive number below 1, such as 1e-8")
    if max_seconds is not None and not (_is_number(max_seconds) and max_seconds > 0.0):
        raise InputError(f"max_seconds is {max_seconds!r}: give a positive number of seconds, or leave it out")
    kind = ForwardMap if problem.evolution is None else EvolutionMap
    forward = kind(problem, priors, observations, noise_model.reference, guess, continuation, tol, discrepancy)
    deadline = None if max_seconds is None else begun + max_seconds
    journal, target = Journal(forward, progress, deadline=deadline), Target(observations.y, noise_model, priors)
    outcome = (soft if discrepancy else exact)(journal, target, seed)
    distributions = {name: of_parameter(i, prior, outcome.measure) for i, (name, prior) in enumerate(priors.items())}
    distributions |= outcome.distributions
    samples = {name: prior.place(outcome.drawn[:, i]) for i, (name, prior) in enumerate(priors.items())}
    status, message = judged(journal, distributions, outcome.drawn, outcome.misfits, outcome.complete, outcome.searched)
    return Posterior(
        problem=problem,
        priors=priors,
        observations=observations,
        noise=outcome.noise,
        distributions=distributions,
        measure=outcome.measure,
        samples={**samples, **outcome.samples},
        field_model=outcome.field_model,
        residuals=outcome.residuals,
        evidence=outcome.measure.evidence,
        status=status,
        message=message,
        solves=journal.solves,
        failures=len(journal.failures),
        seconds=time.perf_counter() - begun,
        discrepancy=discrepancy,
    )


def stated(problem: Problem, unknown: object) -> dict[str, Prior]:
    """Priors as the user gives them, checked."""
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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
