"""The data of the inverse section, how much of nu they can tell, and why the published evidence misses it.

Sensors gather at the outflow, x = 1 - (1 - s)^3 with s on a uniform grid. From data without any noise a good method
finds nu exactly. The evidence, log p = -(misfit + Occam's term)/2 - constant, does not: the misfit is least where data
and equation agree, but Occam's term grows with nu, because the rows of the equation do, and drags the maximum away by
its slope over the misfit's curvature. The layout depends on nu as well (no transition is narrower than 5 nu): nu is
scanned with the layout moving and held.
"""

from dataclasses import replace

import numpy as np

from gated_xtfc.paper.book import tag
from gated_xtfc.paper.measure import MODEL, exact, rounded
from gated_xtfc.paper.task import Result, Settings, Size, Task
from gated_xtfc.published.evidence import PriorPrecision
from gated_xtfc.published.fit import PHYSICAL
from gated_xtfc.published.inverse import Inverse, Model
from gated_xtfc.published.soft_split import SoftSplit
from gated_xtfc.types import Array

COUNT = 50
EXPONENT = 3
NOISE = 1e-2
STEP = 1e-5  # relative, of the central difference
SCALE = 30.0  # of the transition, in a scan


def sensors() -> Array:
    """The places of the sensors, gathered at the right end, (50,)."""
    return np.asarray(1.0 - (1.0 - np.linspace(0.0, 1.0, COUNT)) ** EXPONENT)


def observed(nu: float, seed: int) -> tuple[Array, Array]:
    """Places and values of one experiment."""
    x = sensors()
    return x, clean(nu) + NOISE * np.random.default_rng(seed).normal(size=x.size)


def clean(nu: float) -> Array:
    """What the sensors would see without noise."""
    return exact(MODEL.problem(nu=nu))(sensors())


def least_deviation(nu: float) -> float:
    """The Cramer-Rao bound: no unbiased estimate of nu has a smaller standard deviation, in percent of nu."""
    slope = (clean(nu * (1.0 + STEP)) - clean(nu * (1.0 - STEP))) / (2.0 * STEP)
    return float(100.0 * NOISE / np.sqrt(np.sum(slope**2)))


def diagnosis(settings: Settings) -> Result:
    """Where the evidence is largest: one scan of nu for each place of the split; the best of them is taken apart."""
    nu, factors, places = settings["nu"], np.array(settings["factors"]), settings["places"]
    splits = [SoftSplit((place,), SCALE, settings["centres"], settings["sites"]) for place in places]
    scans = [scan(nu, split, factors) for split in splits]
    best = int(np.argmax([one["evidence"].max() for one in scans]))
    parts, held = scans[best], scan(nu, replace(splits[best], physical=PHYSICAL * nu), factors)

    def off(values: Array) -> float:
        """How far from the truth they are largest, in percent."""
        return 100.0 * (peak(factors, values) - 1.0)

    return {
        "nu": nu,
        "least_deviation": least_deviation(nu),
        "place": places[best],
        "evidence_at": off(parts["evidence"]),
        "misfit_at": off(parts["misfit"]),
        "at_edge": bool(np.argmax(parts["evidence"]) in (0, factors.size - 1)),
        "pull": pull(factors, parts["occam"]),
        "held_at": off(held["evidence"]),
        "held_pull": pull(factors, held["occam"]),
        "factors": rounded(factors),
        "places": list(places),
        "by_place": rounded([off(one["evidence"]) for one in scans]),
        "curves": {name: rounded(values - values.max(), 9) for name, values in parts.items()},
    }


def scan(nu: float, split: SoftSplit, factors: Array) -> dict[str, Array]:
    """The log evidence and its two parts at nu times each factor, from data without noise."""
    problem, x, y = MODEL.problem(nu=nu), sensors(), clean(nu)
    rows = []
    for factor in factors:
        member = problem(nu=float(nu * factor))
        stacked = Model.of(member, split, x, y, np.full(x.size, NOISE), Inverse.physics).stacked
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
