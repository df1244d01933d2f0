"""infer with discrepancy: the posterior over parameters, noise and the size of the equation's error together."""

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.discrepancy import SoftEquation
from gated_xtfc.inverse.distribution import Distribution, of_logarithms
from gated_xtfc.inverse.exact import DRAWS, Outcome, explored
from gated_xtfc.inverse.identifiability import Finding, PosteriorStatus
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import Marginal, Measure, moments, nested, normalised
from gated_xtfc.inverse.modes import PRIOR
from gated_xtfc.inverse.node import Node, Target
from gated_xtfc.inverse.peaks import peaks
from gated_xtfc.inverse.soft_field import SoftField
from gated_xtfc.types import Array, Index

NAME = "discrepancy"  # under which the size of the equation's error is reported
COARSE, FINAL = {1: 24, 2: 10, 3: 6}, {1: 40, 2: 20, 3: 10}  # points of the rules a parameter
REACH = 5.0  # posterior widths
ROUNDS = 6
MEMBERS = 24  # of the family, over which the field is averaged
NEEDED = 3.0  # log evidence over the exact equation at which the equation is called insufficient


def soft(journal: Journal, target: Target, seed: int) -> Outcome:
    _require(target)
    random = np.random.default_rng(seed)
    equation = SoftEquation(target, journal.forward.observations, float(np.ptp(target.y)) or 1.0)
    exact = explored(journal, target, random)
    measure, spread = _integrated(max(journal.nodes, key=target.at), journal, equation)
    drawn = _draws(measure, spread, random)
    field = SoftField.solved(_representative(drawn), journal, equation, seed)
    distributions, samples = _deviations(field, target)
    means = [field.moments(one.x, one.field, one.order)[0] for one in equation.observations.series]
    misfits = []
    gain = measure.evidence - exact.measure.evidence
    if gain > NEEDED:
        low, high = distributions[NAME].interval(0.95)
        sentence = (
            f"the equation does not explain the data: it is off by {low:.2g} to {high:.2g} of its size "
            f"(log evidence {gain:.1f} above the exact equation)"
        )
        misfits.append(Finding(PosteriorStatus.MISFIT, sentence))
    misfits += _left_out(exact.measure, target)
    return Outcome(
        measure=measure,
        drawn=drawn,
        noise=target.noise,
        distributions=distributions,
        samples=samples,
        field_model=field,
        residuals=target.y - np.concatenate(means),
        closest=target.y - np.concatenate(means),
        misfits=tuple(misfits),
        complete=exact.complete,
        searched=exact.searched,
    )


def _left_out(exact: Measure, target: Target) -> list[Finding]:
    """What is said where the exact equation has several modes: the soft one is followed around the highest alone."""
    found = []
    for (name, prior), marginal in zip(target.priors.items(), exact.marginals, strict=True):
        modes = peaks(marginal)
        if len(modes) > 1:
            listed = " and ".join(f"{prior.place(mode.value):.4g}" for mode in modes)
            sentence = f"with an exact equation {name} has several modes, near {listed}: only the highest was followed"
            found.append(Finding(PosteriorStatus.SEVERAL_MODES, sentence))
    return found


def _require(target: Target) -> None:
    noise, p = target.noise, len(target.priors)
    if noise.robust:
        raise InputError("discrepancy and student cannot be combined: a soft equation needs normal noise")
    if noise.unknown and len(noise.scatters) > 1:
        raise InputError("with a discrepancy the noise of several quantities must be given: give noise for each")
    if p not in FINAL:
        raise InputError(f"discrepancy with {p} unknowns is too much: at most {max(FINAL)} can be inferred with it")


