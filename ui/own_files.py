"""What a bake and a display may overwrite: only files that begin like their own.

`--out` may name any folder, and files in it that are not a bake's stay unchanged.
"""

import errno
import os
import shutil
import stat
from pathlib import Path

BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    ".webp": (b"RIFF",),
    ".json": (b"{",),
    ".ogg": (b"OggS",),
    ".flac": (b"fLaC",),
    ".mo": (b"\xde\x12\x04\x95", b"\x95\x04\x12\xde"),
    ".ttf": (b"\x00\x01\x00\x00", b"true"),
    ".otf": (b"OTTO",),
}
"""The first bytes of each kind of file, by the suffix of its name."""
_HEAD_BYTES = 4
_NEW = ".new"


class NotOursError(FileExistsError):
    """A file or folder that would be overwritten was not written by a bake."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def refuse_foreign(path: Path, beginnings: tuple[bytes, ...] = (), *, unfinished: bool = False) -> None:
    """Raise `NotOursError` if `path` exists and does not begin with `beginnings` (default by suffix); and `OSError`.

    An `unfinished` file, as is `<name>.new`, may be as an interruption left it: empty, or of zeros.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _not_ours(path) from error
        raise
    try:
        is_plain = stat.S_ISREG(os.fstat(handle).st_mode)
        head = os.read(handle, _HEAD_BYTES) if is_plain else b""
    finally:
        os.close(handle)
    is_new = path.suffix == _NEW
    named = path.with_suffix("") if is_new else path
    is_begun = (unfinished or is_new) and not head.strip(b"\x00")
    if not is_plain or not (is_begun or head.startswith(beginnings or BEGINNINGS.get(named.suffix, ()))):
        raise _not_ours(path)


def remove_folder(folder: Path) -> None:
    """Remove a folder of baked files; raise `NotOursError` and remove nothing if it contains anything else."""
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise _not_ours(folder)
    for path in folder.iterdir():
        refuse_foreign(path, unfinished=True)
    shutil.rmtree(folder)


def _not_ours(path: Path) -> NotOursError:
    return NotOursError(errno.EEXIST, "was not made by this program and stays as it is: move it away", str(path))
