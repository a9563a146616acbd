"""The journal's data for the venue: events, meter readings, ledger rows and records of rounds.

None of this moves money. Events and readings are numbered in the transaction that creates them and kept for a month
after they were sent, so that a restored venue can get them again.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from controller.features.venue.membership import is_joined
from controller.journal import ledger
from controller.journal.archives import archives
from controller.journal.event_log import LoggedEvent
from controller.journal.event_words import describe, row_in_english
from controller.journal.reads import Reader
from controller.journal.store import read_only
from controller.journal.transaction import Transaction, hard_figures

BATCH = 500
"""The most events or ledger rows of one call (docs/venue-protocol.md)."""

KEPT_MS = 30 * 24 * 3_600_000
"""How long sent events and readings are kept."""

_READ = "SELECT seq, at_ms, kind, credit_delta, credit_after, meters, round_id, data, hash, state FROM ledger"


class OutEvent(msgspec.Struct, frozen=True):
    """An event for the venue; `body` is the data of its ledger row, with its `text` in English."""

    seq: int
    code: str
    cab_at_ms: int
    body: dict[str, Any]


class OutReading(msgspec.Struct, frozen=True):
    """A reading of the meters: `meters` by name, `games` with each game's rounds, stakes and wins."""

    seq: int
    kind: str
    cab_at_ms: int
    meters: dict[str, int]
    games: dict[str, dict[str, int]]


class OutRow(msgspec.Struct, frozen=True):
    """A ledger row: its number, and the bytes that its hash covers, both in hexadecimal digits."""

    row: int
    body: str
    hash: str


def unsent_events(tx: Reader, most: int = BATCH) -> tuple[OutEvent, ...]:
    """Return the oldest events of this epoch that the venue lacks."""
    rows = tx.execute(
        "SELECT seq, code, at_ms, body FROM venue_events WHERE sent = 0 AND epoch = (SELECT epoch FROM venue)"
        " ORDER BY seq LIMIT ?",
        (most,),
    )
    return tuple(OutEvent(seq, code, at_ms, _in_words(code, body)) for seq, code, at_ms, body in rows)


def _in_words(code: str, body: str) -> dict[str, Any]:
    """Return an event's data with English `text`, template and figures, because the venue has no templates."""
    data = msgspec.json.decode(body, type=dict[str, Any])
    key, place = data["text"], data["place"]
    words = describe(LoggedEvent(0, code, key, place, 0, data))
    said = {"template": words.template, "figures": {**words.figures, "place": words.place}} if words.known else {}
    return {**data, **said, "text": row_in_english(code, key, place, body)}


def count_unsent(tx: Reader) -> int:
    """Return how many events the venue lacks."""
    (events,) = tx.execute("SELECT count(*) FROM venue_events WHERE sent = 0").fetchone()
    return int(events)


def events_stored(tx: Transaction, newest: int) -> None:
    """Record that the venue has this epoch's events up to the number `newest`, and none after it."""
    tx.execute(
        "UPDATE venue_events SET sent = (seq <= ?1) WHERE epoch = (SELECT epoch FROM venue) AND sent <> (seq <= ?1)",
        (newest,),
    )
    tx.execute("DELETE FROM venue_events WHERE sent = 1 AND at_ms < ?", (tx.at_ms - KEPT_MS,))


def add_reading(tx: Transaction, kind: str, at_ms: int | None = None) -> None:
    """Store a reading of all meters for the venue, if the cabinet is in one; `at_ms` is its date if not now.

    The drop, which is not a soft meter, is included with the hard meter's value: the venue compares it with counted
    cash.
    """
    if not is_joined(tx):
        return
    figures = dict(tx.execute("SELECT name, value FROM meters ORDER BY name").fetchall())
    figures["drop"] = hard_figures(figures).get("drop", 0)
    tx.execute("UPDATE venue SET readings = readings + 1")
    tx.execute(
        "INSERT INTO venue_readings (epoch, seq, at_ms, kind, meters) SELECT epoch, readings, ?, ?, ? FROM venue",
        (tx.at_ms if at_ms is None else at_ms, kind, msgspec.json.encode(figures).decode()),
    )


