"""The queue of records: the cabinet's own records precede those that players and peers at its sockets cause.

Doors, keys and faults are recorded in order and soon, however many there are: all that wait share one transaction.
Actions that others may repeat at will are recorded at a limited rate for each kind; those in between are counted.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from controller.journal.event_catalogue import EventKind
from controller.journal.transaction import Transaction
from controller.system.pace import Pace
from drivers.clock import Clock

Post = Callable[[Transaction], object]
Counted = Callable[[Transaction, int], object]
"""Records something that has happened a given number of times."""

MOST_AT_ONCE = 50
"""The maximum number of posts in one transaction, so that no post waits for an endless transaction."""
EVENTS_AT_ONCE, EVENT_EVERY_S = 8, 10.0
"""The number of events of a kind that are recorded one by one, and the interval in seconds after that."""
CHOICES_AT_ONCE, CHOICE_EVERY_S = 8, 0.5
"""The same limits for choices of the player that take effect at once."""


def record_counted(tx: Transaction, times: int, event: EventKind, place: str, **figures: Any) -> None:
    """Record an event that has happened `times` times since its kind was last recorded."""
    if times > 1:
        figures["times"] = times
    tx.event(event, place=place, **figures)


class _Kind:
    """Actions of others of one kind: their number since the last record, and how to record the newest."""

    def __init__(self, act: Counted, pace: Pace) -> None:
        self.act = act
        self.pace = pace
        self.times = 0

    def due(self) -> Post:
        """Return the post that records all of them."""
        act, times = self.act, self.times
        self.times = 0
        return lambda tx: act(tx, times)


class Posts:
    """The queue of one machine; `put` and `count` never wait, and one task takes due posts with `next`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._first: list[Post] = []
        self._kinds: dict[str, _Kind] = {}
        self._came = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Posts {len(self._first)} first, {sum(kind.times for kind in self._kinds.values())} after them>"

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._first and not any(kind.times for kind in self._kinds.values())

    def put(self, post: Post) -> None:
        """Queue one of the cabinet's own posts behind those that already wait."""
        self._first.append(post)
        self._came.set()

    def count(self, kind: str, act: Counted, *, at_once: int = EVENTS_AT_ONCE, every_s: float = EVENT_EVERY_S) -> None:
        """Record something of this `kind` when its rate limit allows; the newest `act` records all that wait.

        There must be few kinds, because each is remembered.
        """
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = _Kind(act, Pace(self._clock, burst=at_once, every_s=every_s))
        known.act = act
        known.times += 1
        self._came.set()

    def rest(self) -> Sequence[Post]:
        """Return everything that waits, in order and regardless of its rate, because the program ends."""
        return [*self.first(), *(kind.due() for kind in self._kinds.values() if kind.times)]

    def first(self) -> Sequence[Post]:
        """Return the cabinet's own waiting posts, in order; the caller records them now."""
        due, self._first = self._first, []
        return due

    async def next(self) -> Sequence[Post]:
        """Wait for due posts and return those for one transaction, in order."""
        while True:
            if self._first:
                due, self._first = self._first[:MOST_AT_ONCE], self._first[MOST_AT_ONCE:]
                return due
            waiting = [kind for kind in self._kinds.values() if kind.times]
            for kind in waiting:
                if kind.pace.take():
                    return [kind.due()]
            self._came.clear()
            # not wait_for, which in Python 3.11 swallows a cancellation that comes together with an event
            try:
                async with asyncio.timeout(min((kind.pace.wait_s for kind in waiting), default=None)):
                    await self._came.wait()
            except TimeoutError:
                continue
