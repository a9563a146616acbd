"""Archives the past of a journal once its file has grown to its limit.

Between two games, with nothing in progress, a last row seals the journal, and an anchor there repeats hash, credit and
all meters. That commit decides; before it nothing has changed. Every later start continues the archiving, however often
it is interrupted. The sealed file is converted to a single file and linked into the archive folder. A successor is made
from it (`controller.features.archive.carry_over`), whose chain continues from the sealing row, and takes the journal's
name. The next ledger row names the archive and its SHA-256.

This is done at a start, when there is no play: `controller.features.archive.watch` restarts the supervisor for it.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from common.error_words import error_words
from controller.books.opening import OpenWith
from controller.books.rotation import (
    Seal,
    Step,
    discard,
    head_of,
    made_whole,
    no_step,
    readable_seal,
    seal,
    successor_of,
)
from controller.configuration.cabinet_toml import Storage
from controller.features.archive.carry_over import RETENTION, Retention, Successor
from controller.features.archive.events import ArchiveEvent
from controller.files.bounded import ForeignFileError, digest_of
from controller.files.durable import durable_file, flush_folder
from controller.files.own_files import JOURNAL, refuse_foreign
from controller.journal import money
from controller.journal.archives import (
    FOLDER,
    UNPROVED_STATE,
    Archive,
    add_archive,
    archives,
    carried_digest,
    newest_archive,
)
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import (
    ROOM,
    UNREADABLE,
    JournalBusyError,
    JournalError,
    JournalStorageError,
    RefusedError,
    full_disk,
    translated,
)
from controller.journal.generations import generation_of
from controller.journal.store import PRAGMAS, held, quick_check, read_only
from controller.journal.transaction import Transaction

WHY = "archive"
MEGABYTE = 1_000_000
FEWEST_ROWS = 10_000
WHO = "cabinet"
ALONE: Mapping[str, str | int] = {"locking_mode": "exclusive"}
ONE_FILE: Mapping[str, str | int] = {"journal_mode": "delete", "synchronous": 3}
"""How a journal is opened for sealing: exclusively, then without a WAL, each commit flushed with the file's name.

A program that is reading the books is noticed before the seal, and none can open them until the seal is durable. Later
readers do no harm: sealed books in one file need no writing to be finished.
"""


class Archiving:
    """When and where a journal is archived; `failed` is why the newest attempt failed.

    `limit_bytes` is the file size at which archiving is due, `folder` that of the archives, None for one beside the
    journal. With fewer than `fewest_rows` new ledger rows nothing is archived, whatever the file's size.
    """

    def __init__(self, limit_bytes: int, folder: Path | None = None, *, fewest_rows: int = FEWEST_ROWS) -> None:
        self.limit_bytes = limit_bytes
        self.folder = folder
        self.fewest_rows = fewest_rows
        self.failed = ""

    def __repr__(self) -> str:
        return f"<Archiving at {self.limit_bytes // MEGABYTE} MB {self.failed}>"

    def folder_for(self, journal: Path) -> Path:
        """Return the archive folder for that journal."""
        return self.folder or journal.parent / FOLDER

    def is_due(self, tx: Transaction, journal: Path) -> bool:
        """Whether the file has grown to its limit, has enough new rows, and nothing is in progress."""
        try:
            refuse_unless_calm(tx)
        except RefusedError:
            return False
        behind = newest_archive(tx)
        rows = tx.head[0] - (0 if behind is None else behind.seq)
        return rows >= self.fewest_rows and journal.stat().st_size >= self.limit_bytes

    def begin(self, path: Path, open_with: OpenWith, pragmas: Mapping[str, str | int] = PRAGMAS) -> None:
        """Seal the closed books at `path`, which `open_with` opens; the next `finish` makes the archive.

        A failure does not prevent play and is stored in `failed`: a folder that cannot be written, too little space, or
        another program that reads the books. Raises the errors of a damaged journal.
        """
        self.failed = ""
        folder = self.folder_for(path)
        try:
            _try_out(folder, path)
        except OSError as error:
            self.failed = error_words(error)
            return
        quick_check(path)
        try:
            with closing(open_with({**ALONE, **pragmas, **ONE_FILE})) as store:
                store.transact(lambda tx: decide(tx, folder, f"the journal had grown to {_megabytes(path)} MB"))
        except JournalBusyError:
            self.failed = f"{path} is being read by another program: end that and try again"
        except RefusedError as error:
            self.failed = str(error)


def archiving_of(storage: Storage) -> Archiving:
    """Return the size at which this cabinet's journal is archived, and the folder of archives."""
    return Archiving(storage.journal_mb * MEGABYTE, storage.archive_folder)


def refuse_unless_calm(tx: Transaction) -> None:
    """Raise `RefusedError` while something is in progress that the next transaction may complete."""
    tx.refuse_in_play()
    if money.note_in_hand(tx) is not None:
        raise RefusedError("First let the note that is on its way be stacked or returned")
    if hopper_diagnostic.running(tx) is not None:
        raise RefusedError("First have the coins of the hopper's test put back (T.10)")


def decide(tx: Transaction, folder: Path, reason: str) -> None:
    """Seal the journal in favour of its successor; this commit decides the archiving."""
    refuse_unless_calm(tx)
    seal(tx, head_of(tx), Seal(why=WHY, who=WHO, reason=reason, successor_sha256="", folder=str(folder)))
    tx.anchor()


