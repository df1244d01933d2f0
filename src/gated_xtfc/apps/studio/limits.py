"""What the studio allows: a page may be left open to many, so nothing it asks for is without end."""

from dataclasses import dataclass

LONG = frozenset({"compare", "infer", "figure"})  # jobs that take seconds rather than milliseconds


@dataclass(frozen=True)
class StudioLimits:
    message: int = 1_000_000  # bytes of one message from the page
    text: int = 4_000  # characters of one equation, condition or value
    texts: int = 40  # equations, conditions, parameters: of each
    neurons: int = 6_000
    seconds: float = 20.0  # of one solve
    long_seconds: float = 180.0  # of a comparison or an inference
    data: int = 5_000  # points
    clients: int = 64
    memory: int = 3 << 30  # bytes of address space of one worker, where the system can limit it

    def seconds_for(self, kind: str) -> float:
        return self.long_seconds if kind in LONG else self.seconds


LIMITS = StudioLimits()
