"""The operating system's generator, unbiased and health-tested, at the start and with every byte that is drawn.

The health tests are the two of NIST SP 800-90B, section 4.4, for bytes that claim full entropy: repetition count and
adaptive proportion. A generator that fails one of them is not used any more.
"""

import os
from collections.abc import Callable
from math import comb

from controller.errors import LockingError

ALPHA_BITS = 40
"""A sound generator fails either test with a probability of 2**-40 per byte."""

REPETITIONS = 1 + -(-ALPHA_BITS // 8)
"""The number of equal consecutive bytes that is a failure: 1 + ceil(alpha bits / bits of entropy per byte)."""

WINDOW = 512
START_UP_BYTES = 2 * WINDOW


class RandomnessError(LockingError):
    """The generator failed a health test: its output must not decide a round."""

    code = "randomness"


def proportion_cutoff(window: int = WINDOW) -> int:
    """Return how often the first byte of a window may occur in it; one more is a failure.

    It is the smallest count that at most 2**-40 of a sound generator's windows exceed, by the exact binomial
    distribution.
    """
    tail_limit = 256 ** (window - 1)
    others, count = window - 1, 0
    tail = sum(comb(others, hits) * 255 ** (others - hits) for hits in range(count + 1, others + 1))
    while tail << ALPHA_BITS > tail_limit:
        count += 1
        tail -= comb(others, count) * 255 ** (others - count)
    return count + 1


class HealthTests:
    """Tests every byte; raises `RandomnessError` for the byte that fails a test."""

    def __init__(self) -> None:
        self._last = -1
        self._run = 0
        self._cutoff = proportion_cutoff()
        self._first = -1
        self._seen = 0
        self._hits = 0

    def look(self, data: bytes) -> None:
        """Test the next bytes of the generator."""
        for byte in data:
            self._run = self._run + 1 if byte == self._last else 1
            self._last = byte
            if self._run >= REPETITIONS:
                raise RandomnessError(f"byte {byte} came {self._run} times in a row: the generator is stuck")
            if self._seen == 0:
                self._first, self._hits = byte, 0
            self._hits += byte == self._first
            if self._hits > self._cutoff:
                raise RandomnessError(f"byte {byte} came {self._hits} times in {self._seen + 1}: it comes too often")
            self._seen = (self._seen + 1) % WINDOW


class WatchedGenerator:
    """Draws integers from `entropy`, by default `os.urandom`.

    Construction tests `START_UP_BYTES` that are not used for draws. After a failed test, this and every later draw
    raises `RandomnessError`.
    """

    def __init__(self, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._entropy = entropy
        self._tests = HealthTests()
        self._failed: RandomnessError | None = None
        self.raw(START_UP_BYTES)

    def raw(self, size: int) -> bytes:
        """Return `size` tested bytes."""
        if self._failed is not None:
            raise self._failed
        data = self._entropy(size)
        try:
            self._tests.look(data)
        except RandomnessError as error:
            self._failed = error
            raise
        return data

    def draw(self, bound: int) -> int:
        """Return an unbiased integer in `range(bound)`, by rejection (R5)."""
        if bound < 1:
            raise ValueError(f"nothing can be drawn below {bound}")
        size = ((bound - 1).bit_length() + 7) // 8
        limit = 256**size // bound * bound
        while True:
            value = int.from_bytes(self.raw(size), "big") if size else 0
            if value < limit:
                return value % bound
