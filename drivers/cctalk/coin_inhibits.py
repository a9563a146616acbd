"""Whether an acceptor still has the inhibits that were set: one that has not was reset.

After a reset every coin is inhibited in the mask (request 230). The master inhibit (227) is on again on some devices,
and off on others: the manuals of Azkoyen's Modular X6 and Alberici's AL66 say that it starts in normal operation.
"""

from typing import Final

from drivers.cctalk.bus import Bus
from drivers.cctalk.protocol import Header
from drivers.errors import NoReplyError, WireError

FRUITLESS_QUESTIONS: Final = 3
"""A device that does not know the questions is not asked for ever."""
_NORMAL: Final = b"\x01"


class InhibitCheck:
    """What one acceptor says of its inhibits."""

    def __init__(self, bus: Bus, address: int) -> None:
        self._bus = bus
        self._address = address
        self._unanswered = 0

    def __repr__(self) -> str:
        return f"<InhibitCheck unanswered={self._unanswered}>"

    async def enabled(self, mask: bytes) -> bool | None:
        """Whether the coins of `mask` are enabled and the master inhibit is off; None where the device does not say."""
        coins = await self.coins_enabled(mask)
        return await self._says(Header.READ_MASTER_INHIBIT, _NORMAL) if coins else coins

    async def coins_enabled(self, mask: bytes) -> bool | None:
        """Whether the coins of `mask` are enabled, whatever the master inhibit; None where the device does not say."""
        return await self._says(Header.READ_INHIBITS, mask)

    async def _says(self, header: Header, bits: bytes) -> bool | None:
        """Whether the answer has all these bits; that it has not is believed when it is said twice."""
        if self._unanswered >= FRUITLESS_QUESTIONS:
            return None
        sizes, found = range(len(bits), len(bits) + 1), False
        try:
            for _ in range(2):
                answer = await self._bus.request(self._address, header, sizes=sizes, attempts=1)
                found = found or all(said & bit == bit for said, bit in zip(answer, bits, strict=True))
                if found:
                    break
        except (NoReplyError, WireError):
            self._unanswered += 1
            return None
        self._unanswered = 0
        return found
