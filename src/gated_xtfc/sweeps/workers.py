"""Who solves the points: this process, a pool of processes of our own, or an executor of somebody else's (Dask too).

All of them take `submit(function, *arguments)` and give a Future.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Protocol, TypeVar, TypeVarTuple, runtime_checkable

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.extras import install

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


@runtime_checkable
class DaskClient(Protocol):
    """What is asked of a client of a Dask cluster."""

    def get_executor(self, *, pure: bool) -> Executor: ...

    def nthreads(self) -> Mapping[str, int]: ...

    def close(self) -> None: ...


class Here:
    """One after the other, in this process."""

    count = 1
    ahead = 1  # tasks that may be on their way
    restarts = False

    def submit(self, function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Future[Result]:
        future: Future[Result] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def restart(self) -> None:
        raise NotImplementedError

    def stop(self, at_once: bool) -> None:
        """Nothing is left running."""


class Pool:
    """Processes of our own, started afresh (spawn) so that no thread or lock of this one is copied into them."""

    restarts = True

    def __init__(self, count: int) -> None:
        self.count, self.ahead = count, 2 * count
        self.pool = self._started()

    def submit(self, function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Future[Result]:
        return self.pool.submit(function, *arguments)

    def restart(self) -> None:
        self.stop(at_once=True)
        self.pool = self._started()

    def stop(self, at_once: bool) -> None:
        # an executor would wait for what its processes are doing; there is no public way to end them before 3.14
        running = list((getattr(self.pool, "_processes", None) or {}).values())
        results = getattr(getattr(self.pool, "_result_queue", None), "_writer", None)
        self.pool.shutdown(wait=not at_once, cancel_futures=True)
        if not at_once:
            return
        for process in running:
            process.kill()
        for process in running:
            process.join(5.0)
        # who reads the result that one was killed in would wait for the rest of it, as long as a writer is open
        if results is not None:
            results.close()

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.count, multiprocessing.get_context("spawn"), initializer=prepare_worker)


class Given:
    """Any `concurrent.futures.Executor`; a Dask client, which makes one of itself."""

    restarts = False

    def __init__(self, executor: Executor | DaskClient) -> None:
        self.client = executor if isinstance(executor, DaskClient) else None
        # a chunk may run again when a worker is lost: rows that are there already are left alone
        found = executor.get_executor(pure=False) if isinstance(executor, DaskClient) else executor
        if not isinstance(found, Executor):
            raise InputError(
                f"executor takes a concurrent.futures.Executor or a Dask Client, not {quoted(type(executor).__name__)}"
            )
        self.executor = found
        self.futures: set[Future[Any]] = set()  # that have not ended

    @property
    def count(self) -> int:
        if self.client is not None:
            return max(1, sum(self.client.nthreads().values()))
        return int(getattr(self.executor, "_max_workers", None) or available())

    @property
    def ahead(self) -> int:
        return 2 * self.count

    def submit(self, function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Future[Result]:
        future = self.executor.submit(function, *arguments)
        self.futures.add(future)
        future.add_done_callback(self.futures.discard)
        return future

    def restart(self) -> None:
        raise NotImplementedError

    def stop(self, at_once: bool) -> None:
        """The executor stays as it was, for it is not ours; what we asked of it is called off."""
        for future in tuple(self.futures):
            future.cancel()
        if self.client is not None:
            self.executor.shutdown(wait=False)


Workers = Here | Pool | Given


def workers_for(executor: Executor | DaskClient | None, count: int | None, points: int) -> Workers:
    """`count` None is as many processes as there are cores; one is this process itself."""
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
        raise InputError(f"workers is {count!r}: give a whole number of at least 1")
    if executor is not None:
        if count is not None:
            raise InputError("give an executor or a number of workers, not both")
        return Given(executor)
    wanted = min(count or available(), max(1, points))
    return Here() if wanted == 1 else Pool(wanted)


def available() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def dask_client(address: str) -> DaskClient:
    """A client of the Dask cluster at this address."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError(f"Dask is not installed: {install('dask')}") from None
    try:
        client: DaskClient = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"no Dask scheduler answers at {quoted(address)}: {error or type(error).__name__}") from None
    return client


def prepare_worker() -> None:
    """Ctrl-C is for the parent to answer; and without a parent there is nothing left to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
