"""The studio under attack: are others answered in a second, is memory bounded, is the log clean?

`python benchmarks/attack.py [--sockets 1000] [--seconds 8]`. While strangers do one thing after another, an honest
visitor fetches the page, and a page of his has its equation solved, again and again; the longest wait of either is
printed.
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import contextlib
import http.client
import json
import math
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from gated_xtfc.apps.studio.frames import unpack
from measure import table
from studio import LAYER, studio

SOCKETS, SECONDS = 1000, 8.0
MEGABYTES = 10 * 2**20
PATIENCE = 30.0  # seconds after which nobody waits any more
PAUSE = 0.05  # between two questions of the honest
# three shocks that have to be followed a long way: half a minute of work each
ENDLESS = {
    "equations": [f"nu*{u}'' = {u}*{u}' + {u}" for u in "uvw"],
    "domain": {"x": [0, 1]},
    "conditions": [text for u in "uvw" for text in (f"{u}(0) = 1", f"{u}(1) + {u}'(1)/2 = -1.7")],
    "parameters": {"nu": 1e-12},
}
MALFORMED = (
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://[\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"G\x00T / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    b"GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://evil.example"
    b"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    os.urandom(4096),
)


@dataclass
class Honest:
    """Who only wants the page, or a solution of a layer, over and over; the waits are kept."""

    port: int
    page: list[float] = field(default_factory=list)
    solve: list[float] = field(default_factory=list)
    memory: float = 0.0  # the largest, of the studio and its workers together
    over: bool = False

    def fetch(self) -> None:
        while not self.over:
            self.page.append(waited(lambda: fetched(self.port)))
            time.sleep(PAUSE)

    def ask(self, page: ClientConnection) -> None:
        with page:
            number = 1
            while not self.over:
                number += 1
                asked = {"kind": "solve", "id": number, "tol": 1e-8, "statement": LAYER}
                self.solve.append(waited(lambda asked=asked: solved(page, asked)))  # type: ignore[misc]
                time.sleep(PAUSE)

    def weigh(self, pid: int) -> None:
        while not self.over:
            self.memory = max(self.memory, resident(pid))
            time.sleep(PAUSE)


def waited(run: Callable[[], None]) -> float:
    begun = time.perf_counter()
    try:
        run()
    except (OSError, ConnectionClosed, TimeoutError):
        return math.inf
    return time.perf_counter() - begun


def longest(waits: list[float]) -> str:
    """In milliseconds."""
    wait = max(waits, default=math.inf)
    return f"{1e3 * wait:.0f}" if math.isfinite(wait) else "one was not answered"


def fetched(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise ConnectionError(answer.status)


def solved(page: ClientConnection, asked: dict[str, object]) -> None:
    page.send(json.dumps(asked))
    header: dict[str, object] = {"progress": True}
    while "progress" in header or header.get("id") != asked["id"]:
        header, _ = unpack(page.recv(timeout=PATIENCE))  # type: ignore[arg-type]
    if header.get("status") != "converged":
        raise ConnectionError(header)


def page_of(port: int, size: int | None = None) -> ClientConnection:
    place = f"127.0.0.1:{port}"
    return connect(f"ws://{place}/socket", origin=f"http://{place}", max_size=size)  # type: ignore[arg-type]


def resident(pid: int) -> float:
    """Megabytes of a process and its children."""
    total = 0.0
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in (str(pid), *children):
            pages = int(Path(f"/proc/{one}/statm").read_text().split()[1])
            total += pages * os.sysconf("SC_PAGESIZE") / 2**20
    return total


def opened(port: int, said: bytes) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), timeout=2.0)
    with contextlib.suppress(OSError):
        one.sendall(said)
    return one


def nothing(port: int, until: float, sockets: int) -> str:
    time.sleep(max(0.0, until - time.perf_counter()))
    return "nobody else is there"


def malformed(port: int, until: float, sockets: int) -> str:
    """Each must be refused with a status from 400 on, its connection ended, or a page's before it says a word."""
    tried, let_in = 0, 0
    while time.perf_counter() < until:
        for said in MALFORMED:
            tried += 1
            with contextlib.suppress(OSError), opened(port, said) as one:
                answer = one.recv(65536)
                if answer[9:12] == b"101":  # then the next frame is the one that closes it
                    frame = answer.partition(b"\r\n\r\n")[2] or one.recv(65536)
                    let_in += frame[:1] != b"\x88"
                let_in += answer[9:12] == b"200"
    return f"{tried} requests, {let_in} let in"


