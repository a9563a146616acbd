"""Wire vectors, which are kept with the tests: `tests/rigs/vectors/README.md` lists them with their sources."""

import csv
from collections.abc import Iterator
from pathlib import Path

_RIGS = Path(__file__).parent


def vectors(name: str) -> Iterator[list[str]]:
    """Return the lines of a vector file, without its comments."""
    return _rows(_RIGS / "vectors" / name)


def of_drivers(name: str) -> Iterator[list[str]]:
    """Return the lines of a vector file that stands with the drivers' tests."""
    return _rows(_RIGS.parent / "drivers" / name)


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as lines:
        for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row and not row[0].startswith("#"):
                yield row
