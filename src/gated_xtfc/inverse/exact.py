"""Physics exact: where the posterior lives, the posterior there, and what it says of noise and field.

One unknown is bisected; several are explored around the modes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.bisection import Bisection
from gated_xtfc.inverse.distribution import Distribution, of_noise
from gated_xtfc.inverse.field_model import FieldModel, InterpolatedField
from gated_xtfc.inverse.identifiability import Finding, misfit_findings
from gated_xtfc.inverse.interpolation import Interpolation
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.mixture import Mixture
from gated_xtfc.inverse.modes import modes
from gated_xtfc.inverse.node import Node, Target, stacked
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.region import Region
from gated_xtfc.types import Array

DRAWS = 4000
SOLVER = 0.05  # error of the solver that is let pass, in standard deviations of the noise
CHECKS = 3  # of a posterior that is bent, each with more members where it was not as predicted
FARTHEST = 1e14  # log likelihood below zero: beyond that, steps of it are not seen any more
SHARPER = 2  # times that everything may be solved again for an unknown noise smaller than expected


@dataclass(frozen=True)
class Exploration:
    """The posterior of the parameters on the unit scales, and the nodes that it was found by."""

    interpolation: Interpolation
    nodes: tuple[Node, ...]
    measure: Measure
    drawn: Array  # (draws, p)
    complete: bool  # whether the interpolation is as good as it should be
    searched: bool = True  # whether no further mode can hide

    def predictions(self, points: Array) -> Array:
        """At the sensors, (k, n) for points (k, p)."""
        return self.interpolation.at(points, stacked(self.nodes))


@dataclass(frozen=True)
class Outcome:
    """What an inference arrives at, exact or soft: a posterior but for its verdict and what it took."""

    measure: Measure
    drawn: Array  # (draws, p) places
    noise: Noise
    distributions: Mapping[str, Distribution]  # of what is unknown beside the parameters: noise, discrepancy
    samples: Mapping[str, Array]  # draws of the same
    field_model: FieldModel
    residuals: Array  # (observations,) data less the mean of the field
    closest: Array  # the same at the best place
    misfits: tuple[Finding, ...]
    complete: bool  # whether predictions between the solves are as good as they should be
    searched: bool  # whether no further mode can hide


def explored(journal: Journal, target: Target, random: np.random.Generator) -> Exploration:
    if len(target.priors) == 1:
        bisection = Bisection(journal, target)
        complete = bisection.explore()
        if len(bisection.solved) < 2:
            raise journal.unsolved()
        _require_near(journal, target)
        measure = bisection.measure()
        hermite, nodes = bisection.around(measure)
        drawn = measure.marginals[0].stratified(DRAWS, random)[:, None]
        return Exploration(hermite, tuple(nodes), measure, drawn, complete)
    found = modes(journal, target)
    if not found.modes:
        raise journal.unsolved()
    _require_near(journal, target)
    regions = [Region.around(mode, journal, target) for mode in found.modes]
    done = [region.explore(random) for region in regions]
    mixture = Mixture.of(regions)
    integral = mixture.integrated(DRAWS, random)
    faithful = True
    for _ in range(CHECKS):
        faithful = not integral.bent or mixture.verified(integral.drawn)
        if faithful or journal.late:
            break
        mixture = Mixture.of(regions)
        integral = mixture.integrated(DRAWS, random)
    # what its own draws confirm is complete, however the exploration ended
    complete = integral.sound and (faithful if integral.bent else all(done))
    return Exploration(mixture.patchwork, mixture.nodes, integral.measure, integral.drawn, complete, found.complete)


def _require_near(journal: Journal, target: Target) -> None:
    """Refuses data so far from all members that rounding of the likelihood hides where the posterior is."""
    best = max(target.at(node) for node in journal.nodes)
    if not best > -FARTHEST:
        raise InputError(
            f"the data are about {np.sqrt(-2.0 * best):.0e} times their noise away from every member of the family: "
            "the noise or the data are in other units than the problem, or it is another one"
        )


def exact(journal: Journal, target: Target, seed: int) -> Outcome:
    """An unknown noise that turns out smaller than expected asks for sharper solves."""
    random = np.random.default_rng(seed)
    found = explored(journal, target, random)
    outcome = _outcome(journal, target, found, random)
    for _ in range(SHARPER if target.noise.unknown and journal.forward.tol is None else 0):
        finest = outcome.noise.scale(outcome.closest)
        error = max(node.error for node in found.nodes) * float((journal.forward.noise_scale / finest).max())
        if error <= SOLVER or journal.late:
            break
        journal.sharpen(0.1 * finest)
        found = explored(journal, target, random)
        outcome = _outcome(journal, target, found, random)
    return outcome


def _outcome(journal: Journal, target: Target, found: Exploration, random: np.random.Generator) -> Outcome:
    measure = found.measure
    predictions = found.predictions(measure.points)
    residuals = target.y - measure.weights @ predictions
    # between two modes the mean explains nothing: whether data are explained is asked of the best place
    closest = (
        target.y - predictions[int(np.argmax(target.log_likelihood(predictions) + target.log_prior(measure.points)))]
    )
    noise = target.noise.focused(closest)
    distributions: dict[str, Distribution] = {}
    samples: dict[str, Array] = {}
    if noise.unknown:
        drawn, spread = target.y - found.predictions(found.drawn), target.y - predictions
        for scatter in noise.unknown:
            own = samples[scatter.name] = scatter.draw(drawn[:, scatter.part], random)
            distributions[scatter.name] = of_noise(scatter, spread[:, scatter.part], measure.weights, own)
    sites = [one.x for one in journal.forward.observations.series]
    return Outcome(
        measure=measure,
        drawn=found.drawn,
        noise=noise,
        distributions=distributions,
        samples=samples,
        field_model=InterpolatedField(
            found.interpolation, tuple(node.fields for node in found.nodes), measure, found.drawn
        ),
        residuals=residuals,
        closest=closest,
        misfits=tuple(misfit_findings(noise, closest, len(target.priors), sites)),
        complete=found.complete,
        searched=found.searched,
    )
