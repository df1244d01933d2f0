"""infer with discrepancy: the posterior over parameters, noise and the size of the equation's error together."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.discrepancy import Mix, Softness
from gated_xtfc.inverse.distribution import of_parameter
from gated_xtfc.inverse.explore import DRAWS, explored
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.identifiability import Finding, judged
from gated_xtfc.inverse.measure import Marginal, Measure, bincount, normalised, series_marginal
from gated_xtfc.inverse.modes import PRIOR
from gated_xtfc.inverse.nodes import Node
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.quadrature import Nested, nested
from gated_xtfc.inverse.soft_field import NAME, SoftField, Surface
from gated_xtfc.inverse.target import Target
from gated_xtfc.types import Array

COARSE, FINAL = {1: 24, 2: 10, 3: 6}, {1: 40, 2: 20, 3: 10}  # points of the rules a parameter
REACH = 5.0  # posterior widths
ROUNDS = 6
MEMBERS = 24  # of the family, over which the field is averaged
NEEDED = 3.0  # log evidence over the exact equation at which the equation is called insufficient


@dataclass(frozen=True)
class Quadrature:
    """The posterior around one mode on a nested rule."""

    centre: Array
    spread: Array
    grid: Nested
    log_mass: Array  # (n,)


def soften(forward: ForwardMap, target: Target, seed: int) -> Posterior:
    noise, p = target.noise, len(forward.priors)
    if noise.robust:
        raise InputError("discrepancy and student cannot be combined: a soft equation needs normal noise")
    if noise.unknown and len(noise.scatters) > 1:
        raise InputError("with a discrepancy the noise of several quantities must be given: give noise for each")
    if p not in FINAL:
        raise InputError(f"discrepancy with {p} unknowns is too much: at most {max(FINAL)} can be inferred with it")
    random = np.random.default_rng(seed)
    softness = Softness(forward, target, float(np.ptp(target.y)) or 1.0)
    surface = Surface(softness, Mix.of(noise.scatters[0]))
    exact = explored(forward, target, random)
    best = max(forward.nodes, key=target.at)
    quadrature = _integrated(best, surface)
    weights, evidence = normalised(quadrature.log_mass)
    measure = Measure(quadrature.grid.points, weights, evidence, _marginals(quadrature, weights))
    drawn = _draws(quadrature, measure, random)
    model = SoftField(surface, representative(drawn), seed)
    priors = forward.priors
    distributions = {name: of_parameter(i, prior, measure) for i, (name, prior) in enumerate(priors.items())}
    samples = {name: prior.place(drawn[:, i]) for i, (name, prior) in enumerate(priors.items())}
    distributions |= model.distributions()
    samples |= model.standard_deviations()
    seen = [model.moments(one.x, one.field, one.order)[0] for one in forward.observations.series]
    misfits = []
    gain = evidence - exact.measure.evidence
    if gain > NEEDED:
        low, high = distributions[NAME].interval(0.95)
        misfits.append(
            Finding(
                "misfit",
                f"the equation does not explain the data: it is off by {low:.2g} to {high:.2g} of its size "
                f"(log evidence {gain:.1f} above the exact equation)",
            )
        )
    status, message = judged(forward, distributions, drawn, misfits, exact.complete)
    return Posterior(
        problem=forward.problem,
        priors=priors,
        observations=forward.observations,
        noise=noise,
        distributions=distributions,
        measure=measure,
        samples=samples,
        field_model=model,
        residuals=target.y - np.concatenate(seen),
        evidence=evidence,
        status=status,
        message=message,
        solves=forward.solves,
        failures=len(forward.failures),
        seconds=0.0,
        discrepancy=True,
    )


def _integrated(best: Node, surface: Surface) -> Quadrature:
    """Coarse rules until centre and widths stay where they are, then a fine one."""
    p = best.place.size
    centre, spread = best.place, np.linalg.cholesky(np.linalg.inv(_information(best, surface)))
    for _ in range(ROUNDS):
        grid = nested(centre, spread, COARSE[p], REACH)
        weights, _ = normalised(surface(grid.points) + np.log(grid.sizes))
        mean = weights @ grid.points
        away = grid.points - mean
        covariance = (away * weights[:, None]).T @ away
        # a rule of few points sees no width below its spacing
        floor = (0.5 / COARSE[p]) ** 2 * np.diag(spread @ spread.T)
        wider = np.linalg.cholesky(covariance + np.diag(floor))
        moved = np.abs(np.linalg.solve(spread, mean - centre)).max()
        change = np.abs(np.log(np.diag(wider) / np.diag(spread))).max()
        centre, spread = mean, wider
        if moved < 0.5 and change < 0.3:
            break
    grid = nested(centre, spread, FINAL[p], REACH)
    return Quadrature(centre, spread, grid, surface(grid.points) + np.log(grid.sizes))


def _information(node: Node, surface: Surface) -> Array:
    """What is left of the information about the parameters where the equation may be wrong."""
    softness, mix = surface.softness, surface.mix
    seen = softness.seen(node)
    best = int(np.argmax(seen.log_likelihoods(mix)))
    variance = mix.sigma[best] ** 2 + mix.tau[best] ** 2 * seen.extent
    slopes = seen.basis.T @ (node.slopes / softness.sigma[:, None])
    found: Array = slopes.T @ (slopes / variance[:, None]) + PRIOR * np.eye(node.place.size)
    return found


def _marginals(quadrature: Quadrature, weights: Array) -> tuple[Marginal, ...]:
    """Of the first parameter as a Legendre series through the rule's own points, of the others from all points."""
    grid = quadrature.grid
    first = series_marginal((grid.ends, bincount(grid.first, weights, grid.count)))
    others = [Marginal.of_points(grid.points[:, j], weights, 60) for j in range(1, grid.points.shape[1])]
    return first, *others


def _draws(quadrature: Quadrature, measure: Measure, random: np.random.Generator) -> Array:
    p = quadrature.centre.size
    if p == 1:
        return measure.marginals[0].draw((random.permutation(DRAWS) + random.random(DRAWS)) / DRAWS)[:, None]
    chosen = measure.points[random.choice(measure.weights.size, size=DRAWS, p=measure.weights)]
    # each point stands for its cell
    blur = (REACH / FINAL[p]) * (2.0 * random.random((DRAWS, p)) - 1.0) @ quadrature.spread.T
    found: Array = np.clip(chosen + blur, 0.0, 1.0)
    return found


def representative(drawn: Array) -> Array:
    """A few places that stand for all draws: of one parameter the medians of equal parts, otherwise the first ones."""
    count = min(MEMBERS, drawn.shape[0])
    if drawn.shape[1] > 1:
        return drawn[:count]
    levels = (np.arange(count) + 0.5) / count
    return np.asarray(np.quantile(drawn[:, 0], levels))[:, None]
