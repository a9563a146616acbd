"""Manifests with their signatures by a maker's Ed25519 key, which is never on a cabinet.

`openssl pkeyutl -verify -pubin -inkey release.pem -rawin -in manifest.json -sigfile manifest.sig` verifies them too.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from common.error_words import error_reason
from controller.features.update.manifest import Manifest, ManifestError, encoded
from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import write_durably
from controller.files.own_files import JSON, PEM
from controller.files.own_files import SIGNATURE as SIGNED
from controller.keys.identity import (
    MOST_KEY_BYTES,
    SIGNATURE_BYTES,
    NotAuthenticError,
    fingerprint,
    is_signed,
    public_pem,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

MANIFEST, SIGNATURE = "manifest.json", "manifest.sig"
LARGEST_MANIFEST_BYTES = 8 << 20
"""The most bytes of a manifest; that of the program, its environment and its art takes one megabyte."""


class SigningKeyError(ValueError):
    """A file has no private key that can sign; the message has the reason."""


class SigningKey(NamedTuple):
    """A private Ed25519 key in memory."""

    private: "Ed25519PrivateKey"

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of the public half."""
        return self.private.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of the signature of `message`."""
        return self.private.sign(message)

    @classmethod
    def throwaway(cls) -> "SigningKey":
        """Return a new key that is never stored: once dropped, nobody can sign with it again."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - seldom used

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: Path, passphrase: str = "") -> "SigningKey":
        """Return the key in a PEM file (`openssl genpkey -algorithm ed25519`); raise `SigningKeyError`."""
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - seldom used
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

        try:
            pem = read_bounded(path, MOST_KEY_BYTES, follow=True)
            key = load_pem_private_key(pem, password=passphrase.encode() or None)
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise SigningKeyError(f"{path} cannot be used to sign ({error_reason(error)})") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise SigningKeyError(f"{path} holds no Ed25519 key: make one with openssl genpkey -algorithm ed25519")
        return cls(key)


def write_public_key(path: Path, public_key: bytes) -> None:
    """Write a public key as a PEM file, whole or not at all; raise `OSError`."""
    write_durably(path, public_pem(public_key).encode("ascii"), PEM)


def write_signed(folder: Path, manifest: Manifest, key: SigningKey) -> None:
    """Write a manifest and its signature into `folder`; raise `OSError`, and `ManifestError` for one too large."""
    text = encoded(manifest)
    if len(text) > LARGEST_MANIFEST_BYTES:
        raise ManifestError(
            f"{len(manifest.entries)} files make a manifest of {len(text):,} bytes, and {LARGEST_MANIFEST_BYTES:,} are"
            " read at the most: take away what does not belong there"
        )
    write_durably(folder / MANIFEST, text, JSON)
    write_durably(folder / SIGNATURE, key.sign(text), SIGNED)


def signed_text(folder: Path, public_key: bytes) -> bytes:
    """Return the text of the manifest in `folder`, signed by that key; raise `NotAuthenticError`."""
    try:
        text = read_bounded(folder / MANIFEST, LARGEST_MANIFEST_BYTES)
        signature = read_bounded(folder / SIGNATURE, SIGNATURE_BYTES)
    except OSError as error:
        raise NotAuthenticError(f"{error.filename} cannot be read ({error.strerror})") from error
    except ForeignFileError as error:
        raise NotAuthenticError(str(error)) from error
    if not is_signed(public_key, text, signature):
        raise NotAuthenticError(f"{folder / MANIFEST} is not signed with the key {fingerprint(public_key)}")
    return text
