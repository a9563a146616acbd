"""Anchors signed with the cabinet's key; without that key, books before an anchor cannot be changed unnoticed.

An anchor repeats the ledger's hash, the credit and all meters every thousand rows. The running cabinet signs each
anchor soon after it is written, outside its transaction, because play must not wait for a signature. Journals without a
key, as some tools create, have unsigned anchors.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from controller.journal.errors import CorruptJournalError
from controller.journal.ledger import RARE
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity, is_signed
from drivers.clock import Clock

T = TypeVar("T")

LOOK_S = 60.0
"""The interval in seconds at which the running cabinet looks for unsigned anchors."""

_HEAD = b"cabinet anchor\n"
_ANCHORS = "SELECT seq, hash, credit_cents, meters, (SELECT cabinet_id FROM cabinet) FROM anchors"
_encode = msgspec.json.Encoder(order="deterministic").encode


class Anchor(NamedTuple):
    """An anchor and the id of its cabinet."""

    seq: int
    hash: bytes
    credit_cents: int
    meters: str
    cabinet_id: str

    @property
    def message(self) -> bytes:
        """The bytes that are signed."""
        return _HEAD + _encode([self.cabinet_id, self.seq, self.hash.hex(), self.credit_cents, self.meters])


def unsigned(tx: Transaction) -> list[Anchor]:
    """Return the anchors after the newest signed one."""
    rows = tx.execute(
        f"{_ANCHORS} WHERE seq > (SELECT coalesce(max(seq), 0) FROM anchor_signatures) ORDER BY seq"  # noqa: S608 - literals
    )
    return [Anchor(*row) for row in rows]


def sign(tx: Transaction, own: Identity, signatures: dict[int, bytes]) -> None:
    """Store the signatures of these anchors."""
    for seq, signature in signatures.items():
        tx.execute("INSERT INTO anchor_signatures VALUES (?, ?, ?)", (seq, own.public_key, signature))


class Writer(Protocol):
    """Runs one transaction of the books and returns its result once it is durable."""

    def __call__(self, act: Callable[[Transaction], T], /) -> Awaitable[T]:
        """Run `act`; raise `JournalError` if nothing was written."""


async def keep_signed(do: Writer, key: Path, clock: Clock) -> None:
    """Sign each new anchor with the key in the file `key`, until cancelled; without a key, return at once.

    Raises `IdentityError` for a key that cannot be used.
    """
    own = identity.read_identity(key)
    while own is not None:
        if anchors := await do(unsigned):
            signatures = await asyncio.to_thread(_signatures, own, anchors)
            await do(lambda tx: sign(tx, own, signatures))  # noqa: B023 - awaited within this pass
        await clock.sleep(LOOK_S)


def _signatures(own: Identity, anchors: list[Anchor]) -> dict[int, bytes]:
    return {anchor.seq: own.sign(anchor.message) for anchor in anchors}


def prove(connection: sqlite3.Connection) -> None:
    """Prove every signature, and that none is missing between the first and the last signed anchor.

    The keys must be ones that the ledger was bound to. Raises `CorruptJournalError`.
    """
    bonds = connection.execute(f"SELECT data FROM ledger WHERE kind = ? AND {RARE}", (identity.KIND,))  # noqa: S608 - a literal
    keys = {msgspec.json.decode(data, type=identity.Bond).public_key for (data,) in bonds}
    signed = {
        seq: (key, signature)
        for seq, key, signature in connection.execute("SELECT seq, public_key, signature FROM anchor_signatures")
    }
    for row in connection.execute(f"{_ANCHORS} ORDER BY seq"):
        anchor = Anchor(*row)
        if anchor.seq not in signed:
            if signed and min(signed) < anchor.seq < max(signed):
                raise CorruptJournalError(f"anchor {anchor.seq} has no signature, anchors after it have")
            continue
        key, signature = signed[anchor.seq]
        if key.hex() not in keys:
            raise CorruptJournalError(f"anchor {anchor.seq} is signed with a key that the ledger was never bound to")
        if not is_signed(key, anchor.message, signature):
            raise CorruptJournalError(f"anchor {anchor.seq} does not match its signature")
