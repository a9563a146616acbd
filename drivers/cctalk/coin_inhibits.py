"""Check that an acceptor still has the inhibits that were set: if not, it was reset.

After a reset every coin is inhibited in the mask (request 230). The master inhibit (request 227) is on after a reset on
some devices and off on others: the manuals of Azkoyen's Modular X6 and Alberici's AL66 say that the device starts in
normal operation.
"""

from typing import Final

from drivers.cctalk.bus import Bus
from drivers.cctalk.protocol import Header
from drivers.errors import NoReplyError, WireError

FRUITLESS_QUESTIONS: Final = 3
"""After this many requests without a reply the device is not asked again: it does not support them."""
MASK_BYTES: Final = 2
_NORMAL: Final = b"\x01"


class InhibitCheck:
    """Reads the inhibits of one acceptor."""

    def __init__(self, bus: Bus, address: int) -> None:
        self._bus = bus
        self._address = address
        self._unanswered = 0

    def __repr__(self) -> str:
        return f"<InhibitCheck unanswered={self._unanswered}>"

    async def enabled(self, mask: bytes) -> bool | None:
        """Return whether the coins of `mask` are enabled and the master inhibit is off.

        None if the device does not answer.
        """
        coins = await self._says(Header.READ_INHIBITS, mask)
        return await self._says(Header.READ_MASTER_INHIBIT, _NORMAL) if coins else coins

    async def none_enabled(self) -> bool | None:
        """Return whether no coin is enabled in the mask, as after a reset; None if the device does not answer."""
        enabled = await self._says(Header.READ_INHIBITS)
        return None if enabled is None else not enabled

    async def _says(self, header: Header, bits: bytes = b"") -> bool | None:
        """Return whether the reply has all of `bits`, or any bit if none are given.

        False only after two such replies.
        """
        if self._unanswered >= FRUITLESS_QUESTIONS:
            return None
        length = len(bits) or MASK_BYTES
        try:
            for _ in range(2):
                answer = await self._bus.request(self._address, header, sizes=range(length, length + 1), attempts=1)
                wanted = bits or answer
                if any(answer) and all(said & bit == bit for said, bit in zip(answer, wanted, strict=True)):
                    self._unanswered = 0
                    return True
        except (NoReplyError, WireError):
            self._unanswered += 1
            return None
        self._unanswered = 0
        return False
