"""Ticket numbers: signed with the cabinet's key so that they cannot be guessed, and sealed with it in the books.

A number that this cabinet validates itself is made from its signature. Any number, its own or a host's, is stored
encrypted and authenticated (AES-SIV, RFC 5297) with a key derived from the cabinet's private one. A copy of the books
can be read only on this cabinet, or where its key file was restored.
"""

import base64
import hashlib
import secrets
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controller.journal.number_seal import MARK, PLAIN, SHOWN, StoredNumber
from controller.journal.tickets import DIGITS, OWN
from controller.keys.identity import read_identity

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

_SPAN = 10 ** (DIGITS - len(OWN))
_PURPOSE: Final = "cabinet ticket numbers"
_KEPT: Final = 256
"""How many opened or sealed numbers are cached: a host's records are read with every transaction."""


class TicketNumbers:
    """Numbers by the key in the file at `key_file`; a demo without a key draws them at random and seals none."""

    def __init__(self, key_file: Path) -> None:
        self._key_file = key_file
        self._cipher: AESSIV | None = None
        self.sealed = lru_cache(_KEPT)(self._sealed)
        self.opened = lru_cache(_KEPT)(self._opened)

    def __repr__(self) -> str:
        return f"<TicketNumbers {self._key_file}>"

    def of(self, serial: int, cents: int, issued_ms: int) -> str:
        """Return the number of this cabinet's `serial`-th ticket; raise `IdentityError` for an unusable key."""
        own = read_identity(self._key_file)
        if own is None:
            return _number(secrets.randbelow(_SPAN))
        signature = own.sign(f"cabinet ticket {serial} {cents} {issued_ms}".encode())
        return _number(int.from_bytes(hashlib.sha256(signature).digest()) % _SPAN)

    def _sealed(self, number: str) -> StoredNumber:
        """Return a number as the journal stores it; raise `IdentityError` for an unusable key."""
        cipher = self._found()
        if cipher is None:
            return PLAIN.sealed(number)
        shown = number[-SHOWN:]
        token = base64.urlsafe_b64encode(cipher.encrypt(number.encode(), [shown.encode()])).decode()
        return StoredNumber(f"{token}{MARK}{shown}")

    def _opened(self, stored: StoredNumber) -> str:
        """Return a stored number in full, or "" if another key sealed it; raise `IdentityError` as `sealed` does."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - only whoever has tickets pays for it

        token, mark, shown = stored.rpartition(MARK)
        cipher = self._found()
        if not mark or cipher is None:
            return PLAIN.opened(stored)
        try:
            return cipher.decrypt(base64.urlsafe_b64decode(token), [shown.encode()]).decode()
        except (InvalidTag, ValueError):
            return ""

    def _found(self) -> "AESSIV | None":
        """Return the cipher, or None without a key."""
        if self._cipher is None and (own := read_identity(self._key_file)) is not None:
            from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415

            self._cipher = AESSIV(own.secret(_PURPOSE))
        return self._cipher


def _number(digits: int) -> str:
    return f"{OWN}{digits:0{DIGITS - len(OWN)}d}"
