"""A few bytes beside the journal that say how far it had come, so that books which end before that are noticed.

SQLite keeps the newest transactions in a file of its own (`-wal`). Where that is lost or cut, the journal opens as it
was some time ago, whole and balanced. The mark names the newest durable transaction. It is written after each one, into
one of two places in turn, so that a torn write leaves the one before. It never runs ahead of the books: one that a
power cut leaves behind the journal says nothing against it, one beyond the journal's end locks the cabinet.

It is synced with the first transaction after each checkpoint, which is when the journal's own file has all that came
before: a `-wal` that is lost as a whole is always noticed. A later mark may be lost with the power, not otherwise.

The same file has a note of how far the newest batch of pulses has come, which is written before each of them.
"""

import os
import sqlite3
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from controller.files.durable import flush_folder
from controller.journal import digests, ledger
from controller.journal.errors import CorruptJournalError
from controller.journal.hard_meters import Noted
from ui.messages import UnreadableError, decoder

TAIL: Final = ".head"
"""The end of the file's name, after the journal's."""
PLACES: Final = 2
"""How many places a kind of record has, written in turn: those of the mark, and after them those of the pulses."""
PLACE_BYTES: Final = 4096
"""Each place lies in a block of its own, so that a torn write touches one."""
_WHOLE_BYTES = 2 * PLACES * PLACE_BYTES
_USED_BYTES = 512
_encode = msgspec.json.Encoder(order="deterministic").encode


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """How far the books of a cabinet had come: their transactions counted, and the newest ledger row with its hash.

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
    """A record and how many of its kind were written before it."""

    number: int
    record: msgspec.Raw


_decode = decoder(_Written)


def head_file(journal: Path) -> Path:
    """Return where the mark of the journal at `journal` lies."""
    return journal.with_name(f"{journal.name}{TAIL}")


def read_mark(journal: Path) -> Mark | None:
    """Return the newest mark of the journal at `journal`, None where there is none; raise `OSError`."""
    return _newest(head_file(journal), Mark)[1]


def read_noted(journal: Path) -> Noted | None:
    """Return what is noted there of the pulses of a batch, None for nothing; raise `OSError`."""
    return _newest(head_file(journal), Noted)[1]


def _begins(kind: type[object]) -> int:
    """Return where the places of records of that kind begin."""
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


def compare(kept: Mark, connection: sqlite3.Connection, journal: Path) -> None:
    """Prove that the books hold all that their mark names; raise `CorruptJournalError` where they end before it.

    A mark of another cabinet says nothing of these books: their key does.
    """
    books = mark_in(connection)
    if kept.cabinet_id != books.cabinet_id:
        return
    if kept.commits > books.commits:
        raise CorruptJournalError(
            f"rows are lost: {journal} ends at row {books.seq} (transaction {books.commits}), and its mark"
            f" {head_file(journal).name} names row {kept.seq} ({kept.commits}); put the missing {journal.name}-wal"
            " back, or have a technician run `cabinet rebuild`"
        )
    row = connection.execute("SELECT hash FROM ledger WHERE seq = ?", (kept.seq,)).fetchone()
    (archived,) = connection.execute("SELECT coalesce(max(seq), 0) FROM archives").fetchone()
    is_known = kept.seq == 0 or (row[0].hex() == kept.hash if row is not None else kept.seq < archived)
    if not is_known or (kept.commits == books.commits and kept.state != books.state):
        raise CorruptJournalError(
            f"{journal} is not what its mark {head_file(journal).name} names at row {kept.seq}: one of them was"
            " exchanged or changed; put its own back, or have a technician run `cabinet rebuild`"
        )


class HeadFile:
    """The mark of one journal, kept in step with it. Not thread-safe: it belongs to the journal's thread.

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

        It is durable itself when this returns if it is the first after a checkpoint, else in the kernel's hands.
        """
        self.write(mark_in(connection), sync=self._sync_next)
        self._sync_next = False

    def checkpointed(self) -> None:
        """Have the next mark be synced: what the journal's own file lacks from now on is in a new `-wal`."""
        self._sync_next = True

    def note(self, noted: Noted) -> None:
        """Note how far the pulses of a batch have come: it survives the program's end, but not the power's."""
        self.write(noted, sync=False)

    def write(self, record: Mark | Noted, *, sync: bool) -> None:
        """Write `record` in place of the one before the newest of its kind; with `sync` return once it is durable."""
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
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            size = os.fstat(self._handle).st_size
            if size < _WHOLE_BYTES:  # from the beginning all blocks are the file's own, and its name is durable
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
    """Write the mark of the journal that is about to take its place at `journal`, durably; raise `OSError`."""
    file = HeadFile(journal)
    try:
        for _ in range(PLACES):  # so that no rot in one of them brings the mark of other books back
            file.write(mark, sync=True)
    finally:
        file.close()
