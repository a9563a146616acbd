"""Serve the cabinet's front to a browser: `python -m drivers.simulated.bench.web --run DIR --baked build/baked`.

Writes its address, with the token in it, into DIR/bench.url once it is served, and removes the file when it ends.
Exit codes: 0 ended; 1 the port is taken, or the bench's pictures cannot be baked; 2 wrong usage.
"""

import asyncio
import os
import secrets
import signal
import socket
import sys
from pathlib import Path

import click
import uvicorn

from drivers.simulated.bench.bake import BakeError, bake
from drivers.simulated.bench.options import BAKED
from drivers.simulated.bench.web.messages import LONGEST
from drivers.simulated.bench.web.parts import described
from drivers.simulated.bench.web.pictures import jpeg
from drivers.simulated.bench.web.site import site
from drivers.simulated.bench.web.station import Station
from drivers.simulated.front import TICKETS_FOLDER

ADDRESS = "bench.url"
_TOKEN_BYTES = 16


@click.command()
@click.option(
    "--run", type=click.Path(path_type=Path, file_okay=False), required=True, help="The run directory of the hardware."
)
@BAKED
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; 0 is any that is free.")
def main(run: Path, baked: Path, host: str, port: int) -> None:
    """Serve the cabinet's front to a browser."""
    try:
        art = bake(baked, 1)
        listener = _listener(host, port)
    except BakeError as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"bench: cannot listen on {host} port {port}: {error.strerror}; name another --port", err=True)
        sys.exit(1)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    address = run / ADDRESS
    try:
        with listener:
            asyncio.run(_serve(run, art, listener, token, address))
    finally:
        address.unlink(missing_ok=True)


def _listener(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; raise `OSError`."""
    (family, *_, place), *_others = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


async def _serve(run: Path, art: Path, listener: socket.socket, token: str, address: Path) -> None:
    station = Station(run, encode=jpeg)
    server = uvicorn.Server(
        uvicorn.Config(
            site(station, described(art), token, art=art, tickets=run / TICKETS_FOLDER),
            log_level="warning",
            access_log=False,  # its lines would have the token
            lifespan="off",
            http="h11",
            ws="websockets-sansio",
            ws_max_size=LONGEST,
            ws_per_message_deflate=False,  # a JPEG does not shrink
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
    # Clients wait for the file: the socket listens already.
    _write(address, f"http://{_named(listener)}/{token}/\n")
    # The server sends itself the signal that ended it again, when all is closed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    async with asyncio.TaskGroup() as group:
        looking = group.create_task(station.run())
        await server.serve([listener])
        looking.cancel()


def _named(listener: socket.socket) -> str:
    """Return HOST:PORT by which a browser reaches the socket."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = socket.gethostname()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    unfinished = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    unfinished.replace(path)


if __name__ == "__main__":
    main()
