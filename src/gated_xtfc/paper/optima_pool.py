"""The searches behind the data set of the meta-learner, over all cores, each with one thread, within a time."""

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from gated_xtfc import zoo
from gated_xtfc.paper.optima import OptimaFile, Optimum, Sweep
from gated_xtfc.published.search import FoundSplit, NestedSearch, SplitEvaluation, search
from gated_xtfc.threads import ONE, environment


def compute(
    file: OptimaFile,
    workers: int | None = None,
    budget: float = math.inf,
    progress: Callable[[Optimum, int, int], None] | None = None,
) -> bool:
    """All that is missing, within `budget` seconds; whether nothing is missing any more."""
    missing, deadline = file.missing, time.time() + budget
    if missing and (workers or os.cpu_count() or 1) > 1:
        with environment(ONE), ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            futures = [pool.submit(optimum, file.sweep, index, deadline) for index in missing]
            try:
                for future in as_completed(futures):
                    _keep(file, future.result(), progress)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    else:
        for index in missing:
            _keep(file, optimum(file.sweep, index, deadline), progress)
    return not file.missing


def _keep(file: OptimaFile, found: Optimum | None, progress: Callable[[Optimum, int, int], None] | None) -> None:
    if found is not None:
        file.add(found)
        if progress is not None:
            progress(found, len(file.found), file.sweep.count)


def optimum(sweep: Sweep, index: int, deadline: float = math.inf) -> Optimum | None:
    """One search; None when the deadline (seconds since the epoch) comes first."""
    nu = sweep.nu(index)
    try:
        found = searched(sweep.settings(), nu, deadline)
    except OutOfTime:
        return None
    split, transition = found.best, found.surrogate.details["transitions"][0]
    bound = transition > split.scale * min(split.splits[0], 1.0 - split.splits[0]) / split.centres * (1.0 + 1e-12)
    counts = len(found.evaluations), found.solves
    return Optimum(index, nu, split.splits[0], split.scale, found.value, bool(bound), *counts, found.seconds)


class OutOfTime(Exception):
    """The deadline of a search has come."""


def searched(settings: NestedSearch, nu: float, deadline: float = math.inf) -> FoundSplit:
    def watch(_: SplitEvaluation) -> None:
        if time.time() > deadline:
            raise OutOfTime

    if time.time() > deadline:
        raise OutOfTime
    return search(zoo.family("convection_diffusion").problem(nu=nu), settings, watch)
