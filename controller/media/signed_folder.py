"""A folder of files signed by a cabinet: its manifest has each file's SHA-256, and an Ed25519 signature.

`openssl pkeyutl -verify -pubin -inkey cabinet.pem -rawin -in manifest.json -sigfile manifest.sig` verifies it too.
"""

import errno
import hashlib
import logging
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from common.decoding import UnreadableError, decoder
from controller.files.bounded import MOST_NAMES, ForeignFileError, digest_of, names_in, printable, read_bounded
from controller.files.durable import flush_folder
from controller.files.left_by_others import in_words, is_left_by_others
from controller.keys.identity import SIGNATURE_BYTES, Identity, is_signed, public_key_in, public_pem

MANIFEST, SIGNATURE, KEY = "manifest.json", "manifest.sig", "cabinet.pem"
FORMAT = "cabinet signed folder 1"
MOST_BYTES = {MANIFEST: 1 << 20, SIGNATURE: SIGNATURE_BYTES, KEY: 4096}
"""The most bytes read of each: a manifest of a hundred files takes 15 KB, a key in PEM 113 bytes."""
_MOST_OF_A_NAME = 100
_PART = ".part"
_LEFT = re.compile(r"cabinet-[a-z]+-[0-9a-f]{8}-\d{8}T\d{6}Z\.part")
"""The name of an unfinished folder (`controller.media.snapshots.folder_name`)."""
_log = logging.getLogger(__name__)

Writer = Callable[[IO[bytes]], None]
"""Writes one file's content."""


class Listed(msgspec.Struct, frozen=True):
    """A file of the folder."""

    name: str
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The signed content: kind, cabinet, time, position in the ledger, and files.

    `head` is the SHA-256 of ledger row `seq`, which covers every row before it; `generation` counts the cabinet's
    journals, one more with each full clear. `made` is the cabinet's clock in UTC.
    """

    format: str = FORMAT
    kind: str
    cabinet_id: str
    name: str
    simulated: bool
    generation: int
    public_key: str
    made: str
    program: str
    seq: int
    head: str
    credit_cents: int
    files: tuple[Listed, ...] = ()


_manifest = decoder(Manifest)


AGAIN = "copy the folder again from where it was made"


class NotSignedError(ValueError):
    """A folder does not match the cabinet's signature: the message states the difference, `mend` what to do, if known.

    A text may be refused so too.
    """

    def __init__(self, words: str, mend: str = "") -> None:
        super().__init__(words)
        self.mend = mend


class OtherFilesError(NotSignedError):
    """A folder has an extra file, or one that is missing or changed; it has the file's name."""

    def __init__(self, path: Path, what: str, *, is_added: bool = False) -> None:
        super().__init__(f"{printable(path)} {what}", "take it away" if is_added else AGAIN)
        self.name = printable(path.name)
        self.is_added = is_added


