"""Files that no program should read whole, and what is not a file at all."""

import os
from collections.abc import Callable
from pathlib import Path

HUGE = 6 << 30
"""As large as a sparse file may be made in no time; reading it whole would take all memory there is."""


def sparse(path: Path, size: int = HUGE) -> None:
    """Make a file of that size which takes no room."""
    with path.open("wb") as file:
        file.truncate(size)


def link_to(target: Path) -> Callable[[Path], None]:
    """What makes a link to `target`."""
    return lambda path: path.symlink_to(target)


UNFIT: dict[str, Callable[[Path], None]] = {
    "a link to a file": link_to(Path("/etc/passwd")),
    "a link without an end": link_to(Path("/dev/zero")),
    "a FIFO": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
}
