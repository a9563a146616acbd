"""A small file system that can be filled to its last byte and freed again; mounting one needs root."""

import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import Self

from tests.rigs.needing import skip

_BLOCK = 64 * 1024


class SmallDisk:
    """A tmpfs of so many megabytes, mounted at a folder until closed; `fill` takes all room, `free` gives it back."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        if os.geteuid() != 0:
            skip("a small file system is mounted by root alone", "run it as root")
        self.folder = folder
        self._ballast = folder / "ballast"
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "small", folder], check=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        # Lazily: a server that was killed may still end.
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    def take(self, folder: Path) -> None:
        """Move a folder here, with its owner and rights, and leave a link to it."""
        moved = self.folder / folder.name
        subprocess.run(["cp", "-a", folder, moved], check=True)
        shutil.rmtree(folder)
        folder.symlink_to(moved)

    def fill(self, leaving: int = 0) -> None:
        """Write until there is no room for another byte, or for so many."""
        with self._ballast.open("ab", buffering=0) as file:
            if leaving:
                at = os.statvfs(self.folder)
                os.posix_fallocate(file.fileno(), 0, at.f_bavail * at.f_frsize - leaving)
                return
            size = _BLOCK
            while size:
                try:
                    file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    size //= 2

    def free(self) -> None:
        """Give the room back."""
        self._ballast.unlink()