class _Counting:
    """A file that computes the SHA-256 and the size of what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()
        self.size = 0

    def write(self, content: bytes) -> int:
        self.sha256.update(content)
        self.size += len(content)
        return self._file.write(content)


def write_folder(
    parent: Path,
    name: str,
    manifest: Manifest,
    contents: Mapping[str, Writer],
    identity: Identity,
    *,
    made: Mapping[str, Callable[[Path], None]] | None = None,
) -> Path:
    """Write a signed folder into `parent`, whole or not at all, read it back, and return it.

    `made` are files written by a function that gets their path. Remains of an earlier attempt are removed first. Raises
    `OSError`, and `NotSignedError` if the medium returns other data than was written.
    """
    for left in names_in(parent):
        if _LEFT.fullmatch(left):
            _discard(parent / left)
    part = parent / f"{name}{_PART}"
    try:
        part.mkdir()
        listed = tuple(_write(part / own, write) for own, write in contents.items())
        listed += tuple(_make(part / own, make) for own, make in (made or {}).items())
        whole = msgspec.structs.replace(manifest, files=listed, public_key=identity.public_key.hex())
        text = msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"
        _write(part / MANIFEST, lambda file: file.write(text))
        _write(part / SIGNATURE, lambda file: file.write(identity.sign(text)))
        _write(part / KEY, lambda file: file.write(public_pem(identity.public_key).encode("ascii")))
        flush_folder(part)
        verify_folder(part, identity.public_key)
        place = _free(parent, name)
        part.rename(place)
        flush_folder(parent)
    except BaseException:
        _discard(part)
        raise
    return place


def _discard(part: Path) -> None:
    """Remove an unfinished folder; it holds plain files, and links are not followed.

    Errors of a stick that is gone were raised before.
    """
    with suppress(OSError):
        if not part.is_symlink():
            for name in names_in(part):
                (part / name).unlink()
            part.rmdir()


def _write(path: Path, write: Callable[[IO[bytes]], object]) -> Listed:
    with path.open("xb") as file:
        counting = _Counting(file)
        write(counting)  # type: ignore[arg-type]  # of a file only `write` is used
        file.flush()
        os.fsync(file.fileno())
    return Listed(path.name, counting.size, counting.sha256.hexdigest())


def _make(path: Path, make: Callable[[Path], None]) -> Listed:
    make(path)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    size = path.stat().st_size
    return Listed(path.name, size, digest_of(path, size))


def _free(parent: Path, name: str) -> Path:
    """Return an unused name: two exports may fall into one second, or the clock may have been set back."""
    for number in range(1, _MOST_OF_A_NAME):
        place = parent / (name if number == 1 else f"{name}-{number}")
        if not place.exists():
            return place
    raise FileExistsError(errno.EEXIST, f"{name} is there {_MOST_OF_A_NAME} times", str(parent))


def verify_folder(folder: Path, public_key: bytes | None = None) -> Manifest:
    """Verify that a folder holds exactly what the cabinet with that key signed, and return its manifest.

    Files that other computers add by themselves are left out, and logged. Without a key it is verified against its own
    key, whose fingerprint must then be compared with the cabinet's. Raises `NotSignedError`, and `OSError` for what
    cannot be read.
    """
    text, signature = (_read(folder / name) for name in (MANIFEST, SIGNATURE))
    own = public_key_in(_read(folder / KEY).decode("ascii", "replace"))
    key = public_key or own
    if key is None or own is None:
        raise NotSignedError(f"{printable(folder / KEY)} holds no public key of a cabinet", AGAIN)
    if key != own:
        words = f"{printable(folder)} brings the key {own.hex()[:16]} along, not {key.hex()[:16]}"
        raise NotSignedError(words, "give the key of the cabinet that made it")
    if not is_signed(key, text, signature):
        raise NotSignedError(
            f"{printable(folder / MANIFEST)} is not what was signed with the key {key.hex()[:16]}", AGAIN
        )
    manifest = _decoded(text, folder)
    if manifest.format != FORMAT or manifest.public_key != key.hex():
        kind = printable(manifest.format)
        raise NotSignedError(f"{printable(folder / MANIFEST)} is no manifest of this kind: {kind}", AGAIN)
    _prove_files(folder, manifest)
    return manifest


def manifest_in(folder: Path) -> Manifest:
    """Return the manifest in a folder that was verified before; raises `NotSignedError` and `OSError`."""
    return _decoded(_read(folder / MANIFEST), folder)


def _decoded(text: bytes, folder: Path) -> Manifest:
    try:
        manifest: Manifest = _manifest(text)
    except UnreadableError as error:
        raise NotSignedError(f"{printable(folder / MANIFEST)} cannot be read: {error}", AGAIN) from error
    return manifest


def _prove_files(folder: Path, manifest: Manifest) -> None:
    expected = {file.name for file in manifest.files}
    names = names_in(folder)
    found = {name for name in names if not is_left_by_others(name) or name in expected} - MOST_BYTES.keys()
    for name in sorted(found - expected):
        raise OtherFilesError(folder / name, "was added", is_added=True)
    if len(names) == MOST_NAMES:
        raise NotSignedError(f"{printable(folder)} has too many files", "take away what does not belong there")
    for name in sorted(expected - found):
        raise OtherFilesError(folder / name, "is missing")
    for file in manifest.files:
        try:
            changed = digest_of(folder / file.name, file.size) != file.sha256
        except ForeignFileError as error:
            raise OtherFilesError(folder / file.name, f"was changed: {error}") from error
        if changed:
            raise OtherFilesError(folder / file.name, "was changed")
    if left := in_words(names):
        _log.warning("%s: %s", printable(folder), left)


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, MOST_BYTES[path.name])
    except ForeignFileError as error:
        raise NotSignedError(str(error), AGAIN) from error
    except FileNotFoundError as error:
        raise NotSignedError(f"{printable(path)} is missing", AGAIN) from error
