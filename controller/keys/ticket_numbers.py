"""The numbers of tickets that this cabinet validates itself: signed with its key, so that nobody can guess one."""

import hashlib
import secrets
from pathlib import Path

from controller.journal.tickets import DIGITS
from controller.keys.identity import read_identity

OWN = "00"
"""The first two digits: the machine's own validation (sas.md, 2.1)."""
_SPAN = 10 ** (DIGITS - len(OWN))


class TicketNumbers:
    """Numbers signed with the key in the file at `key_file`; a demo without a key draws them at random."""

    def __init__(self, key_file: Path) -> None:
        self._key_file = key_file

    def __repr__(self) -> str:
        return f"<TicketNumbers {self._key_file}>"

    def of(self, serial: int, cents: int, issued_ms: int) -> str:
        """Return the number of this cabinet's `serial`-th ticket; raise `IdentityError` for an unusable key."""
        own = read_identity(self._key_file)
        if own is None:
            return _number(secrets.randbelow(_SPAN))
        signature = own.sign(f"cabinet ticket {serial} {cents} {issued_ms}".encode())
        return _number(int.from_bytes(hashlib.sha256(signature).digest()) % _SPAN)


def _number(digits: int) -> str:
    return f"{OWN}{digits:0{DIGITS - len(OWN)}d}"
