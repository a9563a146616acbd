"""The cabinet's identity: an Ed25519 key pair in its own file, to which the journal is bound (C12).

The file contains the private key and then the public one, both as PEM, so that OpenSSL reads either. The ledger names
the public key. A start compares the two, and the journal of another cabinet locks.

`bound_to` is called by everything that opens the books for play. A new key stays in `<file>.new` until the journal
names it, so that a power cut between the two can be distinguished from an exchanged journal.
"""

import base64
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from common.error_words import error_reason
from controller.errors import LockingError
from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import flush_folder, write_durably
from controller.files.own_files import PEM, move
from controller.journal.event_catalogue import Event
from controller.journal.ledger import last_of_kind
from controller.journal.transaction import Transaction

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KIND = "identity"
"""The ledger's kind for rows that bind it to a key."""

PUBLIC_BYTES = 32
SIGNATURE_BYTES = 64
SECRET_BYTES = 64
MOST_KEY_BYTES = 64 << 10
"""The largest key file, in bytes: a public key takes 113, the rest is for comments."""
_BEGIN, _END = "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"
_HEAD = bytes.fromhex("302a300506032b6570032100")
"""The bytes before the 32 of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410)."""


class IdentityError(LockingError, ValueError):
    """The books are bound to another key than the cabinet's, or its key file cannot be used."""

    code = "identity"


class UnboundError(IdentityError):
    """Books and key do not belong together: `found` says how it is, `mend` what the owner of a real cabinet does."""

    def __init__(self, found: str, mend: str) -> None:
        super().__init__(f"{found}: {mend}")
        self.found = found


class NotAuthenticError(ValueError):
    """A signature does not match the required key; the message names the file."""


class Bond(msgspec.Struct, frozen=True):
    """The key to which a ledger is bound, in hexadecimal, with who bound it and why."""

    public_key: str
    who: str
    reason: str


class Identity(NamedTuple):
    """The key pair in the file at `path`; the private key is read only to sign."""

    path: Path
    public_key: bytes

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the public key."""
        return fingerprint(self.public_key)

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of the signature of `message`; raise `IdentityError` if the key cannot be used."""
        return self._private().sign(message)

    def secret(self, purpose: str) -> bytes:
        """Return 64 bytes derived from the private key, different for each purpose; raise `IdentityError`."""
        from cryptography.hazmat.primitives.hashes import SHA512  # noqa: PLC0415 - a start must not pay for it
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

        derived = HKDF(SHA512(), SECRET_BYTES, salt=None, info=purpose.encode())
        return derived.derive(self._private().private_bytes_raw())

    def prove(self) -> None:
        """Raise `IdentityError` unless the private key belongs to the public one."""
        if self._private().public_key().public_bytes_raw() != self.public_key:
            raise IdentityError(f"{self.path} holds two keys that do not belong together: call a technician")

    def _private(self) -> "Ed25519PrivateKey":
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - a start must not pay for it
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

        try:
            key = load_pem_private_key(read_bounded(self.path, MOST_KEY_BYTES, follow=True), password=None)
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise IdentityError(
                f"{self.path} cannot be used as the cabinet's key ({error_reason(error)}): restore it"
            ) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise IdentityError(f"{self.path} holds no Ed25519 key: restore the cabinet's own")
        return key


def fingerprint(public_key: bytes) -> str:
    """Return the fingerprint for a person to compare: the first 16 hexadecimal digits of a public key, in fours."""
    digits = public_key.hex()[:16]
    return " ".join(digits[place : place + 4] for place in range(0, 16, 4))


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is a valid signature of `message` by that key."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - a start must not pay for it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def public_pem(public_key: bytes) -> str:
    """Return a public key as a PEM file."""
    return f"{_BEGIN}\n{base64.b64encode(_HEAD + public_key).decode()}\n{_END}\n"


def public_key_in(pem: str) -> bytes | None:
    """Return the Ed25519 public key in a PEM file's text, or None if it contains none."""
    text = pem.partition(_BEGIN)[2].partition(_END)[0]
    try:
        spki = base64.b64decode("".join(text.split()), validate=True)
    except ValueError:  # from binascii, or because the text is not ASCII
        return None
    key = spki.removeprefix(_HEAD)
    return key if len(key) == PUBLIC_BYTES and len(spki) == len(_HEAD) + PUBLIC_BYTES else None


