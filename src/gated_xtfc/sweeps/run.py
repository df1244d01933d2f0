"""The loop of a sweep: chunks of points out to the workers, rows back into the store as they arrive.

A block is a run of neighbours that is solved in one go, each from the solution before it, and stored in one go: what a
point starts from does not depend on who solves it, how many do, or what was interrupted. A chunk is as many blocks as
make about half a second's work.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass

from gated_xtfc.errors import InputError
from gated_xtfc.solution.status import RowStatus, Status
from gated_xtfc.sweeps.point import Point, Row, solve_blocks, unsolved
from gated_xtfc.sweeps.store import Store
from gated_xtfc.sweeps.study import Study, key_of
from gated_xtfc.sweeps.workers import Workers

Block = Sequence[Point]
Solved = Future[tuple[list[Row], float]]  # what `solve_blocks` will give
TARGET = 0.5  # seconds of work in a chunk
GROWTH = 4  # of a chunk beside the one before
LARGEST = 5_000  # blocks
TICK = 0.25  # seconds between two looks at the clock
STRIKES = 2  # workers that a point may take with it


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep has come: what the `progress` of `sweep` is called with.

    Attributes
    ----------
    done
        Points that have a row, of those asked for.
    total
        Points asked for.
    failed
        Points solved by this call that did not converge.
    solved
        Points solved by this call.
    seconds
        Since it began.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> seen = []
    >>> table = gx.sweep(layer, {"nu": [1e-3, 1e-2]}, workers=1, progress=seen.append)
    >>> seen[-1].done, seen[-1].total, seen[-1].failed
    (2, 2, 0)
    """

    done: int
    total: int
    failed: int
    solved: int
    seconds: float

    @property
    def rate(self) -> float:
        """Points that this call solves in a second."""
        return self.solved / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def left(self) -> float:
        """Seconds until the end, at this rate."""
        return (self.total - self.done) / self.rate if self.solved else float("inf")


class Run:
    def __init__(
        self,
        study: Study,
        store: Store,
        workers: Workers,
        total: int,
        report: Callable[[SweepProgress], None] | None,
        replace: bool = False,
    ) -> None:
        self.study, self.store, self.workers, self.report, self.replace = study, store, workers, report, replace
        self.total, self.solved, self.failed = total, 0, 0
        self.begun = time.perf_counter()
        self.flying: dict[Solved, list[Block]] = {}
        self.suspects: deque[list[Block]] = deque()  # on their way when a worker died: tried one by one
        self.strikes: dict[Point, int] = {}
        self.size, self.pace = 1, TARGET  # blocks in a chunk, seconds a block

    def __call__(self, blocks: Sequence[Block]) -> None:
        queue = deque(blocks)
        done = self.total - sum(map(len, blocks))
        self.store.arrived()
        try:
            while queue or self.flying or self.suspects:
                self._submit(queue)
                finished, _ = wait(self.flying, TICK, FIRST_COMPLETED)
                self._receive(list(finished))
                if self.report is not None:
                    seconds = time.perf_counter() - self.begun
                    self.report(SweepProgress(done + self.solved, self.total, self.failed, self.solved, seconds))
        except BaseException:
            # what is done is kept, whatever the reason to stop: Ctrl-C may have come in the middle of a commit
            self._salvage()
            raise

    def _submit(self, queue: deque[Block]) -> None:
        if self.suspects:
            if not self.flying:
                self._send(self.suspects.popleft())
            return
        while queue and len(self.flying) < self.workers.ahead:
            elsewhere = self.store.arrived()
            # never so many that the last workers would wait for one
            most = max(1, len(queue) // (2 * self.workers.count))
            count = min(self.size, most)
            chunk = [queue.popleft() for _ in range(count)]
            others = [block for block in chunk if not all(key_of(point) in elsewhere for point in block)]
            self.solved += sum(map(len, chunk)) - sum(map(len, others))
            if others:
                self._send(others)

    def _send(self, chunk: list[Block]) -> None:
        try:
            self.flying[self.workers.submit(solve_blocks, self.study, chunk)] = chunk
        except BrokenExecutor as error:
            self.suspects.append(chunk)
            self._mend(error)

    def _receive(self, finished: list[Solved]) -> None:
        rows: list[Row] = []
        lost: list[Solved] = []
        for future in finished:
            error = future.exception() if not future.cancelled() else None
            if future.cancelled() or error is not None:
                if future.cancelled() or not _died(error):
                    what = f"{type(error).__name__}: {error}" if error is not None else "the work was cancelled"
                    raise InputError(
                        f"the workers failed ({what}): the same sweep goes on from what is stored"
                    ) from error
                lost.append(future)
                continue
            found, seconds = future.result()
            rows += found
            self._paced(len(self.flying[future]), seconds)
        if rows:
            self.store.add(rows, self.replace)
        for future in finished:
            if future not in lost:
                del self.flying[future]
        self._count(rows)
        if lost:
            self._suspect(lost)

    def _count(self, rows: list[Row]) -> None:
        self.solved += len(rows)
        status = 1 + len(self.study.names)
        self.failed += sum(row[status] != Status.CONVERGED for row in rows)

    def _paced(self, blocks: int, seconds: float) -> None:
        """The size of the next chunks, from what this one took."""
        self.pace = 0.5 * (self.pace + seconds / blocks) if self.solved else seconds / blocks
        wanted = int(TARGET / max(self.pace, 1e-6))
        self.size = max(1, min(wanted, GROWTH * self.size, LARGEST))

    def _suspect(self, lost: list[Solved]) -> None:
        """A worker died. If one chunk was out it is to blame, and is halved; otherwise all are tried one by one."""
        chunks = [self.flying.pop(future) for future in lost]
        alone = len(chunks) == 1 and not self.flying
        if self.workers.restarts:
            # a broken pool takes everything with it
            chunks += [self.flying.pop(future) for future in list(self.flying)]
            self._mend(None)
        for chunk in chunks:
            self.suspects += self._halved(chunk) if alone else [chunk]

    def _halved(self, chunk: list[Block]) -> list[list[Block]]:
        if len(chunk) > 1:
            middle = len(chunk) // 2
            return [chunk[:middle], chunk[middle:]]
        if len(chunk[0]) > 1:
            return [[[point]] for point in chunk[0]]
        point = chunk[0][0]
        self.strikes[point] = self.strikes.get(point, 0) + 1
        if self.strikes[point] < STRIKES:
            return [chunk]
        message = f"the process that solved it died, {STRIKES} times: out of memory, or a fault in a compiled library"
        row = unsolved(self.study, point, RowStatus.WORKER_DIED, message, 0.0)
        self.store.add([row], self.replace)
        self._count([row])
        return []

    def _mend(self, error: BaseException | None) -> None:
        if not self.workers.restarts:
            raise InputError(
                "the executor is broken: give a new one, and the same sweep goes on from what is stored"
            ) from error
        self.workers.restart()
        if not self.solved:
            try:
                self.workers.submit(os.getpid).result()
            except BrokenExecutor:
                raise InputError(
                    "the worker processes die as they start: in a script, call sweep under "
                    "if __name__ == '__main__':, or with workers=1"
                ) from None

    def _salvage(self) -> None:
        for future in list(self.flying):
            if future.done() and not future.cancelled() and future.exception() is None:
                self.store.add(future.result()[0], self.replace)


def _died(error: BaseException | None) -> bool:
    """Whether a worker was lost, rather than something wrong with the work; Dask has a word of its own for it."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
