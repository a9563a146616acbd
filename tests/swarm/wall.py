"""The wall clock of a life: it goes on with virtual time, and jumps."""

from typing import Final

from drivers.clock import LoopClock

BEGIN_MS: Final = 1_700_000_000_000
JUMPS_S: Final = ("-5", "3600", "-3600", "-86400", "3456000", "157680000", "-157680000", "-1600000000")
"""From a correction to years, and back to 1973, as with an empty battery."""


class WallClock(LoopClock):
    """The loop's clock, whose time of day is its own."""

    def __init__(self) -> None:
        self._ahead_ms = BEGIN_MS

    def wall_ms(self) -> int:
        """Milliseconds since 1970 as this clock has them."""
        return self._ahead_ms + round(self.now() * 1000)

    def jump(self, seconds: int) -> None:
        """Set it forwards, or backwards."""
        self._ahead_ms += 1000 * seconds
