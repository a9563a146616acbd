"""The input queue of the service menu: presses, keys, and hints that something may have changed."""

import asyncio
from typing import NamedTuple

from controller.machine.ports import AttendantCall
from drivers.clock import Clock

LOOK, TOUCHED, IDLE = "look", "touched", "idle"
"""Hints: something may have changed, there was activity, the idle timeout has passed."""
HINTS = frozenset((LOOK, TOUCHED))
CARD, UNREAD = "card", "unread"
"""A card at the reader, and a card whose number could not be read."""
MOST_PRESSES = 32
"""The most presses that wait while the menu is busy."""


class Input(NamedTuple):
    """A control or a hint, with the turn of its page and its origin; `done` is set once it is handled.

    `call` is the attendant call that a turned key answers once the person is known, `card` the number of a card at the
    reader.
    """

    control: str
    turn: int | None = None
    origin: str = ""
    done: asyncio.Event | None = None
    call: AttendantCall | None = None
    card: str = ""

    def __repr__(self) -> str:
        return f"<Input {self.control}>"


class Inbox:
    """Inputs in order of arrival; a hint that is already waiting is not added twice."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queue: asyncio.Queue[Input] = asyncio.Queue()
        self._hints: set[str] = set()
        self._touched_at = 0.0
        self._handling = False

    def __repr__(self) -> str:
        return f"<Inbox {self._queue.qsize()} waiting>"

    def put(self, came: Input) -> None:
        """Append an input."""
        self._queue.put_nowait(came)

    @property
    def full(self) -> bool:
        """Whether the queue is full; a further press is dropped."""
        return self._queue.qsize() >= MOST_PRESSES

    @property
    def at_rest(self) -> bool:
        """Whether every input is handled."""
        return self._queue.empty() and not self._handling

    def handled(self) -> None:
        """Mark the newest input from `next` as handled."""
        self._handling = False

    def hint(self, what: str) -> None:
        """Append a hint."""
        if what not in self._hints:
            self._hints.add(what)
            self.put(Input(what))

    def touched(self) -> None:
        """Restart the idle timeout."""
        self._touched_at = self._clock.now()

    async def next(self, idle_s: float | None, tick_s: float | None) -> Input:
        """Return the next input, `IDLE` after `idle_s` without activity, or `LOOK` after `tick_s`.

        None means no timeout.
        """
        left = self._left(idle_s)
        seconds = min((one for one in (left, tick_s) if one is not None), default=None)
        try:
            async with asyncio.timeout(seconds):
                came = await self._queue.get()
        except TimeoutError:
            left = self._left(idle_s)
            return Input(LOOK if left is None or left > 0 else IDLE)
        self._handling = True
        self._hints.discard(came.control)
        if came.control != LOOK:
            self.touched()
        return came

    def _left(self, idle_s: float | None) -> float | None:
        return None if idle_s is None else max(0.0, self._touched_at + idle_s - self._clock.now())