def read_identity(path: Path) -> Identity | None:
    """Return the identity in the file at `path`, or None if there is no such file; raise `IdentityError`."""
    try:
        pem = read_bounded(path, MOST_KEY_BYTES, follow=True).decode("ascii")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ForeignFileError) as error:
        raise IdentityError(f"{path} cannot be read ({error_reason(error)}): restore the cabinet's key") from error
    public_key = public_key_in(pem)
    if public_key is None:
        raise IdentityError(f"{path} holds no public Ed25519 key: restore the cabinet's key")
    return Identity(path, public_key)


def make_identity(path: Path) -> Identity:
    """Create a new key pair in the file at `path` (0600), durably, replacing an old one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - once in a life
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    public_key = key.public_key().public_bytes_raw()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")
    try:
        write_durably(path, (private + public_pem(public_key)).encode("ascii"), PEM, mode=0o600)
    except OSError as error:
        raise IdentityError(f"{path} cannot be written ({error.strerror}): mend its disk") from error
    return Identity(path, public_key)


def fresh(path: Path) -> Path:
    """Return the path of a new key that the journal does not yet name."""
    return path.with_name(path.name + ".new")


def bond(tx: Transaction) -> Bond | None:
    """Return the key to which the ledger is bound, or None if it was never bound."""
    row = last_of_kind(tx, KIND)
    return None if row is None else msgspec.json.decode(row.data, type=Bond)


def bind(tx: Transaction, identity: Identity, who: str, reason: str) -> None:
    """Bind the ledger to this key, with an event that records who did it and why."""
    before = bond(tx)
    tx.post(KIND, data={"public_key": identity.public_key.hex(), "who": who, "reason": reason})
    key = identity.public_key.hex()[:16]
    if before is None:
        tx.event(Event.BOUND, key=key, reason=reason, who=who)
    else:
        was, credit = before.public_key[:16], tx.credit_cents
        tx.event(Event.BOUND_AGAIN, key=key, before=was, credit_cents=credit, reason=reason, who=who)


def proven(bound: Bond | None, path: Path) -> Identity | None:
    """Return the identity at `path` if it is the one that the journal names; None where neither exists yet.

    Raise `IdentityError` for a journal of another cabinet, a key that is missing, and a journal that names no key in
    a cabinet that has one.
    """
    own = read_identity(path)
    if bound is None:
        if own is not None:
            raise UnboundError(
                f"the journal names no key and this cabinet has one ({own.fingerprint})",
                "put its own journal back, or have a technician run `cabinet identity adopt`",
            )
        return None
    if own is None:
        own = read_identity(fresh(path))  # the power failed after the journal's commit and before the renaming
        if own is None or own.public_key.hex() != bound.public_key:
            raise UnboundError(
                f"{path} is missing, and the journal is bound to the key {bound.public_key[:16]}",
                "restore the file, or have a technician run `cabinet identity replace`",
            )
        return _in_place(own, path)
    if own.public_key.hex() != bound.public_key:
        raise UnboundError(
            f"the journal is bound to the key {bound.public_key[:16]}, this cabinet's is {own.fingerprint}",
            "put its own journal back, or have a technician run `cabinet identity adopt`",
        )
    return own


def bound_to(bound: Bond | None, path: Path) -> tuple[Identity, bool]:
    """Return the identity at `path` as `proven` does, and whether it is new and must be bound and `settled`."""
    own = proven(bound, path)
    return (make_identity(fresh(path)), True) if own is None else (own, False)


def settled(own: Identity, path: Path) -> Identity:
    """Move a new key to `path` after the journal has named it."""
    return own if own.path == path else _in_place(own, path)


def _in_place(own: Identity, path: Path) -> Identity:
    try:
        move(own.path, path)
        flush_folder(path.parent)
    except OSError as error:
        raise IdentityError(f"{path} cannot be written ({error.strerror}): mend its disk") from error
    return own._replace(path=path)


def read_public_key(path: Path) -> bytes:
    """Return the Ed25519 public key in a PEM file; raise `NotAuthenticError` if there is none."""
    try:
        key = public_key_in(read_bounded(path, MOST_KEY_BYTES, follow=True).decode("ascii"))
    except (OSError, UnicodeDecodeError, ForeignFileError) as error:
        raise NotAuthenticError(f"{path} cannot be read ({error_reason(error)})") from error
    if key is None:
        raise NotAuthenticError(f"{path} holds no public Ed25519 key")
    return key
