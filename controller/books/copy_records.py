"""The records of a second copy of the books (`controller.books.second_copy`), and the file that stores them.

Each line is one record: a CRC-32 in eight hexadecimal digits, a space, and JSON. The first record is complete and names
the cabinet; each later one has the changes of a transaction.
"""

import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from common.decoding import UnreadableError, decoder
from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.own_files import like
from controller.journal import ledger
from controller.journal.errors import CorruptJournalError
from controller.journal.generations import generation_of
from controller.journal.pools import Undone, undone_of_open_round
from controller.journal.reads import cabinet_row
from controller.journal.unsettled import unsettled

LARGEST_BYTES = 256 * 1024
"""A file larger than this is replaced by one with a single record."""

MOST_BYTES = 4 * LARGEST_BYTES
"""The maximum that is read of a file, with room for the record that exceeds `LARGEST_BYTES`."""

COPY = like("second copy of the books", rb"[0-9a-f]{8} \{\"")

V = TypeVar("V", int, str)

_encode = msgspec.json.Encoder(order="deterministic").encode


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The books after a transaction: the newest ledger row, the credit, and meters and pools by name.

    In a complete record `cabinet` is the public key that the journal is bound to, with the journal's id and generation,
    and meters and pools are complete. Later records contain only those that changed. `pools` are growths in 1/1000 cent
    by `game.coin value`. For an open round it has the stake, the wins that are already on the credit, and what its void
    changes of its pool (`open_pool`). `unsettled` is the state that the ledger does not settle, as JSON by part
    (`controller.journal.unsettled`).
    """

    seq: int
    hash: str
    credit_cents: int
    meters: dict[str, int] = {}
    pools: dict[str, int] = {}
    open_stake_cents: int = 0
    open_win_cents: int = 0
    open_pool: Undone | None = None
    unsettled: dict[str, str] = {}
    cabinet: str = ""
    cabinet_id: str = ""
    simulated: bool = False
    generation: int = 1

    def followed_by(self, later: "Record") -> "Record":
        """Return the complete record after applying `later`."""
        return msgspec.structs.replace(
            later,
            meters=self.meters | later.meters,
            pools=self.pools | later.pools,
            unsettled=self.unsettled | later.unsettled,
            cabinet=self.cabinet,
            cabinet_id=self.cabinet_id,
            simulated=self.simulated,
            generation=self.generation,
        )

    def since(self, before: "Record") -> "Record":
        """Return the changes of this complete record since `before`."""
        return msgspec.structs.replace(
            self,
            meters=_changed(before.meters, self.meters),
            pools=_changed(before.pools, self.pools),
            unsettled=_changed(before.unsettled, self.unsettled),
            cabinet="",
            cabinet_id="",
            simulated=False,
            generation=1,
        )


def _changed(before: Mapping[str, V], now: Mapping[str, V]) -> dict[str, V]:
    return {name: value for name, value in now.items() if before.get(name) != value}


def record_of(connection: sqlite3.Connection, cabinet: str) -> Record:
    """Return the complete record of these books, for the cabinet with this public key."""
    seq, digest, credit = ledger.head(connection)
    stake, win = connection.execute(
        "SELECT coalesce(sum(stake_cents), 0), coalesce(sum(win_cents), 0) FROM rounds WHERE state = 'open'"
    ).fetchone()
    cabinet_of = cabinet_row(connection)
    pools = connection.execute("SELECT game, coin_value_cents, growth_millicents FROM pools")
    return Record(
        seq=seq,
        hash=digest.hex(),
        credit_cents=credit,
        meters=ledger.meters(connection),
        pools={f"{game}.{coin}": growth for game, coin, growth in pools},
        open_stake_cents=stake,
        open_win_cents=win,
        open_pool=undone_of_open_round(connection) if stake else None,
        unsettled=unsettled(connection),
        cabinet=cabinet,
        cabinet_id=cabinet_of.cabinet_id,
        simulated=cabinet_of.simulated,
        generation=generation_of(connection),
    )


def read_copy(path: Path) -> Record | None:
    """Return the books in the copy at `path` as a complete record, or None if there is no copy.

    Raises `CorruptJournalError` for a damaged copy, and `OSError` for a medium that cannot be read.
    """
    try:
        record, damage = read_what_holds(path)
    except FileNotFoundError:
        return None
    if damage:
        raise CorruptJournalError(damage)
    return record


def read_what_holds(path: Path) -> tuple[Record | None, str]:
    """Return the newest state from the valid lines, or None if the first is invalid, and the damage found, or "".

    After damage its meters may be outdated, but its row and hash are not. A last record that a power cut left
    incomplete is ignored, because it was not acknowledged. Raises `OSError`.
    """
    try:
        lines = read_bounded(path, MOST_BYTES).split(b"\n")[:-1]
    except ForeignFileError as error:
        return None, str(error)
    whole, damage = None, "" if lines else f"{path} holds no whole record"
    for number, line in enumerate(lines, 1):
        record = _parsed(line)
        if record is None:
            damage = damage or f"{path}: record {number} does not match its checksum"
        elif whole is not None:
            whole = whole.followed_by(record)
        elif record.cabinet:
            whole = record
        else:
            damage = damage or f"{path}: its first record names no cabinet"
    return whole, damage


def _parsed(line: bytes) -> Record | None:
    checksum, _, text = line.partition(b" ")
    if checksum != f"{zlib.crc32(text):08x}".encode():
        return None
    try:
        record: Record = _decode(text)
    except UnreadableError:
        return None
    return record


def line_of(record: Record) -> bytes:
    """Return a record as a line of the file."""
    text = _encode(record)
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n"


_decode = decoder(Record)


def copy_in_words(path: Path | None) -> str:
    """Return a sentence on how lost books can be rebuilt, or an empty string if there is no copy at `path`."""
    if path is None:
        return ""
    try:
        record, damage = read_what_holds(path)
    except OSError:
        return ""
    if record is None or damage:
        return f"their second copy {path} is there, and damaged ({damage})"
    return (
        f"their second copy {path} ends at row {record.seq} with a credit of {record.credit_cents} cents: a technician"
        " must run `cabinet rebuild`"
    )
