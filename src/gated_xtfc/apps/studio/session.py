"""One page that is connected: of each kind of job one is worked on and one waits, and a newer one takes its place.

So the last position of a slider is always answered, and what came before it never piles up.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gated_xtfc.apps.studio.workers import Died, Job, Workers

KINDS = ("solve", "eigen", "branch", "compare", "data", "infer", "figure", "texts", "gallery")

Send = Callable[[str | bytes], Awaitable[None]]


class Session:
    def __init__(self, workers: Workers, send: Send) -> None:
        self.workers = workers
        self._send = send
        self.turn = asyncio.Lock()
        self.telling: asyncio.Task[None] | None = None  # progress on its way
        self.slots = {kind: Slot(self) for kind in KINDS}

    async def receive(self, text: str) -> None:
        try:
            message = json.loads(text)
            kind, name = message["kind"], message["id"]
            if not isinstance(name, int | str) or not (kind in KINDS or (kind == "stop" and message["what"] in KINDS)):
                raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            await self.tell({"id": None, "kind": "refused", "sentence": "this message is not one of the studio's"})
            return
        if kind == "stop":
            await self.slots[message["what"]].stop(name)
        else:
            await self.slots[kind].put(Job(name, kind, message, self.report))

    async def tell(self, header: dict[str, object]) -> None:
        await self.send(json.dumps(header))

    async def send(self, frame: str | bytes) -> None:
        async with self.turn:
            await self._send(frame)

    async def report(self, frame: bytes) -> None:
        """Progress, which nobody waits for: a page that does not read must not keep a worker from others."""
        if self.telling is None or self.telling.done():
            self.telling = asyncio.get_running_loop().create_task(self.send(frame))

    async def close(self) -> None:
        if self.telling is not None:
            self.telling.cancel()
        for slot in self.slots.values():
            await slot.close()


class Slot:
    """One kind of job of one page."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.waiting: Job | None = None
        self.running: Job | None = None
        self.task: asyncio.Task[None] | None = None
        self.usual: float | None = None  # seconds that the last one took

    async def put(self, job: Job) -> None:
        self.waiting = job
        if self.task is None or self.task.done():
            self.task = asyncio.get_running_loop().create_task(self._work())
        elif self.running is not None:
            await self.running.give_way()

    async def stop(self, name: int | str) -> None:
        """The user's wish: the worker is killed, the page told."""
        stopped = self.waiting or self.running
        await self.close()
        if stopped is not None:
            await self._stopped(stopped, "stopped, as you asked", by=name)

    async def close(self) -> None:
        self.waiting = None
        if self.task is not None and not self.task.done():
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task

    async def _work(self) -> None:
        while self.waiting is not None:
            self.running, self.waiting = self.waiting, None
            self.running.usual = self.running.usual if self.usual is None else self.usual
            try:
                await self._answer(self.running)
            finally:
                self.usual, self.running = self.running.used, None

    async def _answer(self, job: Job) -> None:
        workers = self.session.workers
        try:
            frame = await workers.run(job)
        except TimeoutError:
            allowed = f"{workers.limits.seconds_for(job.kind):g} s"
            sentence = f"this took longer than the {allowed} that the studio allows: try a larger tolerance"
            await self._stopped(job, sentence)
        except Died:
            sentence = "the process that worked on this ended twice: it may need more memory than there is"
            await self._stopped(job, sentence)
        else:
            if frame is not None:
                await self.session.send(frame)

    async def _stopped(self, job: Job, sentence: str, **more: int | str) -> None:
        await self.session.tell({"id": job.id, "kind": job.kind, "stopped": sentence, **more})
