"""Physics exact: what is said of parameters, noise and field once the posterior is known."""

import numpy as np

from gated_xtfc.inverse.distribution import Distribution, of_noise, of_parameter
from gated_xtfc.inverse.explore import Found
from gated_xtfc.inverse.field_model import Interpolated
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.identifiability import judged, misfit_findings
from gated_xtfc.inverse.nodes import stacked
from gated_xtfc.inverse.posterior import Posterior
from gated_xtfc.inverse.target import Target


def composed(forward: ForwardMap, target: Target, found: Found, random: np.random.Generator) -> Posterior:
    """Everything that is said of the posterior."""
    priors, measure = forward.priors, found.measure
    values = stacked(found.nodes)
    distributions: dict[str, Distribution] = {
        name: of_parameter(i, prior, measure) for i, (name, prior) in enumerate(priors.items())
    }
    samples = {name: prior.place(found.drawn[:, i]) for i, (name, prior) in enumerate(priors.items())}
    predicted = measure.weights @ (found.interpolation.rows(measure.points) @ values)
    residuals = target.y - predicted
    noise = target.noise.focused(residuals)
    if noise.unknown:
        drawn = target.y - found.interpolation.rows(found.drawn) @ values
        spread = target.y - found.interpolation.rows(measure.points) @ values
        for scatter in noise.unknown:
            own = scatter.draw(drawn[:, scatter.part], random)
            samples[scatter.name] = own
            distributions[scatter.name] = of_noise(scatter, spread[:, scatter.part], measure.weights, own)
    sites = [one.x for one in forward.observations.series]
    misfits = misfit_findings(noise, residuals, len(priors), sites)
    status, message = judged(forward, distributions, found.drawn, misfits, found.complete)
    model = Interpolated(
        found.interpolation,
        tuple(node.fields for node in found.nodes),
        measure,
        found.drawn,
        len(forward.problem.fields),
    )
    return Posterior(
        problem=forward.problem,
        priors=priors,
        observations=forward.observations,
        noise=noise,
        distributions=distributions,
        measure=measure,
        samples=samples,
        field_model=model,
        residuals=residuals,
        evidence=measure.evidence,
        status=status,
        message=message,
        solves=forward.solves,
        failures=len(forward.failures),
        seconds=0.0,
    )
