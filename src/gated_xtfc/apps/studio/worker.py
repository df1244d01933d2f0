"""One worker: reads jobs from its standard input, writes frames to its standard output, holds nothing of value.

Each message is its length (uint32, little endian) and that many bytes; an answer begins with one letter: R for ready, B
for begun, P for progress, F for the final frame, D where the job was dropped because a newer one is waiting.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
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
        threading.Thread(target=self._listen, daemon=True).start()

    def is_dropped(self, job: object) -> bool:
        return self.dropped == job

    def _listen(self) -> None:
        while len(length := self.source.read(4)) == 4:
            message = json.loads(self.source.read(int.from_bytes(length, "little")))
            if message["kind"] == "drop":
                self.dropped = message["job"]
            else:
                self.jobs.put(message)
        os._exit(0)  # the server is gone, and nobody would end a job that takes too long


class Report:
    """Progress on its way to the page; also where a job learns that nobody waits for it any more."""

    def __init__(self, about: Header, dropped: Callable[[], bool], answer: Callable[[bytes, bytes], None]) -> None:
        self.about = about
        self.dropped = dropped
        self.answer = answer
        self.begun = time.monotonic()

    def __call__(self, told: Header) -> None:
        if self.dropped():
            raise Dropped
        if self.about["kind"] not in LIVE or time.monotonic() - self.begun > QUIET:
            self.answer(b"P", pack({**self.about, "progress": told}))


def main() -> None:
    inbox, answer = Inbox(sys.stdin.buffer), _answering()
    limit_memory(LIMITS.memory)
    warm_up()
    answer(b"R", b"")
    while True:
        message = inbox.jobs.get()
        answer(b"B", b"")
        about: Header = {key: message.get(key) for key in ("id", "kind")}
        report = Report(about, partial(inbox.is_dropped, message.get("job")), answer)
        try:
            with np.errstate(all="ignore"):  # a page is told what went wrong, and the log need not be
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
