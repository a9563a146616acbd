"""Which files may be overwritten: those that begin as a file of ours of the wanted kind, and no others.

A path may name anything: a slip in the configuration, a medium that is mounted elsewhere, a link. What lies there and
is not ours stays as it is, also an empty file: every file here is whole under its name from its first moment on. Only
what was interrupted under a temporary name, or is made in place, may be `unfinished`.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HEAD_BYTES = 65
"""So much of a file's beginning says what kind it is: one more than a signature has."""


class Kind(NamedTuple):
    """A kind of file: its `name` in a sentence, and whether the first `HEAD_BYTES` of a file are those of one."""

    name: str
    begins: Callable[[bytes], bool]


class NotOursError(FileExistsError):
    """A file that would be overwritten is not one of ours."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def starting_with(name: str, *beginnings: bytes) -> Kind:
    """Return the kind whose files begin with one of these bytes."""
    return Kind(name, lambda head: head.startswith(beginnings))


def like(name: str, pattern: bytes) -> Kind:
    """Return the kind whose files begin as a regular expression says."""
    return Kind(name, lambda head: re.match(pattern, head) is not None)


JOURNAL = starting_with("books of a cabinet", b"SQLite format 3\x00")
JSON = like("JSON file", rb"\s*\{\s*[\"}]")
PEM = starting_with("key file", b"-----BEGIN ")
BESIDE_BOOKS = {
    "-wal": starting_with("SQLite log of books", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"),
    "-shm": starting_with("SQLite index of books", (3007000).to_bytes(4, sys.byteorder)),
    # its magic number and count are zeros until it is synced
    "-journal": starting_with("SQLite journal of books", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", bytes(12)),
    ".lock": Kind("lock of books", lambda head: not head),
}
"""The files that SQLite and the supervisor have beside a journal, by the ends of their names."""
SIGNATURE = Kind("signature", lambda head: len(head) == HEAD_BYTES - 1)


def refuse_foreign(path: Path, kind: Kind, *, unfinished: bool = False) -> None:
    """Raise `NotOursError` where `path` is there and no plain file of that kind, and `OSError`.

    With `unfinished` a file that is empty, or begins with zeros as a power cut leaves it, may be overwritten too.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise _not_ours(path, kind) from error
        raise
    try:
        is_plain = stat.S_ISREG(os.fstat(handle).st_mode)
        head = os.read(handle, HEAD_BYTES) if is_plain else b""
    finally:
        os.close(handle)
    if not is_plain or not (kind.begins(head) or (unfinished and not head.strip(b"\x00"))):
        raise _not_ours(path, kind)


def refuse_foreign_beside(journal: Path) -> None:
    """Raise `NotOursError` where something else has the name of a file that the books will have beside them."""
    for end, kind in BESIDE_BOOKS.items():
        refuse_foreign(Path(f"{journal}{end}"), kind, unfinished=True)


def _not_ours(path: Path, kind: Kind) -> NotOursError:
    return NotOursError(errno.EEXIST, f"is no {kind.name} and stays as it is: move it away", str(path))


def remove_socket(path: Path) -> None:
    """Remove the socket that a dead process left at `path`; raise `NotOursError` for anything else, and `OSError`."""
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise NotOursError(errno.EEXIST, "is no socket and stays as it is: move it away", str(path))
    path.unlink()


def move(path: Path, place: Path) -> None:
    """Rename a file to a name that is free; raise `NotOursError` where it is not, and `OSError`."""
    if os.path.lexists(place):
        raise NotOursError(errno.EEXIST, "there is a file of that name already: move it away", str(place))
    path.rename(place)


def free_name(path: Path) -> Path:
    """Return `path`, or where that is taken the first of `path-2`, `path-3` ... that is free."""
    number, place = 1, path
    while os.path.lexists(place):
        number += 1
        place = path.with_name(f"{path.name}-{number}")
    return place
