"""Writes a file that a tool keeps in a game's folder, over one of the same kind alone."""

import errno
from pathlib import Path


def rewrite(file: Path, content: bytes, *, beginning: bytes = b"{") -> None:
    """Write `content`, which begins so, to `file`; raise `OSError` where another kind of file has its name."""
    if file.is_symlink() or (file.exists() and not file.read_bytes().startswith(beginning)):
        raise FileExistsError(errno.EEXIST, "is not what this tool writes and stays as it is: move it away", str(file))
    file.write_bytes(content)
