"""The second copy: credit, meters, pools and the chain's head on another medium (standards.md C2, C4).

A file of records, one a line: a CRC-32 in eight hexadecimal digits, a space, JSON. The first record is whole and names
the cabinet; each later one has what a transaction changed. It is appended and flushed after the journal's commit and
before that is acknowledged, so that every acknowledged cent is in two places. A file that has grown too large is
replaced, atomically, by one with a single whole record.
"""

import os
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import write_durably
from controller.files.own_files import like
from controller.journal import ledger
from controller.journal.errors import CorruptJournalError
from controller.journal.event_catalogue import Event
from controller.journal.generations import generation_of
from controller.journal.reads import cabinet_row
from controller.journal.store import News, Store
from ui.messages import UnreadableError, decoder

LARGEST_BYTES = 256 * 1024
"""A larger file is replaced by one with a single record."""

MOST_BYTES = 4 * LARGEST_BYTES
"""The most that is read of a file: room for the record with which it exceeds `LARGEST_BYTES`."""

COPY = like("second copy of the books", rb"[0-9a-f]{8} \{\"")

_encode = msgspec.json.Encoder(order="deterministic").encode


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The books after a transaction: the newest ledger row, the credit, and meters and pools by name.

    In a whole record `cabinet` is the public key that the journal is bound to, with the journal's id and generation,
    and meters and pools are complete; later ones have those that changed. `pools` are growths in 1/1000 cent by
    `game.coin value`. Of an open round it has the stake, and the wins that are on the credit already.
    """

    seq: int
    hash: str
    credit_cents: int
    meters: dict[str, int] = {}
    pools: dict[str, int] = {}
    open_stake_cents: int = 0
    open_win_cents: int = 0
    cabinet: str = ""
    cabinet_id: str = ""
    simulated: bool = False
    generation: int = 1

    def followed_by(self, later: "Record") -> "Record":
        """Return the whole record after `later`."""
        return msgspec.structs.replace(
            later,
            meters=self.meters | later.meters,
            pools=self.pools | later.pools,
            cabinet=self.cabinet,
            cabinet_id=self.cabinet_id,
            simulated=self.simulated,
            generation=self.generation,
        )

    def since(self, before: "Record") -> "Record":
        """Return what has changed in this whole record since `before`."""
        return msgspec.structs.replace(
            self,
            meters=_changed(before.meters, self.meters),
            pools=_changed(before.pools, self.pools),
            cabinet="",
            cabinet_id="",
            simulated=False,
            generation=1,
        )


def _changed(before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    return {name: figure for name, figure in now.items() if before.get(name) != figure}


def record_of(connection: sqlite3.Connection, cabinet: str) -> Record:
    """Return the whole record of these books, for the cabinet with that public key."""
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
        cabinet=cabinet,
        cabinet_id=cabinet_of.cabinet_id,
        simulated=cabinet_of.simulated,
        generation=generation_of(connection),
    )


def read_copy(path: Path) -> Record | None:
    """Return the books by the copy at `path`, as a whole record; None where there is no copy.

    A last record that a power cut left incomplete is ignored: it was not acknowledged. Raises `CorruptJournalError` for
    a damaged copy, and `OSError` for a medium that cannot be read.
    """
    try:
        content = read_bounded(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except ForeignFileError as error:
        raise CorruptJournalError(str(error)) from error
    whole: Record | None = None
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        record = _parsed(line)
        if record is None:
            raise CorruptJournalError(f"{path}: record {number} does not match its checksum")
        if whole is None and not record.cabinet:
            raise CorruptJournalError(f"{path}: its first record names no cabinet")
        whole = record if whole is None else whole.followed_by(record)
    if whole is None:
        raise CorruptJournalError(f"{path} holds no whole record")
    return whole


def _parsed(line: bytes) -> Record | None:
    checksum, _, text = line.partition(b" ")
    if checksum != f"{zlib.crc32(text):08x}".encode():
        return None
    try:
        record: Record = _decode(text)
    except UnreadableError:
        return None
    return record


def _line(record: Record) -> bytes:
    text = _encode(record)
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n"


_decode = decoder(Record)


class SecondCopyError(CorruptJournalError):
    """The journal and its second copy cannot both be the newest books of this cabinet."""

    code = "second_copy"


class SecondCopy:
    """The copy of one cabinet at `path`, open for appending. Not thread-safe: it belongs to the journal's thread.

    A failing medium does not stop the books: `failed` is the reason, and the copy is written again once that works.
    """

    def __init__(self, path: Path, cabinet: str, largest_bytes: int = LARGEST_BYTES) -> None:
        self.path = path
        self.failed = ""
        self._cabinet = cabinet
        self._largest_bytes = largest_bytes
        self._written: Record | None = None
        self._handle: int | None = None

    def __repr__(self) -> str:
        return f"<SecondCopy {self.path} {self.failed or 'in step'}>"

    def take_up(self, connection: sqlite3.Connection) -> News | None:
        """Compare the copy with the books and write it again from them; return what is to be recorded of that.

        Raises `SecondCopyError` for a copy of another cabinet, and where the copy has rows that the journal lacks.
        """
        try:
            copy = read_copy(self.path)
        except (CorruptJournalError, OSError) as error:
            news: News | None = Event.COPY_REPLACED, str(error)
        else:
            news = (Event.COPY_BEGUN, "") if copy is None else self._compared(copy, connection)
        self.begin(connection)
        return news

    def _compared(self, copy: Record, connection: sqlite3.Connection) -> News | None:
        books = record_of(connection, self._cabinet)
        if copy.cabinet != books.cabinet:
            raise SecondCopyError(
                f"{self.path} is the second copy of another cabinet (key {copy.cabinet[:16]}, not"
                f" {books.cabinet[:16]}): put this cabinet's own back, or remove it"
            )
        if copy.generation < books.generation:
            return Event.COPY_BEGUN_ANEW, ""
        row = connection.execute("SELECT hash FROM ledger WHERE seq = ?", (copy.seq,)).fetchone()
        (archived,) = connection.execute("SELECT coalesce(max(seq), 0) FROM archives").fetchone()
        if row is None and (copy.generation, copy.seq < archived) == (books.generation, True):
            return Event.COPY_BEHIND_ARCHIVE, ""
        if copy.generation > books.generation or row is None:
            raise SecondCopyError(
                f"the journal ends at row {books.seq} with a credit of {books.credit_cents} cents, its second copy"
                f" {self.path} at row {copy.seq} with {copy.credit_cents}: rows are lost; a technician must run"
                " `cabinet rebuild`"
            )
        if row[0].hex() != copy.hash:
            raise SecondCopyError(
                f"row {copy.seq} of the journal is not the one that its second copy {self.path} knows: one of them was"
                " exchanged; a technician must decide which, and run `cabinet rebuild` or remove the copy"
            )
        return None

    def begin(self, connection: sqlite3.Connection) -> None:
        """Write the whole copy again from the books."""
        record = record_of(connection, self._cabinet)
        self.close()
        try:
            write_durably(self.path, _line(record), COPY)
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            self._fail(error)
        else:
            self._written, self.failed = record, ""

    def follow(self, connection: sqlite3.Connection) -> None:
        """Append what the newest transaction changed; it is durable when this returns, unless `failed`."""
        if self._handle is None or self._written is None:
            return
        record = record_of(connection, self._cabinet)
        if record == self._written:
            return
        try:
            line = _line(record.since(self._written))
            while line:  # a full medium may take a part and refuse the rest
                line = line[os.write(self._handle, line) :]
            os.fdatasync(self._handle)
            size = os.fstat(self._handle).st_size
        except OSError as error:
            self._fail(error)
            return
        self._written = record
        if size > self._largest_bytes:
            self.begin(connection)

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _fail(self, error: OSError) -> None:
        self.failed = f"{self.path}: {error.strerror or error}"
        self.close()


def start_second_copy(store: Store, path: Path, cabinet: str) -> None:
    """Compare the copy at `path` with the open books, bound to the public key `cabinet`, and write it from now on.

    Raises what `SecondCopy.take_up` raises; what it returns is recorded.
    """
    news = store.follow_with(SecondCopy(path, cabinet))
    if news is not None:
        event, reason = news
        store.transact(lambda tx: tx.event(event, place="second_copy", reason=reason))
