"""The meta-learning section: optima at many nu, the maps learned from them, and searches bounded by the maps."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError
from gated_xtfc.paper.measure import rounded
from gated_xtfc.paper.optima import OptimaFile, Optimum, Sweep, compute, searched
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published.meta import Band, GateMap, MetaLearner
from gated_xtfc.published.search import FoundSplit

NAME = "meta"
FILE = "optima.jsonl"
LEVEL = 0.95
SEARCHES = 20  # values of nu at which both searches are run
SHOWN = 3  # of them, the smallest: those near 1e-4
OPTIMUM = 25.0  # seconds of one core, with 1000 centres a block
HELD_OUT = 200  # where the data set is large enough


def swept(size: Size) -> Sweep:
    """The data set of this size: 500 optima in full."""
    count, centres, tolerances = size.choose((500, 1000, (1e-4, 1e-1)), (20, 120, (1e-3, 1.0)), (8, 16, (2e-2, 50.0)))
    return replace(Sweep(count), centres=centres, tolerances=tolerances)


def path(folder: Path) -> Path:
    return folder / FILE


def missing(sweep: Sweep, folder: Path) -> float:
    """The share of the data set that its file does not have."""
    file = path(folder)
    return len(OptimaFile(file, sweep).missing) / sweep.count if file.exists() else 1.0


def optima(settings: Settings) -> Result:
    """Computes the optima that are missing from the file, over all cores."""
    file = file_of(settings)
    compute(file, settings["workers"])
    names = ("nu", "split", "scale", "value", "bound", "evaluations", "solves", "seconds")
    return {name: [getattr(one, name) for one in file.optima] for name in names} | {
        "count": len(file.found),
        "total_seconds": sum(one.seconds for one in file.optima),
        "share_bound": float(np.mean([one.bound for one in file.optima])),
    }


def file_of(settings: Settings) -> OptimaFile:
    return OptimaFile(path(settings["folder"]), Sweep.read(settings["sweep"]))


def stored(settings: Settings) -> tuple[tuple[Optimum, ...], Sweep]:
    file = file_of(settings)
    if file.missing:
        raise InputError(f"{len(file.missing)} of {file.sweep.count} optima are missing: run the same command again")
    return file.optima, file.sweep


def learned(found: tuple[Optimum, ...], sweep: Sweep) -> GateMap:
    learner = MetaLearner(places=sweep.places, scales=sweep.scales)
    return learner.fit([one.nu for one in found], [one.split for one in found], [one.scale for one in found])


def held_out(count: int) -> NDArray[np.bool_]:
    """Which optima are kept from the fit, True for those: two of five where that makes 200, otherwise one of five."""
    place = np.arange(count) % 5
    return np.asarray((place == 1) | (place == 3) if 2 * count // 5 >= HELD_OUT else place == 2)


def maps(settings: Settings) -> Result:
    """Both maps from all optima; how often their bands hold optima that were kept from the fit."""
    found, sweep = stored(settings)
    model = learned(found, sweep)
    nus = np.geomspace(sweep.low, sweep.high, settings["points"])
    return {
        "count": len(found),
        "ridges": [model.split_fit.ridge, model.scale_fit.ridge],
        "curves": {
            "nu": rounded(nus),
            "split": curves(model.split(nus, LEVEL)),
            "scale": curves(model.scale(nus, LEVEL)),
        },
        "optima": {
            **{name: rounded([getattr(one, name) for one in found]) for name in ("nu", "split", "scale")},
            "bound": [one.bound for one in found],
        },
        "coverage": coverage(found, sweep),
    }


def curves(band: Band) -> dict[str, list[float]]:
    return {"mean": rounded(band.mean), "low": rounded(band.low), "high": rounded(band.high)}


def coverage(found: tuple[Optimum, ...], sweep: Sweep) -> Result:
    """Shares of held-out optima inside the bands: as printed, in physical units, and before the back-transform."""
    apart = held_out(len(found))
    kept, new = (tuple(one for one, out in zip(found, apart, strict=True) if out == which) for which in (False, True))
    model = learned(kept, sweep)
    nus = np.array([one.nu for one in new])
    told: Result = {"trained": len(kept), "held_out": len(new)}
    for name, band, fit, limits in (
        ("split", model.split(nus, LEVEL), model.split_fit, model.places),
        ("scale", model.scale(nus, LEVEL), model.scale_fit, model.scales),
    ):
        values = np.array([getattr(one, name) for one in new])
        told[name] = float(((band.low <= values) & (values <= band.high)).mean())
        told[f"{name}_width"] = float(np.median(band.high - band.low) / (limits[1] - limits[0]))
        low, high = fit.predict(np.log10(nus)).interval(LEVEL)
        share = (values - limits[0]) / (limits[1] - limits[0])
        inner = np.log(share / (1.0 - share)) if name == "split" else np.log10(values)  # as the regression sees them
        told[f"{name}_transformed"] = float(((low <= inner) & (inner <= high)).mean())
    return told


def compared(settings: Settings) -> Result:
    """The global search and the one inside the predicted box, at a nu that the data set does not contain."""
    (found, sweep), nu = stored(settings), settings["nu"]
    model, wide = learned(found, sweep), sweep.settings()
    box = model.box(nu, LEVEL)
    runs = {"global": searched(wide, nu), "bounded": searched(model.bounded(wide, nu, LEVEL), nu)}
    return {
        "nu": nu,
        "box": {"places": list(box.places), "scales": list(box.scales), "widened": list(box.widened)},
        **{name: told(run) for name, run in runs.items()},
    }


def told(run: FoundSplit) -> Result:
    return {
        "split": run.best.splits[0],
        "scale": run.best.scale,
        "value": run.value,
        "evaluations": len(run.evaluations),
        "solves": run.solves,
        "seconds": run.seconds,
        "trace": rounded([one.value for one in run.evaluations]),
    }


def unseen(sweep: Sweep, count: int) -> list[float]:
    """Values of nu between those of the data set, spread evenly over its range."""
    indices = np.round((np.arange(count) + 0.5) / count * (sweep.count - 1)) - 0.5
    return [float(f"{sweep.low * (sweep.high / sweep.low) ** (index / (sweep.count - 1)):.6g}") for index in indices]


def search_name(place: int) -> str:
    return f"search-{place:02d}"


def tasks(size: Size) -> tuple[Task, ...]:
    sweep = swept(size)
    workers, points, searches = size.choose((None, 161, SEARCHES), (None, 161, 6), (1, 11, 2))
    given = {"sweep": sweep.record()}
    one = OPTIMUM * (sweep.centres / 1000) ** 2 * size.choose(1.0, 5.0, 0.05) + 0.02
    cost = one * sweep.count / 2  # on two cores
    title = f"optima of the published search at {sweep.count} values of nu, resumable"
    made = [
        Task(NAME, "optima", title, cost, optima, {**given, "workers": workers}, None, True, partial(missing, sweep)),
        Task(NAME, "maps", "maps from nu to the gate", 1.0, maps, {**given, "points": points}, files=True),
    ]
    for place, nu in enumerate(unseen(sweep, searches), 1):
        title = f"global and bounded search at nu = {nu:.3g}"
        made.append(Task(NAME, search_name(place), title, 1.5 * one, compared, {**given, "nu": nu}, files=True))
    return tuple(made)


SECTION = Section(NAME, "Operator-conditioned meta-learning", tasks)
