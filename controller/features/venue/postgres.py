"""A venue in PostgreSQL, called through psycopg. Only this module imports psycopg, and only in the link's process."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow
from psycopg.types.json import Jsonb

from common.error_words import error_reason
from controller.features.venue.calls import (
    Award,
    Enrolled,
    FencedError,
    Greeting,
    Json,
    Offer,
    PoolValue,
    Seen,
    TicketAnswer,
    UnreachableError,
    VenueError,
    error_of,
)
from controller.features.venue.relayed import Address
from controller.files.durable import write_durably
from controller.files.own_files import PEM, starting_with

LOGIN_DIGITS, CODE_DIGITS = 3, 20
_CODE_LOGIN = "enrol_"
"""The prefix of the logins for one-time codes; a number follows."""
_LINE = {
    "connect_timeout": "2",
    "keepalives": "1",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "5000",  # for sent data that is not acknowledged; keepalives cover only an idle connection
    "options": "-c statement_timeout=2000",
    "application_name": "cabinet",
}
_CASTS: Mapping[str, tuple[str, ...]] = {
    "hello": ("int", "jsonb", "bigint", "text", "jsonb"),
    "beat": ("bigint", "jsonb"),
    "locked": ("bigint", "bool", "text"),
    "put": ("bigint", "int[]", "bigint[]", "bigint[]", "int"),
    "claim": ("bigint", "int", "int", "bigint", "int", "bigint", "bigint"),
    "events": ("bigint", "jsonb"),
    "meters": ("bigint", "jsonb"),
    "ledger": ("bigint", "jsonb"),
    "witness": ("bigint", "bigint", "bytea"),
    "rebase": ("bigint", "bigint", "bytea", "text"),
    "give_back": ("bigint", "jsonb"),
    "reported": ("bigint", "jsonb"),
    "offers": ("bigint",),
    "fetch": ("bigint", "int", "bigint"),
    "offer_result": ("bigint", "int", "text", "text"),
    "wanted": ("bigint",),
    "round": ("bigint", "bigint", "jsonb"),
    "tickets": ("bigint", "jsonb"),
    "ticket_claim": ("bigint", "int", "bigint", "text"),
    "enrol": ("text", "text", "text"),
}
"""The types of each function's parameters (docs/venue-protocol.md)."""


_CREDENTIALS = starting_with("file of the venue's credentials", b'{"cabinet":')


class Credentials(msgspec.Struct, frozen=True):
    """What a cabinet receives at enrolment: number, role, password, and the venue's authority certificate (PEM)."""

    cabinet: int
    role: str
    password: str
    authority: str


