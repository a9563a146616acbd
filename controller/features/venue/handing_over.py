"""Sends the journal's data to the venue: meter readings at fixed times, and batches of what it lacks."""

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from controller.features.venue import ticket_journal as venue_tickets
from controller.features.venue.membership import is_joined
from controller.features.venue.outbox import (
    BATCH,
    add_reading,
    events_stored,
    last_reading_ms,
    readings_lost,
    readings_stored,
    rows_to_send,
    unsent_events,
    unsent_readings,
)
from controller.features.venue.pools import AnsweredClaim, answered_claims
from controller.features.venue.reports import Reports
from controller.journal.receipt import Receipt, each
from controller.journal.transaction import Transaction
from drivers.clock import Clock
from gamekit.catalogue import names

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
MOST_BYTES = 1 << 20
"""The most bytes of rows in one call, unless one row is longer; the venue accepts 4 MiB (docs/venue-protocol.md)."""
HOUR_MS = 3_600_000
LOOK_S = 5.0
"""The interval, in seconds, at which readings are checked for being due."""

_log = logging.getLogger(__name__)


Outbox = Callable[[int], Awaitable[bool]]


class Books(Protocol):
    """The journal as the link uses it."""

    @property
    def path(self) -> Path:
        """The journal's file."""

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run one transaction; raise `JournalError` if it fails."""

    async def commit(self, act: Callable[[Transaction], T]) -> Receipt[T]:
        """Run one transaction like `do`; return the proof that it is durable."""


class HandingOver:
    """The outboxes of one cabinet; `more` is true if another batch is waiting.

    `rows` sends ledger rows, without which the venue cannot witness the books. `step` sends everything else, including
    the `outboxes`: each sends one batch in a session and returns whether there is more.
    """

    def __init__(self, books: Books, venue: Reports, outboxes: tuple[Outbox, ...] = ()) -> None:
        self.more = False
        self.is_giving_back = False
        self.row = 0
        """The newest ledger row that the venue has."""
        self._books = books
        self._venue = venue
        self._outboxes = outboxes
        self._missing = False
        self._more_rows = False

    def __repr__(self) -> str:
        return f"<HandingOver row {self.row}{' and more' if self.more else ''}>"

    def begin(self, row: int) -> None:
        """Begin a session with a venue that has the ledger up to `row`."""
        self.row, self.more, self.is_giving_back = row, True, False

    async def take_up(self, session: int) -> None:
        """Mark as sent the events that the venue says it has."""
        newest = await self._venue.newest_event(session)
        await self._books.do(lambda tx: events_stored(tx, newest), durable=False)

    async def step(self, session: int) -> None:
        """Send one batch of each kind except ledger rows."""
        found = [await self._events(session), await self._readings(session)]
        found += [await outbox(session) for outbox in self._outboxes]
        self.more = self._more_rows or any(found)

    async def give_back(self, session: int) -> None:
        """Give answered claims back to a restored venue, and mark readings and tickets to be sent again."""
        claims = await self._books.commit(answered_claims)
        for batch in each(claims.map(_batches)):
            await self._venue.give_back(session, batch)
        await self._books.do(readings_lost, durable=False)
        await self._books.do(venue_tickets.lost)
        self.more = self.is_giving_back = True

    async def _events(self, session: int) -> bool:
        found = await self._books.commit(unsent_events)
        rows = found.map(_within)
        if not rows.result:
            return False
        newest = await self._venue.events(session, rows)
        await self._books.do(lambda tx: events_stored(tx, newest), durable=False)
        return len(found.result) == BATCH or len(rows.result) < len(found.result)

    async def _readings(self, session: int) -> bool:
        rows = (await self._books.commit(lambda tx: unsent_readings(tx, names()))).map(_within)
        if not rows.result:
            return False
        await self._venue.meters(session, rows)
        await self._books.do(lambda tx: readings_stored(tx, rows.result[-1].seq), durable=False)
        return True

    async def rows(self, session: int) -> None:
        """Send one batch of ledger rows."""
        self._more_rows = await self._rows(session)

    async def _rows(self, session: int) -> bool:
        path, after = self._books.path, self.row
        try:
            found = await self._books.commit(_guarded(lambda tx: rows_to_send(tx, path, after)))
        except _UnreadableArchiveError as error:
            if not self._missing:
                _log.warning("ledger rows after %d are in an archive that cannot be read: %s", after, error)
            self._missing = True
            return False
        rows = found.map(_within)
        if not rows.result:
            return False
        self.row = await self._venue.ledger(session, rows)
        return len(found.result) == BATCH or self.row < found.result[-1].row


def _batches(claims: tuple[AnsweredClaim, ...]) -> list[tuple[AnsweredClaim, ...]]:
    return [claims[at : at + BATCH] for at in range(0, len(claims), BATCH)]


def _within(rows: tuple[S, ...]) -> tuple[S, ...]:
    """Return as many of the first rows as fit into one call."""
    size = 0
    for number, row in enumerate(rows):
        size += len(msgspec.json.encode(row))
        if size > MOST_BYTES and number:
            return rows[:number]
    return rows


class _UnreadableArchiveError(Exception):
    """An archive with rows that the venue lacks cannot be read."""


def _guarded(read: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return `read` wrapped so that an archive's error is not mistaken for an error of the journal."""

    def guarded(tx: Transaction) -> T:
        try:
            return read(tx)
        except sqlite3.Error as error:
            raise _UnreadableArchiveError(str(error)) from error

    return guarded


async def keep_readings(books: Books, clock: Clock) -> None:
    """Read the meters every hour and at the end of each day, whether or not the venue is reachable, until cancelled."""
    while True:
        if await books.do(_is_due):
            await books.do(_read_meters)
        await clock.sleep(LOOK_S)


def _is_due(tx: Transaction) -> bool:
    if not is_joined(tx):
        return False
    hour_ms = last_reading_ms(tx, "hour")
    return hour_ms is None or hour_ms // HOUR_MS != tx.at_ms // HOUR_MS or _ended_day(tx) is not None


def _read_meters(tx: Transaction) -> None:
    """Add a reading for this hour, and one for the day's end if the newest reading is from an earlier day.

    The day's reading is dated in the day that it ends, since nothing was played after it; the venue counts by these
    dates.
    """
    ended_ms = _ended_day(tx)
    if ended_ms is not None:
        add_reading(tx, "day", ended_ms)
    add_reading(tx, "hour")


def _ended_day(tx: Transaction) -> int | None:
    """Return the last millisecond of the newest reading's day in local time, or None if that day is today."""
    newest_ms = last_reading_ms(tx)
    if newest_ms is None or _day(newest_ms) == _day(tx.at_ms):
        return None
    midnight = datetime.combine(_day(newest_ms) + timedelta(days=1), time.min).astimezone()
    return min(int(midnight.timestamp() * 1000) - 1, tx.at_ms)


def _day(at_ms: int) -> date:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().date()
