"""Lists the files that a configuration names, with their kinds, and finds two keys that name the same file.

This is the only list of these files. Paths are compared by folder and name after following links and `..`, and by
device and inode numbers: a hard link is the same file, and a folder mounted at two places is the same folder.
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

from controller.configuration.fields import Fields, Misfit, Problem, is_port, items
from controller.configuration.ports import is_device_file

_OF_SQLITE = ("", "-wal", "-shm", "-journal")
_OF_BOOKS = (*_OF_SQLITE, ".head", ".lock")
_SECRETS = (".pins", ".pins.part", ".cards", ".cards.part")
_PUT_ASIDE = (".pins.damaged*", ".cards.damaged*", ".sealed-*", ".lost-*")
_OF_JOURNAL = (*_OF_BOOKS, *(f".new{end}" for end in (*_OF_BOOKS, ".part")), *_SECRETS, *_PUT_ASIDE)
_OF_KEY = ("", ".part", ".new", ".new.part", ".old*")
_OF_COPY = ("", ".part")
_ARCHIVES = ("books-*.sqlite", "books-*.sqlite.part", ".trial-*")
_ALL = ("*",)

STICKS_WANTED, END_DISPLAY = "sticks-wanted", "end-display"
"""The files in the run directory by which the service manager is asked for something."""

THIS, PROGRAM = "this file", "the program"
"""Used in place of a key for the configuration itself, and for the folders of the program and its updater."""
_PROGRAM_FOLDERS = ("/opt/cabinet", "/opt/cabinet.update", "/opt/cabinet.previous", "/var/lib/cabinet-update")


class NamedFile(NamedTuple):
    """A file that a key names, with the files that the program creates beside it.

    `ends` are the suffixes of these files' names, with `*` for numbers. A file that `is_written` must not be in a
    folder that belongs entirely to another key.
    """

    key: str
    path: Path
    ends: tuple[str, ...] = ("",)
    is_written: bool = True

    @property
    def names(self) -> list[str]:
        """The names of its files, with `*` for unknown parts."""
        return [self.path.name + end for end in self.ends]


class NamedFolder(NamedTuple):
    """A folder that a key names, with the patterns of the program's files in it: `*` if it may hold no others."""

    key: str
    path: Path
    holds: tuple[str, ...] = ()
    is_written: bool = False

    @property
    def names(self) -> list[str]:
        """Its own name."""
        return [self.path.name]


USUAL_ART = "build/baked"
"""The default art folder: that of a checkout, with which a developer's cabinet starts."""

PATHS = (
    "cabinet.journal",
    "cabinet.key",
    "cabinet.second_copy",
    "cabinet.run_dir",
    "storage.archive",
    "display.baked",
    "games.folder",
    "export.roots",
)
"""Every key whose text is a path of the program; ports and the card reader's device are devices."""

_OF_THE_KERNEL = ("/proc", "/sys", "/dev")
_MEMORY = "/dev/shm"  # noqa: S108 - a file system like any other

_LONGEST, _LONGEST_NAME = 1024, 200
"""In bytes; Linux allows 4095 and 255, but files beside a file or in a folder have longer names."""

_Named = NamedFile | NamedFolder
_Place = tuple[int, int, tuple[str, ...]]
"""Device and inode of the path's target, or of its nearest existing parent, and the remaining names."""


