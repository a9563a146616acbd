"""Versions (U.7): those of the software, a hash of each package and of the baked art, and the games' mathematics."""

import hashlib
import platform
import sqlite3
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from gamekit.catalogue import load, names

PACKAGES = ("common", "controller", "drivers", "gamekit", "games", "ui")
LIBRARIES = (
    "msgspec",
    "gpiozero",
    "pyserial",
    "pygame-ce",
    "cryptography",
    "segno",
    "sqlite-utils",
    "lgpio",
    "adafruit-lgpio",
    "smbus2",
)
_ROOT = Path(__file__).parents[2]
_NOT_HASHED = "__pycache__"


class Mathematics(NamedTuple):
    """The mathematics of a game: its version, and the hash of its strips and pay table."""

    game: str
    version: int
    sha256: str


def versions() -> dict[str, str]:
    """Return the versions of the program, its platform, and its installed libraries."""
    found = {
        "cabinet": version("cabinet"),
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "Linux": platform.release(),
    }
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def mathematics() -> list[Mathematics]:
    """Return the mathematics of every game of this program."""
    games = [load(name) for name in names()]
    return [Mathematics(game.title, game.maths_version, game.maths_hash) for game in games]


def package_hash(name: str) -> str:
    """Return the SHA-256 over every file of one of our packages."""
    return folder_hash(_ROOT / name)


def folder_hash(folder: Path) -> str:
    """Return a SHA-256 over all files below a folder: their names and contents, in the order of their names.

    Python's compiled files are left out. Raises `OSError` for a file that cannot be read.
    """
    whole = hashlib.sha256()
    for path in _files(folder):
        with path.open("rb") as file:
            own = hashlib.file_digest(file, "sha256")
        whole.update(path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape") + b"\0" + own.digest())
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and _NOT_HASHED not in path.parts)
    return iter(sorted(found, key=lambda path: path.relative_to(folder).as_posix()))
