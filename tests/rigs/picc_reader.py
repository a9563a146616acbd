"""A contactless reader at PC/SC's level, and vsmartcard's virtual card, by the maker's tables for GET DATA.

Written from public sources without the driver (tests/rigs/vectors/README.md, `card_readers.tsv`, letters A, C, V).
"""

import asyncio
from typing import Self

from drivers.cards.terminal import CardGoneError, Seen, Slot

NAME = "ACS ACR1281 1S Dual Reader PICC 00 00"
OK, SHORT, NOT_SUPPORTED, NO_INSTRUCTION = (bytes.fromhex(word) for word in ("9000", "6282", "6A81", "6D00"))
_CLASS, _GET_DATA, _WRONG_LENGTH = 0xFF, 0xCA, 0x6C
_ATR = bytes.fromhex("3B8F8001804F0CA000000306030001000000006A")
"""MIFARE Classic 1K behind a PC/SC reader (pcsc-tools, smartcard_list.txt)."""
_PORT, _ASK_ATR = 35963, 4


def get_data(apdu: bytes, uid: bytes, *, le_is_a_length: bool = False) -> bytes:
    """Return what a reader answers about a card: Le is 0 for everything, or counted where the reader takes it so."""
    if apdu[:2] != bytes((_CLASS, _GET_DATA)) or len(apdu) != 5:
        return NO_INSTRUCTION
    if apdu[2:4] != b"\0\0":
        return NOT_SUPPORTED
    wanted = apdu[4]
    if (wanted or le_is_a_length) and wanted < len(uid):
        return bytes((_WRONG_LENGTH, len(uid)))
    return uid + (SHORT if wanted > len(uid) else OK)


class PiccReader:
    """A `drivers.cards.terminal.Terminal` with one slot; `lay` and `take` are a hand's."""

    def __init__(self, *, le_is_a_length: bool = False, answer: bytes | None = None) -> None:
        self._le_is_a_length = le_is_a_length
        self._answer = answer
        self._uid: bytes | None = None
        self._events = 0
        self._moved = asyncio.Event()
        self.asked: list[bytes] = []

    def lay(self, uid: bytes) -> None:
        """Lay a card on it."""
        self._become(uid)

    def take(self) -> None:
        """Take it away."""
        self._become(None)

    def _become(self, uid: bytes | None) -> None:
        self._uid, self._events = uid, self._events + 1
        self._moved.set()

    async def open(self) -> None:
        """Connect, which always succeeds."""

    async def readers(self) -> tuple[Seen, ...]:
        """Return the one slot."""
        return (Seen(NAME, Slot.EMPTY if self._uid is None else Slot.CARD, self._events),)

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the service's own
        """Wait for a hand."""
        try:
            async with asyncio.timeout(timeout):
                await self._moved.wait()
        except TimeoutError:
            return
        self._moved.clear()

    async def transmit(self, reader: str, apdu: bytes) -> bytes:
        """Answer by the tables, or with the answer that was given."""
        assert reader == NAME
        self.asked.append(apdu)
        if self._uid is None:
            raise CardGoneError
        return get_data(apdu, self._uid, le_is_a_length=self._le_is_a_length) if self._answer is None else self._answer

    def close(self) -> None:
        """Nothing is held."""


class VirtualIcc:
    """A card in vpcd's reader while the context lasts; `answer` for the tables', `flees` on the first command."""

    def __init__(self, uid: bytes, *, answer: bytes | None = None, flees: bool = False) -> None:
        self._uid = uid
        self._answer = answer
        self._flees = flees
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        reader, writer = await asyncio.open_connection("127.0.0.1", _PORT)
        self._task = asyncio.create_task(self._serve(reader, writer))
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                message = await reader.readexactly(int.from_bytes(await reader.readexactly(2)))
                if len(message) > 1 and self._flees:
                    return
                if len(message) > 1:
                    self._put(writer, get_data(message, self._uid) if self._answer is None else self._answer)
                elif message[0] == _ASK_ATR:
                    self._put(writer, _ATR)
        finally:
            writer.close()

    def _put(self, writer: asyncio.StreamWriter, answer: bytes) -> None:
        writer.write(len(answer).to_bytes(2) + answer)
