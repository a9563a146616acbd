"""The ledger: every movement of credit and meters, each row chained to the previous one by SHA-256."""

import hashlib
import heapq
import sqlite3
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from controller.journal import digests
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.journal.reads import Reader, cabinet_row

ANCHOR_EVERY = 1000
"""The number of ledger rows between anchors, and so the most rows that a start must prove."""

GENESIS = bytes(32)

ADDS = (
    "coins_in",
    "notes_in",
    "found_in",
    "service_credit",
    "wins",
    "stakes_voided",
    "demo_in",
    "held_released",
    "host_in",
    "tickets_in",
)
TAKES = (
    "stakes",
    "wins_voided",
    "hopper_out",
    "hand_pay",
    "credits_voided",
    "demo_out",
    "payouts_held",
    "host_out",
    "tickets_out",
)
"""The self-audit (M7): the credit is the sum of the meters in `ADDS` minus the sum of the meters in `TAKES`."""

MONEY_IN = ("coins_in", "notes_in", "tickets_in", "host_in")
MONEY_OUT = ("hopper_out", "hand_pay", "tickets_out", "host_out")
"""The meters of all money that players put in and were paid."""

RARE = "kind NOT IN ('stake', 'win')"
"""A condition that queries for all other kinds include, so that SQLite uses the index of these kinds."""

MOST = 2**63 - 1
"""The highest row number and meter value: a signed 64-bit integer."""
_encode = msgspec.json.Encoder(order="deterministic").encode


class Entry(NamedTuple):
    """The content of a ledger row: time, kind, change of the credit, increments of meters, round, and details."""

    at_ms: int
    kind: str
    credit_delta: int
    meters: dict[str, int]
    round_id: int | None
    data: dict[str, Any]


def row_body(seq: int, entry: Entry, credit_after: int, state: bytes) -> bytes:
    """Return the part of a row that is hashed, as JSON."""
    return _encode([seq, credit_after, *entry, state.hex()])


def row_hash(previous: bytes, seq: int, entry: Entry, credit_after: int, state: bytes) -> bytes:
    """Return the SHA-256 that chains this row to the previous one."""
    return hashlib.sha256(previous + row_body(seq, entry, credit_after, state)).digest()


def append(connection: sqlite3.Connection, entry: Entry) -> int:
    """Append `entry`, change the credit and raise the meters; return the row's sequence number."""
    seq, previous, credit = head(connection)
    seq, after = seq + 1, credit + entry.credit_delta
    if after < 0:
        raise RefusedError(
            "{amount_cents} cannot be taken from a credit of {credit_cents}",
            amount_cents=-entry.credit_delta,
            credit_cents=credit,
        )
    state = digests.state(connection)
    digest = row_hash(previous, seq, entry, after, state)
    connection.execute(
        "INSERT INTO ledger (seq, at_ms, kind, credit_delta, credit_after, meters, round_id, data, hash, state)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            seq,
            entry.at_ms,
            entry.kind,
            entry.credit_delta,
            after,
            _encode(entry.meters).decode(),
            entry.round_id,
            _encode(entry.data).decode(),
            digest,
            state,
        ),
    )
    if entry.credit_delta:
        connection.execute("UPDATE cabinet SET credit_cents = ?", (after,))
    connection.executemany(
        "INSERT INTO meters (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        entry.meters.items(),
    )
    if seq % ANCHOR_EVERY == 0:
        anchor(connection)
    return seq


def anchor(connection: sqlite3.Connection) -> None:
    """Write an anchor at the newest row with its hash, the credit and all meters, unless it already has one."""
    seq, digest, credit = head(connection)
    connection.execute(
        "INSERT INTO anchors (seq, hash, credit_cents, meters) SELECT ?, ?, ?, ?"
        " WHERE NOT EXISTS (SELECT 1 FROM anchors WHERE seq = ?)",
        (seq, digest, credit, _encode(meters(connection)).decode(), seq),
    )


