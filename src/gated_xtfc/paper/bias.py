"""Why the published evidence misses nu: its largest value over a dense scan of nu, from data without any noise.

log p = -(misfit + Occam's term)/2 - constant. The misfit is least where data and equation agree; Occam's term grows
with nu, because the rows of the equation do, and drags the maximum away: by its slope over the misfit's curvature.
The layout depends on nu as well (no transition is narrower than 5 nu): it is scanned moving and held.
"""

import numpy as np

from gated_xtfc import zoo
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.measure import rounded
from gated_xtfc.paper.sensors import NOISE, clean, least_deviation, sensors
from gated_xtfc.paper.task import Result, Settings, Size, Task
from gated_xtfc.published.evidence import PriorPrecision
from gated_xtfc.published.fit import PHYSICAL
from gated_xtfc.published.inverse import Model
from gated_xtfc.published.soft_split import SoftSplit
from gated_xtfc.types import Array

SCALE = 30.0
PHYSICS = 1e2


def diagnosis(settings: Settings) -> Result:
    """One scan for each place of the split; the best of them is taken apart."""
    nu, factors = settings["nu"], np.array(settings["factors"])
    scans = [scan(nu, place, factors, settings["centres"], settings["sites"]) for place in settings["places"]]
    best = int(np.argmax([one["evidence"].max() for one in scans]))
    parts = scans[best]
    held = scan(nu, settings["places"][best], factors, settings["centres"], settings["sites"], PHYSICAL * nu)
    return {
        "nu": nu,
        "least_deviation": least_deviation(nu),
        "place": settings["places"][best],
        "evidence_at": 100.0 * (peak(factors, parts["evidence"]) - 1.0),  # percent off the truth
        "misfit_at": 100.0 * (peak(factors, parts["misfit"]) - 1.0),
        "at_edge": bool(np.argmax(parts["evidence"]) in (0, factors.size - 1)),
        "pull": pull(factors, parts["occam"]),
        "held_at": 100.0 * (peak(factors, held["evidence"]) - 1.0),
        "held_pull": pull(factors, held["occam"]),
        "factors": rounded(factors),
        "places": list(settings["places"]),
        "by_place": rounded([100.0 * (peak(factors, one["evidence"]) - 1.0) for one in scans]),
        "curves": {name: rounded(values - values.max(), 9) for name, values in parts.items()},
    }


def scan(
    nu: float, place: float, factors: Array, centres: int, sites: int, physical: float | None = None
) -> dict[str, Array]:
    """The log evidence and its two parts at nu times each factor; `physical` holds the least transition."""
    problem = zoo.family("convection_diffusion").problem(nu=nu)
    split = SoftSplit((place,), SCALE, centres, sites, physical=physical)
    x, y = sensors(), clean(nu)
    rows = []
    for factor in factors:
        member = problem(nu=float(nu * factor))
        stacked = Model.of(member, split, x, y, np.full(x.size, NOISE), PHYSICS).stacked
        eta = stacked.precision(PriorPrecision())
        rows.append((stacked.log_evidence(eta), -0.5 * stacked.misfit(eta), -0.5 * stacked.occam(eta)))
    return dict(zip(("evidence", "misfit", "occam"), np.array(rows).T, strict=True))


def pull(factors: Array, values: Array) -> float:
    """The slope in log nu at the truth."""
    logs = np.log(factors)
    return float(np.gradient(values, logs)[int(np.argmin(np.abs(logs)))])


def peak(factors: Array, values: Array) -> float:
    """Where the parabola through the largest value and its neighbours has its top; an end stays an end."""
    k = int(np.argmax(values))
    if k in (0, values.size - 1):
        return float(factors[k])
    a, b, _ = np.polyfit(np.log(factors[k - 1 : k + 2]), values[k - 1 : k + 2], 2)
    return float(np.exp(-b / (2.0 * a)))


def diagnosis_task(section: str, nu: float, size: Size) -> Task:
    centres, sites = size.choose((300, 400), (100, 130), (24, 30))
    places = size.choose((0.95, 0.97, 0.98, 0.985, 0.99, 0.995), (0.95, 0.98, 0.99, 0.995), (0.95, 0.99))
    factors = rounded(np.geomspace(0.7, 1.4, size.choose(29, 15, 5)))
    settings = {"nu": nu, "places": list(places), "factors": factors, "centres": centres, "sites": sites}
    cost = 0.2 * len(places) * len(factors) * (centres / 300) ** 2.5 + 1.0
    return Task(section, f"bias-{tag(nu)}", f"scan of the evidence at nu = {nu:g}", cost, diagnosis, settings)
