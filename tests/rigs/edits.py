# ruff: noqa: S608 - the names in these queries are the schema's own
"""Edits of a journal behind the program's back: books in which something of everything has happened, and flips in them.

Tables and columns are read from the schema, so that those of a later migration are flipped without a word here.
"""

import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from controller.books import anchors
from controller.books.audit import audit
from controller.features.sas import queue as host_queue
from controller.features.sas import tickets as host_tickets
from controller.features.sas import transfers as host_transfers
from controller.features.venue import ticket_journal as venue_tickets
from controller.features.venue.membership import VenuePool, learn_pools
from controller.features.venue.outbox import add_reading, events_stored, readings_stored
from controller.features.venue.pools import begin_epoch
from controller.journal import money, payouts, rounds, tickets
from controller.journal.errors import JournalError
from controller.journal.hard_meters import begin_batch
from controller.journal.open_items import Resolution
from controller.journal.pools import PoolKey
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys.identity import read_identity
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round, stake_of, wager_on
from tests.rigs.archived_books import BET, GAME, archived, lived, opened, path_in

UNITS = {"coin_in": 10, "coin_out": 10, "drop": 10, "hand_pay": 10, "games": 1}

TRANSFER = host_transfers.Transfer(
    position=0,
    transaction_id="A1",
    kind=0,
    status=0,
    cents=500,
    asked_cents=500,
    flags=0,
    expiration="00000000",
    pool="0000",
    total_cents=0,
    at_ms=0,
)
"""What a host transfers in."""

OF_OPEN_ROUND = "round_id IN (SELECT id FROM rounds WHERE state = 'open')"

HISTORY: Final[Mapping[str, str]] = {
    "anchor_signatures": "",
    "anchors": "",
    "bet_totals_folded": "",
    "claims": OF_OPEN_ROUND,
    "contributions": OF_OPEN_ROUND,
    "day_totals_folded": "",
    "events": "",
    "ledger": f"kind = 'stake' AND {OF_OPEN_ROUND}",
    "notes": "state IN ('stacking', 'credited')",
    "open_items": "resolution IS NULL",
    "payouts": "state IN ('open', 'undecided')",
    "periods": "",
    "rounds": "state = 'open'",
    "segments": OF_OPEN_ROUND,
    "setting_changes": "",
    "tickets": "state IN ('printing', 'printed', 'held')",
    "venue_claims": "state <> 'done'",
    "venue_events": "sent = 0",
    "venue_readings": "sent = 0",
    "venue_shares": OF_OPEN_ROUND,
    "venue_ticket_claims": "(sent = 0 OR state IN ('asked', 'held'))",
    "venue_tickets": "state <> 'known'",
    "win_sizes_folded": "",
}
"""The tables with a past that a start need not find changed, but for these rows; of the others it must find all."""


def eventful(folder: Path, *, paying: bool) -> Path:
    """Return a journal with rows in every table, behind an archive, with a round open, or a payout where `paying`."""
    lived(folder)
    archived(folder)
    with closing(opened(folder)) as store:
        do = store.transact
        do(lambda tx: money.coins_taken(tx, 1, 4, (200, 200, 200), 0))
        for stacked in (500, 1000):
            do(lambda tx: money.note_stacking(tx, stacked))  # noqa: B023 - run at once
            do(lambda tx: money.note_unknown(tx, "a test"))
        first = do(lambda tx: tx.execute("SELECT min(id) FROM open_items WHERE resolution IS NULL").fetchone()[0])
        do(lambda tx: resolve_item(tx, first, Resolution.RETURNED, "attendant"))
        do(lambda tx: money.note_stacking(tx, 2000))
        do(lambda tx: begin_batch(tx, UNITS, list(UNITS)))
        do(lambda tx: _pool(tx, 1))
        do(lambda tx: _venue(tx, 1))
        do(lambda tx: host_queue.queue(tx, "host_port", 0x11))
        do(lambda tx: host_transfers.move(tx, "host_port", TRANSFER, into=True))
        do(lambda tx: payouts.begin_payout(tx, "ticket", 200))
        do(lambda tx: tickets.begin(tx, lambda *_: "001234567890123456"))
        do(lambda tx: host_tickets.record(tx, "host_port", tickets.printed(tx)))
        do(lambda tx: host_tickets.begin(tx, "host_port", "371234567890123456"))
        do(_venue_tickets)
        if paying:
            do(lambda tx: payouts.begin_payout(tx, "hopper", 200, 100))
            do(lambda tx: payouts.dispensing(tx, 7, 1, 100))
        else:
            begun = _begun(store)
            do(lambda tx: _pool(tx, begun))
        for _ in range(8):  # the stake lies before the last anchor, as one does while a round waits for its player
            do(_many_events)
        _signed(store, folder)
        do(lambda tx: tx.anchor())
        tables = [name for (name,) in do(_tables)]
        assert [table for table in tables if not do(lambda tx: _first(tx, table))] == []  # noqa: B023 - run at once
    return path_in(folder)


