"""The generations of a cabinet's journal: each full clear, restore or rebuild begins a new one."""

import msgspec

from controller.journal.ledger import first_of_kind, last_of_kind
from controller.journal.reads import Reader
from controller.journal.schema import RESTORED


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The first row of a journal after a full clear: it identifies the previous journal and its snapshot."""

    generation: int
    old_seq: int
    old_hash: str
    snapshot_sha256: str
    who: str
    reason: str


ORIGIN = "origin"
"""The kind of that ledger row."""


def origin_of(books: Reader) -> Origin | None:
    """Return the origin of the journal, or None for the cabinet's first one."""
    row = first_of_kind(books, ORIGIN)
    return None if row is None else msgspec.json.decode(row.data, type=Origin)


def generation_of(books: Reader) -> int:
    """Return the generation of this journal within its cabinet; the first is 1."""
    restored = _restored(books)
    if restored is not None:
        return restored.generation
    origin = origin_of(books)
    return 1 if origin is None else origin.generation


class _Restored(msgspec.Struct, frozen=True):
    """The fields that are read from the row that resumes a backup of generation `of`, instead of books or lost ones."""

    generation: int
    of: int
    instead_of: str


def _restored(books: Reader) -> _Restored | None:
    row = last_of_kind(books, RESTORED)
    return None if row is None else msgspec.json.decode(row.data, type=_Restored)


def restored_in_loss(books: Reader) -> int | None:
    """Return the generation of the backup that replaced lost books, whose later rows are unknown here, or None."""
    restored = _restored(books)
    return None if restored is None or restored.instead_of else restored.of
