"""Whose turn it is: a few places, one of them kept for those who have just come.

Who has had a share of time, and is not done, is one of the slow, and all but one place are for them: what is quick is
not kept waiting by what is not. Among those who have just come, it is first the turn of whose last job was quickest.
Whoever has a place keeps it while nobody waits for it. A first share is shorter the more there are who wait, and those
that follow are twice as long each time; so a slow job comes to its end in some four times the time that it takes.
"""

import asyncio
from dataclasses import dataclass, field


@dataclass(eq=False)
class Place:
    """A place that somebody has, until it is given back."""

    turns: "Turns"
    used: float  # seconds that he has had before
    slow: bool
    given: bool = False

    async def wanted(self) -> None:
        """Until others have a right to it."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        while (left := begun + self.turns.allowed(self.used) - clock()) > 0.0 or not self.turns.claims(self):
            await self.turns.changed(left if left > 0.0 else None)

    def give(self) -> None:
        if not self.given:
            self.given = True
            self.turns.given(self)


@dataclass(order=True)
class Waiting:
    used: float
    usual: float
    number: int
    turn: "asyncio.Future[Place]" = field(compare=False)


class Turns:
    def __init__(self, places: int, share: float, kept: int = 0) -> None:
        self.places = places  # that are free
        self.share = share  # seconds that one may take at first while others wait
        self.kept = kept  # places that the slow leave to others
        self.room = places - kept  # for more of the slow
        self.asked = 0
        self.queue: list[Waiting] = []
        self.news: asyncio.Future[None] | None = None  # whoever has a place looks at the queue again

    async def take(self, used: float = 0.0, usual: float = 0.0) -> Place:
        """Waits for a place; `used` are the seconds that one has had already, `usual` those that it takes as a rule."""
        self.asked += 1
        one = Waiting(used, usual, self.asked, asyncio.get_running_loop().create_future())
        self.queue.append(one)
        self._serve()
        try:
            return await one.turn
        except asyncio.CancelledError:
            if one.turn.done() and not one.turn.cancelled():  # it came too late
                one.turn.result().give()
            self._serve()
            raise

    def given(self, place: Place) -> None:
        self.places += 1
        self.room += place.slow
        self._serve()

    def allowed(self, used: float) -> float:
        """The seconds that one may take now while others wait, who has had some already."""
        longer = max(self.share / (1 + len(self.queue)), used)
        return longer if self.kept else min(self.share, longer)  # where nothing is kept, who has just come waits for it

    def claims(self, place: Place) -> bool:
        """Whether one who has had his share has to leave; he may stay where there is room for one more of the slow."""
        if self.queue and self.kept and not place.slow and self.room > 0:
            place.slow = True
            self.room -= 1
        return any(one.used > 0.0 or not place.slow or not self.kept for one in self.queue)

    async def changed(self, seconds: float | None) -> None:
        """Until the queue is another one, or this time is over."""
        if self.news is None or self.news.done():
            self.news = asyncio.get_running_loop().create_future()
        await asyncio.wait({self.news}, timeout=seconds)

    def _serve(self) -> None:
        """Gives free places to those whose turn it is; who went away is left out."""
        waiting = sorted(one for one in self.queue if not one.turn.done())
        self.queue = []
        for one in waiting:
            slow = one.used > 0.0
            if self.places and (not slow or self.room > 0):
                self.places -= 1
                self.room -= slow
                one.turn.set_result(Place(self, one.used, slow))
            else:
                self.queue.append(one)
        if self.news is not None and not self.news.done():
            self.news.set_result(None)
