"""A bundle: one file with a whole program tree, after a head signed with the maker's key.

    the line `cabinet bundle 1`
    eight bytes, big-endian: how long the head is
    the head, JSON: version, machine, and the tree's manifest (`controller.features.update.manifest`, paths from `/`)
    64 bytes: the Ed25519 signature of the line and the head
    the contents of the files, in the manifest's order, and nothing after them

There is no archive format to attack: the head has the names to unpack, and is parsed only after its signature is
verified. The art is compressed already, so the bundle is not.
"""

import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from common.decoding import UnreadableError, decoder
from common.error_words import error_words
from controller.features.update.manifest import Entry, Kind, Manifest, ManifestError, differences, measured
from controller.features.update.signing import SigningKey
from controller.features.update.trees import flush_disk_of, version_of
from controller.files.bounded import ForeignFileError, names_in, opened, printable
from controller.files.durable import durable_file
from controller.files.own_files import starting_with
from controller.keys.identity import SIGNATURE_BYTES, fingerprint, is_signed

MAGIC = b"cabinet bundle 1\n"
BUNDLE = starting_with("bundle of the program", MAGIC)
SUFFIX = ".cabinet"
LENGTH_BYTES = 8
LARGEST_HEAD_BYTES = 8 << 20
"""The most bytes of a head, which is read before it is verified: that of a whole program takes one megabyte."""
MOST_BUNDLES = 20
"""The most bundles of a stick that are read."""
TREE = "/"
_BLOCK = 4096
_CHUNK = 1 << 20
_LINKED_TO = ("/usr/bin/",)
"""Where links of the tree may lead outside it: the environment's interpreter is the system's."""
_MODE = re.compile("0[4-7][0145][0145]")
"""The permissions allowed for a program's files: any for the owner, read and execute for others."""

Progress = Callable[[int], None]
"""Called with each number of bytes; an exception ends the work."""


