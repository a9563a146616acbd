"""The second copy: credit, meters, pools and the chain's head on another medium (requirements.md C2, C4).

It is a file of records (`controller.books.copy_records`). Each record is appended and flushed after the journal's
commit and before the commit is acknowledged, so that every acknowledged cent is in two places. A file that has grown
too large is atomically replaced by one with a single complete record.

A copy is never overwritten before it is compared with the books: a copy that is ahead of them proves that these are
older books, installed while its medium was absent. So the books remember that they have a copy, and on which kind of
medium. If the copy is absent at a start, an empty folder or mount point does not start a new one; a technician must.
"""

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import msgspec

from controller.books.copy_records import COPY, LARGEST_BYTES, Record, line_of, read_what_holds, record_of
from controller.books.rotation import sealed_files
from controller.files.durable import write_durably
from controller.files.mounts import FSTAB, not_mounted
from controller.files.own_files import refuse_foreign
from controller.journal import ledger
from controller.journal.errors import UNREADABLE, CorruptJournalError
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.faults import active_faults, clear_fault, raise_fault
from controller.journal.generations import generation_of, restored_in_loss
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.store import News, Store, read_only
from controller.journal.transaction import Transaction

MISSING, PLACE = "copy_missing", "second_copy"
"""The fault of a copy that the books had and that is absent at a start, and its place."""


class Known(msgspec.Struct, frozen=True):
    """The copy that these books have: its path, and whether it was on another medium than the books.

    It is `unnamed` after a start whose configuration names no copy.
    """

    path: str
    is_apart: bool
    unnamed: bool = False


KNOWN = Stored(SETTINGS, "second_copy", Known)


class SecondCopyError(CorruptJournalError):
    """The journal and its second copy cannot both be the newest books of this cabinet."""

    code = "second_copy"


class MissingCopyError(SecondCopyError):
    """The second copy is absent, and this cabinet must not play without it (`[cabinet] copy_locks`)."""

    code = "copy_required"


