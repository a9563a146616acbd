"""Program trees on a disk: exchange two at once, remove one, recognise one.

`python -m controller.features.update.trees exchange ONE OTHER` and `… replace PROGRAM NEW PREVIOUS` are for the scripts
`systemd/go-back` and `systemd/install`.
"""

import ctypes
import os
import shutil
import sys
from pathlib import Path

from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import flush_folder

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_GONE = ".gone"
_MOST_VERSION_BYTES = 100


def exchange(one: Path, other: Path) -> None:
    """Exchange two names in one folder in one step, durably (renameat2(2)); raise `OSError`.

    Both names exist at any moment, even in a power cut.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one), None, str(other))
    flush_folder(one.parent)


def move(tree: Path, place: Path) -> None:
    """Rename a tree in its folder, durably."""
    tree.rename(place)
    flush_folder(place.parent)


def remove(tree: Path) -> None:
    """Remove a tree if it exists; a partly removed tree never has its own name."""
    gone = tree.with_name(tree.name + _GONE)
    if os.path.lexists(tree):
        if os.path.lexists(gone):
            _clear(gone)
        move(tree, gone)
    if os.path.lexists(gone):
        _clear(gone)
        flush_folder(gone.parent)


def _clear(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
    else:
        shutil.rmtree(path)


def mark_of(tree: Path) -> int:
    """Return the inode of a tree, which stays the same under any name; 0 if it does not exist."""
    try:
        return tree.lstat().st_ino
    except FileNotFoundError:
        return 0


def flush_disk_of(path: Path) -> None:
    """Flush the file system of `path` to its disk (syncfs(2)); raise `OSError`."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = os.open(path, os.O_RDONLY)
    try:
        if libc.syncfs(handle):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(handle)


def version_of(tree: Path) -> str:
    """Return the version of the program in `tree`; raise `OSError`, and `ForeignFileError` for a file without one."""
    text = read_bounded(tree / "version", _MOST_VERSION_BYTES)
    if not text.isascii():
        raise ForeignFileError(f"{tree / 'version'} holds no version")
    return text.decode("ascii").strip()


def free_bytes(folder: Path) -> int:
    """Return the free space on the file system of `folder`."""
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


def replace(program: Path, new: Path, previous: Path) -> None:
    """Put the tree `new` in the place of `program`, which becomes `previous`; raise `OSError`.

    All three are on one file system. After a power cut `program` is one of the two, whole.
    """
    flush_disk_of(new)
    if not os.path.lexists(program):
        move(new, program)
        return
    remove(previous)
    move(new, previous)
    exchange(program, previous)


def main(arguments: list[str]) -> int:
    """Run a script's command; return the exit code."""
    match arguments:
        case ["exchange", one, other]:
            exchange(Path(one), Path(other))
        case ["replace", program, new, previous]:
            replace(Path(program), Path(new), Path(previous))
        case _:
            sys.stderr.write("usage: python -m controller.features.update.trees exchange|replace TREE...\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
