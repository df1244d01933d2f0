"""The studio: from slider to curve in a real browser, twenty clients that drag at once, a worker killed in mid-solve.

`python benchmarks/studio.py 5` drags for five seconds instead of sixty, for a trial.
"""

import single_thread  # noqa: F401

# isort: split
import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.apps.studio.frames import unpack
from measure import milliseconds, table

CLIENTS = 20
SECONDS = 60.0
PER_SECOND = os.sysconf("SC_CLK_TCK")
TICK = 1 / 30  # seconds between two positions of a hand
POSITIONS = 150  # of the slider in the browser
LAYER = {
    "equations": ["u' - nu*u'' = 0"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 0", "u(1) = 1"],
    "parameters": {"nu": 1e-4},
}
SHOCK = {
    "equations": ["nu*u'' = u*u' + u"],
    "domain": {"x": [0, 1]},
    "conditions": ["u(0) = 1", "u(1) + u'(1)/2 = -1.7"],
    "parameters": {"nu": 1e-5},
}
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@contextmanager
def studio(log: IO[str] | None = None) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The studio in a process of its own, and its port; what it says of errors goes to a file where one is given."""
    command = [sys.executable, "-m", "gated_xtfc", "studio", "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found is not None
        yield process, int(found[1])
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def measure(seconds: float = SECONDS) -> str:
    parts = []
    for run in (in_browser, lambda: asyncio.run(many(seconds)), lambda: asyncio.run(killed())):
        try:
            parts.append(run())
        except Exception as failure:  # one that cannot be measured must not cost the others
            parts.append(f"Not measured: {type(failure).__name__}: {str(failure).splitlines()[0]}")
    return "\n\n".join(parts)


# ---- one hand, one browser


def in_browser() -> str:
    """The page measures itself: from the event of the slider to the end of drawing, the solve included."""
    from playwright.sync_api import sync_playwright  # no part of the library

    browser = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    rows = []
    with studio() as (process, port), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(FLAGS))
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("[data-figure=neurons]")
        page.wait_for_timeout(2000)  # the other workers get ready
        main_thread = page.context.new_cdp_session(page)
        main_thread.send("Performance.enable", {"timeDomain": "threadTicks"})
        for about in (1e-2, 1e-4, 1e-6):
            before = at_work(process.pid, main_thread)
            waits, solves, events = dragged(page, about)
            work = (at_work(process.pid, main_thread) - before) / len(waits)
            rows.append(
                (
                    f"{about:.0e}",
                    milliseconds(float(np.median(solves))),
                    *(milliseconds(float(np.quantile(waits, share))) for share in (0.1, 0.5, 0.9)),
                    milliseconds(max(waits)),
                    f"{len(waits)} of {events}",
                    ", ".join(milliseconds(float(seconds)) for seconds in work),
                )
            )
        version = chromium.version
        chromium.close()
    header = (
        "nu about", "solve, median ms", "to the curve, 10 % within ms", "median", "90 % within", "longest",
        "positions drawn", "processor ms a position: server, workers, page",
    )  # fmt: skip
    return (
        "From the slider's event to the drawn curve, the solve included; a mouse moves the slider every "
        f"{1e3 * TICK:.0f} ms in headless Chromium {version.split('.')[0]}, without a graphics processor. What is not "
        "drawn was overtaken by a newer position. What the processor has to do for a position, frames that show the "
        "hand included, does not depend on what else the machine is doing, as the times to the curve do.\n\n"
        f"{table(header, rows)}"
    )


def at_work(pid: int, main_thread: Any) -> NDArray[np.float64]:
    """Seconds of processor time so far: of the server, its workers, and the main thread of the page."""
    told = {one["name"]: one["value"] for one in main_thread.send("Performance.getMetrics")["metrics"]}
    worked = sum(map(ticks, children(pid)))
    return np.array([ticks(pid) / PER_SECOND, worked / PER_SECOND, told["TaskDuration"]])


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def dragged(page: Any, about: float) -> tuple[list[float], list[float], int]:
    """Seconds from event to curve, seconds of the solves, and events, while a hand moves to and fro about a value."""
    page.fill("#value-nu", f"{about:.0e}")
    page.wait_for_timeout(800)
    box = page.locator(".slider").bounding_box()
    thumb = 8  # pixels that the thumb keeps off either end
    at = box["x"] + thumb + (box["width"] - 2 * thumb) * (np.log10(about) + 8) / 8
    page.mouse.move(at, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate("performance.clearMeasures(); window.moves = 0; oninput = () => window.moves++")
    solves = []
    for k in range(POSITIONS):
        begun = time.perf_counter()
        # steps of one pixel, so that each is another value
        page.mouse.move(at + 10 * np.sin(0.1 * k) + (k % 2), box["y"] + box["height"] / 2)
        words = page.inner_text('[data-figure="solve"]')
        solves.append(float(words.split()[0]) * (1e-3 if words.endswith("ms") else 1.0))
        time.sleep(max(0.0, TICK - (time.perf_counter() - begun)))
    page.mouse.up()
    page.wait_for_timeout(500)
    waits = page.evaluate("performance.getEntriesByName('slider to curve').map((one) => one.duration)")
    moves = int(page.evaluate("window.moves"))
    return [1e-3 * wait for wait in waits], solves, moves


# ---- many hands


async def many(seconds: float) -> str:
    """Clients that drag and let go; of each position at which a hand rests the answer is awaited."""
    with studio() as (process, port):
        await asyncio.sleep(4)
        before = memory(process.pid)
        found = await asyncio.gather(*(client(port, k, seconds) for k in range(CLIENTS)))
        after = memory(process.pid)
    sent, answered, rests, lost, errors = (sum(one[k] for one in found) for k in range(5))
    waits = [wait for one in found for wait in one[5]]
    rows = [
        ("positions sent", f"{sent}"),
        ("answered (the others were overtaken)", f"{answered}"),
        ("hands at rest", f"{rests}"),
        ("of these without an answer", f"{lost}"),
        ("errors", f"{errors}"),
        ("from rest to its answer, median ms", milliseconds(float(np.median(waits)))),
        ("from rest to its answer, 90 % within ms", milliseconds(float(np.quantile(waits, 0.9)))),
        ("memory of server and workers, MB, before and after", f"{before / 1e6:.0f}, {after / 1e6:.0f}"),
    ]  # fmt: skip
    return (
        f"{CLIENTS} clients drag nu between 1e-1 and 1e-8 for {seconds:.0f} s, {1 / TICK:.0f} positions a second each, "
        f"and rest once a second; on {os.cpu_count()} cores.\n\n{table(('what', 'measured'), rows)}"
    )


async def client(port: int, seed: int, seconds: float) -> tuple[int, int, int, int, int, list[float]]:
    from websockets.asyncio.client import connect  # part of the extra

    random = np.random.default_rng(seed)
    sent = answered = rests = lost = errors = 0
    waits: list[float] = []
    place = f"127.0.0.1:{port}"
    async with connect(f"ws://{place}/socket", origin=f"http://{place}", max_size=None) as socket:
        seen = -1

        async def listen() -> None:
            nonlocal seen, answered, errors
            async for frame in socket:
                header = json.loads(frame) if isinstance(frame, str) else unpack(frame)[0]
                if "progress" not in header:
                    answered += 1
                    errors += header.get("status") != "converged"
                    seen = max(seen, header["id"])

        listening = asyncio.create_task(listen())
        end, power = time.perf_counter() + seconds, random.uniform(-8, -1)
        while time.perf_counter() < end:
            target, steps = random.uniform(-8, -1), int(1 / TICK)
            for k in range(steps):
                nu = 10 ** (power + (target - power) * (k + 1) / steps)
                statement = {**LAYER, "parameters": {"nu": nu}}
                await socket.send(json.dumps({"id": sent, "kind": "solve", "tol": 1e-8, "statement": statement}))
                sent += 1
                await asyncio.sleep(TICK)
            power, rests, begun = target, rests + 1, time.perf_counter()
            while seen < sent - 1 and time.perf_counter() - begun < 10:
                await asyncio.sleep(0.002)
            lost += seen < sent - 1
            waits.append(time.perf_counter() - begun)
        listening.cancel()
    return sent, answered, rests, lost, errors, waits


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def memory(pid: int) -> float:
    """Bytes of the process and its children that are in memory and their own."""
    total = 0
    for one in (pid, *children(pid)):
        status = Path(f"/proc/{one}/status").read_text()
        total += sum(int(found) for found in re.findall(r"RssAnon:\s+(\d+) kB", status)) * 1024
    return float(total)


# ---- a worker dies


async def killed() -> str:
    from websockets.asyncio.client import connect

    rows = []
    with studio() as (process, port):
        await asyncio.sleep(4)
        place = f"127.0.0.1:{port}"
        async with connect(f"ws://{place}/socket", origin=f"http://{place}", max_size=None) as socket:
            for what, doomed in (("undisturbed", 0), ("the worker at it killed", 1), ("all workers killed", 99)):
                begun = time.perf_counter()
                await socket.send(json.dumps({"id": 1, "kind": "solve", "tol": 1e-8, "statement": SHOCK}))
                await asyncio.sleep(0.3)
                for pid in busiest(process.pid)[:doomed]:
                    os.kill(pid, signal.SIGKILL)
                while "progress" in (header := unpack(await asyncio.wait_for(socket.recv(), 60))[0]):
                    pass
                rows.append((what, header.get("status", "no answer"), f"{time.perf_counter() - begun:.2f}"))
                await asyncio.sleep(3)
    return f"A shock at nu = 1e-5, and SIGKILL 0.3 s after the solve began:\n\n{table(('what', 'answer', 's'), rows)}"


def busiest(pid: int) -> list[int]:
    """Workers, the one that has just worked most first."""
    before = {child: ticks(child) for child in children(pid)}
    time.sleep(0.1)
    return sorted(before, key=lambda child: before[child] - ticks(child))


if __name__ == "__main__":
    print(measure(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
