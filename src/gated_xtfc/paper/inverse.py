"""The inverse section: nu from 50 noisy values, by the published method over many seeds, and by our default."""

from dataclasses import replace

import numpy as np

from gated_xtfc.inverse.infer import infer as infer_by_default
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.measure import MODEL, exact, rounded
from gated_xtfc.paper.sensors import NOISE, diagnosis_task, observed
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published.inverse import TEXT, TEXT_CLOSED, Inferred, Inverse, infer
from gated_xtfc.types import Array

NAME = "inverse"
NUS = (1e-1, 1e-2, 5e-3, 1e-3)
TRACED = 5e-3  # the search of this one is drawn
READINGS = {
    "closed": "right end included",
    "literal": "grid as printed",
    "jitter": "evidence by Cholesky with jitter",
    "wide": "box of ν from 10⁻⁴",
}
MAIN = "closed"  # the reading with all seeds, on which verdicts are given
WIDE = (1e-4, 10.0)  # the paper's box begins at 1e-3, which is one of the four values to be found
SECONDS = 4.5  # one inference with 300 centres a block and 30 evaluations


def reading(settings: Settings) -> Inverse:
    chosen = TEXT if settings["reading"] == "literal" else TEXT_CLOSED
    sized = replace(chosen.split, centres=settings["centres"], sites=settings["sites"])
    method = "cholesky" if settings["reading"] == "jitter" else "svd"
    chosen = replace(chosen, split=sized, evaluations=settings["evaluations"], method=method)
    return replace(chosen, bounds=WIDE) if settings["reading"] == "wide" else chosen


def published(settings: Settings) -> Result:
    """The published method; every seed has its own noise and its own search."""
    nu, seeds, chosen = settings["nu"], seeds_of(settings), reading(settings)
    problem = MODEL.problem(nu=nu)
    found = [infer(problem, *observed(nu, seed), NOISE, "nu", chosen, seed=seed) for seed in seeds]
    best = [one.best for one in found]
    errors, covers = zip(*(field(one, nu) for one in found), strict=True)
    names = ("value", "split", "scale", "eta", "log_evidence")
    return {
        "nu": nu,
        **summary([one.value for one in found], nu, [one.seconds for one in found]),
        "runs": {
            **{name: rounded([getattr(one, name) for one in best]) for name in names},
            "seconds": rounded([one.seconds for one in found]),
        },
        "at_bound": sum(one.value <= 1.001 * chosen.bounds[0] for one in found),
        "split": float(np.median([one.split for one in best])),
        "eta": float(np.median([one.eta for one in best])),
        "jitter": max(one.jitter for one in best),
        "field_error": float(np.median(errors)),
        "field_cover": float(np.median(covers)),
        "evaluations": settings["evaluations"],
        "panel": panel(found[0], nu, seeds[0]),
        "trace": trace(found[0]),
    }


def seeds_of(settings: Settings) -> range:
    return range(settings["seed"], settings["seed"] + settings["seeds"])


def summary(values: list[float], nu: float, seconds: list[float]) -> Result:
    """Percentages: of the absolute error the median and the range; of the signed one the median."""
    off = [100.0 * (value / nu - 1.0) for value in values]
    size = np.abs(off)
    return {
        "error": float(np.median(size)),
        "mean_error": float(size.mean()),
        "least": float(size.min()),
        "most": float(size.max()),
        "signed": float(np.median(off)),
        "seeds": len(off),
        "seconds": float(np.median(seconds)),
        "shortest": min(seconds),
        "longest": max(seconds),
    }


def true_field(nu: float) -> tuple[Array, Array]:
    """Points, half of them inside the layer, where the field is interesting; and its exact values there."""
    x = MODEL.points(320, nu=nu)
    return x, exact(MODEL.problem(nu=nu))(x)


def field(found: Inferred, nu: float) -> tuple[float, float]:
    """The largest error of the mean, and the share of points at which the 95 % band holds the exact field."""
    x, true = true_field(nu)
    inside = (x > 0.0) & (x < 1.0)  # the ends hold by construction, with no band at all
    off = np.abs(found.mean(x) - true)[inside]
    return float(off.max()), float((off <= 1.96 * found.std(x)[inside]).mean())


def panel(found: Inferred, nu: float, seed: int) -> Result:
    (x, true), (places, values) = true_field(nu), observed(nu, seed)
    return {
        "value": found.value,
        "split": found.best.split,
        "scale": found.best.scale,
        "seed": seed,
        "x": rounded(x, 9),
        "mean": rounded(found.mean(x)),
        "std": rounded(found.std(x)),
        "exact": rounded(true),
        "data": {"x": rounded(places), "y": rounded(values)},
    }


def trace(found: Inferred) -> dict[str, list[float]]:
    """Every evaluation of the search, in order."""
    return {
        "value": rounded([one.value for one in found.history]),
        "split": rounded([one.split for one in found.history]),
        "scale": rounded([one.scale for one in found.history]),
        "log_evidence": rounded([one.log_evidence for one in found.history], 9),
    }


def by_default(settings: Settings) -> Result:
    """Our `infer`, as it comes, on the same data."""
    nu, seeds, (x, true) = settings["nu"], seeds_of(settings), true_field(settings["nu"])
    problem = MODEL.problem(nu=nu)
    found = [infer_by_default(problem, observed(nu, seed), {"nu": WIDE}, NOISE) for seed in seeds]
    intervals = [one.interval("nu", 0.95) for one in found]
    mean, std = found[0].predict(x)
    return {
        "nu": nu,
        **summary([one.mean["nu"] for one in found], nu, [one.seconds for one in found]),
        "std": float(np.median([100.0 * one.std["nu"] / nu for one in found])),
        "covered": sum(low <= nu <= high for low, high in intervals),
        "field_error": float(np.abs(mean - true).max()),
        "panel": {
            "value": found[0].mean["nu"],
            "interval": list(intervals[0]),
            "seed": seeds[0],
            "x": rounded(x, 9),
            "mean": rounded(mean),
            "std": rounded(std),
        },
    }


def tasks(size: Size) -> tuple[Task, ...]:
    nus = size.choose(NUS, NUS, (1e-1, 5e-3))
    seeds, fewer, centres, sites, evaluations = size.choose(
        (20, 8, 300, 400, 30), (3, 2, 100, 130, 20), (2, 2, 24, 30, 6)
    )
    sizes = {"centres": centres, "sites": sites, "evaluations": evaluations}
    cost = SECONDS * (centres / 300) ** 2 * evaluations / 30 + 0.04 * evaluations
    made = []
    for nu in nus:
        for name, title in READINGS.items():
            if name != "wide" or nu == min(NUS):
                count = seeds if name == MAIN else fewer
                settings = {"nu": nu, "reading": name, "seeds": count, **sizes}
                shown = f"published inference at nu = {nu:g}, {title}, {count} seeds"
                made.append(Task(NAME, f"{name}-{tag(nu)}", shown, count * cost, published, settings, 0))
        made.append(diagnosis_task(NAME, nu, size))
        shown = f"our inference at nu = {nu:g}, {seeds} seeds"
        made.append(Task(NAME, f"default-{tag(nu)}", shown, 0.2 * seeds, by_default, {"nu": nu, "seeds": seeds}, 0))
    return tuple(made)


SECTION = Section(NAME, "Inverse inference", tasks)
