"""Meter codes with their widths, and the polls that select meters: 2F, 6F and AF (sas.md §5.1, §5.2)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from drivers.errors import WireError
from drivers.sas.frames import Poll, answer, counted_answer
from drivers.sas.numbers import bcd, from_bcd, rolled

SELECTED: Final = 0x2F
EXTENDED: Final = 0x6F
EXTENDED_AGAIN: Final = 0xAF
"""The same as 6F, so that two such polls in a row differ."""
MOST: Final[Mapping[int, int]] = {SELECTED: 10, EXTENDED: 12, EXTENDED_AGAIN: 12}
"""Maximum number of meters in one poll."""
_CODE_BYTES: Final[Mapping[int, int]] = {SELECTED: 1, EXTENDED: 2, EXTENDED_AGAIN: 2}

_WIDE: Final = frozenset({*range(0x0D, 0x11), *range(0x80, 0x94, 2), *range(0xA0, 0xB2, 2), 0xB8, 0xBA, 0xBC})
_GAME_BYTES = 2


def width(code: int) -> int:
    """Return the number of BCD bytes of a meter: 5 for meters in cents, 4 for all others."""
    return 5 if code in _WIDE else 4


class Selection(msgspec.Struct, frozen=True):
    """The game, 0 for the whole machine, and the meters that a poll selects."""

    game: int
    codes: tuple[int, ...]


def selection(poll: Poll) -> Selection:
    """Decode poll 2F, 6F or AF; raise `WireError` for a wrong length, too many meters, or invalid BCD."""
    size, data = _CODE_BYTES[poll.command], poll.counted
    codes = data[_GAME_BYTES:]
    if len(data) < _GAME_BYTES or len(codes) % size or len(codes) // size > MOST[poll.command]:
        raise WireError(f"SAS poll {poll}: no list of at most {MOST[poll.command]} meters")
    found = tuple(int.from_bytes(codes[at : at + size], "little") for at in range(0, len(codes), size))
    try:
        return Selection(from_bcd(data[:_GAME_BYTES]), found)
    except ValueError as error:
        raise WireError(f"SAS poll {poll}: {error}") from error


class Figures(msgspec.Struct, frozen=True):
    """The answer to 2F, 6F or AF: each code with its value, None for an unsupported meter."""

    game: int
    values: tuple[tuple[int, int | None], ...]


def figures_answer(address: int, command: int, figures: Figures) -> bytes:
    """Return the answer frame; 2F omits unsupported meters, because it cannot mark them."""
    each = _selected(figures.values) if command == SELECTED else _extended(figures.values)
    return counted_answer(address, command, bcd(figures.game, _GAME_BYTES) + b"".join(each))


def _selected(values: Iterable[tuple[int, int | None]]) -> Iterator[bytes]:
    for code, value in values:
        if value is not None:
            yield bytes((code,)) + rolled(value, width(code))


def _extended(values: Iterable[tuple[int, int | None]]) -> Iterator[bytes]:
    for code, value in values:
        size = 0 if value is None else width(code)
        yield code.to_bytes(2, "little") + bytes((size,)) + (b"" if value is None else rolled(value, size))


class Row(msgspec.Struct, frozen=True):
    """The answer of a poll for a fixed row of meters (0F, 19, 1C, 1E), four BCD bytes each."""

    address: int
    command: int
    values: tuple[int, ...]

    def encode(self) -> bytes:
        """Return the frame."""
        return answer(self.address, self.command, b"".join(rolled(value, 4) for value in self.values))
