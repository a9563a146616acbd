"""The arithmetic of a coin acceptor's event buffer, and its codes (protocols.md, 1, "Coin acceptor")."""

import re
from typing import NamedTuple

from drivers.errors import WireError

BUFFERED = 5
READING_SIZE = 1 + 2 * BUFFERED
LAST_COUNTER = 255
COIN_ID_SIZE = 6
_COIN_ID = re.compile(rb"([A-Z]{2})(\d{3})[A-Z]", re.ASCII)

# Codes after which the device may be inhibited without our wish: they mean that a coin we want was refused.
_INHIBITED = frozenset({0, 2, *range(128, 160)})

# Reject codes that a person must see, and the faults they raise (table 2; standards.md, B13 and D5).
FAULTS = {
    14: "coin_jam",
    16: "coin_alarm",
    17: "coin_string",
    20: "coin_string",
    23: "coin_alarm",
    36: "coin_alarm",
    39: "coin_alarm",
    40: "coin_alarm",
}


Events = tuple[tuple[int, int], ...]


class Reading(NamedTuple):
    """One answer to request 229; `events` are pairs (coin, sorter path) or (0, error), the newest first."""

    counter: int
    events: Events

    @classmethod
    def parse(cls, data: bytes) -> "Reading":
        """Read the answer's data; raise `WireError` where it is not a counter and five pairs."""
        if len(data) != READING_SIZE:
            raise WireError(f"an event buffer of {len(data)} bytes, {READING_SIZE} expected: check the device")
        return cls(data[0], tuple(zip(data[1::2], data[2::2], strict=True)))


class Progress(NamedTuple):
    """What a reading adds: `fresh` events to read, `lost` ones that fell out unread, and whether it was reset."""

    fresh: int
    lost: int
    reset: bool

    @property
    def doubtful(self) -> bool:
        """Whether a late reply could have caused this, so that it must be seen again."""
        return self.reset or self.lost > 0


NOTHING = Progress(0, 0, reset=False)


def progress(last: int, reading: Reading, seen: Events | None = None) -> Progress:
    """Return what `reading` adds to what was known at counter `last`, when `seen` were the events, if that is known.

    The counter is 0 only after a start or a reset and goes from 255 to 1. A counter that has moved on from 0 since
    betrays a reset, too, by a buffer that holds no more than as many events as it says: those are all there were.
    Older events that differ from those seen, with nothing to explain them, are believed in no part: none is fresh,
    and at least one counts as lost.
    """
    counter = reading.counter
    added = counter - last if counter >= last else LAST_COUNTER - last + counter
    fresh = min(added, BUFFERED)
    changed = seen is not None and reading.events[fresh:] != seen[: BUFFERED - fresh]
    only_since_start = counter < BUFFERED and not any(map(any, reading.events[counter:]))
    if counter == 0 < last or (only_since_start and (counter < last or changed)):
        return Progress(counter, 0, reset=True)
    if changed:
        return Progress(0, max(added, 1), reset=True)
    return Progress(fresh, added - fresh, reset=False)


def tells_inhibition(code: int) -> bool:
    """Whether error `code` says that the device refused a coin because it was inhibited, or was just reset."""
    return code in _INHIBITED


def coin_value(coin_id: bytes, country: str) -> int | None:
    """Return the value in cents of a coin id such as `EU200A`, None for an empty slot, a token or another country."""
    match = _COIN_ID.fullmatch(coin_id)
    if match is None or match[1] != country.encode():
        return None
    return int(match[2]) or None
