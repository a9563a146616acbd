"""Reads files that others may have written: on a stick, on another medium, in another user's folder.

Each is opened once and its kind checked: a link may lead anywhere, a FIFO waits for its writer, a device has no end. No
more is read than the reader expects, whatever size the file reports and however it grows meanwhile.

ForeignFileError (ValueError)   a file of another kind or size; the message names it and says why
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

MOST_TEXT_BYTES = 1 << 20
"""The most that a text written by people may take: `cabinet.toml`, a licence, a definition of a game."""
MOST_NAMES = 2_000
"""How many names of a folder are read; a stick with more in its first folder is not a cabinet's."""
_CHUNK = 1 << 20
_LONGEST_WORDS = 300


class ForeignFileError(ValueError):
    """A file is not a plain file, or not of the size that it must have."""


@contextmanager
def opened(path: Path, *, follow: bool = False) -> Iterator[IO[bytes]]:
    """Open a plain file for reading; raise `ForeignFileError` for anything else, and `OSError`.

    With `follow` a link is followed, for files that the owner of this machine names, as in `/etc`.
    """
    if not follow and path.is_symlink():  # for a clear message; O_NOFOLLOW refuses one that becomes a link meanwhile
        raise ForeignFileError(f"{printable(path)} is a link: put the file itself there")
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ForeignFileError(f"{printable(path)} is no plain file")
    with os.fdopen(handle, "rb") as file:
        yield file


def read_bounded(path: Path, most_bytes: int, *, follow: bool = False) -> bytes:
    """Return the content of a plain file; raise `ForeignFileError` if it exceeds `most_bytes`, and `OSError`."""
    with opened(path, follow=follow) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ForeignFileError(f"{printable(path)} holds more than {most_bytes} bytes")
    return content


def chunks(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a plain file of `size` bytes, read from the disk rather than the page cache if possible.

    Raises `ForeignFileError` as soon as it is shorter or longer, and `OSError`.
    """
    with opened(path) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if os.fstat(file.fileno()).st_size != size:
            raise ForeignFileError(f"{printable(path)} is not {size} bytes long")
        left = size
        while chunk := file.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise ForeignFileError(f"{printable(path)} has grown beyond {size} bytes")
            yield chunk
        if left:
            raise ForeignFileError(f"{printable(path)} was cut off {left} bytes before its end")


def digest_of(path: Path, size: int) -> str:
    """Return the SHA-256 of a plain file of `size` bytes, in hexadecimal; raise as `chunks` does."""
    whole = hashlib.sha256()
    for chunk in chunks(path, size):
        whole.update(chunk)
    return whole.hexdigest()


def names_in(folder: Path, most: int = MOST_NAMES) -> list[str]:
    """Return the first `most` names in a folder, sorted; raise `OSError`."""
    with os.scandir(folder) as listing:
        return sorted(entry.name for entry in islice(listing, most))


def printable(text: object) -> str:
    """Return a foreign name or text for a terminal or a log: shortened, and without control characters."""
    words = str(text)
    if len(words) > _LONGEST_WORDS:
        words = f"{words[:_LONGEST_WORDS]}..."
    return words if words.isprintable() else ascii(words)[1:-1]
