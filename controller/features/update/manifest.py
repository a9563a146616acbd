"""The manifest of a machine's software: every file that can run or decide an outcome, and names that must not exist.

Paths are those of the installed machine; `root` is its tree, `/` on the machine itself. Keys are handled in
`controller.features.update.signing`.

The text is JSON with one entry per line, path and SHA-256 first, so that `sed` and `sha256sum` can verify the files
without our programs (docs/security.md).
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import msgspec

from common.decoding import UnreadableError, decoder
from controller.files.bounded import ForeignFileError, printable, read_bounded

FORMAT = "cabinet software 1"
_CHUNK = 1 << 20
_MOST_SHAPED_BYTES = 1 << 16
_UNSPEAKABLE = re.compile(r'["\\\x00-\x1f\x7f]')
"""Characters that a path must not contain, so that one line of the manifest is one file for every tool."""


class ManifestError(ValueError):
    """Files cannot be listed in a manifest, or a text is no manifest; the message has the reason."""


class Kind(StrEnum):
    """The kind of a name."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A name: a file by its content, a link by its target; `mode` are the permission bits, in octal."""

    path: str
    sha256: str = ""
    size: int = 0
    kind: Kind = Kind.FILE
    mode: str = ""
    target: str = ""


class Shaped(msgspec.Struct, frozen=True, kw_only=True):
    """A file that each machine writes for itself, in a folder that it may make.

    It may be missing; every line must match one of `lines` (regular expressions).
    """

    path: str
    lines: tuple[str, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The signed content.

    In `trees` only listed names may exist, and `unlisted`, the manifest itself. Names that match `guarded` (fnmatch of
    each part, never across folders) may exist only if listed or shaped, those in `absent` not at all. `hidden` are
    entries that only root can read: others skip those that they cannot. `kind` distinguishes the manifests of a
    machine.
    """

    format: str = FORMAT
    kind: str
    version: str
    trees: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    guarded: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    shaped: tuple[Shaped, ...] = ()
    hidden: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()

    @property
    def size(self) -> int:
        """The bytes that a verification reads."""
        return sum(entry.size for entry in self.entries)


class Wrong(StrEnum):
    """The kind of a difference."""

    CHANGED = "was changed"
    MISSING = "is missing"
    ADDED = "was added"
    ANOTHER_KIND = "is of another kind"
    ANOTHER_MODE = "has other permissions"
    ANOTHER_OWNER = "has another owner"
    UNREADABLE = "cannot be read"
    NOT_LISTED = "is in use and was never signed"
    NOT_SIGNED = "is not signed with the key that is trusted"


class Difference(NamedTuple):
    """A name that is not as signed."""

    path: str
    wrong: Wrong

    def __str__(self) -> str:
        return f"{self.path} {self.wrong}"


Progress = Callable[[int], None]
"""Called with each number of bytes read; an exception ends the verification."""


def encoded(manifest: Manifest) -> bytes:
    """Return the manifest's text, which is signed: always the same for the same manifest."""
    head = msgspec.json.encode(msgspec.structs.replace(manifest, entries=()))
    lines = b",\n".join(msgspec.json.encode(entry) for entry in manifest.entries)
    return head.removesuffix(b"[]}") + b"[\n" + lines + b"\n]}\n"


def decoded(text: bytes) -> Manifest:
    """Return the manifest with this text; raise `ManifestError` for another format."""
    try:
        manifest: Manifest = decoder(Manifest)(text)
    except UnreadableError as error:
        raise ManifestError(f"this is no manifest: {error}") from error
    if manifest.format != FORMAT:
        raise ManifestError(f"this is a manifest of another format: {manifest.format}")
    return manifest


def measured(manifest: Manifest, files: Iterable[str] = (), *, root: Path = Path("/")) -> Manifest:
    """Return the manifest with entries for everything in its trees and for `files`, as they are now.

    A tree that does not exist must stay absent. Raises `ManifestError` for a name that tools cannot read back, a device
    or socket, and a file that everybody may write; and `OSError`.
    """
    trees = [tree for tree in manifest.trees if os.path.lexists(_at(root, tree))]
    away = [tree for tree in manifest.trees if tree not in trees]
    names = {*trees, *files}
    for tree in trees:
        names.update(_names(root, tree, frozenset(manifest.unlisted)))
    entries = tuple(_entry(root, name) for name in sorted(names))
    absent = tuple(dict.fromkeys([*manifest.absent, *away]))
    return msgspec.structs.replace(manifest, trees=tuple(trees), absent=absent, entries=entries)


def differences(
    manifest: Manifest,
    *,
    root: Path = Path("/"),
    owner: int = 0,
    fresh: bool = False,
    progress: Progress | None = None,
) -> list[Difference]:
    """Return all differences from the manifest in its order, then added names.

    All names must be `owner`'s. `fresh` bypasses the kernel's cache. A file that cannot be read is a difference, not an
    error.
    """
    report = progress or (lambda _count: None)
    found = []
    for entry in manifest.entries:
        wrong = _proved(entry, _at(root, entry.path), owner, report, fresh=fresh, hidden=entry.path in manifest.hidden)
        if wrong is not None:
            found.append(Difference(entry.path, wrong))
    allowed = {entry.path for entry in manifest.entries} | set(manifest.unlisted)
    for tree in manifest.trees:
        found += _added(root, tree, allowed)
    for shaped in manifest.shaped:
        allowed |= {shaped.path, shaped.path.rpartition("/")[0]}
    for pattern in manifest.guarded:
        found += [difference for difference in _guarded(root, pattern) if difference.path not in allowed]
    found += [Difference(path, Wrong.ADDED) for path in manifest.absent if os.path.lexists(_at(root, path))]
    for shaped in manifest.shaped:
        wrong = _misshapen(root, shaped, owner)
        if wrong is not None:
            found.append(Difference(shaped.path, wrong))
    return [Difference(speakable(path), wrong) for path, wrong in dict.fromkeys(found)]


def speakable(path: str) -> str:
    """Return a name as printable text, whatever bytes it has."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def _at(root: Path, path: str) -> str:
    return os.path.join(root, path.lstrip("/"))  # noqa: PTH118 - thousands of names, whose text must stay as it is


def _entry(root: Path, name: str) -> Entry:
    if _UNSPEAKABLE.search(name) or not name.isprintable():
        raise ManifestError(f"'{printable(name)}' cannot be listed: rename it")
    place = _at(root, name)
    info = os.lstat(place)
    mode = stat.S_IMODE(info.st_mode)
    if stat.S_ISLNK(info.st_mode):
        return Entry(path=name, kind=Kind.LINK, target=os.readlink(place))  # noqa: PTH115 - the text itself
    if mode & stat.S_IWOTH:
        raise ManifestError(f"{name} may be written by everybody: take that permission away")
    if stat.S_ISDIR(info.st_mode):
        return Entry(path=name, kind=Kind.FOLDER, mode=f"{mode:04o}")
    if not stat.S_ISREG(info.st_mode):
        raise ManifestError(f"{name} is neither file nor folder nor link: it cannot be vouched for")
    digest, size = _digest(place, lambda _count: None, fresh=False)
    return Entry(path=name, sha256=digest, size=size, mode=f"{mode:04o}")


def _proved(entry: Entry, place: str, owner: int, report: Progress, *, fresh: bool, hidden: bool) -> Wrong | None:
    try:
        return _wrong(entry, place, owner, report, fresh=fresh)
    except (FileNotFoundError, NotADirectoryError):
        return Wrong.MISSING
    except PermissionError:
        return None if hidden and os.geteuid() else Wrong.UNREADABLE
    except OSError:
        return Wrong.UNREADABLE


def _wrong(entry: Entry, place: str, owner: int, report: Progress, *, fresh: bool) -> Wrong | None:
    info = os.lstat(place)
    if _kind(info.st_mode) is not entry.kind:
        return Wrong.ANOTHER_KIND
    if info.st_uid != owner:
        return Wrong.ANOTHER_OWNER
    if entry.kind is Kind.LINK:
        same = os.readlink(place) == entry.target  # noqa: PTH115 - the text itself
    elif f"{stat.S_IMODE(info.st_mode):04o}" != entry.mode:
        return Wrong.ANOTHER_MODE
    elif entry.kind is Kind.FOLDER:
        same = True
    else:
        same = info.st_size == entry.size and _digest(place, report, fresh=fresh) == (entry.sha256, entry.size)
    return None if same else Wrong.CHANGED


def _kind(mode: int) -> Kind | None:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISLNK(mode):
        return Kind.LINK
    return Kind.FOLDER if stat.S_ISDIR(mode) else None


def _digest(place: str, report: Progress, *, fresh: bool) -> tuple[str, int]:
    """Return SHA-256 and size of a file, which must not have become a link meanwhile."""
    whole, size = hashlib.sha256(), 0
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if fresh:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        while chunk := os.read(handle, _CHUNK):
            whole.update(chunk)
            size += len(chunk)
            report(len(chunk))
    finally:
        os.close(handle)
    return whole.hexdigest(), size


def _names(root: Path, tree: str, but: frozenset[str]) -> Iterator[str]:
    """Return every name below a tree, except those in `but`."""
    with os.scandir(_at(root, tree)) as listing:
        children = sorted(listing, key=lambda child: child.name)
    for child in children:
        name = f"{tree.rstrip('/')}/{child.name}"
        if name in but:
            continue
        yield name
        if child.is_dir(follow_symlinks=False):
            yield from _names(root, name, but)


def _added(root: Path, tree: str, allowed: set[str]) -> list[Difference]:
    """Return unlisted names below a tree: of a folder only its own name."""
    try:
        with os.scandir(_at(root, tree)) as listing:
            children = sorted(listing, key=lambda child: child.name)
    except (FileNotFoundError, NotADirectoryError):  # covered by its own entry
        return []
    except OSError:
        return [Difference(tree, Wrong.UNREADABLE)]
    found: list[Difference] = []
    for child in children:
        name = f"{tree.rstrip('/')}/{child.name}"
        if name not in allowed:
            found.append(Difference(name, Wrong.ADDED))
        elif child.is_dir(follow_symlinks=False):
            found += _added(root, name, allowed)
    return found


def _guarded(root: Path, pattern: str) -> list[Difference]:
    """Return the names that match a pattern, part by part, and the folders that cannot be read."""
    parents, unreadable = [""], []
    for part in pattern.strip("/").split("/"):
        names: list[str] = []
        for parent in parents:
            try:
                names += [f"{parent}/{name}" for name in _matching(_at(root, parent), part)]
            except OSError:
                unreadable.append(Difference(parent or "/", Wrong.UNREADABLE))
        parents = names
    return [Difference(path, Wrong.ADDED) for path in parents] + unreadable


def _matching(folder: str, part: str) -> list[str]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names, not paths
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in names if fnmatchcase(name, part))


def _misshapen(root: Path, shaped: Shaped, owner: int) -> Wrong | None:
    place = Path(_at(root, shaped.path))
    try:
        info = place.lstat()
        if _kind(info.st_mode) is not Kind.FILE:
            return Wrong.ANOTHER_KIND
        if info.st_uid != owner:
            return Wrong.ANOTHER_OWNER
        text = read_bounded(place, _MOST_SHAPED_BYTES).decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError):
        return Wrong.UNREADABLE
    except ForeignFileError:
        return Wrong.CHANGED
    # the service manager ends a line at a NUL too: a line with one hides further lines
    fits = all(
        line.isprintable() and any(re.fullmatch(pattern, line) for pattern in shaped.lines)
        for line in text.splitlines()
    )
    return None if fits else Wrong.CHANGED
