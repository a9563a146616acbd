"""USB sticks: find mounted ones, and turn their errors into messages."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from controller.files.bounded import chunks, names_in
from controller.files.left_by_others import is_left_by_others
from controller.journal.errors import RefusedError

NO_STICK = "No USB stick is there: put one in"
FULL = "The stick is full; nothing was written on it"
PROTECTED = "The stick is write-protected"
PULLED = "The stick was pulled out or has failed"
DIFFERS = "What the stick holds is not what was written: take another one"

LONGEST_NAME = 100
"""The longest name of a stick that is offered; the cabinet's own names are half as long."""
_SYSTEM_BLOCK = Path("/sys/dev/block")
_PROTECTED = {errno.EROFS, errno.EACCES, errno.EPERM}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class StickError(RefusedError):
    """The stick cannot be used; the message is for the screen."""


def is_removable(mount: Path, blocks: Path = _SYSTEM_BLOCK) -> bool:
    """Whether a mount point is on a removable device: one marked as removable, or one on USB."""
    number = mount.stat().st_dev
    device = (blocks / f"{os.major(number)}:{os.minor(number)}").resolve()
    if "/usb" in str(device):
        return True
    for holder in (device, device.parent):  # a partition is in its disk's folder
        flag = holder / "removable"
        if flag.is_file():
            return flag.read_text("ascii").strip() == "1"
    return False


def sticks(
    roots: Sequence[str], *, simulated: bool = False, removable: Callable[[Path], bool] = is_removable
) -> list[Path]:
    """Return the sticks that are mounted below `roots`, each in its own folder, or in a user's folder.

    Only mount points of removable devices with a printable name count. In a demo any folder is a stick.
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
                continue  # it was pulled out in between
        elif deep:
            yield from _below(folder, simulated=False, removable=removable, deep=False)


def _folders(root: Path) -> list[Path]:
    try:
        found = [root / name for name in names_in(root) if not is_left_by_others(name)]
        return [folder for folder in found if folder.is_dir() and not folder.is_symlink() and is_named(folder)]
    except OSError:
        return []


def is_named(path: Path) -> bool:
    """Whether a name can be shown on the screen and on a terminal: short, UTF-8, without control characters."""
    return len(path.name) <= LONGEST_NAME and path.name.isprintable()


@contextmanager
def stick_errors() -> Iterator[None]:
    """Raise errors of the medium as `StickError` with a message for the screen."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StickError(FULL) from error
        raise StickError(PROTECTED if error.errno in _PROTECTED else PULLED) from error


def chunks_of_stick(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a file of `size` bytes on a stick; raise `StickError` or `ForeignFileError`.

    Errors of the disk that the chunks are written to are raised unchanged.
    """
    with stick_errors():
        yield from chunks(path, size)