def head(connection: sqlite3.Connection) -> tuple[int, bytes, int]:
    """Return the number and hash of the newest row and the credit after it, or genesis values if empty."""
    row = connection.execute("SELECT seq, hash, credit_after FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    return row or (0, GENESIS, 0)


class RareRow(NamedTuple):
    """A ledger row of a kind that the index of `RARE` covers: its number, time and data (JSON)."""

    seq: int
    at_ms: int
    data: str


class CreditRow(NamedTuple):
    """A ledger row in a list: its number, kind, change of the credit, and time."""

    seq: int
    kind: str
    credit_cents: int
    at_ms: int


def rare_before(books: Reader, kinds: Sequence[str], before: int, most: int) -> list[CreditRow]:
    """Return at most `most` rows of these rare kinds below the row `before`, newest first."""
    sql = (
        "SELECT seq, kind, credit_delta, at_ms FROM ledger"  # noqa: S608 - a literal
        f" WHERE kind = ? AND {RARE} AND seq < ? ORDER BY seq DESC LIMIT ?"
    )
    found = [map(CreditRow._make, books.execute(sql, (kind, before, most))) for kind in kinds]
    return list(islice(heapq.merge(*found, key=lambda row: -row.seq), most))


def first_of_kind(books: Reader, kind: str) -> RareRow | None:
    """Return the oldest row of a rare kind, or None."""
    return _of_kind(books, kind, "ASC")


def last_of_kind(books: Reader, kind: str) -> RareRow | None:
    """Return the newest row of a rare kind, or None."""
    return _of_kind(books, kind, "DESC")


def _of_kind(books: Reader, kind: str, order: str) -> RareRow | None:
    row = books.execute(
        f"SELECT seq, at_ms, data FROM ledger WHERE kind = ? AND {RARE} ORDER BY seq {order} LIMIT 1",  # noqa: S608 - literals
        (kind,),
    ).fetchone()
    return None if row is None else RareRow(*row)


def newest_ms(books: Reader) -> int:
    """Return the time of the newest row, 0 for an empty ledger."""
    (at_ms,) = books.execute("SELECT at_ms FROM ledger ORDER BY seq DESC LIMIT 1").fetchone() or (0,)
    return int(at_ms)


def meters(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the lifetime value of every meter by name."""
    return dict(connection.execute("SELECT name, value FROM meters"))


def self_audit(connection: sqlite3.Connection) -> int:
    """Prove that credit = money in + wins - stakes - money out, and return the credit in cents.

    Raise `CorruptJournalError` with both values if they differ.
    """
    credit = cabinet_row(connection).credit_cents
    figures = meters(connection)
    owed = sum(figures.get(name, 0) for name in ADDS) - sum(figures.get(name, 0) for name in TAKES)
    if credit != owed:
        raise CorruptJournalError(f"the credit meter shows {credit} cents, the other meters make it {owed}")
    return credit


class Chain:
    """Walks the ledger rows in order and proves each against the previous one."""

    def __init__(self, seq: int, digest: bytes, credit: int, figures: dict[str, int]) -> None:
        self.seq = seq
        self.digest = digest
        self.credit = credit
        self.meters = figures

    def follow(self, connection: sqlite3.Connection, to: int = MOST) -> None:
        """Prove every row from here up to `to`; raise `CorruptJournalError` naming the first bad row."""
        rows = connection.execute(
            "SELECT seq, at_ms, kind, credit_delta, credit_after, meters, round_id, data, hash, state"
            " FROM ledger WHERE seq > ? AND seq <= ? ORDER BY seq",
            (self.seq, to),
        )
        for seq, at_ms, kind, delta, after, raised, round_id, data, digest, before in rows:
            entry = Entry(at_ms, kind, delta, msgspec.json.decode(raised), round_id, msgspec.json.decode(data))
            self._step(seq, entry, after, (digest, before))

    def _step(self, seq: int, entry: Entry, after: int, proof: tuple[bytes, bytes]) -> None:
        digest, state = proof
        if seq != self.seq + 1:
            raise CorruptJournalError(f"ledger row {self.seq + 1} is missing")
        if after != self.credit + entry.credit_delta:
            raise CorruptJournalError(f"ledger row {seq} says credit {after}, the rows before it make it otherwise")
        if digest != row_hash(self.digest, seq, entry, after, state):
            raise CorruptJournalError(f"ledger row {seq} does not match its hash")
        for name, amount in entry.meters.items():
            self.meters[name] = self.meters.get(name, 0) + amount
        self.seq, self.digest, self.credit = seq, digest, after


def from_genesis() -> Chain:
    """Return the chain before its first row."""
    return Chain(0, GENESIS, 0, {})


def from_base(connection: sqlite3.Connection) -> Chain:
    """Return the chain at the point after which this file has every row.

    That is before row 1, or at the anchor of the last archived row.
    """
    row = connection.execute(
        "SELECT a.seq, a.hash, a.credit_cents, a.meters FROM archives JOIN anchors a USING (seq) ORDER BY seq DESC"
        " LIMIT 1"
    ).fetchone()
    if row is None:
        return from_genesis()
    seq, digest, credit, figures = row
    return Chain(seq, digest, credit, msgspec.json.decode(figures))


def from_last_anchor(connection: sqlite3.Connection) -> Chain:
    """Return the chain at the last anchor, which limits the number of rows left to prove."""
    row = connection.execute(
        "SELECT a.seq, a.hash, a.credit_cents, a.meters, l.hash"
        " FROM anchors a LEFT JOIN ledger l ON l.seq = a.seq ORDER BY a.seq DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return from_genesis()
    seq, digest, credit, figures, in_ledger = row
    if digest != in_ledger:
        raise CorruptJournalError(f"anchor {seq} does not match its ledger row")
    return Chain(seq, digest, credit, msgspec.json.decode(figures))


def prove_from_anchor(connection: sqlite3.Connection) -> None:
    """Prove the chain since the last anchor, the resulting meters and credit, and the self-audit equation."""
    chain = from_last_anchor(connection)
    chain.follow(connection)
    agree(connection, chain)
    self_audit(connection)


def agree(connection: sqlite3.Connection, chain: Chain) -> None:
    """Raise `CorruptJournalError` unless the meters and the credit equal the totals of the chain."""
    figures = meters(connection)
    for name in sorted(figures.keys() | chain.meters.keys()):
        if figures.get(name, 0) != chain.meters.get(name, 0):
            raise CorruptJournalError(
                f"meter {name} shows {figures.get(name, 0)}, its ledger rows add up to {chain.meters.get(name, 0)}"
            )
    credit = cabinet_row(connection).credit_cents
    if credit != chain.credit:
        raise CorruptJournalError(f"the credit meter shows {credit} cents, the ledger leads to {chain.credit}")
