"""The archives that precede a journal: their files, whether each is verified, and where it was moved."""

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.files.bounded import MOST_NAMES, names_in
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction

FOLDER = "archive"
"""The default folder of archives, beside the journal."""

FAILED = "archive_damaged"
"""The fault code of an archive that cannot be verified."""

UNPROVED_STATE, PROVED_STATE, FAILED_STATE, MOVED_STATE = "unproved", "proved", "failed", "moved"
_MOVABLE = (PROVED_STATE, MOVED_STATE)  # after a power cut a moved archive may still be here

PAID = "(SELECT coalesce(sum(paid_cents), 0) FROM {}.payouts)"
NOTED = "(SELECT coalesce(sum(value_cents), 0) FROM {}.notes WHERE state IN ('credited', 'acknowledged'))"
"""The sums of the payouts and notes in a database with the given name."""

_encode = msgspec.json.Encoder(order="deterministic").encode
_FIELDS = (
    "SELECT seq, name, folder, size, sha256, carried_sha256, left_payouts_cents, left_notes_cents, state FROM archives"
)


class Archive(NamedTuple):
    """One archive: its last ledger row, its file's name, folder and size, and its state.

    `left_payouts_cents` and `left_notes_cents` are the sums of the payouts and notes that only this archive and earlier
    ones contain. `carried_sha256` covers the older ledger rows that the next journal took over.
    """

    seq: int
    name: str
    folder: str
    size: int
    sha256: str
    carried_sha256: str
    left_payouts_cents: int
    left_notes_cents: int
    state: str

    @property
    def number(self) -> int:
        """The archive's sequence number, from the file's name."""
        return int(Path(self.name).stem.rpartition("-")[2])

    def found(self, journal: Path, *folders: Path) -> Path | None:
        """Return the file's path in its own folder, beside the journal, or in one of `folders`; None if not found.

        The books of a cabinet may have been copied to another place as a whole. A folder that cannot be read, as on a
        failing medium, is skipped.
        """
        for folder in (Path(self.folder), journal.parent / Path(self.folder).name, journal.parent, *folders):
            with suppress(OSError):
                if (folder / self.name).is_file():
                    return folder / self.name
        return None


def archives(tx: Transaction) -> list[Archive]:
    """Return the archives that precede this journal, oldest first."""
    return [Archive(*row) for row in tx.execute(f"{_FIELDS} ORDER BY seq")]


def newest_archive(tx: Transaction) -> Archive | None:
    """Return the archive that this journal follows, or None if it begins with its first row."""
    row = tx.execute(f"{_FIELDS} ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None else Archive(*row)


def movable(tx: Transaction, journal: Path) -> list[tuple[Archive, Path]]:
    """Return the verified archives, which may be moved off the card, each with its file."""
    found = ((archive, archive.found(journal)) for archive in archives(tx) if archive.state in _MOVABLE)
    return [(archive, file) for archive, file in found if file is not None]


def add_archive(tx: Transaction, archive: Archive) -> None:
    """Add an archive to the table."""
    tx.execute("INSERT INTO archives VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", archive)


def proved(tx: Transaction, archive: Archive, others: int) -> None:
    """Record that an archive was verified; `others` are rounds whose mathematics this program lacks."""
    _set_state(tx, archive, PROVED_STATE)
    proved_as = Event.ARCHIVE_PROVED_IN_PART if others else Event.ARCHIVE_PROVED
    tx.event(proved_as, name=archive.name, rounds=others)


def failed(tx: Transaction, archive: Archive) -> None:
    """Record that an archive could not be verified: it is not moved, and is tried again at each start."""
    _set_state(tx, archive, FAILED_STATE)


def moved(tx: Transaction, archive: Archive, place: str, who: str) -> None:
    """Record that a verified copy of an archive is at `place`; its file is removed afterwards."""
    _set_state(tx, archive, MOVED_STATE)
    tx.event(Event.ARCHIVE_MOVED, name=archive.name, stick=place, who=who, sha256=archive.sha256)


def _set_state(tx: Transaction, archive: Archive, state: str) -> None:
    tx.execute("UPDATE archives SET state = ? WHERE seq = ?", (state, archive.seq))


def newest_files(journal: Path, folders: Iterable[Path] = ()) -> list[Path]:
    """Return the newest archive beside the journal at `journal`, and in each of `folders`."""
    found = (_archives_in(folder)[-1:] for folder in {journal.parent / FOLDER, *folders})
    return [file for files in found for file in files]


def _archives_in(folder: Path) -> list[Path]:
    """Return the archives in a folder, oldest first; raise `RefusedError` if it has too many files."""
    try:
        names = names_in(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    if len(names) == MOST_NAMES:
        raise RefusedError("There are too many files beside the archives: {place}", place=str(folder))
    files = [folder / name for name in names if fnmatchcase(name, "books-[0-9]*-[0-9]*.sqlite")]
    return [file for file in files if file.is_file() and not file.is_symlink()]


def carried_digest(connection: sqlite3.Connection, before: int) -> str:
    """Return the SHA-256 of the ledger rows below the number `before`, with their hashes."""
    running = hashlib.sha256()
    for row in connection.execute(
        "SELECT seq, at_ms, kind, credit_delta, credit_after, meters, round_id, data, hex(hash), hex(state)"
        " FROM main.ledger WHERE seq < ? ORDER BY seq",
        (before,),
    ):
        running.update(_encode(row))
    return running.hexdigest()
