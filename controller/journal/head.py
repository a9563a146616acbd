"""The mark: a small file beside the journal that names its newest durable transaction, so that lost rows are noticed.

SQLite keeps the newest transactions in a separate file (`-wal`). If that file is lost or truncated, the journal opens
in an older state that is complete and balanced. The mark is written after each transaction, into two places in turn, so
that a torn write leaves the previous mark. It is never ahead of the books. A mark behind the journal, as a power cut
may leave it, is accepted; a mark beyond the journal's end locks the cabinet.

The mark is synced with the first transaction after each checkpoint, when the journal's own file contains everything
before it. So the loss of a whole `-wal` is always noticed. Later marks can be lost only in a power cut.

The same file has a note of the progress of the newest batch of pulses, written before each pulse.
"""

import os
import sqlite3
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from common.decoding import UnreadableError, decoder
from controller.files.durable import flush_folder
from controller.files.own_files import like, refuse_foreign
from controller.journal import digests, ledger
from controller.journal.errors import CorruptJournalError
from controller.journal.hard_meters import Noted

TAIL: Final = ".head"
"""The suffix of the file's name, after the journal's name."""
PLACES: Final = 2
"""The number of places for each kind of record, written in turn: first the mark's places, then those of the pulses."""
PLACE_BYTES: Final = 4096
"""The size of a place: each has its own block, so that a torn write damages only one."""
_WHOLE_BYTES = 2 * PLACES * PLACE_BYTES
_USED_BYTES = 512
_encode = msgspec.json.Encoder(order="deterministic").encode

MARK: Final = like("mark of books", rb" {16}|.{8} \[|[0-9a-f]{0,8} ?\x00")
"""One record, blanks if there is none, or the remains of a torn write."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The state of a cabinet's books: the number of transactions, and the newest ledger row with its hash.

    `state` is the hash of all digests at that point (`controller.journal.digests`).
    """

    cabinet_id: str
    commits: int
    seq: int
    hash: str
    state: str


R = TypeVar("R", bound=Mark | Noted)
_KINDS: Final[tuple[type[Mark | Noted], ...]] = (Mark, Noted)


class _Written(msgspec.Struct, frozen=True, array_like=True):
    """A record, and its sequence number within its kind."""

    number: int
    record: msgspec.Raw


_decode = decoder(_Written)


def head_file(journal: Path) -> Path:
    """Return the path of the mark of the journal at `journal`."""
    return journal.with_name(f"{journal.name}{TAIL}")


def read_mark(journal: Path) -> Mark | None:
    """Return the newest mark of the journal at `journal`, or None if there is none; raise `OSError`."""
    return _newest(head_file(journal), Mark)[1]


def read_noted(journal: Path) -> Noted | None:
    """Return the newest note of a batch of pulses, or None if there is none; raise `OSError`."""
    return _newest(head_file(journal), Noted)[1]


def _begins(kind: type[object]) -> int:
    """Return the offset of the places for records of this kind."""
    return 0 if kind is Mark else PLACES * PLACE_BYTES


def _newest(path: Path, kind: type[R]) -> tuple[int, R | None]:
    """Return the sequence number and content of the newest record of this kind, or 0 and None."""
    try:
        with path.open("rb") as file:
            file.seek(_begins(kind))
            content = file.read(PLACES * PLACE_BYTES)
    except FileNotFoundError:
        return 0, None
    found: tuple[int, R | None] = (0, None)
    for at in range(0, len(content), PLACE_BYTES):
        checksum, _, text = content[at : at + _USED_BYTES].partition(b"\n")[0].partition(b" ")
        if checksum != f"{zlib.crc32(text):08x}".encode():
            continue
        with suppress(UnreadableError):
            written = _decode(text)
            record = decoder(kind)(written.record)
            found = max(found, (written.number, record), key=lambda it: it[0])
    return found


def mark_in(connection: sqlite3.Connection) -> Mark:
    """Return the mark for the books that `connection` reads."""
    cabinet_id, commits = connection.execute("SELECT cabinet_id, commits FROM cabinet").fetchone()
    seq, digest, _ = ledger.head(connection)
    state = digests.state(connection).hex()
    return Mark(cabinet_id=cabinet_id, commits=commits, seq=seq, hash=digest.hex(), state=state)


