"""What the data do not settle, in plain words: bounds, several modes, widths, misfit, members that cannot be solved."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc, ndtr

from gated_xtfc.inverse.distribution import Distribution, peaks
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.types import Array

AT_BOUND = 0.1  # density at a bound over the largest one
WIDE = 0.7  # standard deviation over that of the prior
LEVEL = 0.3  # median of the density over the largest, of a posterior without a slope
TIED = 0.995  # correlation above which two parameters are known in combination only
UNLIKELY = 1e-3  # probability of so large a misfit
STATUSES = ("approximate", "misfit", "wide", "bound", "several modes", "tied", "prior", "failures")  # worst first


@dataclass(frozen=True)
class Finding:
    status: str
    sentence: str


def parameter_findings(priors: Mapping[str, Prior], found: Mapping[str, Distribution]) -> list[Finding]:
    findings = []
    for name, prior in priors.items():
        curve = found[name].curve
        # on the unit scale, where the prior of plain bounds is even
        s = prior.unit(curve.grid)
        density = curve.density * prior.slope(s)
        wide = _width(s, density) > WIDE * _prior_width(prior)
        if wide:
            findings.append(Finding("wide", f"the data say little about {name}: it is as uncertain as before"))
        top = float(density.max())
        level = wide and float(np.median(density)) > LEVEL * top  # such a posterior runs into nothing
        for end, s_end, side in ((prior.low, 0.0, "lower"), (prior.high, 1.0, "upper")):
            near = density[np.abs(s - s_end) < 1e-6]
            if near.size and near.max() > AT_BOUND * top and not level:
                findings.append(
                    Finding("bound", f"the posterior of {name} runs into its {side} bound {end:.6g}: move the bound")
                )
        modes = peaks(curve)
        if len(modes) > 1:
            listed = " and ".join(f"{value:.4g}" for value in modes)
            findings.append(Finding("several modes", f"the posterior of {name} has several modes, near {listed}"))
    return findings


def correlation_findings(names: list[str], correlation: Array) -> list[Finding]:
    findings = []
    for i, first in enumerate(names):
        for j in range(i):
            if abs(correlation[i, j]) > TIED:
                findings.append(
                    Finding(
                        "tied",
                        f"{names[j]} and {first} are known in combination only (correlation {correlation[i, j]:.4f})",
                    )
                )
    return findings


def misfit_findings(noise: Noise, residual: Array, unknowns: int, sites: list[Array]) -> list[Finding]:
    """Residuals (n,) at the posterior mean: too large for a known noise, or not independent of their neighbours."""
    findings = []
    for scatter, x in zip(noise.scatters, sites, strict=True):
        own = residual[scatter.part]
        freedom = scatter.size - unknowns
        if scatter.student is not None or freedom < 1:
            continue
        if scatter.sigma is not None:
            energy = float(np.sum((own / scatter.sigma) ** 2))
            if gammaincc(0.5 * freedom, 0.5 * energy) < UNLIKELY:
                findings.append(
                    Finding(
                        "misfit",
                        f"the residuals are larger than the noise (chi-square {energy:.0f} for {freedom} degrees of "
                        f"freedom): the equation does not explain the data, or the noise is larger; try discrepancy",
                    )
                )
                continue
        if _probability_of_waves(own / (1.0 if scatter.sigma is None else scatter.sigma), x) < UNLIKELY:
            findings.append(
                Finding(
                    "misfit",
                    "neighbouring residuals go together, as noise does not: the equation does not explain the data; "
                    "try discrepancy",
                )
            )
    return findings


def _probability_of_waves(residual: Array, x: Array) -> float:
    """Of so small differences between neighbours, were they independent (von Neumann's ratio)."""
    n = residual.size
    if n < 8:
        return 1.0
    r = residual[np.argsort(x, kind="stable")]
    ratio = float(np.sum(np.diff(r) ** 2) / np.sum((r - r.mean()) ** 2))
    return float(ndtr((ratio - 2.0) / np.sqrt(4.0 * (n - 2.0) / ((n - 1.0) * (n + 1.0)))))


def _width(s: Array, density: Array) -> float:
    step = np.diff(s)
    middle, mass = 0.5 * (s[1:] + s[:-1]), 0.5 * (density[1:] + density[:-1]) * step
    total = mass.sum()
    mean = mass @ middle / total
    return float(np.sqrt(mass @ (middle - mean) ** 2 / total))


def _prior_width(prior: Prior) -> float:
    s = np.linspace(0.0, 1.0, 2001)
    return _width(s, np.exp(prior.log_density_on_scale(s)))


def counted(forward: ForwardMap, complete: bool) -> list[Finding]:
    """Too few data, members that could not be solved, an interpolation that falls short."""
    findings = []
    unknowns = len(forward.priors)
    if forward.observations.size < unknowns:
        few = "1 measurement" if forward.observations.size == 1 else f"{forward.observations.size} measurements"
        findings.append(Finding("prior", f"{few} for {unknowns} unknowns: the prior decides what the data leave open"))
    if forward.failures:
        total = len(forward.failures) + len(forward.nodes)
        findings.append(
            Finding(
                "failures",
                f"{len(forward.failures)} of {total} members of the family could not be solved: "
                f"their region has no weight",
            )
        )
    if not complete:
        findings.append(
            Finding(
                "approximate", "the posterior is approximate: predictions between the solves are not as good as wanted"
            )
        )
    return findings


def judged(
    forward: ForwardMap, found: Mapping[str, Distribution], drawn: Array, misfits: list[Finding], complete: bool
) -> tuple[str, str]:
    """Status and message of a posterior with these distributions and draws (n, unknowns)."""
    findings = parameter_findings(forward.priors, found)
    if len(forward.priors) > 1:
        findings += correlation_findings(list(forward.priors), np.atleast_2d(np.corrcoef(drawn.T)))
    return concluded([*findings, *misfits, *counted(forward, complete)])


def concluded(findings: list[Finding]) -> tuple[str, str]:
    """One status, and all that is to be said."""
    if not findings:
        return "determined", "the data determine every unknown"
    order = sorted(findings, key=lambda finding: STATUSES.index(finding.status))
    return order[0].status, "; ".join(finding.sentence for finding in order)
