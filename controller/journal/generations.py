"""Which journal of its cabinet this is, and where it began."""

import sqlite3

import msgspec

from controller.journal.ledger import RARE
from controller.journal.schema import RESTORED


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What the first row of a journal after a full clear says: what it follows, and the snapshot of what that held."""

    generation: int
    old_seq: int
    old_hash: str
    snapshot_sha256: str
    who: str
    reason: str


ORIGIN = "origin"
"""The ledger's kind of that row."""


def origin_of(connection: sqlite3.Connection) -> Origin | None:
    """Return where the journal began, None for a cabinet's first one."""
    row = connection.execute(
        f"SELECT data FROM ledger WHERE kind = ? AND {RARE} ORDER BY seq LIMIT 1",  # noqa: S608 - a literal
        (ORIGIN,),
    ).fetchone()
    return None if row is None else msgspec.json.decode(row[0], type=Origin)


def generation_of(connection: sqlite3.Connection) -> int:
    """Return the how-manieth journal of its cabinet this is."""
    row = connection.execute(
        f"SELECT data FROM ledger WHERE kind = ? AND {RARE} ORDER BY seq DESC LIMIT 1",  # noqa: S608 - a literal
        (RESTORED,),
    ).fetchone()
    if row is not None:
        return msgspec.json.decode(row[0], type=_Restored).generation
    origin = origin_of(connection)
    return 1 if origin is None else origin.generation


class _Restored(msgspec.Struct, frozen=True):
    """What is read of the row that takes up a backup."""

    generation: int