def _tables(tx: Transaction) -> list[tuple[str]]:
    return tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()


def _first(tx: Transaction, table: str) -> object:
    return tx.execute(f'SELECT * FROM "{table}" LIMIT 1').fetchone()


def _pool(tx: Transaction, number: int) -> None:
    tx.execute("INSERT INTO contributions (round_id, millicents) VALUES (?, 7)", (number,))
    tx.execute("INSERT INTO claims (round_id, number, coins, taken_millicents) VALUES (?, 1, 1, 7)", (number,))


def _venue(tx: Transaction, number: int) -> None:
    """Join a venue with a share and a claim of this round, events and readings; half of those are sent."""
    begin_epoch(tx, 7, 1)
    learn_pools(tx, [VenuePool(1, PoolKey("bewitched", 10), 5)])
    tx.execute("INSERT INTO venue_meters (epoch, pool, seq, cum, debt) VALUES (1, 1, 3, 50, 5)")
    tx.execute("INSERT INTO venue_shares (round_id, epoch, pool, millicents) VALUES (?, 1, 1, 50)", (number,))
    claim = (
        "INSERT INTO venue_claims (epoch, round_id, number, pool, unit_cents, state, asked_ms, award, hit, seed, coins)"
    )
    tx.execute(f"{claim} VALUES (1, ?, 1, 1, 10, 'done', 1, 20000000, 1, 20000000, 2000)", (number,))
    tx.execute(f"{claim} VALUES (1, 9, 1, 1, 10, 'asked', 1, NULL, NULL, NULL, NULL)")
    for _ in range(2):
        add_reading(tx, "hour")
        tx.log("service_call", "a call", place="a")
    events_stored(tx, 1)
    readings_stored(tx, 1)


def _venue_tickets(tx: Transaction) -> None:
    """Hand a ticket over, and ask for two: one of which the venue has the end, and one that it has not heard of."""
    tx.execute("INSERT INTO venue_tickets (ticket) SELECT max(id) FROM tickets")
    for number in ("001234567890123457", "001234567890123458"):
        claim = venue_tickets.ask(tx, number)
        assert isinstance(claim, venue_tickets.Claim)
        venue_tickets.give_up(tx, claim)
    venue_tickets.stored(tx, venue_tickets.hand_over(tx)[:1])


def _many_events(tx: Transaction) -> None:
    for number in range(150):
        tx.log("service_call", f"call {number}", place="a")


def _signed(store: Store, folder: Path) -> None:
    own = read_identity(folder / "key")
    assert own is not None
    signatures = {anchor.seq: own.sign(anchor.message) for anchor in store.transact(anchors.unsigned)}
    assert signatures
    store.transact(lambda tx: anchors.sign(tx, own, signatures))


def _begun(store: Store) -> int:
    """Begin a round that asks something, and return its number."""
    bet = wager_on(GAME, BET)
    for seed in range(1000):
        played = Round(GAME, stake_of(bet), "null")
        segment = played.advance(None, seeded_source(seed)(1, 0))
        if played.offer is not None:
            return store.transact(lambda tx: rounds.begin(tx, bet, "null", segment))  # noqa: B023 - run at once
    raise AssertionError("no seed asks anything")


NOT_AT_A_START = {("sqlite_schema", "rootpage"), ("cabinet", "digests")}
"""The file's structure, which is checked once the cabinet is up, and the digests, which are of the past too."""


class Column(NamedTuple):
    """A column of the schema."""

    table: str
    name: str
    type: str
    not_null: bool


