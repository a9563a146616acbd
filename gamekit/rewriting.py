"""Writes a file that a tool stores in a game's folder; it only replaces a file of the same kind."""

import errno
from pathlib import Path


def rewrite(file: Path, content: bytes, *, beginning: bytes = b"{") -> None:
    """Write `content` to `file`; raise `OSError` if a file that begins differently has its name."""
    if file.is_symlink() or (file.exists() and not file.read_bytes().startswith(beginning)):
        raise FileExistsError(errno.EEXIST, "is not what this tool writes and stays as it is: move it away", str(file))
    file.write_bytes(content)