class SecondCopy:
    """The copy of the cabinet with the public key `cabinet` at `path`, open for appending.

    `fstab` names mount points. Not thread-safe: it belongs to the journal's thread. A failing medium does not stop the
    books: `failed` is the reason, and the copy is resumed once the medium works. It is `missing` if the books have a
    copy that has not been written since the start.
    """

    def __init__(self, path: Path, cabinet: str, largest_bytes: int = LARGEST_BYTES, fstab: Path = FSTAB) -> None:
        self.path = path
        self.failed = ""
        self.missing = False
        self._cabinet = cabinet
        self._largest_bytes = largest_bytes
        self._fstab = fstab
        self._was_in_step = False
        self._written: Record | None = None
        self._handle: int | None = None

    def __repr__(self) -> str:
        return f"<SecondCopy {self.path} {self.failed or 'in step'}>"

    def take_up(self, connection: sqlite3.Connection) -> News | None:
        """Compare the copy with the books and rewrite it from them; return a function that records the result.

        If there is no copy, a new one is begun only for books that never had one, for books whose copy was in step
        since the start, or after a technician has cleared the fault of the missing copy. Raises `SecondCopyError` for a
        copy of another cabinet and for a copy with rows that the journal lacks.
        """
        tx = Transaction(connection, 0)
        known = KNOWN.read(tx)
        is_reported = _is_reported(tx)
        may_begin = known is None or self._was_in_step or (self.missing and not is_reported)
        self.close()
        try:
            event, reason = self._compared(connection, known, may_begin=may_begin)
            self._begin(connection)
            now = Known(str(self.path), self._is_apart(connection))
        except OSError as error:
            self._fail(error)
            is_news, self.missing = not (is_reported and self.missing), known is not None and not self._was_in_step
            return _missed(self.failed) if self.missing and is_news else None
        self._was_in_step, self.missing = True, False
        return _taken_up(event, reason, now) if event is not None or is_reported or known != now else None

    def _compared(
        self, connection: sqlite3.Connection, known: Known | None, *, may_begin: bool
    ) -> tuple[EventKind | None, str]:
        """Return the event that records the rewriting of the copy, or None if it is routine, and its reason.

        Raises `SecondCopyError` if the copy must not be overwritten, and `OSError` if it cannot or may not be written.
        """
        refuse_foreign(self.path, COPY)
        try:
            copy, damage = read_what_holds(self.path)
        except FileNotFoundError:
            copy, damage = None, ""
        if copy is not None:
            event = self._agreed(copy, connection)
            return (Event.COPY_REPLACED, damage) if damage else (event, "")
        if not may_begin:
            raise OSError(errno.ENOENT, damage or "the copy that the books have is not there")
        if (point := not_mounted(self.path, self._fstab)) is not None:
            raise OSError(errno.ENODEV, f"nothing is mounted at {point}")
        if known is not None and known.is_apart and not self._is_apart(connection):
            raise OSError(errno.ENODEV, "its own medium is not there, and this folder is on that of the books")
        return (Event.COPY_REPLACED, damage) if damage else (Event.COPY_BEGUN, "")

    def _agreed(self, copy: Record, connection: sqlite3.Connection) -> EventKind | None:
        books = record_of(connection, self._cabinet)
        if copy.cabinet != books.cabinet:
            raise SecondCopyError(
                f"{self.path} is the second copy of another cabinet (key {copy.cabinet[:16]}, not"
                f" {books.cabinet[:16]}): put this cabinet's own back, or remove it"
            )
        if copy.generation < books.generation:
            self._compare_with_earlier(copy, connection)
            return Event.COPY_BEGUN_ANEW
        if copy.generation > books.generation:
            raise self._lost(copy, connection)
        return None if self._holds(copy, connection) else Event.COPY_BEHIND_ARCHIVE

    def _compare_with_earlier(self, copy: Record, connection: sqlite3.Connection) -> None:
        """Compare a copy of an earlier generation with the sealed books of that generation, if they can be read.

        If those are lost and a backup replaced them, the copy may have the rows that came after the backup.
        """
        for path in reversed(sealed_files(_file_of(connection))):
            with suppress(*UNREADABLE), read_only(path) as sealed:
                if generation_of(sealed) == copy.generation:
                    self._holds(copy, sealed)
                    return
        backed_up = restored_in_loss(connection)
        if backed_up is not None and copy.generation >= backed_up:
            self._holds(copy, connection)

    def _holds(self, copy: Record, books: sqlite3.Connection) -> bool:
        """Whether the copy's newest row is in these books; False if it is archived.

        Raises `SecondCopyError` if they lack it.
        """
        row = books.execute("SELECT hash FROM ledger WHERE seq = ?", (copy.seq,)).fetchone()
        (archived,) = books.execute("SELECT coalesce(max(seq), 0) FROM archives").fetchone()
        if row is None and copy.seq < archived:
            return False
        if row is None:
            raise self._lost(copy, books)
        if row[0].hex() != copy.hash:
            raise SecondCopyError(
                f"row {copy.seq} of the journal is not the one that its second copy {self.path} knows: one of them was"
                " exchanged; a technician must decide which, and run `cabinet rebuild` or remove the copy"
            )
        return True

    def _lost(self, copy: Record, books: sqlite3.Connection) -> SecondCopyError:
        """Return the error for a copy with rows that these books lack."""
        seq, _, credit = ledger.head(books)
        return SecondCopyError(
            f"the journal ends at row {seq} with a credit of {credit} cents, its second copy {self.path} at row"
            f" {copy.seq} with {copy.credit_cents}: rows are lost; a technician must run `cabinet rebuild`"
        )

    def _is_apart(self, connection: sqlite3.Connection) -> bool:
        """Whether the copy's folder is on another file system than the journal; raises `OSError`."""
        return self.path.parent.stat().st_dev != _file_of(connection).stat().st_dev

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Rewrite the whole copy from the books; raise `OSError`."""
        record = record_of(connection, self._cabinet)
        write_durably(self.path, line_of(record), COPY)
        self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._written, self.failed = record, ""

    def follow(self, connection: sqlite3.Connection) -> None:
        """Append the changes of the newest transaction; they are durable when this returns, unless `failed`."""
        if self._handle is None or self._written is None:
            return
        record = record_of(connection, self._cabinet)
        if record == self._written:
            return
        try:
            self._append(self._handle, line_of(record.since(self._written)))
            self._written = record
            if os.fstat(self._handle).st_size > self._largest_bytes:
                self.close()
                self._begin(connection)
        except OSError as error:
            self._fail(error)

    def _append(self, handle: int, line: bytes) -> None:
        while line:  # a full medium may accept a part and refuse the rest
            line = line[os.write(handle, line) :]
        os.fdatasync(handle)
        if not os.path.samestat(os.fstat(handle), self.path.lstat()):
            raise OSError(errno.ESTALE, "another file has its name: its medium or folder was exchanged")

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _fail(self, error: OSError) -> None:
        self.failed = f"{self.path}: {error.strerror or error}"
        self.close()


def _file_of(connection: sqlite3.Connection) -> Path:
    """Return the path of the open journal."""
    return Path(next(file for _, name, file in connection.execute("PRAGMA database_list") if name == "main"))


def _is_reported(tx: Transaction) -> bool:
    return any(fault.code == MISSING for fault in active_faults(tx))


def _missed(reason: str) -> News:
    """Return a function that records that the copy is missing: an event at each start, and a fault."""

    def record(tx: Transaction) -> None:
        if _is_reported(tx):
            tx.event(Event.COPY_MISSING, place=PLACE, reason=reason)
        else:
            raise_fault(tx, MISSING, PLACE, event=Event.COPY_MISSING, reason=reason)

    return record


def _taken_up(event: EventKind | None, reason: str, now: Known) -> News:
    """Return a function that records that the copy was rewritten, and where it is."""

    def record(tx: Transaction) -> None:
        if event is not None:
            tx.event(event, place=PLACE, reason=reason)
        clear_fault(tx, MISSING, PLACE, "itself")
        KNOWN.write(tx, now)

    return record


def miss_unnamed(tx: Transaction) -> None:
    """Raise the fault of a missing copy, once, if the configuration names none and the books had one."""
    known = KNOWN.read(tx)
    if known is not None and not known.unnamed:
        reason = f"it was {known.path}, and second_copy in cabinet.toml is empty"
        raise_fault(tx, MISSING, PLACE, event=Event.COPY_MISSING, reason=reason)
        KNOWN.write(tx, msgspec.structs.replace(known, unnamed=True))


def start_second_copy(store: Store, path: Path, cabinet: str, *, is_required: bool = False) -> None:
    """Compare the copy at `path` with the open books, bound to the public key `cabinet`, and write it from now on.

    The result is recorded. Raises the exceptions of `SecondCopy.take_up`, and `MissingCopyError` for a copy that
    `is_required` and cannot be written.
    """
    copy = SecondCopy(path, cabinet)
    store.follow_with(copy)
    if is_required and copy.failed:
        raise MissingCopyError(
            f"{copy.failed}; put its medium back, or, where it is lost for good, set copy_locks = false in"
            " cabinet.toml, start, begin another copy with the technician's key, and set it again"
        )