class PostgresVenue:
    """The functions of the schema `venue` on one connection, which is reopened after a loss.

    `folder` holds the credentials (`credentials.json`, mode 0600) and the authority's certificate. `options` replace
    the usual libpq options, for tests on a Unix socket.
    """

    def __init__(self, address: Address, folder: Path, options: Mapping[str, str] | None = None) -> None:
        self._address = address
        self._folder = folder
        self._options = options
        self._connection: psycopg.AsyncConnection[TupleRow] | None = None
        self._connecting = asyncio.Lock()

    def __repr__(self) -> str:
        return f"<PostgresVenue {self._address.host}:{self._address.port}>"

    @property
    def _file(self) -> Path:
        return self._folder / "credentials.json"

    @property
    def _authority(self) -> Path:
        return self._folder / "authority.pem"

    def _usual(self) -> dict[str, str]:
        try:
            known = msgspec.json.decode(self._file.read_bytes(), type=Credentials)
        except FileNotFoundError:
            raise UnreachableError(
                "this cabinet is not enrolled: make a code on the venue's page and type it"
            ) from None
        except (OSError, msgspec.DecodeError) as error:
            raise UnreachableError(
                f"{self._file} cannot be used ({error_reason(error)}): enrol this cabinet again"
            ) from error
        return {
            "user": known.role,
            "password": known.password,
            "sslmode": "verify-full",
            "sslrootcert": str(self._authority),
        }

    async def _connected(self) -> psycopg.AsyncConnection[TupleRow]:
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                self._connection = await self._connect(self._usual() if self._options is None else dict(self._options))
            return self._connection

    async def _connect(self, options: dict[str, str]) -> psycopg.AsyncConnection[TupleRow]:
        where = {"host": self._address.host, "port": str(self._address.port), "dbname": self._address.database}
        try:
            return await psycopg.AsyncConnection.connect(
                make_conninfo(**{**_LINE, **where, **options}), autocommit=True
            )
        except psycopg.Error as error:
            if options["user"].startswith(_CODE_LOGIN) and _is_refusal(error):
                raise FencedError("this code is wrong, used or expired: make a new one on the venue's page") from error
            raise UnreachableError(str(error).strip().partition("\n")[0]) from error

    async def _rows(self, function: str, *arguments: Any) -> list[TupleRow]:
        """Return the rows of one call, which is one transaction."""
        connection = await self._connected()
        try:
            return await _call(connection, function, arguments)
        except asyncio.CancelledError:
            await self.close()  # or its answer would be read as the next call's
            raise
        except VenueError:
            if connection.closed:
                self._connection = None
            raise

    async def _one(self, function: str, *arguments: Any) -> TupleRow:
        rows = await self._rows(function, *arguments)
        if not rows:
            raise UnreachableError(f"{function} has answered nothing")
        return rows[0]

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    # the calls

    async def hello(self, epoch: int, seqs: Mapping[int, int], event: int, identity: str, info: Json) -> Greeting:
        """`Venue.hello`."""
        numbers = {str(pool): seq for pool, seq in seqs.items()}
        return Greeting(*await self._one("hello", epoch, Jsonb(numbers), event, identity, Jsonb(dict(info))))

    async def beat(self, session: int, status: Json) -> Sequence[PoolValue]:
        """`Venue.beat`."""
        return [PoolValue(*row) for row in await self._rows("beat", session, Jsonb(dict(status)))]

    async def locked(self, session: int, whole: bool | None, text: str) -> bool:  # noqa: FBT001 - as the call has it
        """`Venue.locked`."""
        return bool((await self._one("locked", session, whole, text))[0])

    async def put(self, session: int, meters: Sequence[tuple[int, int, int]], epoch: int | None = None) -> None:
        """`Venue.put`."""
        pools, seqs, cums = ([meter[at] for meter in meters] for at in range(3))
        await self._rows("put", session, pools, seqs, cums, epoch)

    async def claim(
        self, session: int, *, pool: int, epoch: int, round_id: int, number: int, seq: int, cum: int
    ) -> Award:
        """`Venue.claim`."""
        return Award(*await self._one("claim", session, pool, epoch, round_id, number, seq, cum))

    async def events(self, session: int, rows: Sequence[Json]) -> int:
        """`Venue.events`."""
        return int((await self._one("events", session, Jsonb(list(rows))))[0] or 0)

    async def meters(self, session: int, rows: Sequence[Json]) -> None:
        """`Venue.meters`."""
        await self._rows("meters", session, Jsonb(list(rows)))

    async def ledger(self, session: int, rows: Sequence[Json]) -> int:
        """`Venue.ledger`."""
        return int((await self._one("ledger", session, Jsonb(list(rows))))[0] or 0)

    async def witness(self, session: int, row: int, digest: bytes) -> Seen:
        """`Venue.witness`."""
        seen: Seen = (await self._one("witness", session, row, digest))[0]
        return seen

    async def rebase(self, session: int, row: int, digest: bytes, by: str) -> None:
        """`Venue.rebase`."""
        await self._rows("rebase", session, row, digest, by)

    async def give_back(self, session: int, claims: Sequence[Json]) -> int:
        """`Venue.give_back`."""
        return int((await self._one("give_back", session, Jsonb(list(claims))))[0])

    async def reported(self, session: int, seqs: Mapping[int, int]) -> None:
        """`Venue.reported`."""
        await self._rows("reported", session, Jsonb({str(pool): seq for pool, seq in seqs.items()}))

    async def offers(self, session: int) -> Sequence[Offer]:
        """`Venue.offers`."""
        return [Offer(*row) for row in await self._rows("offers", session)]

    async def fetch(self, session: int, offer: int, offset: int) -> bytes:
        """`Venue.fetch`."""
        return bytes((await self._one("fetch", session, offer, offset))[0])

    async def offer_result(self, session: int, offer: int, state: str, detail: str) -> None:
        """`Venue.offer_result`."""
        await self._rows("offer_result", session, offer, state, detail)

    async def wanted(self, session: int) -> Sequence[int]:
        """`Venue.wanted`."""
        return [int(row[0]) for row in await self._rows("wanted", session)]

    async def round(self, session: int, round_id: int, record: Json | None) -> None:
        """`Venue.round`."""
        await self._rows("round", session, round_id, None if record is None else Jsonb(dict(record)))

    async def tickets(self, session: int, rows: Sequence[Json]) -> None:
        """`Venue.tickets`."""
        await self._rows("tickets", session, Jsonb(list(rows)))

    async def ticket_claim(self, session: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """`Venue.ticket_claim`."""
        return TicketAnswer(*await self._one("ticket_claim", session, epoch, claim, number))

    async def enrol(self, code: str, identity: str, label: str, program: str) -> Enrolled:
        """Enrol with a code of 20 digits: the login's number and a password that is never sent.

        The login proves to the venue that the cabinet knows the password. It also proves to the cabinet that the venue
        knows it and that nobody is in between (channel binding), so the authority's certificate can be accepted over
        this connection.
        """
        digits = "".join(filter(str.isdecimal, code))
        if len(digits) != CODE_DIGITS or not digits.isascii():
            raise FencedError(f"a code has {CODE_DIGITS} digits")
        guest = {"user": _CODE_LOGIN + digits[:LOGIN_DIGITS], "password": digits[LOGIN_DIGITS:]}
        usual = {"sslmode": "require", "channel_binding": "require"} if self._options is None else self._options
        async with await self._connect({**usual, **guest}) as connection:
            ((cabinet, role, password, authority),) = await _call(connection, "enrol", (identity, label, program))
        self._folder.mkdir(parents=True, exist_ok=True)
        write_durably(self._authority, authority.encode(), PEM, mode=0o600)
        known = Credentials(cabinet, role, password, authority)
        write_durably(self._file, msgspec.json.encode(known), _CREDENTIALS, mode=0o600)
        await self.close()
        return Enrolled(cabinet, role)


def _is_refusal(error: psycopg.Error) -> bool:
    """Whether a server refused a login, because of its password or because no rule in `pg_hba.conf` admits it.

    The server's message may be in any language, but the name of the file is always the same.
    """
    asked = isinstance(error, psycopg.OperationalError) and error.pgconn is not None and error.pgconn.used_password
    return asked or "pg_hba.conf" in str(error)


async def _call(
    connection: psycopg.AsyncConnection[TupleRow], function: str, arguments: Sequence[Any]
) -> list[TupleRow]:
    query = f"SELECT * FROM venue.{function}({', '.join(f'%s::{kind}' for kind in _CASTS[function])})"  # noqa: S608
    try:
        cursor = await connection.execute(query.encode(), arguments)
        return await cursor.fetchall()
    except psycopg.Error as error:
        text = error.diag.message_primary or str(error).strip() or type(error).__name__
        raise error_of(error.sqlstate or "", text) from error
