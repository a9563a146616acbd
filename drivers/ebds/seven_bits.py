"""Seven data bits with even parity over an 8N1 port: the eighth bit is the parity bit (protocols.md, 0).

A pty with hardware parity can be opened only once, and the treatment of parity errors depends on the adapter. Here a
byte with wrong parity becomes `SPOILT`, which is invalid in every frame.
"""

from typing import Final

from drivers.port import Port

SPOILT: Final = 0xFF


def _with_parity(byte: int) -> int:
    return byte | (byte.bit_count() & 1) << 7


_SENT: Final = bytes(_with_parity(byte & 0x7F) for byte in range(256))
_HEARD: Final = bytes(byte & 0x7F if byte.bit_count() % 2 == 0 else SPOILT for byte in range(256))


class SevenBitPort:
    """A `drivers.port.Port` for seven-bit bytes with even parity on top of an eight-bit port."""

    def __init__(self, port: Port) -> None:
        self.path = port.path
        self._port = port

    def __repr__(self) -> str:
        return f"<SevenBitPort {self.path}>"

    async def open(self) -> None:
        """Open the port; raise `PortError`."""
        await self._port.open()

    async def write(self, data: bytes) -> None:
        """Send seven bits of each byte and their parity; raise `PortError` when the line is lost."""
        await self._port.write(data.translate(_SENT))

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost."""
        return (await self._port.read(timeout)).translate(_HEARD)

    def close(self) -> None:
        """Release the port; may be called twice."""
        self._port.close()
