"""The injected clock: monotonic time of the event loop.

`LoopClock` reads the running event loop, so a test on a loop with virtual time controls every driver and the whole
supervisor.
"""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds for intervals; wall-clock milliseconds for records only."""

    def now(self) -> float:
        """Monotonic seconds."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970; no money decision may depend on it."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds` of monotonic time."""


class LoopClock:
    """The event loop's clock."""

    def now(self) -> float:
        """Monotonic seconds of the running loop."""
        return asyncio.get_running_loop().time()

    def wall_ms(self) -> int:
        """Milliseconds since 1970 according to the operating system."""
        return time.time_ns() // 1_000_000

    async def sleep(self, seconds: float) -> None:
        """Sleep on the running loop."""
        await asyncio.sleep(seconds)
