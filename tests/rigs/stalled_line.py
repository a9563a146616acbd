"""A line whose far end stands still for a while, as on a busy machine, and then sends all its answers one by one."""

import asyncio

from drivers.simulated.line import LineDevice
from drivers.simulated.memory_line import MemoryLine

FRAME_S = 0.02
"""How long an answer takes on the line."""


class StalledLine(MemoryLine):
    """Each `stall(seconds)` holds back what the device sends from then on; the order stays."""

    def __init__(self, device: LineDevice, *, path: str = "memory") -> None:
        super().__init__(device, path=path)
        self._until = 0.0
        self._stalls: dict[int, float] = {}
        self._sent = 0

    def stall(self, seconds: float, *, at: int = 1) -> None:
        """Stand still for so long at the `at`-th answer from now on."""
        self._stalls[self._sent + at] = seconds

    def send(self, data: bytes) -> None:
        """Carry an answer to the host once those before it are there."""
        loop, self._sent = asyncio.get_running_loop(), self._sent + 1
        self._until = max(loop.time() + self._stalls.get(self._sent, 0.0), self._until + FRAME_S)
        loop.call_at(self._until, self._to_host, data)
