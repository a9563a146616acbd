"""Driver of a PC/SC reader: reads the UID of each contactless card presented.

The UID is read with GET DATA, `FF CA 00 00 00` (Interoperability Specification for ICCs and Personal Computer Systems,
part 3, 3.2.2.1.3): P1 = 00 asks for the UID, Le = 00 for all of it. The status after the UID is `90 00`, or `62 82` if
the reader takes Le as a length that the UID does not fill; `6C XX` names the Le that it wants; `6A 81` means that this
card or reader has no UID.
"""

from typing import Final

from drivers.cards.listener import CARD_READER, CardListener
from drivers.cards.terminal import CardGoneError, Seen, Slot, Terminal
from drivers.clock import Clock
from drivers.errors import NoReplyError, SettingsError

GET_UID: Final = bytes.fromhex("FFCA000000")
WHOLE: Final = (bytes.fromhex("9000"), bytes.fromhex("6282"))
"""The status words after a complete UID."""
STATUS_BYTES: Final = 2
WRONG_LE: Final = 0x6C
UID_BYTES: Final = (4, 7, 8, 10, 12)
"""ISO/IEC 14443-3 type A has 4, 7 or 10 bytes, type B's PUPI 4, ISO/IEC 15693 and FeliCa 8, with some readers 12."""
NO_NUMBER: Final = (0x08, 0x88)
"""First bytes of four-byte UIDs that identify no card (ISO/IEC 14443-3, 6.5.4; NXP AN10927, 2).

These are a random UID, and the cascade tag before three bytes of a longer UID, which many cards share.
"""
LOOK_S: Final = 1.0
"""An unplugged reader is noticed within this time even if the service does not report it."""


class ContactlessReader:
    """The reader at `terminal` whose name contains `device`, or any reader if empty; reports cards to `listener`."""

    name = CARD_READER

    def __init__(self, terminal: Terminal, device: str, clock: Clock, listener: CardListener) -> None:
        self._terminal = terminal
        self._device = device
        self._clock = clock
        self._listener = listener
        self._dealt: dict[str, tuple[Slot, int]] = {}

    def __repr__(self) -> str:
        return f"<ContactlessReader {self._device or 'any'}>"

    @property
    def slots(self) -> dict[str, Slot]:
        """The state of the reader's slots at the last look."""
        return {reader: slot for reader, (slot, _events) in self._dealt.items()}

    async def run(self) -> None:
        """Read cards until cancelled.

        Raises `PortError` without the service, `NoReplyError` without the reader, `SettingsError` for two of that name.
        """
        await self._terminal.open()
        # a card that is already there was not just presented: ignore it
        self._dealt = {seen.reader: (seen.slot, seen.events) for seen in await self._slots()}
        while True:
            await self._terminal.changed(LOOK_S)
            await self._look(await self._slots())

    def stop(self) -> None:
        """Disconnect from the service."""
        self._terminal.close()

    async def _slots(self) -> tuple[Seen, ...]:
        """Return the slots of the configured reader."""
        present = await self._terminal.readers()
        meant = tuple(seen for seen in present if self._device in seen.reader)
        if not meant:
            there = ", ".join(seen.reader for seen in present) or "none"
            wanted = f"whose name has '{self._device}' " if self._device else ""
            raise NoReplyError(f"pcscd has no reader {wanted}(there are: {there}): plug it in, or correct cards.device")
        if len({_body(seen.reader) for seen in meant}) > 1:
            names = ", ".join(seen.reader for seen in meant)
            raise SettingsError(f"there are several readers ({names}): name one of them in cards.device")
        return meant

    async def _look(self, slots: tuple[Seen, ...]) -> None:
        fresh = [seen for seen in slots if self._dealt.get(seen.reader) != (seen.slot, seen.events)]
        self._dealt = {seen.reader: (seen.slot, seen.events) for seen in slots}
        fresh = [seen for seen in fresh if seen.slot is not Slot.EMPTY]
        if not fresh:
            return
        if len([seen for seen in slots if seen.slot is not Slot.EMPTY]) > 1 or fresh[0].slot is not Slot.CARD:
            self._listener.unread()
            return
        try:
            answer = await self._terminal.transmit(fresh[0].reader, GET_UID)
            if len(answer) == STATUS_BYTES and answer[0] == WRONG_LE:
                answer = await self._terminal.transmit(fresh[0].reader, GET_UID[:-1] + answer[1:])
        except CardGoneError:
            self._listener.unread()
            return
        uid, status = answer[:-STATUS_BYTES], answer[-STATUS_BYTES:]
        if status not in WHOLE or len(uid) not in UID_BYTES or (len(uid) == UID_BYTES[0] and uid[0] in NO_NUMBER):
            self._listener.unread()
        else:
            self._listener.card(uid.hex().upper())


def _body(reader: str) -> str:
    """Return a reader's name without the reader and slot numbers that pcsclite appends."""
    name, _, numbers = reader.rpartition(" ")
    return name if len(numbers) == len("00") else reader
