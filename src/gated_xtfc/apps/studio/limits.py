"""What the studio allows: a page may be left open to many, so nothing it asks for is without end."""

from dataclasses import dataclass

LONG = frozenset({"compare", "infer", "figure", "branch"})  # jobs that take seconds rather than milliseconds


@dataclass(frozen=True)
class StudioLimits:
    message: int = 1_000_000  # bytes of one message from the page
    text: int = 4_000  # characters of one equation, condition or value
    texts: int = 40  # equations, conditions, parameters: of each
    neurons: int = 6_000
    plane_neurons: int = 40_000
    seconds: float = 20.0  # of one solve
    long_seconds: float = 180.0  # of a comparison or an inference
    share: float = 0.6  # seconds of a solve, at the most, while others wait for a worker
    long_share: float = 15.0
    connections: int = 512  # that have not asked for anything yet, or wait for an answer
    connection_seconds: float = 20.0  # of one that does not become a page's: nothing it may ask for takes as long
    grace: float = 0.1  # of one that has just come, in which nobody ends it to make room
    body: int = 0  # bytes that a request may bring: nothing that can be asked for takes any
    data: int = 5_000  # points
    clients: int = 64
    memory: int = 3 << 30  # bytes of address space of one worker, where the system can limit it

    def seconds_for(self, kind: str) -> float:
        return self.long_seconds if kind in LONG else self.seconds


LIMITS = StudioLimits()
