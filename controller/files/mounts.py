"""Mount points that nothing is mounted at: an empty one is a medium that is away, and no new place for files."""

import os
from pathlib import Path

FSTAB = Path("/etc/fstab")
_ESCAPES = {r"\040": " ", r"\011": "\t", r"\134": "\\"}


def mount_points(fstab: Path = FSTAB) -> list[Path]:
    """Return the mount points in a table of file systems (fstab(5)); none where it cannot be read."""
    try:
        lines = fstab.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    fields = (line.split() for line in lines if not line.lstrip().startswith("#"))
    return [Path(_unescaped(found[1])) for found in fields if len(found) > 1 and found[1].startswith("/")]


def not_mounted(path: Path, fstab: Path = FSTAB) -> Path | None:
    """Return the mount point above `path` that has nothing mounted at it; None where all have, or there is none."""
    real = Path(os.path.realpath(path))
    points = [point for point in mount_points(fstab) if point in real.parents]
    return next((point for point in sorted(points, reverse=True) if not point.is_mount()), None)


def _unescaped(text: str) -> str:
    for escape, character in _ESCAPES.items():
        text = text.replace(escape, character)
    return text
