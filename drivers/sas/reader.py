"""Parses received bytes into polls, by the wake-up bit or by silence (protocols.md §3, sas.md §7)."""

from collections.abc import Iterable
from enum import Enum
from typing import Final

from drivers.errors import WireError
from drivers.sas.frames import BROADCAST, GENERAL, Poll, read_poll, request_bytes

WAKE: Final = 0x100
"""Added to a byte that was received with the wake-up bit."""
GAP_S: Final = 0.005
"""On a line without the wake-up bit a longer silence ends a frame, and a frame starts only after one."""
MARKED_GAP_S: Final = 0.2
"""Silence that ends a frame on a line with the wake-up bit; hosts pause 20 ms after the byte with that bit."""


class Heard(Enum):
    """Received items other than a long poll: another machine's address byte, a general poll, or a broken frame."""

    OTHER = "other"
    GENERAL = "general"
    BROKEN = "broken"


Item = Heard | Poll


class FrameReader:
    """Finds the polls for one address and skips noise between them.

    It holds at most one frame. Bytes without the wake-up bit outside of a frame are dropped: some hosts send a CRC
    after type R polls, which have none.
    """

    def __init__(self, address: int, *, by_time: bool) -> None:
        self._address = address
        self._by_time = by_time
        self._frame = bytearray()
        self._may_begin = True
        self.dropped = 0
        """Number of dropped bytes that belonged to no poll."""

    @property
    def partial(self) -> bool:
        """Whether an incomplete poll is pending."""
        return bool(self._frame)

    def silence(self) -> None:
        """Drop an incomplete frame after a silence, and allow a new frame to start."""
        self.dropped += len(self._frame)
        self._frame.clear()
        self._may_begin = True

    def feed(self, symbols: Iterable[int]) -> list[Item]:
        """Add received bytes, with `WAKE` added to those with the wake-up bit; return the completed items."""
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
            if items[-1:] != [Heard.OTHER]:  # one item is enough for several
                items.append(Heard.OTHER)
            self._may_begin = bool(byte & GENERAL)  # it is complete: the pause after it may have been missed
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
