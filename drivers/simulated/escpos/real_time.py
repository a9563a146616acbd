"""Real-time commands: executed on reception, at any place in the stream.

Epson's reference warns that the same bytes inside an image are executed as well. They also go into the receive buffer,
where they have no effect.
"""

from collections.abc import Iterator
from typing import Final

from drivers.simulated.escpos.command_set import DC4, DLE, ENQ, EOT

_PATTERNS: Final = (
    ((DLE,), (EOT,), (1, 2, 3, 4)),
    ((DLE,), (ENQ,), (1, 2)),
    ((DLE,), (DC4,), (1,), (0, 1), tuple(range(1, 9))),
    ((DLE,), (DC4,), (2,), (1,), (8,)),
    ((DLE,), (DC4,), (8,), (1,), (3,), (20,), (1,), (6,), (2,), (8,)),
)


class RealTimeScanner:
    """Finds real-time commands in received data, also across chunk borders."""

    def __init__(self) -> None:
        self._head = bytearray()

    def clear(self) -> None:
        """Drop a partly received command."""
        self._head.clear()

    def scan(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Divide `data` into pieces, each with the real-time command that its last byte ends, or with b""."""
        begun = 0
        for place, byte in enumerate(data):
            if not self._head and byte != DLE:
                continue
            self._head.append(byte)
            while self._head and not _fits(self._head):
                del self._head[0]
            if any(len(pattern) == len(self._head) and _fits(self._head) for pattern in _PATTERNS):
                found = bytes(self._head)
                if not _longer(found):
                    self._head.clear()
                    yield data[begun : place + 1], found
                    begun = place + 1
        if begun < len(data):
            yield data[begun:], b""


def _matches(head: bytes | bytearray, pattern: tuple[tuple[int, ...], ...]) -> bool:
    return len(head) <= len(pattern) and all(byte in allowed for byte, allowed in zip(head, pattern, strict=False))


def _fits(head: bytearray) -> bool:
    return any(_matches(head, pattern) for pattern in _PATTERNS)


def _longer(head: bytes) -> bool:
    """Return whether every pattern that `head` fits needs more bytes."""
    return not any(len(head) == len(pattern) and _matches(head, pattern) for pattern in _PATTERNS)
