"""The web site of the bench: page, pictures and WebSocket, all under one token that nobody can guess.

Without the token every address is refused, with 403.
"""

import asyncio
import hmac
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from drivers.simulated.bench.web.messages import BadMessageError, Layout, Refusal, decode, encode
from drivers.simulated.bench.web.station import Station, TooManyViewersError, Viewer

PAGE: Final = Path(__file__).with_name("page")
REFUSED: Final = "Wrong or missing token: open the address that `cabinet demo --web` has printed.\n"
_POLICY_VIOLATION, _TRY_LATER = 1008, 1013
_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"private, max-age=3600"),  # the next bench has another token
)


class Guard:
    """Refuses every request whose path does not begin with the token, and sets the headers of all answers."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        said = scope["path"].split("/")[1].encode()

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if hmac.compare_digest(said, self._token):
            await self._app(scope, receive, with_headers)
        elif scope["type"] == "websocket":
            # before it is accepted: the server answers with 403
            await WebSocket(scope, receive, send).close(_POLICY_VIOLATION)
        else:
            await PlainTextResponse(REFUSED, 403)(scope, receive, with_headers)


def site(station: Station, layout: Layout, token: str, *, art: Path, tickets: Path) -> Starlette:
    """Return the site of `station`; `art` has the bench's pictures, `tickets` those of the printed tickets."""
    description = encode(layout)

    async def index(_request: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    async def socket(browser: WebSocket) -> None:
        await browser.accept()
        try:
            viewer = station.enter()
        except TooManyViewersError as error:
            await browser.send_text(encode(Refusal(str(error))))
            await browser.close(_TRY_LATER)
            return
        try:
            await browser.send_text(description)
            await _both(_send_news(browser, station, viewer), _receive(browser, station, viewer))
        except WebSocketDisconnect:
            return
        finally:
            station.leave(viewer)

    return Starlette(
        routes=[
            Mount(
                f"/{token}",
                routes=[
                    Route("/", index),
                    WebSocketRoute("/socket", socket),
                    Mount("/art", StaticFiles(directory=art)),
                    Mount("/tickets", StaticFiles(directory=tickets, check_dir=False)),
                    Mount("/", StaticFiles(directory=PAGE)),
                ],
            )
        ],
        middleware=[Middleware(Guard, token=token)],
    )


async def _both(sending: Awaitable[None], receiving: Awaitable[None]) -> None:
    """Send and receive until one of the two ends; raise its error."""
    tasks = [asyncio.ensure_future(sending), asyncio.ensure_future(receiving)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _send_news(browser: WebSocket, station: Station, viewer: Viewer) -> None:
    while True:
        if (change := station.change(viewer)) is not None:
            await browser.send_text(encode(change))
        if (picture := station.picture(viewer)) is not None:
            await browser.send_bytes(picture)
        await station.turn()


async def _receive(browser: WebSocket, station: Station, viewer: Viewer) -> None:
    while True:
        message = await browser.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            station.receive(viewer, decode(message.get("text") or ""))
        except BadMessageError as error:
            await browser.send_text(encode(Refusal(str(error))))
