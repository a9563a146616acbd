"""What waits to be recorded: what the cabinet must record goes before what its player and the peers at its sockets do.

Doors, keys and faults are recorded in order and soon, however many there are: all that wait share one transaction. What
others may cause as often as they like is recorded at the pace of its kind, and what came meanwhile is counted.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction
from controller.system.pace import Pace
from drivers.clock import Clock

Post = Callable[[Transaction], object]
Counted = Callable[[Transaction, int], object]
"""Records something that has happened so many times."""

MOST_AT_ONCE = 50
"""How many posts share a transaction, so that none is held up by an endless one."""
EVENTS_AT_ONCE, EVENT_EVERY_S = 8, 10.0
"""How many events of a kind are recorded one by one, and how often after that."""
CHOICES_AT_ONCE, CHOICE_EVERY_S = 8, 0.5
"""The same for what a player chooses and sees at once."""


def record_counted(tx: Transaction, times: int, event: Event, place: str, **figures: Any) -> None:
    """Record an event that has happened so many times since its kind was last recorded."""
    if times > 1:
        figures["times"] = times
    tx.event(event, place=place, **figures)


class _Kind:
    """What others cause of one kind: how often since it was last recorded, and how the newest is recorded."""

    def __init__(self, act: Counted, pace: Pace) -> None:
        self.act = act
        self.pace = pace
        self.times = 0

    def due(self) -> Post:
        """Return what records all that came."""
        act, times = self.act, self.times
        self.times = 0
        return lambda tx: act(tx, times)


class Posts:
    """The queue of one machine. `put` and `count` never wait; one task takes what is due with `next`."""

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
        """Have the cabinet's own post done next, after those that wait already."""
        self._first.append(post)
        self._came.set()

    def count(self, kind: str, act: Counted, *, at_once: int = EVENTS_AT_ONCE, every_s: float = EVENT_EVERY_S) -> None:
        """Have something of that `kind` recorded once its pace allows it; the newest `act` records all that wait.

        There must be few kinds: each is remembered.
        """
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = _Kind(act, Pace(self._clock, burst=at_once, every_s=every_s))
        known.act = act
        known.times += 1
        self._came.set()

    def rest(self) -> Sequence[Post]:
        """Return all that waits, in order and whatever its pace: the program ends."""
        return [*self.first(), *(kind.due() for kind in self._kinds.values() if kind.times)]

    def first(self) -> Sequence[Post]:
        """Return the cabinet's own posts that wait, in order: whoever takes them records them now."""
        due, self._first = self._first, []
        return due

    async def next(self) -> Sequence[Post]:
        """Wait for what is due, and return it: posts for one transaction, in order."""
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
