"""The files and folders that other computers add to every medium and folder that they open.

They say nothing of what else lies there: whoever reads a folder leaves them out.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from controller.files.bounded import printable

_NAMES = (
    # macOS
    ".ds_store",
    "._*",
    ".trashes",
    ".fseventsd",
    ".spotlight-v100",
    ".temporaryitems",
    ".documentrevisions-v100",
    ".apdisk",
    ".volumeicon.icns",
    ".metadata_never_index*",
    "__macosx",
    ".appledouble",
    ".localized",
    "icon\r",
    ".com.apple.*",
    # Windows
    "thumbs.db",
    "thumbs.db:*",
    "ehthumbs*.db",
    "desktop.ini",
    "system volume information",
    "$recycle.bin",
    "recycler",
    "found.[0-9][0-9][0-9]",
    "~$*",
    # Linux and Android
    ".trash",
    ".trash-*",
    ".nfs*",
    ".~lock.*#",
    ".directory",
    "lost+found",
    "lost.dir",
    # network storage
    "@eadir",
    "#recycle",
)


def is_left_by_others(name: str) -> bool:
    """Whether a file or folder of that name is one that another computer adds by itself."""
    return any(fnmatchcase(name.lower(), pattern) for pattern in _NAMES)


def in_words(names: Iterable[str]) -> str:
    """Return which of these names are left out and why, empty where none is."""
    left = sorted(printable(name) for name in names if is_left_by_others(name))
    shown = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")  # noqa: PLR2004 - as shown
    return f"left out, since other computers add such files: {shown}" if left else ""
