"""The key that seals the numbers of staff cards, in its own file beside the journal (S1).

A card's number is looked up by its seal: a SHA-256 over its scrypt digest, which is salted with 32 random bytes unique
to this cabinet. All cards share the salt, since a card does not reveal its owner. The salt never leaves the file, so no
number can be searched for with a backup, an archive or an export.
"""

import hashlib
import secrets
from pathlib import Path

import msgspec

from controller.features.cards.journal import lose_cards
from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import write_durably
from controller.files.own_files import free_name, move, starting_with
from controller.journal.errors import JournalStorageError, storage_error
from controller.journal.store import Store
from controller.keys.pins import COST, Cost, scrypt_digest

_KEY_BYTES = 32
_MODE = 0o600
_MOST_BYTES = 4096
_SUFFIX, _DAMAGED = ".cards", ".damaged"
_KIND = starting_with("key of staff cards", b'{"key":')


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    cost: Cost = COST


class CardFile:
    """The file of the key for the cards of the journal at `journal`; `cost` is the scrypt cost of a new key's seals."""

    def __init__(self, journal: Path, cost: Cost = COST) -> None:
        self.path = journal.with_name(journal.name + _SUFFIX)
        self._cost = cost

    def __repr__(self) -> str:
        return f"<CardFile {self.path}>"

    @property
    def key(self) -> str:
        """The name of the key, which reveals nothing about it; empty if there is none.

        Raises `JournalStorageError` if the disk fails.
        """
        found = self._read()
        return "" if found is None else _named(found)

    def begin(self) -> str:
        """Create a key durably unless there is one, and return its name; raise `JournalStorageError`."""
        found = self._read()
        if found is None:
            found = _File(secrets.token_bytes(_KEY_BYTES).hex(), self._cost)
            try:
                write_durably(self.path, msgspec.json.encode(found), _KIND, mode=_MODE)
            except OSError as error:
                raise self._unusable(error) from error
        return _named(found)

    def seal_of(self, number: str) -> str:
        """Return the seal of a card's number, which is deliberately slow; empty if there is no key."""
        found = self._read()
        if found is None:
            return ""
        digest = scrypt_digest(number.upper(), bytes.fromhex(found.key), found.cost)
        return hashlib.sha256(b"staff card" + digest).hexdigest()

    def _read(self) -> _File | None:
        try:
            found = msgspec.json.decode(read_bounded(self.path, _MOST_BYTES), type=_File)
            whole = len(bytes.fromhex(found.key)) == _KEY_BYTES
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(error) from error
        except (ForeignFileError, msgspec.MsgspecError, ValueError, RecursionError):
            whole = False
        if not whole:
            self._put_aside()
            return None
        return found

    def _put_aside(self) -> None:
        try:
            move(self.path, free_name(self.path.with_name(self.path.name + _DAMAGED)))
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> JournalStorageError:
        return storage_error(self.path, error.strerror, "mend its disk and restart", "cannot be used")


def _named(found: _File) -> str:
    return hashlib.sha256(b"name of the key" + bytes.fromhex(found.key)).hexdigest()[:16]


def settle_cards(store: Store) -> None:
    """Remove the cards whose key is lost; raise `JournalError`."""
    key = CardFile(store.path).key
    store.transact(lambda tx: lose_cards(tx, key))
