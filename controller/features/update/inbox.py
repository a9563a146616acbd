"""The updater's inbox: how a bundle comes into it, and what must have ended before it is asked for."""

import re
from collections.abc import Iterator
from pathlib import Path

from controller.features.update.bundle import BUNDLE, SUFFIX, BundleError, Head, opened_bundle
from controller.features.update.orders import Folders, Why
from controller.features.update.trees import free_bytes
from controller.files.durable import durable_file
from controller.journal.errors import RefusedError
from controller.journal.money import note_in_hand
from controller.journal.transaction import Transaction
from controller.keys.identity import NotAuthenticError, read_public_key

RESERVE_BYTES = 64 << 20
"""The space that must stay free beside a bundle's copy."""


def numbers(version: str) -> tuple[int, ...]:
    """Return a version's numbers, by which versions are compared."""
    return tuple(map(int, re.findall(r"\d+", version)))


def refuse_unless_idle(tx: Transaction) -> None:
    """Raise `RefusedError` with what must end first: no update while money or a round is open (S5, G7)."""
    tx.refuse_in_play()
    if note_in_hand(tx) is not None:
        raise RefusedError("A note is being taken: wait for its end")
    if credit := tx.credit_cents:
        raise RefusedError("First pay out the credit of {credit_cents}", credit_cents=credit)


def make_room(inbox: Path, size: int, *, but: str = "") -> None:
    """Empty the inbox of all bundles but the file `but`; raise `RefusedError` without room for `size` bytes."""
    inbox.mkdir(mode=0o750, exist_ok=True)
    for left in inbox.glob(f"*{SUFFIX}*"):
        if left.name != but:
            left.unlink()
    if free_bytes(inbox) < size + RESERVE_BYTES:
        raise RefusedError(Why.ROOM)


def bring(chunks: Iterator[bytes], size: int, copy: Path, folders: Folders) -> None:
    """Copy a bundle of `size` bytes durably into the inbox and verify the copy; raise `RefusedError` if that fails."""
    try:
        make_room(copy.parent, size)
        with durable_file(copy, BUNDLE, 0o640) as file:
            for chunk in chunks:
                file.write(chunk)
        proved(copy, folders)
    except OSError as error:
        raise RefusedError(Why.SYSTEM) from error


def proved(copy: Path, folders: Folders) -> Head:
    """Return the head of a bundle in the inbox; one that is not whole or not the maker's is removed.

    Raises `RefusedError` for such a one, and `OSError`.
    """
    try:
        with opened_bundle(copy, read_public_key(folders.release)) as opened:
            opened.prove()
            return opened.head
    except (BundleError, NotAuthenticError) as error:
        copy.unlink(missing_ok=True)
        raise RefusedError(Why.BUNDLE) from error
