"""PINs: kept as salted scrypt digests, with a limit of wrong attempts that a power cut does not lift (S1)."""

import hashlib
import hmac
import secrets
from enum import StrEnum
from itertools import pairwise

import msgspec

from controller.journal.transaction import Transaction

SHORTEST, LONGEST = 4, 8
MOST_FAILURES = 5
"""So many wrong attempts in a row bar a PIN."""
BARRED_MINUTES = 10
"""For so many powered-on minutes: neither a power cut nor a clock that is changed shortens them."""

_SALT_BYTES = 16
_COST, _BLOCK, _PARALLEL = 2**14, 8, 1  # 16 MiB and some 50 ms on a Pi 4: not worth a search, no wait for a person


class StoredPin(msgspec.Struct, frozen=True):
    """A PIN's salt and digest, from which it cannot be read."""

    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, pin: str) -> "StoredPin":
        """Return a PIN of 4 to 8 digits as it is stored, which takes its time.

        Raise `ValueError` for anything else, and for one that anybody would try first.
        """
        if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
            raise ValueError(f"a PIN has {SHORTEST} to {LONGEST} digits")
        if is_guessable(pin):
            raise ValueError("a PIN of one digit, of digits in a row or of one that is repeated would be guessed")
        salt = secrets.token_bytes(_SALT_BYTES)
        return cls(salt, _digest(pin, salt))

    def fits(self, pin: str) -> bool:
        """Whether that is the PIN; takes as long for every wrong one."""
        return hmac.compare_digest(self.digest, _digest(pin, self.salt))


def is_guessable(pin: str) -> bool:
    """Whether a PIN is among the first that anybody tries: one digit or a shorter PIN repeated, or digits in a row."""
    repeats = any(len(pin) % size == 0 and pin == pin[:size] * (len(pin) // size) for size in range(1, len(pin)))
    steps = {(int(after) - int(digit)) % 10 for digit, after in pairwise(pin)}
    return repeats or steps in ({1}, {9})


class Attempt(StrEnum):
    """What came of an attempt."""

    GRANTED = "granted"
    WRONG = "wrong"
    BARRED = "barred"


def _digest(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, dklen=32)


def stored_pin(tx: Transaction, who: str) -> StoredPin | None:
    """Return the PIN of `who`, None where none was ever chosen."""
    row = tx.execute("SELECT salt, digest FROM pins WHERE who = ?", (who,)).fetchone()
    return None if row is None else StoredPin(*row)


def barred_minutes(tx: Transaction, who: str) -> int:
    """Return for how many powered-on minutes no attempt of `who` counts, 0 where one may be made now."""
    row = tx.execute(
        "SELECT barred_until - powered_minutes FROM pins, cabinet WHERE who = ? AND barred_until > powered_minutes",
        (who,),
    ).fetchone()
    return 0 if row is None else int(row[0])


def record_attempt(
    tx: Transaction,
    who: str,
    *,
    fitted: bool,
    most_failures: int = MOST_FAILURES,
    barred_for: int = BARRED_MINUTES,
) -> Attempt:
    """Record an attempt, and return whether it is granted: one that comes while `who` is barred never is.

    `most_failures` wrong ones in a row bar `who` for `barred_for` powered-on minutes.
    """
    if barred_minutes(tx, who):
        outcome = Attempt.BARRED
    elif fitted:
        tx.execute("UPDATE pins SET failures = 0 WHERE who = ?", (who,))
        outcome = Attempt.GRANTED
    else:
        tx.execute(
            "UPDATE pins SET failures = iif(failures + 1 < ?, failures + 1, 0),"
            " barred_until = CASE WHEN failures + 1 < ? THEN 0"
            " ELSE (SELECT powered_minutes FROM cabinet) + ? END WHERE who = ?",
            (most_failures, most_failures, barred_for, who),
        )
        outcome = Attempt.BARRED if barred_minutes(tx, who) else Attempt.WRONG
    tx.event(f"pin_{outcome}", f"PIN of the {who}: {outcome}", place=who)
    return outcome


def choose_pin(tx: Transaction, who: str, pin: StoredPin, by: str) -> None:
    """Replace the PIN of `who`; the event tells that it was changed, and by whom, never what it is."""
    tx.execute(
        "INSERT INTO pins (who, salt, digest) VALUES (?, ?, ?) ON CONFLICT (who) DO UPDATE SET"
        " salt = excluded.salt, digest = excluded.digest, failures = 0, barred_until = 0",
        (who, pin.salt, pin.digest),
    )
    tx.event("pin_changed", f"PIN of the {who} changed by {by}", place=who)
