"""Worker processes: a few at work, one more waiting warm. One that dies, or does not end when asked, is replaced."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass

from gated_xtfc.apps.studio.limits import LONG, StudioLimits
from gated_xtfc.apps.studio.turns import Place, Turns
from gated_xtfc.threads import ONE

COMMAND = (sys.executable, "-m", "gated_xtfc.apps.studio.worker")
SPARE = 1  # more than there are at work, so that replacements cost no wait
RETRY = 2.0  # seconds between attempts to start a worker where that fails
PATIENCE = 1.0  # seconds after which a solve gives way to a newer one
NOTICE = 1.0  # seconds in which a worker whose job is not wanted may end it; others do its work meanwhile
UNKNOWN = 0.5  # seconds that a page's first job of a kind is taken to take

Forward = Callable[[bytes], Awaitable[None]]


class Died(Exception):
    """The process ended in the middle of a job, or before it began with it."""

    def __init__(self, begun: bool) -> None:
        super().__init__()
        self.begun = begun


class Unfinished(Exception):
    """The job gave its place to others, and begins again when it is its turn."""


class Worker:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def started(cls) -> "Worker":
        """At work on its imports: its first word says when it is ready."""
        environment = {**os.environ, **ONE}
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=pipe, stdout=pipe, env=environment, limit=1 << 20, start_new_session=True
        )
        return cls(process)

    async def ask(self, message: dict[str, object], progress: Forward) -> bytes | None:
        """The final frame, None where the job gave way to a newer one."""
        begun = False
        try:
            await self.write(message)
            while True:
                letter, frame = await self.read()
                if letter in (b"F", b"D"):
                    return frame if letter == b"F" else None
                begun = True
                if letter == b"P":
                    await progress(frame)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Died(begun) from error

    async def write(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        text = json.dumps(message).encode()
        self.process.stdin.write(len(text).to_bytes(4, "little") + text)
        await self.process.stdin.drain()

    async def read(self) -> tuple[bytes, bytes]:
        assert self.process.stdout is not None
        length = int.from_bytes(await self.process.stdout.readexactly(4), "little")
        content = await self.process.stdout.readexactly(length)
        return content[:1], content[1:]

    async def drop(self, number: int) -> None:
        """Asks it to end this job at the next opportunity."""
        with suppress(ConnectionError):
            await self.write({"kind": "drop", "job": number})

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()


class Workers:
    def __init__(self, count: int, limits: StudioLimits) -> None:
        self.limits = limits
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        self.all: set[Worker] = set()
        places, long_places = max(count, 2), max(count - 1, 1)  # long jobs never take every worker
        self.turns = Turns(places, limits.share, kept=1)
        self.long_turns = Turns(long_places, limits.long_share)
        self.count = places + long_places + SPARE
        self.tasks: set[asyncio.Task[None]] = set()
        self.jobs = 0

    def start(self) -> None:
        for _ in range(self.count):
            self._later(self._start())

    async def _start(self) -> None:
        worker = await Worker.started()
        self.all.add(worker)
        try:
            await worker.read()
        except asyncio.IncompleteReadError:  # its own words are on stderr
            await asyncio.sleep(RETRY)
            self._replace(worker)
        else:
            self.free.put_nowait(worker)

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        for worker in self.all:
            worker.kill()
        for worker in self.all:
            await worker.process.wait()

    async def run(self, job: "Job") -> bytes | None:
        """The frame that answers a job, None where it gave way; raises TimeoutError where it took longer than allowed.

        A worker that dies in the middle is not the job's fault the first time: it is done once more. One that was dead
        before does not count. While others wait, a job has its share of time and then begins anew behind them; all
        its times together are what is allowed.
        """
        deaths, turns = 0, self.long_turns if job.kind in LONG else self.turns
        while not job.stale:
            place = await turns.take(job.used, job.usual)
            try:
                return await self._once(job, place)
            except Unfinished:
                pass
            except Died as death:
                deaths += death.begun
                if deaths > 1:
                    raise
            finally:
                place.give()
        return None

    async def _once(self, job: "Job", place: Place) -> bytes | None:
        worker, clock = await self._take(), asyncio.get_running_loop().time
        self.jobs += 1
        job.worker, job.number, job.begun = worker, self.jobs, clock()
        asked = asyncio.ensure_future(worker.ask({**job.message, "job": job.number}, job.told_by(job.number)))
        wanted = asyncio.ensure_future(place.wanted())
        left = self.limits.seconds_for(job.kind) - job.used
        try:
            await asyncio.wait({asked, wanted}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise Unfinished if wanted.done() else TimeoutError
            answer = await asked
        except BaseException:  # stopped, too long, or dead: it is not waited for
            self._later(self._recover(worker, asked, job.number))
            raise
        finally:
            wanted.cancel()
            job.used += clock() - job.begun
            job.worker = None
        self.free.put_nowait(worker)
        if answer is None and not job.stale:
            raise Unfinished
        return answer

    async def _recover(self, worker: Worker, asked: "asyncio.Future[bytes | None]", number: int) -> None:
        """What it does is of no use any more: it ends that soon, or is ended."""
        if not asked.done():
            await worker.drop(number)
            await asyncio.wait({asked}, timeout=NOTICE)
        ended = asked.done() and not asked.cancelled() and asked.exception() is None
        if ended:
            self.free.put_nowait(worker)
        else:
            asked.cancel()
            self._replace(worker)

    async def _take(self) -> Worker:
        while True:
            worker = await self.free.get()
            if worker.process.returncode is None:
                return worker
            self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        worker.kill()
        self._later(self._bury(worker))
        self._later(self._start())

    async def _bury(self, worker: Worker) -> None:
        await worker.process.wait()
        self.all.discard(worker)

    def _later(self, work: Coroutine[object, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)  # the loop itself would forget it
        task.add_done_callback(self.tasks.discard)


@dataclass(eq=False)
class Job:
    """One message of the page on its way: where its progress goes, who works on it, since when."""

    id: int | str  # by which the page knows it
    kind: str
    message: dict[str, object]
    progress: Forward
    worker: Worker | None = None
    number: int = 0  # by which the worker knows it
    begun: float = 0.0
    usual: float = UNKNOWN  # seconds that the last of this kind took on this page
    used: float = 0.0  # seconds that it had before it gave its place to others
    stale: bool = False  # a newer one of the same page waits, and this one has had its time

    def told_by(self, number: int) -> Forward:
        """Progress of one attempt; what comes of it after its end is not passed on."""

        async def passed_on(frame: bytes) -> None:
            if self.worker is not None and self.number == number:
                await self.progress(frame)

        return passed_on

    async def give_way(self) -> None:
        """A newer one waits: where this one has had its time, it is asked to end."""
        here = asyncio.get_running_loop().time() - self.begun if self.worker is not None else 0.0
        self.stale = self.stale or self.used + here > PATIENCE
        if self.stale and self.worker is not None:
            await self.worker.drop(self.number)
