"""Which files a configuration names, of what kind, and where two of its keys name the same one.

This is the one list of those files. A path is compared by the folder that it leads to and the name in it, links and
`..` followed, and by the file itself: a hard link is the same file, a folder that is mounted at two places the same
folder, as far as device and inode numbers tell.
"""

import glob
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from controller.configuration.fields import Fields, Misfit, Problem, is_port

_OF_SQLITE = ("", "-wal", "-shm", "-journal")
_OF_BOOKS = (*_OF_SQLITE, ".head", ".lock")
_SECRETS = (".pins", ".pins.part", ".cards", ".cards.part")
_PUT_ASIDE = (".pins.damaged*", ".cards.damaged*", ".sealed-*", ".lost-*")
_OF_JOURNAL = (*_OF_BOOKS, *(f".new{end}" for end in (*_OF_BOOKS, ".part")), *_SECRETS, *_PUT_ASIDE)
_OF_KEY = ("", ".part", ".new", ".new.part", ".old*")
_OF_COPY = ("", ".part")
_ARCHIVES = ("books-*.sqlite", "books-*.sqlite.part", ".trial-*")
_ALL = ("*",)

THIS, PROGRAM = "this file", "the program"
"""What stands in place of a key for the configuration itself, and for the folders of the program and its updater."""
_PROGRAM_FOLDERS = ("/opt/cabinet", "/opt/cabinet.update", "/opt/cabinet.previous", "/var/lib/cabinet-update")


class NamedFile(NamedTuple):
    """A file that a key names, with those that the program makes beside it.

    `ends` are what their names have after the path's own, with `*` for numbers. Of the files that `is_written` says
    none may lie in a folder that is another's whole.
    """

    key: str
    path: Path
    ends: tuple[str, ...] = ("",)
    is_written: bool = True

    @property
    def names(self) -> list[str]:
        """The names of its files, with `*` for what is not known."""
        return [self.path.name + end for end in self.ends]


class NamedFolder(NamedTuple):
    """A folder that a key names, and which names in it are the program's: `*` where nothing else may lie in it."""

    key: str
    path: Path
    holds: tuple[str, ...] = ()
    is_written: bool = False

    @property
    def names(self) -> list[str]:
        """Its own name."""
        return [self.path.name]


_Named = NamedFile | NamedFolder
_Place = tuple[int, int, tuple[str, ...]]
"""Device and inode of what a path leads to, or of the nearest folder above it, and the names from there on."""


def named_files(fields: Fields, file: Path) -> list[_Named]:
    """Return what the configuration in `file` names, and what the defaults of omitted keys name."""
    devices = [key for key in fields if is_port(key) or key == "cards.device"]
    return [
        NamedFile(THIS, file, ("", ".new"), is_written=False),
        *(NamedFolder(PROGRAM, Path(folder), _ALL) for folder in _PROGRAM_FOLDERS),
        *_books(fields),
        *_folders(fields),
        *(NamedFile(key, Path(fields[key]), is_written=False) for key in devices if str(fields[key]).startswith("/")),
    ]


def _books(fields: Fields) -> Iterator[_Named]:
    """Yield the journal, the key and the second copy, with the folders that the program has beside the journal.

    What has its place by the journal is the journal's.
    """
    site = "cabinet.journal"
    if journal := fields.get(site):
        yield NamedFile(site, Path(journal), _OF_JOURNAL)
        beside = Path(journal).parent
        yield NamedFolder(site, beside / "upgrades", _ALL)
        yield NamedFolder(site, beside / "bundles", _ALL)
        archives = "storage.archive" if fields.get("storage.archive") else site
        yield NamedFolder(archives, beside / "archive", _ARCHIVES, is_written=True)
        key = fields.get("cabinet.key")
        yield NamedFile("cabinet.key" if key else site, Path(key or f"{journal}.key"), _OF_KEY)
    if copy := fields.get("cabinet.second_copy"):
        yield NamedFile("cabinet.second_copy", Path(copy), _OF_COPY)


