"""Books with a second copy on a medium of its own, lost and made again from it."""

from collections.abc import Callable
from pathlib import Path

from controller.books.copy_records import Record, read_copy
from controller.books.opening import opened_books
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.journal.store import Store
from controller.keys import identity
from tests.rigs.books import laid


class CopiedBooks:
    """One cabinet's files: journal and key in one folder, the second copy on another medium."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal.sqlite"
        self.key = folder / "journal.sqlite.key"
        self.medium = folder / "medium"
        self.medium.mkdir(parents=True, exist_ok=True)
        self.copy = self.medium / "second-copy"

    def opened(self, *, copy_required: bool = False) -> Store:
        """Open the books as a start does; a cabinet that has a key makes none anew."""
        return opened_books(
            self.journal if self.key.exists() else laid(self.journal),
            self.key,
            lambda: 0,
            simulated=True,
            second_copy=self.copy,
            copy_required=copy_required,
        )

    def own(self) -> identity.Identity:
        """The cabinet's key."""
        own = identity.read_identity(self.key)
        assert own is not None
        return own

    def kept(self) -> Record:
        """What the copy says."""
        kept = read_copy(self.copy)
        assert kept is not None
        return kept

    def lose_journal(self) -> None:
        """The medium of the books is gone, with all that lay on it but the key."""
        for path in self.journal.parent.glob("journal.sqlite*"):
            if path != self.key:
                path.unlink()

    def rebuilt(self, step: Callable[[str], None] = lambda _name: None) -> Path | None:
        """Rebuild the books as a technician does."""
        kept = copy_to_rebuild_from(self.copy, self.own())
        return rebuild(self.journal, kept, self.own(), "the card died", wall_ms=lambda: 0, step=step)
