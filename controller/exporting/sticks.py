"""USB sticks: where one is mounted, and what its failures mean to whoever put it in."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from controller.files.bounded import chunks, names_in
from controller.journal.errors import RefusedError

NO_STICK = "No USB stick is there: put one in"
FULL = "The stick is full; nothing was written on it"
PROTECTED = "The stick is write-protected"
PULLED = "The stick was pulled out or has failed"
DIFFERS = "What the stick holds is not what was written: take another one"

LONGEST_NAME = 100
"""How long a name on a stick may be that is offered; those that a cabinet gives are half as long."""
_SYSTEM_BLOCK = Path("/sys/dev/block")
_PROTECTED = {errno.EROFS, errno.EACCES, errno.EPERM}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class StickError(RefusedError):
    """The stick cannot be used; the message is for the screen."""


def is_removable(mount: Path, blocks: Path = _SYSTEM_BLOCK) -> bool:
    """Whether a mount point lies on a device that can be pulled out: one that says so, or one on USB."""
    number = mount.stat().st_dev
    device = (blocks / f"{os.major(number)}:{os.minor(number)}").resolve()
    if "/usb" in str(device):
        return True
    for holder in (device, device.parent):  # a partition lies in its disk's folder
        flag = holder / "removable"
        if flag.is_file():
            return flag.read_text("ascii").strip() == "1"
    return False


def sticks(
    roots: Sequence[str], *, simulated: bool = False, removable: Callable[[Path], bool] = is_removable
) -> list[Path]:
    """Return the sticks that are mounted below `roots`, each in a folder of its own, or one in a user's folder.

    Only mount points of devices that can be pulled out count, with a name that can be told. A demo has none: any
    folder is a stick there.
    """
    return sorted(found for root in roots for found in _below(Path(root), simulated=simulated, removable=removable))


def _below(root: Path, *, simulated: bool, removable: Callable[[Path], bool], deep: bool = True) -> Iterator[Path]:
    for folder in _folders(root):
        if simulated:
            yield folder
        elif folder.is_mount():
            try:
                if removable(folder):
                    yield folder
            except OSError:
                continue  # it was pulled out between one look and the next
        elif deep:
            yield from _below(folder, simulated=False, removable=removable, deep=False)


def _folders(root: Path) -> list[Path]:
    try:
        found = [root / name for name in names_in(root)]
        return [folder for folder in found if folder.is_dir() and not folder.is_symlink() and is_named(folder)]
    except OSError:
        return []


def is_named(path: Path) -> bool:
    """Whether a name can be shown on the screen and on a terminal: short, UTF-8, and nothing that steers either."""
    return len(path.name) <= LONGEST_NAME and path.name.isprintable()


@contextmanager
def stick_errors() -> Iterator[None]:
    """Raise what the disk says while a stick is used as a `StickError` in plain words."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StickError(FULL) from error
        raise StickError(PROTECTED if error.errno in _PROTECTED else PULLED) from error


def chunks_of_stick(path: Path, size: int) -> Iterator[bytes]:
    """Yield what a file of `size` bytes on a stick holds; raise `StickError`, and `ForeignFileError` for any other.

    An error of the disk that the chunks are written to is raised as it is.
    """
    with stick_errors():
        yield from chunks(path, size)
