"""A token bucket that limits how often something may happen."""

from drivers.clock import Clock


class Pace:
    """Allows `burst` at once, and one more every `every_s` seconds."""

    def __init__(self, clock: Clock, *, burst: int, every_s: float) -> None:
        self._clock = clock
        self._burst = burst
        self._every_s = every_s
        self._full_at = clock.now()

    def __repr__(self) -> str:
        return f"<Pace {self._burst} at once, one every {self._every_s:g} s>"

    @property
    def wait_s(self) -> float:
        """How long until the next one is allowed; 0 if it is allowed now."""
        return max(0.0, self._full_at - (self._burst - 1) * self._every_s - self._clock.now())

    def take(self) -> bool:
        """Take one if it is allowed now; return whether it was."""
        if self.wait_s:
            return False
        self._full_at = max(self._full_at, self._clock.now()) + self._every_s
        return True

    async def wait(self) -> None:
        """Wait until one is allowed, and take it."""
        while not self.take():
            await self._clock.sleep(self.wait_s)