def last_reading_ms(tx: Reader, kind: str = "") -> int | None:
    """Return the date of the newest reading of this `kind`, or of any kind; None if there is none."""
    row = tx.execute(
        "SELECT at_ms FROM venue_readings WHERE ?1 IN (kind, '') ORDER BY epoch DESC, seq DESC LIMIT 1", (kind,)
    ).fetchone()
    return None if row is None else int(row[0])


def unsent_readings(tx: Reader, games: Sequence[str], most: int = 24) -> tuple[OutReading, ...]:
    """Return the oldest readings of this epoch that the venue lacks, with the figures of these games."""
    rows = tx.execute(
        "SELECT seq, kind, at_ms, meters FROM venue_readings WHERE sent = 0 AND epoch = (SELECT epoch FROM venue)"
        " ORDER BY seq LIMIT ?",
        (most,),
    )
    return tuple(_reading(seq, kind, at_ms, meters, games) for seq, kind, at_ms, meters in rows)


def _reading(seq: int, kind: str, at_ms: int, meters: str, games: Sequence[str]) -> OutReading:
    figures = msgspec.json.decode(meters, type=dict[str, int])
    by_game = {
        game: {
            "rounds": figures.get(f"{game}.games", 0),
            "stakes": figures.get(f"{game}.stakes", 0),
            "wins": figures.get(f"{game}.wins", 0),
        }
        for game in games
        if f"{game}.games" in figures
    }
    return OutReading(seq, kind, at_ms, figures, by_game)


def readings_stored(tx: Transaction, newest: int) -> None:
    """Record that the venue has this epoch's readings up to the number `newest`."""
    tx.execute(
        "UPDATE venue_readings SET sent = 1 WHERE epoch = (SELECT epoch FROM venue) AND seq <= ? AND sent = 0",
        (newest,),
    )
    tx.execute("DELETE FROM venue_readings WHERE sent = 1 AND at_ms < ?", (tx.at_ms - KEPT_MS,))


def readings_lost(tx: Transaction) -> None:
    """Mark this epoch's readings to be sent again, to a venue that was restored from a backup."""
    tx.execute("UPDATE venue_readings SET sent = 0 WHERE sent = 1 AND epoch = (SELECT epoch FROM venue)")


def rows_after(tx: Reader, row: int, most: int = BATCH) -> tuple[OutRow, ...]:
    """Return consecutive ledger rows after the number `row`; none if the journal has no row `row` + 1."""
    found: list[OutRow] = []
    for seq, at_ms, kind, delta, after, raised, round_id, data, digest, state in tx.execute(
        f"{_READ} WHERE seq > ? ORDER BY seq LIMIT ?", (row, most)
    ):
        if seq != row + len(found) + 1:
            break  # the missing rows are in an archive
        entry = ledger.Entry(at_ms, kind, delta, msgspec.json.decode(raised), round_id, msgspec.json.decode(data))
        found.append(OutRow(seq, ledger.row_body(seq, entry, after, state).hex(), digest.hex()))
    return tuple(found)


def hash_of_row(tx: Transaction, journal: Path, row: int) -> bytes | None:
    """Return the hash of a ledger row from the `journal` or from an archive, or None if it is not found.

    None also means that the archive is missing or cannot be read.
    """
    known = "SELECT hash FROM ledger WHERE seq = ?1 UNION SELECT hash FROM anchors WHERE seq = ?1"
    found = tx.execute(known, (row,)).fetchone()
    if found is None and row > 0:
        archive = next((each for each in archives(tx) if each.seq >= row), None)
        file = None if archive is None else archive.found(journal)
        if file is not None:
            with suppress(sqlite3.Error), read_only(file) as connection:
                found = connection.execute(known, (row,)).fetchone()
    return None if found is None else bytes(found[0])


def rows_to_send(tx: Transaction, journal: Path, row: int) -> tuple[OutRow, ...]:
    """Return the ledger rows after the number `row` from the `journal` or from an archive.

    The result is empty, despite later rows, if the archive is missing. Raises `sqlite3.Error` if it cannot be read.
    """
    found = rows_after(tx, row)
    newest, _ = tx.head
    if found or newest <= row:
        return found
    for archive in archives(tx):
        file = archive.found(journal) if archive.seq > row else None
        if file is not None:
            with read_only(file) as connection:
                return rows_after(connection, row)
    return ()
