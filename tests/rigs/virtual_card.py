"""A card in the virtual reader of vsmartcard: what `vpcd` calls a virtual ICC, on its TCP port.

Its protocol (frankmorgner.github.io/vsmartcard, "virtualsmartcard", Virtual ICC): each message has its length in two
bytes before it, the higher first. From the reader one byte is a command (0 power off, 1 power on, 2 reset, 4 ask for
the ATR), more are an APDU.
"""

import asyncio
from contextlib import suppress
from typing import Self

PORT = 0x8C7B
ATR = bytes.fromhex("3B8F8001804F0CA000000306030001000000006A")
"""A contactless storage card, as PC/SC part 3, 3.1.3.2.3 writes it."""
_ASK_ATR = 4


class VirtualCard:
    """A card with this number; an asynchronous context manager, within which it lies on the reader."""

    def __init__(self, uid: bytes) -> None:
        self.uid = uid
        self.asked: list[bytes] = []
        self._task: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        reader, self._writer = await asyncio.open_connection("127.0.0.1", PORT)
        self._task = asyncio.create_task(self._serve(reader, self._writer))
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert self._task is not None
        assert self._writer is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            size = int.from_bytes(await reader.readexactly(2))
            message = await reader.readexactly(size)
            if size > 1:
                self.asked.append(message)
                answer = self.uid + b"\x90\x00" if message == bytes.fromhex("FFCA000000") else b"\x6d\x00"
            elif message[0] == _ASK_ATR:
                answer = ATR
            else:
                continue
            writer.write(len(answer).to_bytes(2) + answer)
            await writer.drain()
