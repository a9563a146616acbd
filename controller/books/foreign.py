"""Reading files that others may have put there: on a stick, on another medium, in another user's folder.

Each is opened once and asked what it is: a link may lead anywhere, a FIFO waits for its writer, a device has no end. No
more is read of it than its reader expects, however large it says it is and however it grows meanwhile.

ForeignFileError (ValueError)   a file is none of these, or of another size; the message names it and says why
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

MOST_NAMES = 2_000
"""How many names of a folder are looked at. A stick that holds more in its first folder is no cabinet's."""
_CHUNK = 1 << 20


class ForeignFileError(ValueError):
    """A file is none that may be read, or not of the size that it must have."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a plain file for reading; raise `ForeignFileError` for anything else, and `OSError`."""
    if path.is_symlink():  # said in words; should it become one meanwhile, O_NOFOLLOW refuses it
        raise ForeignFileError(f"{path} is a link: put the file itself there")
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ForeignFileError(f"{path} is no plain file")
    with os.fdopen(handle, "rb") as file:
        yield file


def read_bounded(path: Path, most_bytes: int) -> bytes:
    """Return what a plain file holds; raise `ForeignFileError` where that is more than `most_bytes`, and `OSError`."""
    with opened(path) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ForeignFileError(f"{path} holds more than {most_bytes} bytes")
    return content


def chunks(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a plain file of `size` bytes, read from the disk rather than from memory where that can be.

    Raises `ForeignFileError` as soon as it turns out shorter or longer, and `OSError`.
    """
    with opened(path) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if os.fstat(file.fileno()).st_size != size:
            raise ForeignFileError(f"{path} is not {size} bytes long")
        left = size
        while chunk := file.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise ForeignFileError(f"{path} has grown beyond {size} bytes")
            yield chunk
        if left:
            raise ForeignFileError(f"{path} was cut off {left} bytes before its end")


def digest_of(path: Path, size: int) -> str:
    """Return the SHA-256 of a plain file of `size` bytes, in hexadecimal; raise as `chunks` does."""
    whole = hashlib.sha256()
    for chunk in chunks(path, size):
        whole.update(chunk)
    return whole.hexdigest()


def names_in(folder: Path, most: int = MOST_NAMES) -> list[str]:
    """Return the first `most` names in a folder, in order of the alphabet; raise `OSError`."""
    with os.scandir(folder) as listing:
        return sorted(entry.name for entry in islice(listing, most))
