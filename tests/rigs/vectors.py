"""Frames of the reference shelf, and those kept with the tests."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"


def vectors(name: str) -> Iterator[list[str]]:
    """The lines of a vector file; skips the test where the reference shelf is absent."""
    path = VECTORS / name
    if not path.exists():
        pytest.skip(f"{path} is absent: the reference shelf is not beside this repository")
    yield from _rows(path)


def kept(name: str) -> Iterator[list[str]]:
    """The lines of a vector file that is kept with the tests (tests/rigs/vectors/README.md)."""
    return _rows(Path(__file__).parent / "vectors" / name)


def of_drivers(name: str) -> Iterator[list[str]]:
    """The lines of a vector file that stands with the drivers' tests."""
    return _rows(Path(__file__).parents[1] / "drivers" / name)


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as lines:
        for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row and not row[0].startswith("#"):
                yield row
