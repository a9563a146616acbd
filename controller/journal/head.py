"""A few bytes beside the journal that say how far it had come, so that books which end before that are noticed.

SQLite keeps the newest transactions in a file of its own (`-wal`). Where that is lost or cut, the journal opens as it
was some time ago, whole and balanced. The mark names the newest durable transaction. It is written after each one, into
one of two places in turn, so that a torn write leaves the one before. It never runs ahead of the books: one that a
power cut leaves behind the journal says nothing against it, one beyond the journal's end locks the cabinet.

It is synced with the first transaction after each checkpoint, which is when the journal's own file has all that came
before: a `-wal` that is lost as a whole is always noticed. A later mark may be lost with the power, not otherwise.
"""

import os
import sqlite3
import zlib
from pathlib import Path
from typing import Final

import msgspec

from controller.journal import digests, ledger
from controller.journal.durable import flush_folder
from controller.journal.errors import CorruptJournalError
from ui.messages import UnreadableError, decoder

TAIL: Final = ".head"
"""The end of the file's name, after the journal's."""
PLACES: Final = 2
PLACE_BYTES: Final = 4096
"""Each place lies in a block of its own, so that a torn write touches one."""
_USED_BYTES = 512
_encode = msgspec.json.Encoder(order="deterministic").encode


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How far the books of a cabinet had come: their transactions counted, and the newest ledger row with its hash.

    `state` is the hash of all digests then (`controller.journal.digests`).
    """

    cabinet_id: str
    commits: int
    seq: int
    hash: str
    state: str


class _Written(msgspec.Struct, frozen=True):
    """A mark and how many were written before it."""

    number: int
    mark: Mark


_decode = decoder(_Written)


def head_file(journal: Path) -> Path:
    """Return where the mark of the journal at `journal` lies."""
    return journal.with_name(f"{journal.name}{TAIL}")


def read_mark(journal: Path) -> Mark | None:
    """Return the newest mark of the journal at `journal`, None where there is none; raise `OSError`."""
    newest = _newest(head_file(journal))
    return None if newest is None else newest.mark


def _newest(path: Path) -> _Written | None:
    try:
        with path.open("rb") as file:
            content = file.read(PLACES * PLACE_BYTES)
    except FileNotFoundError:
        return None
    found = (_parsed(content[at : at + _USED_BYTES]) for at in range(0, len(content), PLACE_BYTES))
    return max((written for written in found if written is not None), key=lambda it: it.number, default=None)


def _parsed(place: bytes) -> _Written | None:
    checksum, _, text = place.partition(b"\n")[0].partition(b" ")
    if checksum != f"{zlib.crc32(text):08x}".encode():
        return None
    try:
        written: _Written = _decode(text)
    except UnreadableError:
        return None
    return written


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
        self._number = 0
        self._handle: int | None = None
        self._sync_next = True

    def __repr__(self) -> str:
        return f"<HeadFile {self.path} {self._number}>"

    def follow(self, connection: sqlite3.Connection) -> None:
        """Write the mark of the transaction that has just become durable.

        It is durable itself when this returns if it is the first after a checkpoint, else in the kernel's hands.
        """
        self.write(mark_in(connection), sync=self._sync_next)
        self._sync_next = False

    def checkpointed(self) -> None:
        """Have the next mark be synced: what the journal's own file lacks from now on is in a new `-wal`."""
        self._sync_next = True

    def write(self, mark: Mark, *, sync: bool) -> None:
        """Write `mark` in place of the one before the newest; with `sync` return once it is durable."""
        handle = self._opened()
        self._number += 1
        text = _encode(_Written(self._number, mark))
        line = f"{zlib.crc32(text):08x} ".encode() + text + b"\n"
        if len(line) > _USED_BYTES:
            raise OSError(f"a mark of {len(line)} bytes does not fit into {self.path}")
        os.pwrite(handle, line.ljust(_USED_BYTES), self._number % PLACES * PLACE_BYTES)
        if sync:
            os.fdatasync(handle)

    def _opened(self) -> int:
        if self._handle is None:
            newest = _newest(self.path)
            self._number = 0 if newest is None else newest.number
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            if newest is None:  # from the beginning both blocks are the file's own, and its name is durable
                os.pwrite(self._handle, b" " * (PLACES * PLACE_BYTES), 0)
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
