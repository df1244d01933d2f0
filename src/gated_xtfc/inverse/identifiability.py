"""What the data do not settle, in plain words: bounds, several modes, widths, misfit, members that cannot be solved."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.special import gammaincc, ndtr

from gated_xtfc.inverse.distribution import AT_BOUND, Distribution
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.peaks import peaks
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.types import Array

WIDE = 0.7  # standard deviation over that of the prior
LEVEL = 0.3  # median of the density over the largest, of a posterior without a slope
TIED = 0.995  # correlation above which two parameters are known in combination only
UNLIKELY = 1e-3  # probability of so large a misfit


class PosteriorStatus(StrEnum):
    """What stands in the way of a posterior, from worst to best. Each member is a string: ``status == "wide"``.

    Examples
    --------
    >>> from gated_xtfc.inverse.identifiability import PosteriorStatus
    >>> [status.value for status in PosteriorStatus][:2]
    ['approximate', 'misfit']
    """

    APPROXIMATE = "approximate"  # predictions between the solves are not as good as they should be
    MISFIT = "misfit"  # the equation does not explain the data
    UNSEARCHED = "unsearched"  # parts of the box were not looked at closely enough to exclude a further mode
    WIDE = "wide"  # a parameter is as uncertain as it was before the data
    BOUND = "bound"  # a posterior runs into a bound
    SEVERAL_MODES = "several modes"  # more than one value explains the data; all of them are in the posterior
    TIED = "tied"  # two parameters are known in combination only
    PRIOR = "prior"  # fewer measurements than unknowns
    FAILURES = "failures"  # some members could not be solved; their region has no weight
    DETERMINED = "determined"  # nothing to add


SEVERITY = tuple(PosteriorStatus)


@dataclass(frozen=True)
class Finding:
    """One thing that stands in the way."""

    status: PosteriorStatus
    sentence: str


def parameter_findings(priors: Mapping[str, Prior], found: Mapping[str, Distribution]) -> Iterator[Finding]:
    for name, prior in priors.items():
        curve = found[name].curve
        # on the unit scale, where the prior of plain bounds is even
        s = prior.unit(curve.grid)
        density = curve.density * prior.slope(s)
        wide = _width(s, density) > WIDE * _prior_width(prior)
        if wide:
            yield Finding(PosteriorStatus.WIDE, f"the data say little about {name}: it is as uncertain as before")
        top = float(density.max())
        level = wide and float(np.median(density)) > LEVEL * top  # such a posterior runs into nothing
        for end, s_end, side in ((prior.low, 0.0, "lower"), (prior.high, 1.0, "upper")):
            near = density[np.abs(s - s_end) < 1e-6]  # none where the posterior does not come near
            if near.size and near.max() > AT_BOUND * top and not level:
                sentence = f"the posterior of {name} runs into its {side} bound {end:.6g}: move the bound"
                if np.isclose(prior.unit(np.array(found[name].interval(0.95))), s_end, atol=1e-6).any():
                    sentence += ", or take its one-sided interval as it is"
                yield Finding(PosteriorStatus.BOUND, sentence)
        modes = peaks(curve)
        if len(modes) > 1:
            listed = " and ".join(f"{mode.value:.4g} ({100 * mode.mass:.0f} %)" for mode in modes)
            yield Finding(PosteriorStatus.SEVERAL_MODES, f"the posterior of {name} has several modes, near {listed}")


def correlation_findings(names: Sequence[str], correlation: Array) -> Iterator[Finding]:
    for i, first in enumerate(names):
        for j in range(i):
            if abs(correlation[i, j]) > TIED:
                shown = f"(correlation {correlation[i, j]:.4f})"
                sentence = f"{names[j]} and {first} are known in combination only {shown}"
                yield Finding(PosteriorStatus.TIED, sentence)


def misfit_findings(noise: Noise, residual: Array, unknowns: int, sites: Sequence[Array]) -> Iterator[Finding]:
    """Residuals (n,) at the best place: too large for a known noise, or not independent of their neighbours."""
    for scatter, x in zip(noise.scatters, sites, strict=True):
        own = residual[scatter.part]
        freedom = scatter.size - unknowns
        if freedom < 1:
            continue
        if scatter.student is not None:
            # outliers may be as large as they like: their ranks tell as much of neighbours
            own = np.argsort(np.argsort(own)).astype(np.float64)
        elif scatter.sigma is not None:
            own = own / scatter.sigma
            energy = float(np.sum(own**2))
            if gammaincc(0.5 * freedom, 0.5 * energy) < UNLIKELY:
                yield Finding(
                    PosteriorStatus.MISFIT,
                    f"the residuals are larger than the noise (chi-square {energy:.0f} for {freedom} degrees of "
                    f"freedom): the equation does not explain the data, or the noise is larger; try discrepancy",
                )
                continue
        if _probability_of_waves(own, x) < UNLIKELY:
            yield Finding(
                PosteriorStatus.MISFIT,
                "neighbouring residuals go together, as noise does not: the equation does not explain the data; "
                "try discrepancy",
            )


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


def count_findings(journal: Journal, complete: bool, searched: bool) -> Iterator[Finding]:
    """Too few data, members that could not be solved, a search or an interpolation that falls short."""
    unknowns, size = len(journal.forward.priors), journal.forward.observations.size
    if size < unknowns:
        few = "1 measurement" if size == 1 else f"{size} measurements"
        sentence = f"{few} for {unknowns} unknowns: the prior decides what the data leave open"
        yield Finding(PosteriorStatus.PRIOR, sentence)
    if journal.failures:
        failed, total = len(journal.failures), len(journal.failures) + len(journal.nodes)
        sentence = f"{failed} of {total} members of the family could not be solved: their region has no weight"
        yield Finding(PosteriorStatus.FAILURES, sentence)
    if not searched:
        sentence = "the bounds hold more than could be searched: a further mode may be missed; bring them closer"
        yield Finding(PosteriorStatus.UNSEARCHED, sentence)
    if not complete:
        sentence = "the posterior is approximate: predictions between the solves are not as good as wanted"
        yield Finding(PosteriorStatus.APPROXIMATE, sentence)
    if journal.cut_short:
        sentence = f"the time was up after {journal.solves} solves: give more max_seconds, or closer bounds"
        yield Finding(PosteriorStatus.APPROXIMATE, sentence)


def judged(
    journal: Journal,
    found: Mapping[str, Distribution],
    drawn: Array,
    misfits: Iterable[Finding],
    complete: bool,
    searched: bool,
) -> tuple[PosteriorStatus, str]:
    """The worst that stands in the way, and all of it in words, for these distributions and draws (n, unknowns)."""
    priors = journal.forward.priors
    findings = list(parameter_findings(priors, found))
    if len(priors) > 1:
        findings += correlation_findings(list(priors), np.atleast_2d(np.corrcoef(drawn.T)))
    findings += [*misfits, *count_findings(journal, complete, searched)]
    if not findings:
        return PosteriorStatus.DETERMINED, "the data determine every unknown"
    findings.sort(key=lambda finding: SEVERITY.index(finding.status))
    return findings[0].status, "; ".join(finding.sentence for finding in findings)