def large_bodies(port: int, until: float, sockets: int) -> str:
    """Ten megabytes after a request, in pieces, and as one message of a page."""
    sent, block = 0, b"x" * 2**16
    while time.perf_counter() < until:
        for header in (b"Content-Length: %d\r\n\r\n" % MEGABYTES, b"Transfer-Encoding: chunked\r\n\r\n10000\r\n"):
            with (
                contextlib.suppress(OSError),
                opened(port, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + header) as one,
            ):
                for _ in range(MEGABYTES // len(block)):
                    one.sendall(block)
            sent += 1
        with contextlib.suppress(ConnectionClosed, OSError), page_of(port) as page:
            page.send("x" * MEGABYTES)
            page.recv(timeout=2.0)
        sent += 1
    return f"{sent} bodies of 10 MB"


def half_open(port: int, until: float, sockets: int) -> str:
    """Connections that begin a request and say no more."""
    many: list[socket.socket] = []
    for _ in range(sockets):
        with contextlib.suppress(OSError):
            many.append(opened(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"))
    time.sleep(max(0.0, until - time.perf_counter()))
    for one in many:
        one.close()
    return f"{len(many)} connections"


def slow_readers(port: int, until: float, sockets: int) -> str:
    """Who asks for much and reads none of it, over HTTP and as a page."""
    asked = b"GET /main.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    many = []
    for _ in range(50):
        with contextlib.suppress(OSError):
            many.append(opened(port, asked * 500))
    with contextlib.ExitStack() as open_pages:
        pages = []
        for _ in range(10):
            with contextlib.suppress(OSError, InvalidHandshake):
                pages.append(open_pages.enter_context(page_of(port)))
        number = 0
        while time.perf_counter() < until:
            for page in pages:
                number += 1
                with contextlib.suppress(ConnectionClosed, OSError):
                    page.send(json.dumps({"kind": "solve", "id": number, "tol": 1e-8, "statement": LAYER}))
            time.sleep(PAUSE)
    for one in many:
        one.close()
    return f"{len(many)} connections and {len(pages)} pages that do not read, {number} solves"


def endless(port: int, until: float, sockets: int) -> str:
    """Pages whose equations take half a minute each."""
    with contextlib.ExitStack() as open_pages:
        pages = [open_pages.enter_context(page_of(port)) for _ in range(12)]
        for number, page in enumerate(pages):
            page.send(json.dumps({"kind": "solve", "id": number, "tol": 1e-8, "statement": ENDLESS}))
        time.sleep(max(0.0, until - time.perf_counter()))
    return f"{len(pages)} pages"


ATTACKS: dict[str, Callable[[int, float, int], str]] = {
    "none": nothing,
    "foreign Host and Origin, malformed headers": malformed,
    "large bodies": large_bodies,
    "half-open connections": half_open,
    "slow readers": slow_readers,
    "endless equations": endless,
}


def besieged(name: str, sockets: int, seconds: float, log: Path) -> tuple[str, ...]:
    """What the honest felt of one attack, and what the studio's log says afterwards."""
    with log.open("w") as said, studio(said) as (process, port):
        honest = Honest(port)
        for _ in range(5):
            fetched(port)
        page = page_of(port)
        solved(page, {"kind": "solve", "id": 1, "tol": 1e-8, "statement": LAYER})  # the workers are ready
        threads = [
            threading.Thread(target=honest.fetch),
            threading.Thread(target=honest.ask, args=(page,)),
            threading.Thread(target=honest.weigh, args=(process.pid,)),
        ]
        for one in threads:
            one.start()
        done = ATTACKS[name](port, time.perf_counter() + seconds, sockets)
        honest.over = True
        for one in threads:
            one.join()
        fetched(port)
    lines = [line for line in log.read_text().splitlines() if line.strip()]
    return (
        name, done, longest(honest.page), longest(honest.solve), str(len(honest.solve)), f"{honest.memory:.0f}",
        str(len(lines)),
    )  # fmt: skip


HEADER = (
    "attack", "how much of it", "longest wait for the page, ms", "longest wait for a solution, ms", "solutions",
    "most memory, MB", "lines in the log",
)  # fmt: skip


def measure(sockets: int = SOCKETS, seconds: float = SECONDS) -> str:
    with tempfile.TemporaryDirectory() as folder:
        rows = [besieged(name, sockets, seconds, Path(folder, "log")) for name in ATTACKS]
    return (
        "The studio in a process of its own, with its own limits, while strangers do the worst they can for some "
        f"seconds each ({seconds:g}, or until all is sent). Attackers and the honest share the machine. Memory is that "
        "of the server and its workers together; the log is all that it writes to standard error.\n\n"
        + table(HEADER, rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=SOCKETS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    asked = parser.parse_args()
    print(measure(asked.sockets, asked.seconds))


if __name__ == "__main__":
    main()
