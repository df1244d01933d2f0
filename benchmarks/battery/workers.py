"""Cases solved in processes of their own, each with a limit of time and of memory; what exceeds it is a verdict too."""

import multiprocessing as processes
import os
import resource
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import perf_counter

from battery import make
from battery.judge import Verdict, failed, judged, with_floor

SECONDS = 60.0  # of a processor's time for a case, its reference included: others may use the machine as well
BYTES = 6 * 2**30
Name = tuple[str, int]  # of a case: family and seed


def serve(connection: Connection) -> None:
    """Judges the cases that are named, one after the other."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    while True:
        case = make(*connection.recv())
        connection.send(with_floor(case, judged(case)))


class Worker:
    """A process that is given one case at a time."""

    def __init__(self) -> None:
        context = processes.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def give(self, name: Name) -> None:
        self.name, self.begun = name, self.clock()
        self.connection.send(name)

    def clock(self) -> float:
        """Seconds of work so far; those of a clock on the wall where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return perf_counter()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def seconds(self) -> float:
        return self.clock() - self.begun

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    def lost(self, outcome: str, status: str) -> Verdict:
        return failed(self.name, outcome, status, self.seconds)


def verdicts(names: Iterable[Name], jobs: int) -> Iterator[Verdict]:
    """As they come: the order is that of the names only with one job."""
    waiting = iter(names)
    idle: list[Worker] = [Worker() for _ in range(jobs)]
    busy: dict[Connection, Worker] = {}
    while True:
        while idle and (name := next(waiting, None)) is not None:
            worker = idle.pop()
            worker.give(name)
            busy[worker.connection] = worker
        if not busy:
            break
        for connection in wait(list(busy), timeout=1.0):
            worker = busy.pop(connection)
            try:
                yield connection.recv()
                idle.append(worker)
            except EOFError:
                yield worker.lost("exception", "the process died")
                worker.end()
                idle.append(Worker())
        for worker in [worker for worker in busy.values() if worker.seconds > SECONDS]:
            del busy[worker.connection]
            yield worker.lost("slow", "over the time limit")
            worker.end()
            idle.append(Worker())
    for worker in idle:
        worker.end()
