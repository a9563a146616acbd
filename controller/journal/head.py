"""The mark: a small file beside the journal that names its newest durable transaction, so that lost rows are noticed.

SQLite has the newest transactions in a file of its own (`-wal`). Where that is lost or cut, the journal opens as it was
some time ago, whole and balanced. The mark is written after each transaction, into two places in turn, so that a torn
write leaves the one before. It is never ahead of the books: a mark behind the journal, as a power cut may leave it, is
accepted, and one beyond the journal's end locks the cabinet.

It is synced with the first transaction after each checkpoint, when the journal's own file has everything before: the
loss of a whole `-wal` is always noticed. Later marks can be lost only with the power.

The same file has a note of how far the newest batch of pulses has come, written before each pulse.
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
"""The end of the file's name, after the journal's."""
PLACES: Final = 2
"""Places of each kind of record, written in turn: first those of the mark, then those of the pulses."""
PLACE_BYTES: Final = 4096
"""Each place has a block of its own: a torn write damages one."""
_WHOLE_BYTES = 2 * PLACES * PLACE_BYTES
_USED_BYTES = 512
_encode = msgspec.json.Encoder(order="deterministic").encode

MARK: Final = like("mark of books", rb" {16}|.{8} \[|[0-9a-f]{0,8} ?\x00")
"""One record, blanks for none, or what a torn write left of one."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """How far the books of a cabinet had come: the number of transactions, and the newest ledger row with its hash.

    `state` is the hash of all digests then (`controller.journal.digests`).
    """

    cabinet_id: str
    commits: int
    seq: int
    hash: str
    state: str


R = TypeVar("R", bound=Mark | Noted)
_KINDS: Final[tuple[type[Mark | Noted], ...]] = (Mark, Noted)


class _Written(msgspec.Struct, frozen=True, array_like=True):
    """A record, and how many of its kind were written before it."""

    number: int
    record: msgspec.Raw


_decode = decoder(_Written)


def head_file(journal: Path) -> Path:
    """Return the path of the mark of the journal at `journal`."""
    return journal.with_name(f"{journal.name}{TAIL}")


def read_mark(journal: Path) -> Mark | None:
    """Return the newest mark of the journal at `journal`, None where there is none; raise `OSError`."""
    return _newest(head_file(journal), Mark)[1]


def read_noted(journal: Path) -> Noted | None:
    """Return the newest note of a batch of pulses, None where there is none; raise `OSError`."""
    return _newest(head_file(journal), Noted)[1]


def _begins(kind: type[object]) -> int:
    """Return the offset of the places for records of that kind."""
    return 0 if kind is Mark else PLACES * PLACE_BYTES


def _newest(path: Path, kind: type[R]) -> tuple[int, R | None]:
    """Return the newest record of that kind and its number, 0 and None where there is none."""
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
    """Return the mark of the books as `connection` reads them."""
    cabinet_id, commits = connection.execute("SELECT cabinet_id, commits FROM cabinet").fetchone()
    seq, digest, _ = ledger.head(connection)
    state = digests.state(connection).hex()
    return Mark(cabinet_id=cabinet_id, commits=commits, seq=seq, hash=digest.hex(), state=state)


def compare(mark: Mark, connection: sqlite3.Connection, journal: Path) -> None:
    """Raise `CorruptJournalError` where the books end before their mark.

    The mark of another cabinet is ignored: books of another cabinet are found by their key.
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

        The first mark after a checkpoint is durable when this returns, later ones are written without a sync.
        """
        self.write(mark_in(connection), sync=self._sync_next)
        self._sync_next = False

    def checkpointed(self) -> None:
        """Sync the next mark: what the journal's own file lacks from now on is in a new `-wal`."""
        self._sync_next = True

    def note(self, noted: Noted) -> None:
        """Write how far the pulses of a batch have come: the note outlasts the program, but not a power cut."""
        self.write(noted, sync=False)

    def write(self, record: Mark | Noted, *, sync: bool) -> None:
        """Write `record` over the older of the two of its kind; with `sync` it is durable when this returns."""
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
            if size < _WHOLE_BYTES:  # allocate all blocks, and make the name durable
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
    """Write, durably, the mark of the journal that is about to be placed at `journal`; raise `OSError`."""
    file = HeadFile(journal)
    try:
        for _ in range(PLACES):  # no damage to one of them brings an old mark back
            file.write(mark, sync=True)
    finally:
        file.close()