def finish(path: Path, wall_ms: Callable[[], int], step: Step = no_step, retained: Retention = RETENTION) -> bool:
    """Archive the journal at `path`, except for what is `retained`, if that was decided; return whether it was.

    After a `JournalError` the next start tries again.
    """
    if not path.exists() or path.stat().st_size == 0:
        return False
    folder = path
    try:
        with held(path):
            words = readable_seal(path)
            if words is None or words.why != WHY:
                return False
            folder = Path(words.folder)
            _finish(path, folder, _Making(wall_ms(), retained), step)
            return True
    except UNREADABLE as error:
        raise translated(error, path) from error
    except JournalError:
        raise
    except OSError as error:
        full_at = full_disk(path, folder)
        mend = ROOM if full_at else "free room on its disk and restart"
        trouble = f"{path} could not be archived ({error.strerror or error}): {mend}"
        raise JournalStorageError(trouble, full_at) from error


class _Making(NamedTuple):
    """The time at which a successor is made, and how much of the past it retains."""

    now_ms: int
    retained: Retention


def _finish(path: Path, folder: Path, making: _Making, step: Step) -> None:
    successor = successor_of(path)
    step("before the sealed journal is made one file")
    sha256 = made_whole(path)
    step("before the archive gets its name")
    place = _archived(path, sha256, folder)
    step("before the successor is made")
    discard(successor)
    _make(path, place, sha256, making)
    step("before the successor is one file")
    made_whole(successor)
    step("before the successor takes its place")
    refuse_foreign(path, JOURNAL)
    successor.replace(path)
    flush_folder(path.parent)
    step("before the archive is made read-only")
    place.chmod(0o444)
    step("after all")


def _make(path: Path, place: Path, sha256: str, making: _Making) -> None:
    """Make the successor of the sealed journal; its first own row names the archive."""
    with Successor(path, successor_of(path), making.retained) as successor:
        tx = Transaction(successor.connection, making.now_ms)
        seq, head = tx.head
        size = path.stat().st_size
        archive = Archive(
            seq=seq,
            name=place.name,
            folder=str(place.parent),
            size=size,
            sha256=sha256,
            carried_sha256=carried_digest(successor.connection, seq),
            left_payouts_cents=successor.left_payouts_cents,
            left_notes_cents=successor.left_notes_cents,
            state=UNPROVED_STATE,
        )
        add_archive(tx, archive)
        tx.event(
            ArchiveEvent.BOOKS_ARCHIVED, megabytes=size // MEGABYTE, row=seq, hash=head.hex()[:16], **archive._asdict()
        )


def _archived(path: Path, sha256: str, folder: Path) -> Path:
    """Link or copy the sealed file into `folder`, durably, and return its path there.

    If that folder is missing, or its medium is full or fails, the archive goes into a folder beside the journal.
    """
    beside = path.parent / FOLDER
    if folder != beside:
        with suppress(OSError):
            _try_out(folder, path)
            return _linked(path, sha256, folder)
    beside.mkdir(mode=0o750, exist_ok=True)
    return _linked(path, sha256, beside)


def _linked(path: Path, sha256: str, folder: Path) -> Path:
    """Link the sealed file into `folder`; on another medium copy it and verify the copy."""
    place = _place(path, sha256, folder)
    if not place.exists():
        try:
            os.link(path, place)
        except OSError:  # another medium, or a file system without links
            with path.open("rb") as source, durable_file(place, JOURNAL) as copy:
                shutil.copyfileobj(source, copy)
            if not _holds(place, path.stat().st_size, sha256):
                place.unlink()
                raise OSError(f"{place} is not what was written there") from None
    flush_folder(folder)
    return place


def _place(path: Path, sha256: str, folder: Path) -> Path:
    """Return the path of the archive, named by the generation of the journal and its own number.

    The file of an earlier attempt is used again.
    """
    with read_only(path) as connection:
        generation = generation_of(connection)
        number = 1 + max((archive.number for archive in archives(Transaction(connection, 0))), default=0)
    while True:
        place = folder / f"books-{generation:04}-{number:04}.sqlite"
        linked = not place.is_symlink() and place.exists() and place.samefile(path)
        if linked or not os.path.lexists(place) or _holds(place, path.stat().st_size, sha256):
            return place
        number += 1  # the number is taken by books replaced by a copy from before an upgrade


def _holds(place: Path, size: int, sha256: str) -> bool:
    """Whether there is a plain file with that size and SHA-256."""
    try:
        return digest_of(place, size) == sha256
    except ForeignFileError:
        return False


def _try_out(folder: Path, path: Path) -> None:
    """Raise `OSError` if the archive cannot be written into `folder`, or its successor beside the journal."""
    folder.mkdir(mode=0o750, exist_ok=True)
    with NamedTemporaryFile(dir=folder, prefix=".trial-"):
        pass
    size = path.stat().st_size
    wanted = {path.parent: size}
    if folder.stat().st_dev != path.stat().st_dev:
        wanted[folder] = size
    for place, room in wanted.items():
        if shutil.disk_usage(place).free < room:
            raise OSError(f"{room // MEGABYTE} MB must be free on its disk")


def _megabytes(path: Path) -> int:
    return path.stat().st_size // MEGABYTE
