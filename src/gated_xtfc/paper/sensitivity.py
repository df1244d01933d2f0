"""How fragile the published layout is: its error over a grid of splits and transition scales, nothing searched.

Both grids of sites and centres (as printed, and with the right end included), kernels 1 and 1.5 spacings wide.
"""

from dataclasses import replace

import numpy as np

from gated_xtfc.paper.forward import SHORT
from gated_xtfc.paper.measure import MODEL, errors, rounded
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published import SoftSplit, fit

NAME = "sensitivity"
NU = 1e-4
PROBES = 3_000  # points for each error: there are hundreds of them
FIT = 0.5  # seconds for one fit with 2 x 1000 centres


def map_of_errors(settings: Settings) -> Result:
    """(splits, scales): the largest error, layer included; the ridge that Cholesky needed."""
    problem, count = MODEL.problem(nu=settings["nu"]), settings["centres"]
    layout = SoftSplit(
        centres=count,
        sites=count,
        multiplier=settings["multiplier"],
        closed=settings["closed"],
        ridge=settings["ridge"],
    )
    found, ridges = [], []
    for split in settings["splits"]:
        row = []
        for scale in settings["scales"]:
            surrogate = fit(problem, replace(layout, splits=(split,), scale=scale))
            row.append(errors(surrogate, MODEL, problem, settings["probes"])["max_error_layer"])
            ridges.append(float(surrogate.details["ridge_used"]))
        found.append(rounded(row))
    values = np.array(found)
    return {
        "errors": found,
        "least": float(values.min()),
        "median": float(np.median(values)),
        "worst": float(values.max()),
        "good": float((values <= 1e-3).mean()),  # share of the box
        "bad": float((values > 0.1).mean()),
        "regularised": float(np.mean([ridge > settings["ridge"] for ridge in ridges])),
        "neurons": layout.neurons,
    }


def tasks(size: Size) -> tuple[Task, ...]:
    centres = size.choose(1000, 120, 20)
    distances = np.geomspace(0.2, 0.001, size.choose(12, 9, 2))
    scales = np.geomspace(10.0, 100.0, size.choose(6, 4, 2))
    cost = FIT * distances.size * scales.size * (centres / 1000) ** 2 + 1.0
    made = []
    for variant in ("closed", "literal"):
        for multiplier in (1.5, 1.0):
            settings = {
                "nu": NU, "splits": rounded(1.0 - distances), "scales": rounded(scales, 4), "centres": centres,
                "multiplier": multiplier, "closed": variant == "closed", "ridge": 1e-10, "probes": PROBES,
            }  # fmt: skip
            title = f"errors over the box, {SHORT[variant]}, k = {multiplier:g}"
            made.append(Task(NAME, f"{variant}-k{multiplier:g}", title, cost, map_of_errors, settings))
    return tuple(made)


SECTION = Section(NAME, "How fragile the layout is", tasks)
