"""Who is let in: connections come one by one, and go when they are in the way.

Many may come at once, and between two of them what the others have said is read: so who asks at once is answered at
once, however many come behind it and say nothing.
"""

import asyncio
import logging
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from gated_xtfc.apps.studio.limits import StudioLimits

QUEUE = 2048  # who may stand outside: the system has its own limit too
TURN = 0.01  # seconds until it is looked again whether somebody can go
# what strangers send is their affair: only what goes wrong here is for the log
QUIET = logging.getLogger("gated_xtfc.studio.connection")
QUIET.setLevel(logging.ERROR)


class Door(uvicorn.Server):
    """A server that bounds how many connections neither are a page's nor have had their answer."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket, limits: StudioLimits) -> None:
        super().__init__(config)
        self.listening, self.limits = listening, limits
        self.waiting: dict[Connection, asyncio.TimerHandle] = {}  # the oldest first

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])  # listens to nothing itself: it would let in all at once
        self.listening.setblocking(False)
        self.listening.listen(QUEUE)
        self.letting_in = asyncio.create_task(self.let_in())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.letting_in.cancel()
        await super().shutdown([self.listening])

    async def let_in(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self.room(self.limits.connections)
            try:
                accepted, _ = await loop.sock_accept(self.listening)
                await loop.connect_accepted_socket(lambda: Connection(self), accepted)
            except OSError:  # as many files are open as may be, or who came is gone already
                await self.room(max(1, len(self.waiting)))
                await asyncio.sleep(TURN)

    async def room(self, most: int) -> None:
        """Until fewer wait: the oldest ends, of those first that have not asked for anything, and none that has only
        just come.
        """
        while len(self.waiting) >= most:
            oldest = next((one for one in self.waiting if one.cycle is None), None) or next(iter(self.waiting))
            if oldest.had_time:
                oldest.end()
            else:
                await asyncio.sleep(TURN)


class Connection(H11Protocol):
    """One that ends where it neither becomes a page's nor is done within its time."""

    def __init__(self, door: Door) -> None:
        super().__init__(door.config, door.server_state, door.lifespan.state)
        self.door, self.logger, self.had_time = door, QUIET, False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # timers are looked at after what has been said is read: a pause of the whole process takes no time from anybody
        self.door.waiting[self] = self.loop.call_later(self.door.limits.grace, self.grow_old)

    def grow_old(self) -> None:
        self.had_time = True
        left = self.door.limits.connection_seconds - self.door.limits.grace
        self.door.waiting[self] = self.loop.call_later(left, self.end)

    def connection_lost(self, exc: Exception | None) -> None:
        self.let_be()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self.let_be()  # it is a page's now: what that may do is limited elsewhere
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        if self.cycle is not None:  # what began as a request is none, and is answered here
            self.cycle.disconnected = True
        super().send_400_response(msg)

    def end(self) -> None:
        self.let_be()
        self.transport.abort()

    def let_be(self) -> None:
        timer = self.door.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()
