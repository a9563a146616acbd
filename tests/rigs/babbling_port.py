"""A serial line on which random bytes arrive without end."""

import asyncio
import random

BITS = 10
"""Of a byte on the line, with its start and stop bits."""


class BabblingPort:
    """Random pieces of `piece` bytes at the pace of the line, half of them of `likely` bytes; nobody hears a request.

    `given` counts the bytes that were read. The same seed gives the same pieces.
    """

    path = "babble"

    def __init__(self, seed: int, likely: bytes, *, piece: int = 100, baud: int = 9_600) -> None:
        self.given = 0
        self._random = random.Random(seed)
        self._likely = likely
        self._piece = piece
        self._piece_s = piece * BITS / baud

    async def open(self) -> None:
        """Always there."""

    async def write(self, data: bytes) -> None:
        """Nobody listens."""

    async def read(self, timeout: float) -> bytes:  # noqa: ARG002, ASYNC109 - the seam's own signature
        """Give the next piece, whatever the time allowed."""
        await asyncio.sleep(self._piece_s)
        self.given += self._piece
        if self._random.random() < 0.5:
            return self._random.randbytes(self._piece)
        return bytes(self._random.choices(self._likely, k=self._piece))

    def close(self) -> None:
        """Nothing to release."""
