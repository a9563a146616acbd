"""Writes files atomically and durably, at whatever moment the power fails, and overwrites none but our own."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from controller.files.own_files import Kind, refuse_foreign


def flush_folder(folder: Path) -> None:
    """Make the names in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def durable_file(path: Path, kind: Kind, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Open a file of that kind to be written, which replaces the one at `path` once it is whole and on the disk.

    The old file stays until then, and for good where the body raises. Raises `OSError`, and `NotOursError` where
    `path`, or the `<path>.part` that it is written as, is another kind of file.
    """
    part = path.with_name(path.name + ".part")
    refuse_foreign(path, kind)
    refuse_foreign(part, kind, unfinished=True)
    part.unlink(missing_ok=True)
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        refuse_foreign(path, kind)  # another one may have been put there meanwhile
        part.replace(path)
        flush_folder(path.parent)
    except BaseException:
        with suppress(OSError):  # a missing disk has raised already
            part.unlink(missing_ok=True)
        raise


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, read from the disk rather than the page cache if possible."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_durably(path: Path, content: bytes, kind: Kind, mode: int = 0o644) -> None:
    """Write `content`, a file of that kind, to `path`; raises as `durable_file` does."""
    with durable_file(path, kind, mode) as file:
        file.write(content)