def columns(path: Path) -> list[Column]:
    """Return every column of every table, the schema's own included."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' UNION SELECT 'sqlite_schema' ORDER BY 1"
            )
        ]
        return [
            Column(table, name, kind, bool(not_null))
            for table in tables
            for name, kind, not_null in connection.execute(
                'SELECT name, type, "notnull" FROM pragma_table_info(?)', (table,)
            )
        ]


class Flip(NamedTuple):
    """One value that was changed, and whether a start has to find it."""

    column: Column
    was: object
    now: object
    present: bool

    def __str__(self) -> str:
        return f"{self.column.table}.{self.column.name}: {self.was!r} -> {self.now!r}"


def flipped(path: Path, column: Column, chance: random.Random) -> Flip | None:
    """Change one value of that column as no trigger or constraint lets a program; None where no row has one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        run = connection.execute
        table = f'"{column.table}"'
        kept = run("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid").fetchall()
        count = run(f"SELECT count(*) FROM {table}").fetchone()[0]
        live = HISTORY.get(column.table, "1")
        counting = run(f"SELECT count(*) FROM {table} WHERE {live or 0}").fetchone()[0]
        run("PRAGMA foreign_keys = OFF")
        run("PRAGMA ignore_check_constraints = ON")
        if column.table == "sqlite_schema":
            run("PRAGMA writable_schema = ON")
        run("BEGIN")
        if column.table != "sqlite_schema":
            for name, _ in kept:
                run(f'DROP TRIGGER "{name}"')
        for _ in range(50):
            of, number = (live, counting) if counting and chance.random() < 0.5 else ("1", count)  # few of many count
            at = chance.randrange(number)
            key = ", ".join(f'"{name}"' for (name,) in _key(connection, column.table))
            where = f"({key}) = (SELECT {key} FROM {table} WHERE {of} ORDER BY {key} LIMIT 1 OFFSET {at})"
            was, present = run(f'SELECT "{column.name}", {live or 0} FROM {table} WHERE {where}').fetchone()
            now = other(was, column, chance)
            if now == was:
                continue
            try:
                moved = run(
                    f'UPDATE {table} SET "{column.name}" = ? WHERE {where} RETURNING {live or 0}', (now,)
                ).fetchall()
            except sqlite3.IntegrityError:
                continue
            if column.table != "sqlite_schema":
                for _, sql in kept:
                    run(sql)
            run("COMMIT")
            counts = bool(present) or any(bool(is_now) for (is_now,) in moved)
            return Flip(column, was, now, counts and (column.table, column.name) not in NOT_AT_A_START)
        return None


def _key(connection: sqlite3.Connection, table: str) -> list[tuple[str]]:
    if table == "sqlite_schema":
        return [("rowid",)]
    keys = connection.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,)).fetchall()
    return keys or [("rowid",)]


def other(value: object, column: Column, chance: random.Random) -> object:
    """Return another value that the column can hold, one bit away where there is one."""
    if value is not None and not column.not_null and chance.random() < 0.1:
        return None
    if isinstance(value, int):
        return value ^ (1 << chance.randrange(40))
    if isinstance(value, bytes) and value:
        at = chance.randrange(len(value))
        return value[:at] + bytes([value[at] ^ (1 << chance.randrange(8))]) + value[at + 1 :]
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        return value[:at] + chr(ord(value[at]) ^ (1 << chance.randrange(5))) + value[at + 1 :]
    return {"INTEGER": 1, "INT": 1, "BLOB": b"\x01", "TEXT": "x"}[column.type]


def edit(path: Path, statement: str) -> None:
    """Change a closed journal as no trigger lets a program."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        if connection.execute(statement).rowcount < 1:
            raise ValueError(f"no row is changed by {statement}")
        for _, sql in triggers:
            connection.execute(sql)


def audit_finds(path: Path) -> bool:
    """Whether an audit says that something is wrong."""
    try:
        return bool(audit(path, lambda *_: None).failures)
    except JournalError:
        return True


def start_finds(path: Path) -> bool:
    """Whether a start refuses these books."""
    try:
        Store(path, lambda: 0, simulated=True).close()
    except JournalError:
        return True
    return False


def bits_flipped(content: bytes, chance: random.Random, number: int) -> Iterator[bytes]:
    """Yield copies of a file with one bit flipped in each."""
    for _ in range(number):
        at = chance.randrange(len(content))
        yield content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]


def contents(path: Path) -> list[tuple[str, list[tuple[object, ...]]]] | None:
    """Return every row of every table as it is read, None where that cannot be done."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            tables = sorted({column.table for column in columns(path)})
            return [(table, connection.execute(f'SELECT * FROM "{table}"').fetchall()) for table in tables]
    except (sqlite3.Error, UnicodeDecodeError):
        return None
