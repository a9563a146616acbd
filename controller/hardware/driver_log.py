"""How much the drivers log: found and lost devices and retries, or for a while every frame too."""

import asyncio
import logging
from typing import Final

from drivers.clock import Clock
from drivers.waiting import wait_until

USUAL: Final = logging.INFO
FRAMES_MIN: Final = 30
"""How long every frame is logged before the level is reset, in minutes: a busy line logs about 40 lines a second."""


class DriverLog:
    """The level of the drivers' loggers, which a technician can raise while the cabinet runs.

    Frames are logged for at most `FRAMES_MIN`, and never across a restart.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logger = logging.getLogger("drivers")
        self._logger.setLevel(USUAL)
        self._changed = asyncio.Event()
        self._until: float | None = None

    def __repr__(self) -> str:
        return f"<DriverLog {logging.getLevelName(self._logger.level)}>"

    @property
    def frames(self) -> bool:
        """Whether every frame is logged."""
        return self._until is not None

    def log_frames(self, *, on: bool) -> None:
        """Log every frame for `FRAMES_MIN` from now, or stop it."""
        self._until = self._clock.now() + FRAMES_MIN * 60 if on else None
        self._logger.setLevel(logging.DEBUG if on else USUAL)
        self._changed.set()

    async def run(self) -> None:
        """Reset the level when its time is over, until cancelled."""
        try:
            while True:
                self._changed.clear()
                await wait_until(self._until, self._changed, self._clock)
                if self._until is not None and self._clock.now() >= self._until:
                    self.log_frames(on=False)
        finally:
            self.log_frames(on=False)
