"""What reaches the service menu: presses, keys, and hints that something may have changed, one after the other."""

import asyncio
from typing import NamedTuple

from controller.machine.ports import AttendantCall
from drivers.clock import Clock

LOOK, TOUCHED, IDLE = "look", "touched", "idle"
"""What comes of no key: something may have changed, somebody is at it, nobody was for too long."""
HINTS = frozenset((LOOK, TOUCHED))
MOST_PRESSES = 32
"""How many presses may wait while the menu is at work."""


class Input(NamedTuple):
    """A control or a hint, the turn of the page that it was meant for, from where it came, and its being dealt with.

    `call` is what a turned key answers, once it is known who turned it.
    """

    control: str
    turn: int | None = None
    where: str = ""
    done: asyncio.Event | None = None
    call: AttendantCall | None = None


class Inbox:
    """Inputs in the order in which they came; a hint that waits already is not put in twice."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queue: asyncio.Queue[Input] = asyncio.Queue()
        self._hints: set[str] = set()
        self._touched_at = 0.0

    def __repr__(self) -> str:
        return f"<Inbox {self._queue.qsize()} waiting>"

    def put(self, came: Input) -> None:
        """Put an input at the end."""
        self._queue.put_nowait(came)

    @property
    def full(self) -> bool:
        """Whether so many inputs wait that a further press is dropped."""
        return self._queue.qsize() >= MOST_PRESSES

    def hint(self, what: str) -> None:
        """Put a hint at the end."""
        if what not in self._hints:
            self._hints.add(what)
            self.put(Input(what))

    def touched(self) -> None:
        """Begin anew to count how long nobody has touched the menu."""
        self._touched_at = self._clock.now()

    async def next(self, idle_s: float | None, tick_s: float | None) -> Input:
        """Return the next input; without one `IDLE` after `idle_s` without a touch, `LOOK` after `tick_s`.

        None stands for never.
        """
        left = self._left(idle_s)
        seconds = min((one for one in (left, tick_s) if one is not None), default=None)
        try:
            async with asyncio.timeout(seconds):
                came = await self._queue.get()
        except TimeoutError:
            left = self._left(idle_s)
            return Input(LOOK if left is None or left > 0 else IDLE)
        self._hints.discard(came.control)
        if came.control != LOOK:
            self.touched()
        return came

    def _left(self, idle_s: float | None) -> float | None:
        return None if idle_s is None else max(0.0, self._touched_at + idle_s - self._clock.now())