def written_paths(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield each key, or item of a list, whose text is a path of the program, with that text."""
    for key in PATHS:
        yield from items(key, fields.get(key, ""))


def named_files(fields: Fields, file: Path) -> list[_Named]:
    """Return the files and folders named by the configuration in `file` and by the defaults of omitted keys."""
    devices = [key for key in fields if is_port(key) or key == "cards.device"]
    return [
        NamedFile(THIS, file, ("", ".new"), is_written=False),
        *(NamedFolder(PROGRAM, Path(folder), _ALL) for folder in _PROGRAM_FOLDERS),
        *_books(fields),
        *_folders(fields),
        *(NamedFile(key, Path(fields[key]), is_written=False) for key in devices if str(fields[key]).startswith("/")),
    ]


def _books(fields: Fields) -> Iterator[_Named]:
    """Yield the journal, the key and the second copy, and the folders that the program creates beside the journal.

    A file or folder whose place follows from the journal's is listed under the journal's key.
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
        # on a real cabinet it is emptied whenever the computer starts
        simulated = fields.get("pins.factory") == "simulated"
        holds = ("*.sock", "*.window", STICKS_WANTED, END_DISPLAY) if simulated else _ALL
        yield NamedFolder("cabinet.run_dir", Path(run_dir), holds)
    for key in ("display.baked", "games.folder"):
        if folder := fields.get(key):
            yield NamedFolder(key, Path(folder), _ALL)
    for position, root in enumerate(fields.get("export.roots", ())):
        yield NamedFolder(f"export.roots[{position}]", Path(root))


def file_problems(fields: Fields, file: Path) -> Iterator[Problem]:
    """Report each key whose path cannot be its file or folder, or is already used by another key."""
    named = [one for one in named_files(fields, file) if str(one.path).isprintable()]
    yield from _unfit_places(named, fields)
    for key in ("cabinet.journal", "cabinet.key", "cabinet.second_copy"):
        if (path := fields.get(key, "")).endswith(("/", "/.", "/..")) and not os.path.exists(path):  # noqa: PTH110 - a Path drops the end
            yield Problem(key, f"is {path}, which is a folder's name; name a file in it", Misfit.VALUE)
    named = [one for one in named if not _is_too_long(one.path)]
    reported = set()
    for other, own in combinations(named, 2):
        keys = (other.key, own.key)
        if own.key in (other.key, PROGRAM) or keys in reported or _are_devices(other, own):
            continue
        if words := _common(other, own):
            reported.add(keys)
            yield Problem(own.key, f"is {own.path}, {words} {other.key}; give each its own", Misfit.VALUE)


def _unfit_places(named: list[_Named], fields: Fields) -> Iterator[Problem]:
    """Report each key whose path is impossible, once."""
    reported = set()
    for one in named:
        is_named_wrong = _is_device(one) and not is_device_file(str(one.path), fields)  # reported by the rule of ports
        if one.key in (THIS, PROGRAM) or one.key in reported or is_named_wrong:
            continue
        if _is_too_long(one.path):
            words = "is longer than a path can be; name a shorter one"
        else:
            words = (why := _unfit(one)) and f"is {one.path}, {why}"
        if words:
            reported.add(one.key)
            yield Problem(one.key, words, Misfit.VALUE)


def _is_too_long(path: Path) -> bool:
    """Whether a path is too long for its file or for the files beside it."""
    return len(os.fsencode(str(path))) > _LONGEST or any(len(os.fsencode(part)) > _LONGEST_NAME for part in path.parts)


def _unfit(one: _Named) -> str:
    """Return the reason why this file or folder cannot be at its path, empty if it can."""
    mode = _mode(one.path)
    if isinstance(one, NamedFile) and stat.S_ISDIR(mode):
        return "which is a folder; name a file in it"
    if isinstance(one, NamedFolder) and mode and not stat.S_ISDIR(mode):
        return "which is a file; name a folder"
    return _unfit_device(one.path) if _is_device(one) else _unfit_place(one.path, mode)


def _unfit_place(path: Path, mode: int) -> str:
    """Return the reason why a path, whose target has `mode`, cannot hold a file of the program; empty if it can."""
    real = Path(os.path.realpath(path))
    if any(real.is_relative_to(place) for place in _OF_THE_KERNEL) and not real.is_relative_to(_MEMORY):
        return "where the kernel has its own; name a place on a disk"
    if mode and not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return "which is a device, pipe or socket; name a file"
    if above := next((above for above in real.parents if (found := _mode(above)) and not stat.S_ISDIR(found)), None):
        return f"and {above} is a file, in which nothing can lie; name another place"
    return ""


_NO_LINES = {1: "memory", 5: "a terminal", 10: "the kernel's", 13: "an input device"}
"""The major numbers of character devices that are not ports, with their descriptions."""
_CONSOLES, _FIRST_SERIAL = 4, 64


def _unfit_device(path: Path) -> str:
    """Return the reason why a path cannot be a port, empty if it can: a missing device may be plugged in later."""
    try:
        found = path.stat()
    except OSError:
        return ""
    if not stat.S_ISCHR(found.st_mode):
        return "which is no device; name a port's device file"
    number = os.major(found.st_rdev)
    is_console = number == _CONSOLES and os.minor(found.st_rdev) < _FIRST_SERIAL
    if what := "a console" if is_console else _NO_LINES.get(number, ""):
        return f"which is {what} and no port; name a port's device file"
    return ""


def _mode(path: Path) -> int:
    """Return the mode of a path's target, or 0 if this user can see none."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _is_device(one: _Named) -> bool:
    return is_port(one.key) or one.key == "cards.device"


def _are_devices(*both: _Named) -> bool:
    """Whether both are devices, whose ports have a separate rule."""
    return all(_is_device(one) for one in both)


def _common(one: _Named, other: _Named) -> str:
    """Return the conflict of two named paths as words for the message, empty if there is none."""
    if _place(one.path) == _place(other.path):
        return "which is that of"
    if isinstance(one, NamedFile) and isinstance(other, NamedFile):
        return "where it has a file of" if _alike(one, other) or _inodes(one) & _inodes(other) else ""
    for inner, folder in ((one, other), (other, one)):
        if inner.is_written and isinstance(folder, NamedFolder) and _lies_in(inner, folder):
            return "which is in a folder of"
    return ""


def _alike(one: NamedFile, other: NamedFile) -> bool:
    """Whether both have a file with the same name in the same folder."""
    return any(
        first.place == second.place
        and (fnmatchcase(first.name, second.pattern) or fnmatchcase(second.name, first.pattern))
        for first in _spots(one)
        for second in _spots(other)
    )


class _Spot(NamedTuple):
    """The location of a file: its folder, its name, and the name as a pattern."""

    place: _Place
    name: str
    pattern: str


def _spots(named: NamedFile) -> Iterator[_Spot]:
    """Yield the location of each of its files; for a link they may be beside the link or beside its target."""
    for base in {str(named.path), os.path.realpath(named.path)}:
        for end in named.ends:
            path = Path(base + end if "*" in end else os.path.realpath(base + end))
            pattern = glob.escape(Path(base).name) + end if "*" in end else glob.escape(path.name)
            yield _Spot(_place(path.parent), path.name, pattern)


def _lies_in(inner: _Named, folder: NamedFolder) -> bool:
    """Whether a file or folder is in the part of `folder` reserved for that folder's own files."""
    place, above = _place(folder.path), [_place(parent) for parent in Path(os.path.realpath(inner.path)).parents]
    if folder.holds == _ALL:
        return place in above
    return place in above[:1] and any(fnmatchcase(name, pattern) for name in inner.names for pattern in folder.holds)


def _place(path: Path) -> _Place:
    """Return the target of a path."""
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
    """Return device and inode of each of its files that exists and has a known name."""
    found = set()
    for end in named.ends:
        with suppress(OSError):
            status = Path(f"{named.path}{end}").stat()
            found.add((status.st_dev, status.st_ino))
    return found
