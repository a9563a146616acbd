"""The arithmetic of a coin acceptor's event buffer (protocols.md, 1, "Coin acceptor")."""

from typing import NamedTuple

from drivers.errors import WireError

BUFFERED = 5
READING_SIZE = 1 + 2 * BUFFERED
LAST_COUNTER = 255

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

    @property
    def data(self) -> bytes:
        """The answer's data, which `parse` reads."""
        return bytes((self.counter, *(byte for event in self.events for byte in event)))


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
    added = _steps(last, counter)
    fresh = min(added, BUFFERED)
    changed = seen is not None and reading.events[fresh:] != seen[: BUFFERED - fresh]
    only_since_start = counter < BUFFERED and not any(map(any, reading.events[counter:]))
    if counter == 0 < last or (only_since_start and (counter < last or changed)):
        return Progress(counter, 0, reset=True)
    if changed:
        return Progress(0, max(added, 1), reset=True)
    return Progress(fresh, added - fresh, reset=False)


def most_lost(added: Progress, reading: Reading, seen: Events | None) -> int:
    """Return how many events can have fallen out unread of `reading`, which has `added` to what was `seen` before.

    A device that was reset meanwhile, which only known events can rule out, may have lost all that it has counted.
    """
    if not added.lost or (seen is not None and not added.reset):
        return added.lost
    return max(added.lost, reading.counter - added.fresh)


def confirms(now: Reading, before: Reading, fresh: int) -> bool:
    """Whether `now`, the next reading, says the same as `before` of its `fresh` newest events.

    That is the same reading again, or one that has only newer events in front: while coins come in, no two readings
    need ever be alike.
    """
    newer = _steps(before.counter, now.counter)
    return fresh + newer <= BUFFERED and now.events[newer:] == before.events[: BUFFERED - newer]


def _steps(counter: int, later: int) -> int:
    return later - counter if later >= counter else LAST_COUNTER - counter + later
