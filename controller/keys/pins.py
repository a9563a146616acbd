"""PINs: salted scrypt digests in their own file beside the journal (requirements.md S1).

The journal has only a seal of each digest, with which no PIN can be searched for; so backups, archives and exports of
the books contain nothing to search for a PIN. Only the supervisor's user may read the file. It is written before the
journal names a new seal, and digests that the journal does not name are removed afterwards, so a power cut in between
leaves only an unused digest.
"""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import write_durably
from controller.files.own_files import free_name, move, starting_with
from controller.journal.actor import Role
from controller.journal.errors import JournalStorageError, storage_error
from controller.journal.people import lose_pins, people
from controller.journal.store import Store

SHORTEST, LONGEST = 6, 12
_SALT_BYTES = 16
_MODE = 0o600
_MOST_BYTES = 1 << 20
"""More bytes than the PINs of 200 people (`MOST_PEOPLE`) need."""
_SUFFIX, _DAMAGED = ".pins", ".damaged"
_KIND = starting_with("file of PINs", b'{"pins":')


class Cost(NamedTuple):
    """Parameters of scrypt: 2**`log_n` blocks of 128 * `r` bytes, `p` times."""

    log_n: int = 16
    r: int = 8
    p: int = 1


COST = Cost()
"""64 MiB and about 0.5 s on a Pi 4; trying the million PINs of six digits takes one such core six days."""


class Credential(msgspec.Struct, frozen=True):
    """A PIN's salt and digest, and its owner."""

    name: str
    role: Role
    salt: str
    digest: str
    cost: Cost = COST

    @classmethod
    def of(cls, pin: str, name: str, role: Role, cost: Cost = COST) -> "Credential":
        """Return a credential for a PIN of 6 to 12 digits, deliberately slowly; raise `ValueError` for any other."""
        if not is_long_enough(pin):
            raise ValueError(f"a PIN has {SHORTEST} to {LONGEST} digits")
        if is_guessable(pin):
            raise ValueError("a PIN of one digit, of digits in a row or of one that is repeated would be guessed")
        salt = secrets.token_bytes(_SALT_BYTES)
        return cls(name, role, salt.hex(), scrypt_digest(pin, salt, cost).hex(), cost)

    def fits(self, pin: str) -> bool:
        """Whether this is the PIN; takes equally long for every wrong one."""
        return hmac.compare_digest(bytes.fromhex(self.digest), scrypt_digest(pin, bytes.fromhex(self.salt), self.cost))

    @property
    def seal(self) -> str:
        """The credential's name in the journal: a SHA-256 over 16 random bytes and the digest."""
        return hashlib.sha256(bytes.fromhex(self.salt) + bytes.fromhex(self.digest)).hexdigest()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pins: tuple[Credential, ...] = ()


def is_long_enough(pin: str) -> bool:
    """Whether a PIN has 6 to 12 digits and nothing else."""
    return pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST


def is_guessable(pin: str) -> bool:
    """Whether a PIN is easily guessed: one digit or a shorter PIN repeated, or consecutive digits."""
    repeats = any(len(pin) % size == 0 and pin == pin[:size] * (len(pin) // size) for size in range(1, len(pin)))
    steps = {(int(after) - int(digit)) % 10 for digit, after in pairwise(pin)}
    return repeats or steps in ({1}, {9})


class PinFile:
    """The file of PINs for the journal at `journal`; `cost` is the scrypt cost of new PINs."""

    def __init__(self, journal: Path, cost: Cost = COST) -> None:
        self.path = journal.with_name(journal.name + _SUFFIX)
        self.cost = cost

    def __repr__(self) -> str:
        return f"<PinFile {self.path}>"

    def read(self) -> tuple[Credential, ...]:
        """Return all PINs; none if the file is missing or damaged.

        A damaged file is renamed to `<file>.damaged`, so that the first technician can be set up again. Raises
        `JournalStorageError` if the disk fails.
        """
        try:
            content = read_bounded(self.path, _MOST_BYTES)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._unusable(error) from error
        except ForeignFileError:
            self._put_aside()
            return ()
        try:
            return msgspec.json.decode(content, type=_File).pins
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._put_aside()
            return ()

    def of_seal(self, seal: str) -> Credential | None:
        """Return the credential with that seal, or None."""
        return next((one for one in self.read() if one.seal == seal), None)

    def add(self, credential: Credential) -> None:
        """Add a PIN, durably; raise `JournalStorageError`."""
        self._write((*(one for one in self.read() if one.seal != credential.seal), credential))

    def keep_only(self, seals: Collection[str]) -> None:
        """Remove the PINs that the journal does not name; raise `JournalStorageError`."""
        present = self.read()
        left = tuple(one for one in present if one.seal in seals)
        if left != present:
            self._write(left)

    def rename(self, seal: str, name: str) -> None:
        """Store a PIN's owner under a new name; raise `JournalStorageError`."""
        self._write(msgspec.structs.replace(one, name=name) if one.seal == seal else one for one in self.read())

    def _write(self, pins: Iterable[Credential]) -> None:
        try:
            write_durably(self.path, msgspec.json.encode(_File(tuple(pins))), _KIND, mode=_MODE)
        except OSError as error:
            raise self._unusable(error) from error

    def _put_aside(self) -> None:
        try:
            move(self.path, free_name(self.path.with_name(self.path.name + _DAMAGED)))
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> JournalStorageError:
        return storage_error(self.path, error.strerror, "mend its disk and restart", "cannot be used")


def scrypt_digest(pin: str, salt: bytes, cost: Cost) -> bytes:
    """Return the scrypt digest of a PIN or a card's number."""
    blocks = 2**cost.log_n
    # OpenSSL allows 32 MiB by default; its own data needs some of it
    most = 128 * cost.r * (blocks + cost.p + 2) + 2**20
    return hashlib.scrypt(pin.encode(), salt=salt, n=blocks, r=cost.r, p=cost.p, maxmem=most, dklen=32)


def settle_pins(store: Store, pins: PinFile) -> None:
    """Make the file of PINs and the journal agree at a start: remove a PIN that only one of them has.

    Raises `JournalError`.
    """
    named = store.transact(lambda tx: {person.pin for person in people(tx) if person.pin})
    present = {one.seal for one in pins.read()}
    if named - present:
        store.transact(lambda tx: lose_pins(tx, present))
    pins.keep_only(named)
