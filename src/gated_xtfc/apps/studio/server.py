"""The web server: some files kept in memory, and one websocket. With `door.py` all that knows the web libraries."""

import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from gated_xtfc.apps.studio.door import Door
from gated_xtfc.apps.studio.guard import COOKIE, HEADERS, Guard, name_of
from gated_xtfc.apps.studio.limits import LIMITS, StudioLimits
from gated_xtfc.apps.studio.session import Session
from gated_xtfc.apps.studio.workers import Workers

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
REFUSED, CROWDED = 4403, 4429  # of a websocket


def application(guard: Guard, count: int, limits: StudioLimits = LIMITS) -> Starlette:
    workers = Workers(count, limits)
    # nothing but these can be asked for: no name of a file ever comes from outside
    files = {f"/{file.name}": file for file in PAGE.iterdir() if file.suffix in KINDS}
    contents = {place: (file.read_bytes(), KINDS[file.suffix]) for place, file in files.items()}
    clients: set[WebSocket] = set()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        workers.start()
        yield
        await workers.close()

    async def page(request: Request) -> Response:
        given = request.query_params.get("token")
        if given is not None and guard.is_token(given) and guard.knows(name_of(request.headers.get("host", ""))):
            answer: Response = RedirectResponse("/", 303)  # so that the token does not stay in the address
            answer.set_cookie(COOKIE, given, httponly=True, samesite="strict")
            return answer
        refused = guard.objection(request.headers)
        if refused is not None:
            return PlainTextResponse(f"{refused}\n", 403)
        content = contents.get("/index.html" if request.url.path == "/" else request.url.path)
        if content is None:
            return PlainTextResponse("there is no such page\n", 404)
        return Response(content[0], media_type=content[1])

    async def connect(websocket: WebSocket) -> None:
        await websocket.accept()
        refused = guard.objection(websocket.headers, socket_wanted=True)
        if refused is not None or len(clients) >= limits.clients:
            await websocket.close(REFUSED if refused else CROWDED, refused or "too many pages are open")
            return
        clients.add(websocket)
        session = Session(workers, lambda frame: sent(websocket, frame))
        try:
            while True:
                await session.receive(await websocket.receive_text())
        except (WebSocketDisconnect, KeyError):  # KeyError: a binary message, which no page sends
            pass
        finally:
            clients.discard(websocket)
            await session.close()

    app = Starlette(routes=[WebSocketRoute("/socket", connect), Route("/{path:path}", page)], lifespan=lifespan)
    app.add_middleware(WithoutBody, most=limits.body)
    app.add_middleware(WithHeaders)
    return app


class WithoutBody:
    """Nothing here takes a body: a request that brings one is refused at once, and its connection ended."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal() or int(length[:19]) > self.most:
            answer = PlainTextResponse("the studio takes no content\n", 413, {"connection": "close"})
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)


class WithHeaders:
    """The same headers on every answer, whatever it is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_more)


async def sent(websocket: WebSocket, frame: str | bytes) -> None:
    # a page that is gone needs no answer: its session is about to end
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await (websocket.send_text(frame) if isinstance(frame, str) else websocket.send_bytes(frame))


def serve(listening: socket.socket, guard: Guard, count: int, limits: StudioLimits = LIMITS) -> None:
    """Until it is interrupted."""
    config = uvicorn.Config(
        application(guard, count, limits),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=limits.message,
        ws_per_message_deflate=False,  # local: time matters, bytes do not
        timeout_graceful_shutdown=1,
    )
    Door(config, listening, limits).run()