def _integrated(best: Node, journal: Journal, equation: SoftEquation) -> tuple[Measure, Array]:
    """Coarse rules until centre and widths stay where they are, then a fine one; and the spread that it has."""
    p = best.place.size
    centre, spread = best.place, np.linalg.cholesky(np.linalg.inv(_information(best, equation)))
    for _ in range(ROUNDS):
        rule = nested(centre, spread, COARSE[p], REACH)
        weights, _ = normalised(_log_posterior(rule.points, journal, equation) + np.log(rule.sizes))
        mean, covariance = moments(rule.points, weights)
        # a rule of few points sees no width below its spacing
        floor = (0.5 / COARSE[p]) ** 2 * np.diag(spread @ spread.T)
        wider = np.linalg.cholesky(covariance + np.diag(floor))
        moved = np.abs(np.linalg.solve(spread, mean - centre)).max()
        change = np.abs(np.log(np.diag(wider) / np.diag(spread))).max()
        centre, spread = mean, wider
        if moved < 0.5 and change < 0.3:
            break
    rule = nested(centre, spread, FINAL[p], REACH)
    weights, evidence = normalised(_log_posterior(rule.points, journal, equation) + np.log(rule.sizes))
    # of the first parameter as a Legendre series through the rule's own points, of the others from all points
    first = Marginal.of_rules(rule.along_first(weights))
    others = [Marginal.of_points(rule.points[:, j], weights, 60) for j in range(1, p)]
    return Measure(rule.points, weights, evidence, (first, *others)), spread


def _log_posterior(points: Array, journal: Journal, equation: SoftEquation) -> Array:
    """With noise and discrepancy integrated out, (k,) at places (k, p); -inf where the problem cannot be solved."""
    found = np.full(points.shape[0], -np.inf)
    for k, node in enumerate(map(journal.solve, points)):
        if node is not None:
            found[k] = equation.likelihood(node).marginal(equation.grid)[1]
    return found + equation.target.log_prior(points)


def _information(node: Node, equation: SoftEquation) -> Array:
    """What is left of the information about the parameters where the equation may be wrong."""
    likelihood, grid = equation.likelihood(node), equation.grid
    best = [int(np.argmax(likelihood.log_likelihoods(grid)))]
    (variance,) = likelihood.variances(grid.sigma[best], grid.tau[best])
    slopes = likelihood.eigenvectors.T @ (node.slopes / equation.sigma[:, None])
    found: Array = slopes.T @ (slopes / variance[:, None]) + PRIOR * np.eye(node.place.size)
    return found


def _draws(measure: Measure, spread: Array, random: np.random.Generator) -> Array:
    """Places (draws, p)."""
    p = spread.shape[0]
    if p == 1:
        return measure.marginals[0].stratified(DRAWS, random)[:, None]
    chosen = measure.points[random.choice(measure.weights.size, size=DRAWS, p=measure.weights)]
    # each point stands for its cell
    blur = (REACH / FINAL[p]) * (2.0 * random.random((DRAWS, p)) - 1.0) @ spread.T
    found: Array = np.clip(chosen + blur, 0.0, 1.0)
    return found


def _representative(drawn: Array) -> Array:
    """A few places that stand for all draws: of one parameter the medians of equal parts, otherwise the first ones."""
    count = min(MEMBERS, drawn.shape[0])
    if drawn.shape[1] > 1:
        return drawn[:count]
    levels = (np.arange(count) + 0.5) / count
    return np.asarray(np.quantile(drawn[:, 0], levels))[:, None]


def _deviations(field: SoftField, target: Target) -> tuple[dict[str, Distribution], dict[str, Array]]:
    """Distributions and draws of the discrepancy, and of the noise where that is unknown."""
    random, grid, scatter = np.random.default_rng(field.seed), field.grid, target.noise.scatters[0]
    weights = np.mean([member.weights for member in field.members], axis=0)
    chosen = np.concatenate(field.pairs(DRAWS, random))
    levels = {NAME: grid.tau} | ({scatter.name: grid.sigma} if scatter.sigma is None else {})
    distributions = {name: of_logarithms(values, weights) for name, values in levels.items()}
    return distributions, {name: _blurred(values, chosen, random) for name, values in levels.items()}


def _blurred(values: Array, chosen: Index, random: np.random.Generator) -> Array:
    """A grid stands for the cells around its points."""
    levels = np.unique(values)
    step = np.log(levels[1] / levels[0])
    blur = np.exp(step * (random.random(chosen.size) - 0.5))
    found: Array = np.clip(values[chosen] * blur, levels[0], levels[-1])
    return found
