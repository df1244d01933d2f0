"""The studio in a process of its own, as a user starts it: what its tests and its benchmark share."""

import http.client
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from websockets.sync.client import ClientConnection, connect

LAYER = {
    "equations": ["u' - nu*u'' = 0"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 0", "u(1) = 1"],
    "parameters": {"nu": 1e-2},
}
# thousands of waves: a second of work, within the neurons that the studio allows
SLOW = {
    "equations": ["eps**2*u'' + (1 + 0.5*sin(3*x))*u = cos(x)"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 0", "u(1) = 1"],
    "parameters": {"eps": 1e-4},
}
# three shocks that have to be followed a long way: half a minute, which no test waits for
LONG = {
    "equations": [f"nu*{u}'' = {u}*{u}' + {u}" for u in "uvw"],
    "domain": {"x": [0, 1]},
    "conditions": [text for u in "uvw" for text in (f"{u}(0) = 1", f"{u}(1) + {u}'(1)/2 = -1.7")],
    "parameters": {"nu": 1e-12},
}
PATIENCE = 120  # seconds for what is sure to happen: a busy machine takes its time, a failure ends all the same


@dataclass(frozen=True)
class Studio:
    port: int
    process: subprocess.Popen[str]
    address: str

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def connect(self, origin: str | None = None, **headers: str) -> ClientConnection:
        place = f"127.0.0.1:{self.port}"
        return connect(
            f"ws://{place}/socket",
            origin=origin or f"http://{place}",  # type: ignore[arg-type]
            additional_headers=headers,
            max_size=None,
        )

    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]


LIMITED = """
import sys
from dataclasses import replace
from gated_xtfc.apps import cli, studio_command
studio_command.LIMITS = replace(studio_command.LIMITS, **{limits!r})
sys.exit(cli.main(sys.argv[1:]))
"""


def started(*options: str, port: int = 0, log: IO[str] | None = None, **limits: float) -> Iterator[Studio]:
    """The studio in a process of its own, with other limits where they are given; it ends when the generator does."""
    run = ["-c", LIMITED.format(limits=limits)] if limits else ["-m", "gated_xtfc"]
    command = [sys.executable, *run, "studio", "--port", str(port), "--no-browser", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        port = re.search(r":(\d+)/", address[0])
        assert port is not None
        yield Studio(int(port[1]), process, address[0])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None
        process.stdout.close()
