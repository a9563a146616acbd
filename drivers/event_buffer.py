"""Evaluation of a coin acceptor's event buffer (protocols.md, 1, "Coin acceptor")."""

from typing import NamedTuple

from drivers.errors import WireError

BUFFERED = 5
READING_SIZE = 1 + 2 * BUFFERED
LAST_COUNTER = 255

Events = tuple[tuple[int, int], ...]


def pairs(data: bytes) -> Events:
    """Decode bytes into events."""
    return tuple(zip(data[::2], data[1::2], strict=True))


def flat(events: Events) -> bytes:
    """Encode events as bytes."""
    return bytes(byte for event in events for byte in event)


class Reading(NamedTuple):
    """One answer to request 229; `events` are pairs (coin, sorter path) or (0, error), the newest first."""

    counter: int
    events: Events

    @classmethod
    def parse(cls, data: bytes) -> "Reading":
        """Decode the answer's data; raise `WireError` if it is not a counter and five pairs."""
        if len(data) != READING_SIZE:
            raise WireError(f"an event buffer of {len(data)} bytes, {READING_SIZE} expected: check the device")
        return cls(data[0], pairs(data[1:]))

    @property
    def data(self) -> bytes:
        """The answer's data, which `parse` reads."""
        return bytes((self.counter,)) + flat(self.events)


class Progress(NamedTuple):
    """What a reading adds to the previous one: `fresh` new events, and `lost` ones that left the buffer unread.

    After a `reset` the counter started again, and events not reported before are lost. `certain` is false if a reset
    may have happened unnoticed. A `contradiction` means coins that neither the counter nor a reset explains.
    """

    fresh: int
    lost: int
    reset: bool
    certain: bool = True
    contradiction: bool = False

    @property
    def doubtful(self) -> bool:
        """Whether a late reply could have caused this, so that it must be confirmed."""
        return self.reset or self.lost > 0


NOTHING = Progress(0, 0, reset=False)


def progress(last: int, reading: Reading, seen: Events | None = None, *, power_lost: bool = False) -> Progress:
    """Return what `reading` adds to the previous reading with counter `last` and, if known, the events `seen`.

    The counter is 0 only after a start or a reset and goes from 255 to 1. A reset empties the buffer and inhibits every
    coin until the host enables them (protocols.md, 1), so the buffer shows whether a counter began again or has
    wrapped. Older events that differ from `seen` show a reset, and so does a buffer with no more events than the
    counter says; a buffer with more events excludes a reset, and so do coins. If there are only rejects, a lower
    counter means a reset. After a known loss of power (`power_lost`) every lower counter means a reset, and so does any
    counter that no coin contradicts. Coins counted since then are a contradiction: the device may not have lost power.
    """
    counter = reading.counter
    if counter == 0:
        return Progress(0, 0, reset=last > 0)
    steps, since = _steps(last, counter), min(counter, BUFFERED)
    fresh = min(steps, BUFFERED)
    follows = seen is None or reading.events[fresh:] == seen[: BUFFERED - fresh]
    older = any(map(any, reading.events[since:]))
    if counter < BUFFERED and not older and (counter < last or not follows):
        return Progress(counter, 0, reset=True)
    coins = any(coin for coin, _ in reading.events)
    restarted = Progress(since, 0, reset=True, contradiction=coins)
    if not follows:
        return restarted if power_lost and not older else Progress(0, 0, reset=True, contradiction=coins)
    if not steps or (seen is not None and steps < BUFFERED):
        return Progress(fresh, 0, reset=False)
    if not older and ((power_lost and counter < last) or (not coins and (power_lost or counter < last))):
        return restarted
    return Progress(fresh, steps - fresh, reset=False, certain=coins)


def confirms(now: Reading, before: Reading, fresh: int) -> bool:
    """Return whether `now`, the next reading, confirms the `fresh` newest events of `before`.

    It does if it is the same reading, or has only newer events in front: while coins come in, no two readings may be
    equal.
    """
    newer = _steps(before.counter, now.counter)
    return fresh + newer <= BUFFERED and now.events[newer:] == before.events[: BUFFERED - newer]


def goes_on(older: bytes, newer: bytes) -> bool:
    """Return whether the answer `newer` to request 229 confirms the one before it: it adds only newer events."""
    return confirms(Reading.parse(newer), Reading.parse(older), 0)


def _steps(counter: int, later: int) -> int:
    return later - counter if later >= counter else LAST_COUNTER - counter + later
