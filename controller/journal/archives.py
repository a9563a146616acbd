"""The archives behind a journal, as it knows them: which file holds what, whether it is proved, and where it went."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from controller.journal.transaction import Transaction

ARCHIVED, PROVED, FAILED, MOVED = "books_archived", "archive_proved", "archive_damaged", "archive_moved"
"""Codes of events; `FAILED` is a fault as well."""

UNPROVED_STATE, PROVED_STATE, FAILED_STATE, MOVED_STATE = "unproved", "proved", "failed", "moved"
_MOVABLE = (PROVED_STATE, MOVED_STATE)  # one that was moved is here still where the power went before it was removed

_FIELDS = (
    "SELECT seq, name, folder, size, sha256, carried_sha256, left_payouts_cents, left_notes_cents, state FROM archives"
)


class Archive(NamedTuple):
    """One archive: its last ledger row, its file as it was named and where it was put, in bytes, and how it stands.

    `left_payouts_cents` and `left_notes_cents` are what payouts and notes add up to that only this one and those before
    it know; `carried_sha256` is of the older ledger rows that the journal after it took over.
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
        """The number that its name ends with, which counts the archives of a cabinet."""
        return int(Path(self.name).stem.rpartition("-")[2])

    def found(self, journal: Path, *folders: Path) -> Path | None:
        """Return where the file lies: where it was put, beside the journal, or in one of `folders`; None for nowhere.

        A cabinet's books may have been copied to another place as a whole. A folder that cannot be looked into, as on
        a medium that fails, has nothing.
        """
        for folder in (Path(self.folder), journal.parent / Path(self.folder).name, journal.parent, *folders):
            with suppress(OSError):
                if (folder / self.name).is_file():
                    return folder / self.name
        return None


def archives(tx: Transaction) -> list[Archive]:
    """Return the archives behind this journal, oldest first."""
    return [Archive(*row) for row in tx.execute(f"{_FIELDS} ORDER BY seq")]


def newest_archive(tx: Transaction) -> Archive | None:
    """Return the archive that this journal follows, None for one that begins with its first row."""
    row = tx.execute(f"{_FIELDS} ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None else Archive(*row)


def movable(tx: Transaction, journal: Path) -> list[tuple[Archive, Path]]:
    """Return the archives that may leave the card, each with its file: those that are proved."""
    found = ((archive, archive.found(journal)) for archive in archives(tx) if archive.state in _MOVABLE)
    return [(archive, file) for archive, file in found if file is not None]


def keep_archive(tx: Transaction, archive: Archive) -> None:
    """Write down an archive."""
    tx.execute("INSERT INTO archives VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", archive)


def proved(tx: Transaction, archive: Archive, others: int) -> None:
    """Write down that an archive was proved; `others` are rounds whose mathematics this program has no more."""
    _stands(tx, archive, PROVED_STATE)
    unlike = f", but for {others} rounds of other mathematics" if others else ""
    tx.event(PROVED, f"{archive.name} is proved whole, every round by replay{unlike}")


def failed(tx: Transaction, archive: Archive) -> None:
    """Write down that an archive could not be proved: it is not moved away, and proved anew at each start."""
    _stands(tx, archive, FAILED_STATE)


def moved(tx: Transaction, archive: Archive, place: str, who: str) -> None:
    """Write down that a proved copy of an archive lies elsewhere; its file is removed after that."""
    _stands(tx, archive, MOVED_STATE)
    tx.event(MOVED, f"{archive.name} was moved to {place} by the {who}", data={"sha256": archive.sha256})


def _stands(tx: Transaction, archive: Archive, state: str) -> None:
    tx.execute("UPDATE archives SET state = ? WHERE seq = ?", (state, archive.seq))
