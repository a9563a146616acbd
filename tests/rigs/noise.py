"""A line on which, for a while, the host hears random bytes in the place of all that its device says."""

import asyncio
import random
from collections.abc import Sequence

from drivers.simulated.misbehaviour import Piece, Way
from tests.rigs.cash_desk import Incident


class Noise(Incident):
    """While `noisy` each frame of the device is 600 random bytes, `said` in all; `tails` may follow them.

    Tails are like answers, so that noise is read as far as it can be.
    """

    def __init__(self, tails: Sequence[bytes] = (b"",)) -> None:
        super().__init__()
        self.noisy = False
        self.said = 0
        self._tails = tuple(tails)
        self._chance = random.Random(20)

    async def flood(self, total: int) -> None:
        """Be noisy until so many bytes are said."""
        while self.said < total:
            self.noisy = True
            await asyncio.sleep(30.0)
        self.noisy = False

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        """Say noise."""
        if not self.noisy or way is Way.TO_DEVICE:
            return super().mangle(way, frame)
        noise = self._chance.randbytes(600) + self._chance.choice(self._tails)
        self.said += len(noise)
        return [Piece(0.0, noise)]
