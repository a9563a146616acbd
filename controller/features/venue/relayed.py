"""The supervisor's connection to the venue, through the link's process, which connects to the supervisor's socket."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from controller.features.venue.calls import (
    Award,
    Enrolled,
    Greeting,
    Json,
    Offer,
    PoolValue,
    Seen,
    TicketAnswer,
    UnreachableError,
    error_of,
)
from controller.features.venue.frames import framed, read_frame
from controller.files.bounded import printable
from controller.files.own_files import remove_socket

T = TypeVar("T")
SOCKET = Path("venue/venue.sock")
"""The socket's path in the run directory.

It is in a folder of its own that the display's user cannot enter, because whoever connects here is trusted as the
venue.
"""
NO_LINK = "the link's process does not run: start cabinet-venue-link"
CALL_S = 5.0
"""Seconds without an answer after which a call counts as lost, along with its connection."""
ENROL_S = 20.0
"""The same for an enrolment, which takes two connections, two calls and two durable files."""


class Address(msgspec.Struct, frozen=True):
    """The address of a venue's database."""

    host: str
    port: int
    database: str


class RelayedVenue:
    """A `Venue` whose calls are carried out by another process; only its newest connection is used.

    Calls run one after another, and the timeout of each begins with its turn, so a call that waits behind an enrolment
    neither fails nor ends it. A call that fails, times out or is cancelled closes the connection, so that its answer
    cannot be read as the answer to another call.
    """

    def __init__(self, path: Path, address: Address) -> None:
        self._path = path
        self._address = address
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._turn = asyncio.Lock()

    def __repr__(self) -> str:
        return f"<RelayedVenue {self._path} {'connected' if self._writer is not None else 'alone'}>"

    async def listen(self) -> None:
        """Listen for the link's process until cancelled; raise `OSError` if the socket cannot be created."""
        self._path.parent.mkdir(mode=0o750, exist_ok=True)
        remove_socket(self._path)  # the journal's lock allows one supervisor: a socket found here is left over
        server = await asyncio.start_unix_server(self._connected, self._path)
        os.chmod(self._path, 0o660)  # noqa: PTH101 - once, before anybody can have connected in earnest
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            # Since Python 3.12.1 `Server.wait_closed` waits for open connections, and ours is open.
            server.close()
            await self.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.close()
        self._reader, self._writer = reader, writer
        writer.write(framed(msgspec.to_builtins(self._address)))

    async def close(self) -> None:
        """Close the connection; the process connects again."""
        writer, self._writer, self._reader = self._writer, None, None
        if writer is not None:
            writer.close()

    async def _call(self, make: Callable[[Any], T], name: str, *arguments: Any, **named: Any) -> T:
        async with self._turn:
            reader, writer = self._reader, self._writer
            if reader is None or writer is None:
                raise UnreachableError(NO_LINK)
            try:
                async with asyncio.timeout(ENROL_S if name == "enrol" else CALL_S):
                    writer.write(framed([name, arguments, named]))
                    await writer.drain()
                    state, result = await read_frame(reader)
            except TimeoutError as error:
                await self.close()
                raise UnreachableError("the venue does not answer") from error
            except (OSError, TypeError, ValueError) as error:
                await self.close()
                raise UnreachableError("the link's process has ended") from error
            except asyncio.CancelledError:
                await self.close()
                raise
        if state:
            raise error_of(state, result)
        return make(result)

    async def hello(self, epoch: int, seqs: Mapping[int, int], event: int, identity: str, info: Json) -> Greeting:
        """`Venue.hello`."""
        return await self._call(lambda row: Greeting(*row), "hello", epoch, dict(seqs), event, identity, dict(info))

    async def beat(self, session: int, status: Json) -> Sequence[PoolValue]:
        """`Venue.beat`."""
        return await self._call(lambda rows: [PoolValue(*row) for row in rows], "beat", session, dict(status))

    async def locked(self, session: int, whole: bool | None, text: str) -> bool:  # noqa: FBT001 - as the call has it
        """`Venue.locked`."""
        return await self._call(bool, "locked", session, whole, text)

    async def put(self, session: int, meters: Sequence[tuple[int, int, int]], epoch: int | None = None) -> None:
        """`Venue.put`."""
        await self._call(_nothing, "put", session, list(meters), epoch)

    async def claim(
        self, session: int, *, pool: int, epoch: int, round_id: int, number: int, seq: int, cum: int
    ) -> Award:
        """`Venue.claim`."""
        named = {"pool": pool, "epoch": epoch, "round_id": round_id, "number": number, "seq": seq, "cum": cum}
        return await self._call(lambda row: Award(*row), "claim", session, **named)

    async def events(self, session: int, rows: Sequence[Json]) -> int:
        """`Venue.events`."""
        return await self._call(int, "events", session, list(rows))

    async def meters(self, session: int, rows: Sequence[Json]) -> None:
        """`Venue.meters`."""
        await self._call(_nothing, "meters", session, list(rows))

    async def ledger(self, session: int, rows: Sequence[Json]) -> int:
        """`Venue.ledger`."""
        return await self._call(int, "ledger", session, list(rows))

    async def witness(self, session: int, row: int, digest: bytes) -> Seen:
        """`Venue.witness`."""
        return await self._call(_seen, "witness", session, row, digest)

    async def rebase(self, session: int, row: int, digest: bytes, by: str) -> None:
        """`Venue.rebase`."""
        await self._call(_nothing, "rebase", session, row, digest, by)

    async def give_back(self, session: int, claims: Sequence[Json]) -> int:
        """`Venue.give_back`."""
        return await self._call(int, "give_back", session, list(claims))

    async def reported(self, session: int, seqs: Mapping[int, int]) -> None:
        """`Venue.reported`."""
        await self._call(_nothing, "reported", session, dict(seqs))

    async def offers(self, session: int) -> Sequence[Offer]:
        """`Venue.offers`."""
        return await self._call(lambda rows: [Offer(*row) for row in rows], "offers", session)

    async def fetch(self, session: int, offer: int, offset: int) -> bytes:
        """`Venue.fetch`."""
        return await self._call(bytes, "fetch", session, offer, offset)

    async def offer_result(self, session: int, offer: int, state: str, detail: str) -> None:
        """`Venue.offer_result`."""
        await self._call(_nothing, "offer_result", session, offer, state, detail)

    async def wanted(self, session: int) -> Sequence[int]:
        """`Venue.wanted`."""
        return await self._call(lambda rows: [int(row) for row in rows], "wanted", session)

    async def round(self, session: int, round_id: int, record: Json | None) -> None:
        """`Venue.round`."""
        await self._call(_nothing, "round", session, round_id, record)

    async def tickets(self, session: int, rows: Sequence[Json]) -> None:
        """`Venue.tickets`."""
        await self._call(_nothing, "tickets", session, list(rows))

    async def ticket_claim(self, session: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """`Venue.ticket_claim`."""
        return await self._call(lambda row: TicketAnswer(*row), "ticket_claim", session, epoch, claim, number)

    async def enrol(self, code: str, identity: str, label: str, program: str) -> Enrolled:
        """`Venue.enrol`."""
        return await self._call(lambda row: Enrolled(*row), "enrol", code, identity, label, program)


def _nothing(_result: object) -> None:
    return None


def _seen(result: str) -> Seen:
    match result:
        case "ok" | "behind" | "beside":
            return result
    raise UnreachableError(f"the venue's witness says '{printable(result)}'")
