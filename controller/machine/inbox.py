"""What waits for the flow that plays: bounded, whatever reaches the machine while that is busy."""

import asyncio

from controller.machine.ports import Input

MOST_PRESSES = 16
"""A player presses no further ahead. A flow is busy for minutes while the hopper pays."""


class Inbox:
    """The queue of one machine's inputs, in order.

    A `wake` that waits already is not repeated, and more than `MOST_PRESSES` presses are dropped. Acknowledgements come
    once for each show, and keys as fast as a hand turns them.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._inputs: asyncio.Queue[Input] = asyncio.Queue()
        self._waiting = {"wake": 0, "press": 0}

    def __repr__(self) -> str:
        return f"<Inbox {self._inputs.qsize()} waiting, {self.dropped} dropped>"

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._inputs.empty()

    def put(self, got: Input) -> None:
        """Add an input, unless enough of its kind wait."""
        most = {"wake": 1, "press": MOST_PRESSES}.get(got.kind)
        if most is not None:
            if self._waiting[got.kind] >= most:
                self.dropped += got.kind == "press"
                return
            self._waiting[got.kind] += 1
        self._inputs.put_nowait(got)

    async def get(self) -> Input:
        """Return the oldest input, as soon as there is one."""
        got = await self._inputs.get()
        if got.kind in self._waiting:
            self._waiting[got.kind] -= 1
        return got