def compare(mark: Mark, connection: sqlite3.Connection, journal: Path) -> None:
    """Raise `CorruptJournalError` if the books end before their mark or differ from it.

    The mark of another cabinet is ignored: the key detects books of another cabinet.
    """
    books = mark_in(connection)
    if mark.cabinet_id != books.cabinet_id:
        return
    if mark.commits > books.commits:
        raise CorruptJournalError(
            f"rows are lost: {journal} ends at row {books.seq} (transaction {books.commits}), and its mark"
            f" {head_file(journal).name} names row {mark.seq} ({mark.commits}); put the missing {journal.name}-wal"
            " back, or have a technician run `cabinet rebuild`"
        )
    row = connection.execute("SELECT hash FROM ledger WHERE seq = ?", (mark.seq,)).fetchone()
    (archived,) = connection.execute("SELECT coalesce(max(seq), 0) FROM archives").fetchone()
    is_known = mark.seq == 0 or (row[0].hex() == mark.hash if row is not None else mark.seq < archived)
    if not is_known or (mark.commits == books.commits and mark.state != books.state):
        raise CorruptJournalError(
            f"{journal} is not what its mark {head_file(journal).name} names at row {mark.seq}: one of them was"
            " exchanged or changed; put its own back, or have a technician run `cabinet rebuild`"
        )


class HeadFile:
    """Writes the mark of one journal. Not thread-safe: it belongs to the journal's thread.

    `follow` and `write` raise `OSError`.
    """

    def __init__(self, journal: Path) -> None:
        self.path = head_file(journal)
        self._numbers: dict[type[Mark | Noted], int] = {}
        self._handle: int | None = None
        self._sync_next = True

    def __repr__(self) -> str:
        return f"<HeadFile {self.path} {self._numbers.get(Mark, 0)}>"

    def follow(self, connection: sqlite3.Connection) -> None:
        """Write the mark of the transaction that has just become durable.

        The first mark after a checkpoint is synced; later ones are not.
        """
        self.write(mark_in(connection), sync=self._sync_next)
        self._sync_next = False

    def checkpointed(self) -> None:
        """Sync the next mark, because later transactions are only in a new `-wal`."""
        self._sync_next = True

    def note(self, noted: Noted) -> None:
        """Write the progress of a batch of pulses; the note survives the program, but not a power cut."""
        self.write(noted, sync=False)

    def write(self, record: Mark | Noted, *, sync: bool) -> None:
        """Write `record` over the older of the two records of its kind; with `sync` it is durable when this returns."""
        handle, kind = self._opened(), type(record)
        number = self._numbers[kind] = self._numbers[kind] + 1
        text = _encode(_Written(number, msgspec.Raw(_encode(record))))
        line = f"{zlib.crc32(text):08x} ".encode() + text + b"\n"
        if len(line) > _USED_BYTES:
            raise OSError(f"a record of {len(line)} bytes does not fit into {self.path}")
        os.pwrite(handle, line, _begins(kind) + number % PLACES * PLACE_BYTES)
        if sync:
            os.fdatasync(handle)

    def _opened(self) -> int:
        if self._handle is None:
            for kind in _KINDS:
                self._numbers[kind] = _newest(self.path, kind)[0]
            refuse_foreign(self.path, MARK, unfinished=True)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            size = os.fstat(self._handle).st_size
            if size < _WHOLE_BYTES:  # allocate all blocks and make the name durable
                os.pwrite(self._handle, b" " * (_WHOLE_BYTES - size), size)
                os.fdatasync(self._handle)
                flush_folder(self.path.parent)
        return self._handle

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def write_mark(journal: Path, mark: Mark) -> None:
    """Write a durable mark for the journal that is about to be placed at `journal`; raise `OSError`."""
    file = HeadFile(journal)
    try:
        for _ in range(PLACES):  # fill both places, so that damage to one cannot restore an old mark
            file.write(mark, sync=True)
    finally:
        file.close()
