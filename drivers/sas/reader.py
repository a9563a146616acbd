"""Cuts what comes over the line into polls, by the wake-up bit or by silence (protocols.md §3, sas.md §7)."""

from collections.abc import Iterable
from enum import Enum
from typing import Final

from drivers.errors import WireError
from drivers.sas.frames import BROADCAST, GENERAL, Poll, read_poll, request_bytes

WAKE: Final = 0x100
"""Added to a byte that came with the wake-up bit."""
GAP_S: Final = 0.005
"""On a line without the wake-up bit a longer silence within a frame ends it, and a frame begins after one."""
MARKED_GAP_S: Final = 0.2
"""Silence that ends a frame on a line with the wake-up bit, which marks the next one: hosts pause 20 ms behind it."""


class Heard(Enum):
    """What is no poll of this machine's: an address byte for another, a general poll, or a frame that is broken."""

    OTHER = "other"
    GENERAL = "general"
    BROKEN = "broken"


Item = Heard | Poll


class FrameReader:
    """Finds the polls for one address, whatever noise is between them.

    It holds one frame at the most. Bytes without the wake-up bit outside a frame are dropped: some hosts send a CRC
    where type R has none.
    """

    def __init__(self, address: int, *, by_time: bool) -> None:
        self._address = address
        self._by_time = by_time
        self._frame = bytearray()
        self._may_begin = True
        self.dropped = 0
        """Bytes that belonged to no poll."""

    @property
    def partial(self) -> bool:
        """Whether a poll has begun and not ended."""
        return bool(self._frame)

    def silence(self) -> None:
        """The line was silent: what had begun is dropped, and a frame may begin."""
        self.dropped += len(self._frame)
        self._frame.clear()
        self._may_begin = True

    def feed(self, symbols: Iterable[int]) -> list[Item]:
        """Add what was received, each byte with `WAKE` where it came with the wake-up bit; return what it completes."""
        items: list[Item] = []
        for symbol in symbols:
            begins = self._may_begin if self._by_time else symbol >= WAKE
            byte = symbol & 0xFF
            if begins:
                self.dropped += len(self._frame)
                self._frame.clear()
                self._may_begin = False
                self._begin(byte, items)
            elif self._frame:
                self._frame.append(byte)
                self._complete(items)
            else:
                self.dropped += 1
        return items

    def _begin(self, byte: int, items: list[Item]) -> None:
        address = byte & ~GENERAL
        if byte == GENERAL | self._address:
            items.append(Heard.GENERAL)
        elif address != self._address or byte & GENERAL:
            if items[-1:] != [Heard.OTHER]:  # one says as much as many
                items.append(Heard.OTHER)
            self._may_begin = bool(byte & GENERAL)  # it is over: a pause behind it may have been missed
            if byte == BROADCAST:
                self._frame.append(byte)
        else:
            self._frame.append(byte)

    def _complete(self, items: list[Item]) -> None:
        whole = request_bytes(self._frame)
        if whole == 0:
            items.append(Heard.BROKEN)
            self.dropped += len(self._frame)
            self._frame.clear()
        elif whole is not None and len(self._frame) == whole:
            frame = bytes(self._frame)
            self._frame.clear()
            try:
                items.append(read_poll(frame))
            except WireError:
                self.dropped += len(frame)
                items.append(Heard.BROKEN)
