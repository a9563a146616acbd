"""The unit files' settings."""

from collections.abc import Iterator
from pathlib import Path

SYSTEMD = Path("systemd")


UNITS = SYSTEMD / "units"


def settings(unit: Path) -> Iterator[tuple[str, str]]:
    """Return every setting of a unit, in order."""
    for line in unit.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield name, value


def values(unit: str, name: str) -> list[str]:
    """Return what a unit sets `name` to, each time."""
    return [value for key, value in settings(UNITS / unit) if key == name]