def _folders(fields: Fields) -> Iterator[NamedFolder]:
    """Yield the folders of archives, sockets, art, games and sticks."""
    if archive := fields.get("storage.archive"):
        yield NamedFolder("storage.archive", Path(archive), _ARCHIVES, is_written=True)
    if run_dir := fields.get("cabinet.run_dir"):
        # that of a real cabinet is emptied whenever the computer starts
        holds = ("*.sock",) if fields.get("pins.factory") == "simulated" else _ALL
        yield NamedFolder("cabinet.run_dir", Path(run_dir), holds)
    for key in ("display.baked", "games.folder"):
        if folder := fields.get(key):
            yield NamedFolder(key, Path(folder), _ALL)
    for position, root in enumerate(fields.get("export.roots", ())):
        yield NamedFolder(f"export.roots[{position}]", Path(root))


def file_problems(fields: Fields, file: Path) -> Iterator[Problem]:
    """Report each key that names a folder for a file or the reverse, or a file that another key has already."""
    named = [one for one in named_files(fields, file) if str(one.path).isprintable()]
    for one in named:
        is_folder = _is_folder(one.path)
        if is_folder is None or one.key in (THIS, PROGRAM):
            continue
        if is_folder and isinstance(one, NamedFile):
            yield Problem(one.key, f"is {one.path}, which is a folder; name a file in it", Misfit.VALUE)
        elif not is_folder and isinstance(one, NamedFolder):
            yield Problem(one.key, f"is {one.path}, which is a file; name a folder", Misfit.VALUE)
    reported = set()
    for other, own in combinations(named, 2):
        keys = (other.key, own.key)
        if own.key in (other.key, PROGRAM) or keys in reported or _are_devices(other, own):
            continue
        if words := _common(other, own):
            reported.add(keys)
            yield Problem(own.key, f"is {own.path}, {words} {other.key}; give each its own", Misfit.VALUE)


def _is_folder(path: Path) -> bool | None:
    """Return whether a path leads to a folder, None where there is nothing that this user can see."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return None


def _are_devices(*both: _Named) -> bool:
    """Whether these are devices, whose ports have a rule of their own."""
    return all(is_port(one.key) or one.key == "cards.device" for one in both)


def _common(one: _Named, other: _Named) -> str:
    """Return in words what two of these have in common, empty for nothing."""
    if _place(one.path) == _place(other.path):
        return "which is that of"
    if isinstance(one, NamedFile) and isinstance(other, NamedFile):
        return "where it has a file of" if _alike(one, other) or _inodes(one) & _inodes(other) else ""
    for inner, folder in ((one, other), (other, one)):
        if inner.is_written and isinstance(folder, NamedFolder) and _lies_in(inner, folder):
            return "which is in a folder of"
    return ""


def _alike(one: NamedFile, other: NamedFile) -> bool:
    """Whether both have a file of one name in one folder."""
    return any(
        first.place == second.place
        and (fnmatchcase(first.name, second.pattern) or fnmatchcase(second.name, first.pattern))
        for first in _spots(one)
        for second in _spots(other)
    )


class _Spot(NamedTuple):
    """Where a file lies: its folder, and its name, as a pattern too."""

    place: _Place
    name: str
    pattern: str


def _spots(named: NamedFile) -> Iterator[_Spot]:
    """Yield where each of its files lies; those of a link lie beside the link or beside what it leads to."""
    for base in {str(named.path), os.path.realpath(named.path)}:
        for end in named.ends:
            path = Path(base + end if "*" in end else os.path.realpath(base + end))
            pattern = glob.escape(Path(base).name) + end if "*" in end else glob.escape(path.name)
            yield _Spot(_place(path.parent), path.name, pattern)


def _lies_in(inner: _Named, folder: NamedFolder) -> bool:
    """Whether a file or folder lies where that folder's own files do."""
    place, above = _place(folder.path), [_place(parent) for parent in Path(os.path.realpath(inner.path)).parents]
    if folder.holds == _ALL:
        return place in above
    return place == above[0] and any(fnmatchcase(name, pattern) for name in inner.names for pattern in folder.holds)


def _place(path: Path) -> _Place:
    """Return where a path leads to."""
    real, missing = Path(os.path.realpath(path)), tuple[str, ...]()
    while True:
        try:
            found = real.stat()
        except OSError:
            if real == real.parent:
                raise
            real, missing = real.parent, (real.name, *missing)
        else:
            return found.st_dev, found.st_ino, missing


def _inodes(named: NamedFile) -> set[tuple[int, int]]:
    """Return device and inode of those of its files that exist and whose names are known."""
    found = set()
    for end in named.ends:
        with suppress(OSError):
            status = Path(f"{named.path}{end}").stat()
            found.add((status.st_dev, status.st_ino))
    return found
