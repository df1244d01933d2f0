"""Whose turn it is: a few places, given to those first who have had least time so far.

Whoever has a place keeps it while nobody waits; when others do and its share of time is over, it gives way. A share is
shorter the more there are who wait, and twice as long each time: what is quick is not kept waiting by what is not.
"""

import asyncio
import heapq


class Turns:
    def __init__(self, places: int, share: float) -> None:
        self.places = places  # that are free
        self.share = share  # seconds that one may take while others wait
        self.crowded = asyncio.Event()  # somebody waits
        self.asked = 0
        self.queue: list[tuple[float, int, asyncio.Future[None]]] = []

    async def take(self, used: float) -> None:
        """Waits for a place; `used` are the seconds that one has had already."""
        if self.places:
            self.places -= 1
            return
        self.asked += 1
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self.queue, (used, self.asked, turn))
        self._look()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came too late
                self.give()
            self._look()
            raise

    def give(self) -> None:
        """The place is free again."""
        self._look()
        if self.queue:
            heapq.heappop(self.queue)[2].set_result(None)
        else:
            self.places += 1
        self._look()

    def allowed(self, used: float) -> float:
        """The seconds that one may take now while others wait, who has had some already."""
        return min(self.share, max(self.share / (1 + len(self.queue)), used))

    def _look(self) -> None:
        """Without those who went away."""
        left = [entry for entry in self.queue if not entry[2].done()]
        if len(left) < len(self.queue):
            self.queue[:] = left
            heapq.heapify(self.queue)
        if self.queue:
            self.crowded.set()
        else:
            self.crowded.clear()
