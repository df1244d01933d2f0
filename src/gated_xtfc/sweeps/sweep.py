"""sweep: solve every member of a family that a design names, and keep a row of each in a store."""

import os
import pickle
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Literal, Unpack

from gated_xtfc.errors import InputError
from gated_xtfc.notebook import followed
from gated_xtfc.problem.interchange import stated_problem
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.status import RowStatus
from gated_xtfc.sweeps.contents import gathered
from gated_xtfc.sweeps.design import Design, Over
from gated_xtfc.sweeps.run import Block, Run, SweepProgress
from gated_xtfc.sweeps.store import Store
from gated_xtfc.sweeps.stream import dataset_of, refuse_for_batch, stream
from gated_xtfc.sweeps.study import SolverOptions, Study, key_of, texts
from gated_xtfc.sweeps.table import Table
from gated_xtfc.sweeps.workers import DaskClient, Pool, workers_for
from gated_xtfc.threads import ONE, environment, said

CHAIN = 8  # neighbours that start from one another


@followed(lambda progress: f"{progress.done} of {progress.total} points, {progress.failed} not converged")
def sweep(
    problem: Problem | str | os.PathLike[str],
    over: Over,
    *,
    store: str | Path | None = None,
    executor: Executor | DaskClient | None = None,
    workers: int | None = None,
    tol: float = 1e-8,
    quantities: str | Iterable[str] = (),
    solutions: bool = False,
    time_limit: float | None = None,
    retry: bool = False,
    warm: bool = True,
    progress: Callable[[SweepProgress], None] | None = None,
    engine: Literal["solve", "batch"] = "solve",
    dataset: str | Path | None = None,
    x: Sequence[float] | int | None = None,
    **options: Unpack[SolverOptions],
) -> Table:
    """Solve a family of problems over its parameters, and keep a row of every member.

    Whatever happens at a point is recorded in its row. A sweep with a store can be stopped at any time, by whatever
    means: the same call goes on where it was.

    Parameters
    ----------
    problem
        Any member of the family, or the path of a problem file, whose guess and continuation then hold where none is
        given here.
    over
        The points: ``{"nu": values, "a": values}`` is every combination, ``[{"nu": 1e-4, "a": 1}, ...]`` a list, and
        a `Design` fills a box.
    store
        The file that rows go into as they are finished; what is in it already is not computed again. Without one the
        table is all there is.
    executor
        Who solves: a `concurrent.futures.Executor` or a Dask client. Without one, processes are started.
    workers
        How many processes: as many as there are cores unless given. With one, the points are solved in this process;
        with more, a script needs the usual ``if __name__ == "__main__":``.
    tol
        The estimated error asked for, as in `solve`.
    quantities
        Numbers to keep of every solution, as texts: ``"u(0.5)"``, ``"u'(1)"``, ``"max(u)"``, ``"integral(u^2)"``.
    solutions
        Whether the solutions themselves are kept: `Table.solution` gives them back.
    time_limit
        Seconds that a point may take.
    retry
        Whether points of the store that failed, ran out of time or lost their worker are computed again.
    warm
        Whether points of a nonlinear family start from their neighbours' solutions.
    progress
        Called with a `SweepProgress` several times a second.
    engine
        "solve" solves point by point, in as many processes as there are; "batch" solves thousands side by side in this
        one, as `compile` does, and keeps no gates, no solutions, and of quantities those at places.
    dataset
        With the engine "batch", where fields at places go as training data: a file .npz or a folder .zarr, which has
        parameters, places, fields and errors.
    x
        The places of the data set, or how many there are: 101 unless given.
    **options
        Options of `solve` for every point: rtol, atol, gates, guess, continuation, stop, max_neurons, max_rounds,
        max_steps, max_memory.

    Returns
    -------
    Table
        A row for each point, in the order of the design.

    Raises
    ------
    InputError
        Where what is asked for cannot be used, the store holds another sweep or cannot be written to, or the workers
        cannot go on.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> options = {"store": "layer.sqlite", "quantities": ["nu*u'(1)"], "workers": 1}
    >>> gx.sweep(layer, {"nu": [1e-4, 1e-3]}, **options)
    Table(2 points over nu; 2 converged)
    >>> table = gx.sweep(layer, {"nu": [1e-4, 1e-3, 1e-2]}, **options)  # two of them are in the store
    >>> table["nu*u'(1)"].round(6).tolist()
    [1.0, 1.0, 1.0]
    """
    for name in options:
        if name not in SolverOptions.__annotations__:
            raise TypeError(f"sweep() got an unexpected keyword argument {name!r}")
    problem, guess, continuation = stated_problem(problem, options.get("guess"), options.get("continuation"))
    if guess is not None:
        options["guess"] = guess
    if continuation is not None:
        options["continuation"] = continuation
    design = Design.of(over)
    study = Study(problem, design.names, tol, options, texts(quantities), solutions, time_limit, warm)
    if engine not in ("solve", "batch"):
        raise InputError(f'engine is "solve" or "batch", not {engine!r}')
    if engine == "batch":
        refuse_for_batch(study)
    elif dataset is not None or x is not None:
        raise InputError('a data set is made by the engine "batch": give engine="batch" with it')
    keys = dict.fromkeys(key_of(point) for point in design.points.tolist())
    identity = study.identity() if store is not None else None
    with Store(store, identity, study.columns) as kept:
        there = kept.keys(but=tuple(RowStatus) if retry else ())
        if engine == "batch":
            writer = None if dataset is None else dataset_of(dataset, study, design, x)
            stream(study, design, kept, writer, progress, retry, there)
            return gathered(kept, study, keys)
        blocks = missing(study, design, there)
        if blocks:
            team = workers_for(executor, workers, sum(map(len, blocks)))
            if isinstance(team, Pool):
                refuse_unsendable(study)
            at_once = True
            try:
                with environment({} if said() else ONE):
                    Run(study, kept, team, len(keys), progress, retry)(blocks)
                at_once = False
            finally:
                team.stop(at_once)
        return gathered(kept, study, keys)


def missing(study: Study, design: Design, there: set[bytes]) -> list[Block]:
    """Blocks of the points that are not there: neighbours where they start from one another, otherwise one each."""
    points = [tuple(point) for point in design.points.tolist()]
    order = design.neighbours() if study.chained else range(len(points))
    unique = list(dict.fromkeys(points[i] for i in order))
    length = CHAIN if study.chained else 1
    # cut first, so that an interrupted sweep finds its blocks again
    blocks = [unique[i : i + length] for i in range(0, len(unique), length)]
    left = [[point for point in block if key_of(point) not in there] for block in blocks]
    return [block for block in left if block]


def refuse_unsendable(study: Study) -> None:
    """Other processes get the problem as a pickle."""
    try:
        pickle.dumps(study)
    except Exception:
        raise InputError(
            "the problem or its guess is made of functions that other processes cannot be given: state it as text, or "
            "sweep with workers=1"
        ) from None