class BundleError(ValueError):
    """A bundle is invalid; the message has the reason."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a bundle.

    It runs on one `architecture`, as the kernel calls it, with the environment of one `python` (major and minor
    version), and can read a journal made by these `migrations` only.
    """

    version: str
    architecture: str
    python: str
    migrations: tuple[str, ...]
    tree: Manifest

    @property
    def needed_bytes(self) -> int:
        """The approximate disk space of the unpacked tree."""
        return sum(-(-entry.size // _BLOCK) * _BLOCK + _BLOCK for entry in self.tree.entries)

    def unfit(self) -> str:
        """Return why this bundle does not run on this machine, empty if it does."""
        if self.architecture != platform.machine():
            return f"it is for {self.architecture}, this machine is {platform.machine()}"
        own = python_here()
        return "" if self.python == own else f"it is for Python {self.python}, this machine has {own}"


_decode = decoder(Head)


def python_here() -> str:
    """Return the interpreter's major and minor version."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def write_bundle(
    tree: Path, path: Path, key: SigningKey, *, python: str, architecture: str, migrations: tuple[str, ...]
) -> Head:
    """Write the program tree at `tree` to a bundle at `path`, whole or not at all, and return its head.

    Raises `BundleError` for a tree that cannot be bundled, and `OSError`.
    """
    try:
        version = version_of(tree)
        manifest = measured(Manifest(kind="bundle", version=version, trees=(TREE,)), root=tree)
    except (ManifestError, ForeignFileError, FileNotFoundError) as error:
        raise BundleError(f"{tree} cannot be bundled: {error_words(error)}") from error
    head = Head(version=version, architecture=architecture, python=python, migrations=migrations, tree=manifest)
    _refuse_unsound(manifest)
    text = msgspec.json.encode(head)
    with durable_file(path, BUNDLE) as file:
        file.write(MAGIC + len(text).to_bytes(LENGTH_BYTES, "big") + text + key.sign(MAGIC + text))
        for entry in _files(manifest):
            with (tree / entry.path.lstrip("/")).open("rb") as source:
                _pass_on(source, entry, file.write)
    return head


class Bundle:
    """An open bundle whose head is signed with `public_key`; `opened_bundle` makes one."""

    def __init__(self, file: IO[bytes], head: Head) -> None:
        self._file = file
        self._contents_at = file.tell()
        self.head = head

    def __repr__(self) -> str:
        return f"<Bundle {self.head.version} for {self.head.architecture}>"

    def prove(self, progress: Progress = lambda _bytes: None) -> None:
        """Verify that it holds every file as signed, and nothing else; raise `BundleError` and `OSError`."""
        self._read(lambda _entry: None, progress)

    def unpack(self, folder: Path, progress: Progress = lambda _bytes: None) -> None:
        """Unpack the tree durably into `folder`, which must not exist, and verify it there.

        Raises `BundleError`, and `OSError`; the caller then removes the folder.
        """
        folder.mkdir(mode=0o700)
        self._read(lambda entry: _make(folder, entry), progress)
        for entry in reversed(self.head.tree.entries):
            if entry.kind is Kind.FOLDER:
                (folder / entry.path.lstrip("/")).chmod(int(entry.mode, 8))
        flush_disk_of(folder)
        wrong = differences(self.head.tree, root=folder, owner=os.geteuid(), fresh=True, progress=progress)
        if wrong:
            raise BundleError(f"unpacked, {wrong[0]}: the disk does not give back what was written")

    def _read(self, make: Callable[[Entry], int | None], progress: Progress) -> None:
        """Read every content in order; `make` creates the name and returns the file to write to, if any."""
        self._file.seek(self._contents_at)
        for entry in self.head.tree.entries:
            handle = make(entry)
            try:
                if entry.kind is Kind.FILE:
                    _pass_on(self._file, entry, lambda chunk: _kept(handle, chunk, progress))  # noqa: B023 - at once
                if handle is not None:
                    os.fchmod(handle, int(entry.mode, 8))
            finally:
                if handle is not None:
                    os.close(handle)
        if self._file.read(1):
            raise BundleError("something was added at its end")


@contextmanager
def opened_bundle(path: Path, public_key: bytes) -> Iterator[Bundle]:
    """Open the bundle at `path`; raise `BundleError` unless `public_key` has signed its head, and `OSError`."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(opened(path))
        except ForeignFileError as error:
            raise BundleError("it is no file") from error
        yield Bundle(file, _head(file, public_key))


def _head(file: IO[bytes], public_key: bytes) -> Head:
    if file.read(len(MAGIC)) != MAGIC:
        raise BundleError("it is no bundle")
    length = int.from_bytes(file.read(LENGTH_BYTES), "big")
    if length > LARGEST_HEAD_BYTES:
        raise BundleError("it is no bundle")
    text, signature = file.read(length), file.read(SIGNATURE_BYTES)
    if len(signature) != SIGNATURE_BYTES:
        raise BundleError("it was cut off")
    if not is_signed(public_key, MAGIC + text, signature):
        raise BundleError(f"it is not signed with the key {fingerprint(public_key)}")
    try:
        head: Head = _decode(text)
    except UnreadableError as error:
        raise BundleError(f"its head cannot be read: {error}") from error
    _refuse_unsound(head.tree)
    return head


def _refuse_unsound(tree: Manifest) -> None:
    """Refuse names that lead out of the tree, even if signed: a maker's mistake must not reach the disk."""
    folders: set[str] = set()
    seen: set[str] = set()
    for entry in tree.entries:
        parent, _, name = entry.path.rpartition("/")
        root = entry.path == TREE
        if not entry.path.startswith("/") or entry.path in seen or (name in ("", ".", "..") and not root):
            raise BundleError(f"'{printable(entry.path)}' is no name within a tree")
        if not root and (parent or TREE) not in folders:
            raise BundleError(f"'{printable(entry.path)}' lies in no folder of the tree")
        if entry.kind is Kind.FOLDER:
            folders.add(entry.path)
        if entry.kind is Kind.LINK and not _stays_inside(entry):
            raise BundleError(f"'{printable(entry.path)}' leads out of the tree")
        if entry.kind is not Kind.LINK and (not _MODE.fullmatch(entry.mode) or entry.size < 0):
            mode = printable(entry.mode)
            raise BundleError(f"'{printable(entry.path)}' has the permissions '{mode}' and the size {entry.size}")
        seen.add(entry.path)
    if TREE not in folders or tree.trees != (TREE,):
        raise BundleError("it holds no tree")


def _stays_inside(link: Entry) -> bool:
    if link.target.startswith("/"):
        return link.target.startswith(_LINKED_TO) and ".." not in link.target.split("/")
    depth = link.path.count("/") - 1
    for part in link.target.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return False
    return bool(link.target)


def _files(tree: Manifest) -> Iterator[Entry]:
    return (entry for entry in tree.entries if entry.kind is Kind.FILE)


def _make(folder: Path, entry: Entry) -> int | None:
    """Create a name of the tree; return the file to write to, None if it is not a file."""
    place = folder / entry.path.lstrip("/")
    if entry.kind is Kind.LINK:
        place.symlink_to(entry.target)
    elif entry.kind is Kind.FOLDER:
        if entry.path != TREE:
            place.mkdir(mode=0o700)
    else:
        return os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return None


def _kept(handle: int | None, chunk: bytes, progress: Progress) -> None:
    progress(len(chunk))
    while handle is not None and chunk:
        chunk = chunk[os.write(handle, chunk) :]


def _pass_on(source: IO[bytes], entry: Entry, write: Callable[[bytes], object]) -> None:
    """Pass a file's content on; raise `BundleError` unless it is the signed one."""
    whole, left = hashlib.sha256(), entry.size
    while left:
        chunk = source.read(min(_CHUNK, left))
        if not chunk:
            raise BundleError(f"it was cut off within {entry.path}")
        whole.update(chunk)
        left -= len(chunk)
        write(chunk)
    if whole.hexdigest() != entry.sha256:
        raise BundleError(f"{entry.path} was changed")


def bundles(folder: Path) -> list[Path]:
    """Return the bundles in a folder by their file names, a few at most; a stick that is gone has none."""
    with suppress(OSError):
        named = [folder / name for name in names_in(folder) if name.endswith(SUFFIX) and not name.startswith(".")]
        return [path for path in named if path.is_file() and not path.is_symlink()][:MOST_BUNDLES]
    return []
