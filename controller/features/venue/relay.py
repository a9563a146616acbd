"""The link's process, the only one of a cabinet with network access; it only carries out the supervisor's calls.

`python -m controller.features.venue.relay SOCKET FOLDER` connects to the supervisor's socket and to the venue that the
supervisor names; FOLDER holds the credentials. It has no access to the books. A frame is a four-byte length followed by
MessagePack. The supervisor sends `[call, arguments, named]`; the answer is `["", result]`, or a SQLSTATE (`-` if there
is none) and a text. The first frame of a connection is the venue's address.
"""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from controller.features.venue.calls import (
    CONTRADICTS,
    FENCED,
    NOT_OPEN,
    ContradictionError,
    FencedError,
    PoolNotOpenError,
    Venue,
    VenueError,
)
from controller.features.venue.frames import framed, read_frame
from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from controller.files.bounded import printable
from controller.system.notify import Notifier

T = TypeVar("T")
CALLS = frozenset(
    {
        "hello",
        "beat",
        "locked",
        "put",
        "claim",
        "events",
        "meters",
        "ledger",
        "witness",
        "rebase",
        "give_back",
        "reported",
        "offers",
        "fetch",
        "offer_result",
        "wanted",
        "round",
        "tickets",
        "ticket_claim",
        "enrol",
    }
)
"""The calls that a supervisor may request."""

AGAIN_S = 1.0

_STATES = {FencedError: FENCED, PoolNotOpenError: NOT_OPEN, ContradictionError: CONTRADICTS}


async def answer_to(venue: Venue, frame: Any) -> list[Any]:
    """Return the answer to a frame: the venue's result, or the error."""
    try:
        name, arguments, named = frame
        if name not in CALLS:
            return ["-", f"there is no call '{printable(name)}'"]
        result = await getattr(venue, name)(*arguments, **named)
    except VenueError as error:
        return [_STATES.get(type(error), "-"), str(error)]
    except (TypeError, ValueError) as error:
        return [CONTRADICTS, f"this is no call of the protocol: {error}"]
    return ["", result]


async def _attended(reader: asyncio.StreamReader, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`; cancel it and raise `OSError` if the supervisor closes the connection.

    The supervisor sends nothing while it waits. Without this, a call that hangs would block the process while the
    supervisor waits for its next connection.
    """
    call, word = asyncio.ensure_future(work), asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait((call, word), return_when=asyncio.FIRST_COMPLETED)
        if not call.done():
            raise OSError("the supervisor no longer waits for the answer")
        return call.result()
    finally:
        for task in (call, word):
            task.cancel()
        await asyncio.gather(call, word, return_exceptions=True)


async def serve(socket: Path, folder: Path, connect: Callable[[Address, Path], Venue] = PostgresVenue) -> None:
    """Carry out one supervisor's calls until its connection ends; raise `OSError` if there is none."""
    reader, writer = await asyncio.open_unix_connection(socket)
    venue = None
    try:
        while True:
            frame = await read_frame(reader)
            if venue is None:
                venue = connect(msgspec.convert(frame, Address), folder)
                continue
            writer.write(framed(await _attended(reader, answer_to(venue, frame))))
            await writer.drain()
    finally:
        if venue is not None:
            await venue.close()
        writer.close()


async def _run(socket: Path, folder: Path) -> None:
    while True:
        with contextlib.suppress(OSError, msgspec.ValidationError):
            await serve(socket, folder)
        await asyncio.sleep(AGAIN_S)


def main(socket: str, folder: str) -> None:
    """Serve forever, reconnecting to whichever supervisor listens at the socket."""
    Notifier.from_environment().ready()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(Path(socket), Path(folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
