"""One worker: reads jobs from its standard input, writes frames to its standard output, holds nothing of value.

Each message is its length (uint32, little endian) and that many bytes; an answer begins with one letter: R for ready, B
for begun, P for progress, F for the final frame, D where the job was dropped because a newer one is waiting.
"""

import _thread
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import BinaryIO

import numpy as np

from gated_xtfc.apps.studio.frames import Header, Message, pack
from gated_xtfc.apps.studio.jobs import JOBS, Dropped
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.statement import Located
from gated_xtfc.errors import InputError

LIVE = ("solve", "eigen")  # as a slider moves: told about only where they take long
QUIET = 0.25  # seconds in which a solve reports nothing


class Inbox:
    """Jobs in their order; the name of one that is to be dropped arrives while it is being worked on."""

    def __init__(self, source: BinaryIO) -> None:
        self.source = source
        self.jobs: SimpleQueue[Message] = SimpleQueue()
        self.dropped: object = None
        self.at_work: object = None  # the job that may be interrupted
        signal.signal(signal.SIGINT, self._interrupt)
        threading.Thread(target=self._listen, daemon=True).start()

    def is_dropped(self, job: object) -> bool:
        return self.dropped == job

    @contextmanager
    def interruptible(self, job: object) -> Iterator[None]:
        """Work that ends at its next step where its job is dropped."""
        self.at_work = job
        try:
            yield
        finally:
            self.at_work = None

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.at_work is None or not self.is_dropped(self.at_work):
            return
        while frame is not None:  # a module that is half imported is of no use to the next job
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return
            frame = frame.f_back
        raise Dropped

    def _listen(self) -> None:
        while len(length := self.source.read(4)) == 4:
            message = json.loads(self.source.read(int.from_bytes(length, "little")))
            if message["kind"] == "drop":
                self.dropped = message["job"]
                _thread.interrupt_main()
            else:
                self.jobs.put(message)
        os._exit(0)  # the server is gone, and nobody would end a job that takes too long


class Report:
    """Progress on its way to the page; also where a job learns that nobody waits for it any more."""

    def __init__(self, about: Header, job: object, inbox: Inbox, answer: Callable[[bytes, bytes], None]) -> None:
        self.about = about
        self.job = job
        self.inbox = inbox
        self.answer = answer
        self.begun = time.monotonic()

    def __call__(self, told: Header) -> None:
        self.inbox.at_work = None  # a frame is written whole
        if self.about["kind"] not in LIVE or time.monotonic() - self.begun > QUIET:
            self.answer(b"P", pack({**self.about, "progress": told}))
        self.inbox.at_work = self.job
        if self.inbox.is_dropped(self.job):
            raise Dropped


def main() -> None:
    inbox, answer = Inbox(sys.stdin.buffer), _answering()
    limit_memory(LIMITS.memory)
    sys.unraisablehook = unheard(sys.unraisablehook)
    warm_up()
    answer(b"R", b"")
    while True:
        message = inbox.jobs.get()
        answer(b"B", b"")
        about: Header = {key: message.get(key) for key in ("id", "kind")}
        job = message.get("job")
        report = Report(about, job, inbox, answer)
        try:
            # a page is told what went wrong, and the log need not be
            with np.errstate(all="ignore"), inbox.interruptible(job):
                header, arrays = JOBS[str(message["kind"])](message, report)
            answer(b"F", pack({**about, **header}, arrays))
        except Dropped:
            answer(b"D", b"")
        except Exception as error:
            answer(b"F", pack({**about, "wrong": explained(error)}))


def explained(error: Exception) -> dict[str, str]:
    """One sentence and the field it belongs to."""
    if isinstance(error, Located):
        return {"field": error.field, "sentence": str(error)}
    if isinstance(error, InputError):
        return {"field": "", "sentence": str(error)}
    if isinstance(error, MemoryError):
        return {"field": "", "sentence": "not enough memory for this problem: try a larger tolerance"}
    return {"field": "", "sentence": f"a bug in gated-xtfc, please report it: {type(error).__name__}: {error}"}


def unheard(hook: Callable[["sys.UnraisableHookArgs"], object]) -> Callable[["sys.UnraisableHookArgs"], None]:
    """An interruption in a place that cannot raise is lost, and is heard of at the next progress."""

    def without(told: "sys.UnraisableHookArgs") -> None:
        if told.exc_type is not Dropped:
            hook(told)

    return without


def warm_up() -> None:
    """What the first solve would wait for."""
    stated = {"equations": ["u' - nu*u'' = 0"], "domain": {"x": [0, 1]}, "conditions": ["u(0) = 0", "u(1) = 1"]}
    message = {"statement": {**stated, "parameters": {"nu": 0.01}}, "tol": 1e-8}
    JOBS["solve"](message, lambda told: None)


def limit_memory(size: int) -> None:
    try:
        import resource  # not on every system
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _answering() -> Callable[[bytes, bytes], None]:
    """Whatever a library prints must not get between the frames: it goes where errors go."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(letter: bytes, frame: bytes) -> None:
        out.write((1 + len(frame)).to_bytes(4, "little") + letter + frame)
        out.flush()

    return answer


if __name__ == "__main__":
    main()
