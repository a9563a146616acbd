"""Which files may be overwritten: those that begin as a file of ours of the wanted kind, and no others.

A path may name anything: a slip in the configuration, a medium that is mounted elsewhere, a link. What lies there and
is not ours stays as it is, also an empty file: every file here is whole under its name from its first moment on. Only
what was interrupted under a temporary name, or is made in place, may be `unfinished`.
"""

import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HEAD_BYTES = 64
"""So much of a file's beginning says what kind it is."""


class Kind(NamedTuple):
    """A kind of file: its `name` in a sentence, and whether the first `HEAD_BYTES` of a file are those of one."""

    name: str
    begins: Callable[[bytes], bool]


class NotOursError(FileExistsError):
    """A file that would be overwritten is not one of ours."""


def starting_with(name: str, *beginnings: bytes) -> Kind:
    """Return the kind whose files begin with one of these bytes."""
    return Kind(name, lambda head: head.startswith(beginnings))


def like(name: str, pattern: bytes) -> Kind:
    """Return the kind whose files begin as a regular expression says."""
    return Kind(name, lambda head: re.match(pattern, head) is not None)


JOURNAL = starting_with("books of a cabinet", b"SQLite format 3\x00")
JSON = like("JSON file", rb"\s*\{\s*[\"}]")
PEM = starting_with("key file", b"-----BEGIN ")
CSV = like("CSV file", rb"[a-z_]+[,;\r\n]")
HTML = like("HTML page", rb"(?i)<!doctype html|<html")
SVG = like("SVG picture", rb"<svg |<\?xml ")
PDF = starting_with("PDF document", b"%PDF-")


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


def _not_ours(path: Path, kind: Kind) -> NotOursError:
    return NotOursError(errno.EEXIST, f"what lies there is no {kind.name} and stays as it is: move it away", str(path))


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
