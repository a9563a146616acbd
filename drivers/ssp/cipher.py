"""eSSP's sealed packets: AES-128 block by block, a count, a checksum of their own (GA138, "Encryption Layer").

`STEX | eLENGTH | eCOUNT (4) | eDATA | ePACKING | eCRC (2)`, where everything after STEX is encrypted, and the packing
fills the last block. The checksum covers eLENGTH to ePACKING.
"""

from typing import Final, NamedTuple

from drivers.ssp.exchange import Randomness
from drivers.ssp.protocol import MAX_DATA, crc16_cms

STEX: Final = 0x7E
BLOCK: Final = 16
COUNT_SPAN: Final = 1 << 32
_HEAD: Final = 5
_CRC: Final = 2
MAX_SEALED: Final = (MAX_DATA - 1) // BLOCK * BLOCK - _HEAD - _CRC
"""The most data bytes of one packet."""


class Opened(NamedTuple):
    """What a packet held: its number by the count, and the data."""

    packet: int
    data: bytes


class Cipher:
    """Seals and opens packets with one 16-byte key, which is in no `repr`."""

    def __init__(self, key: bytes, random: Randomness) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher as Blocks  # noqa: PLC0415 - 0.09 s of a start
        from cryptography.hazmat.primitives.ciphers import algorithms, modes  # noqa: PLC0415

        # each block by itself is what the protocol says; the count makes each packet another one
        self._blocks = Blocks(algorithms.AES(key), modes.ECB())  # noqa: S305
        self._random = random

    def __repr__(self) -> str:
        return "<Cipher>"

    def seal(self, data: bytes, count: int) -> bytes:
        """Return the packet; raise `ValueError` for data that no frame holds."""
        if len(data) > MAX_SEALED:
            raise ValueError(f"a sealed SSP packet would carry {len(data)} data bytes, at most {MAX_SEALED} fit")
        body = bytes((len(data),)) + count.to_bytes(4, "little") + data
        body += self._random(-(len(body) + _CRC) % BLOCK)
        body += crc16_cms(body).to_bytes(_CRC, "little")
        encryptor = self._blocks.encryptor()
        return bytes((STEX,)) + encryptor.update(body) + encryptor.finalize()

    def open(self, packet: bytes) -> Opened | None:
        """Return what `packet` holds, None for one that this key did not seal or that was spoilt."""
        sealed = packet[1:]
        if packet[:1] != bytes((STEX,)) or not sealed or len(sealed) % BLOCK:
            return None
        decryptor = self._blocks.decryptor()
        body = decryptor.update(sealed) + decryptor.finalize()
        if crc16_cms(body[:-_CRC]) != int.from_bytes(body[-_CRC:], "little") or body[0] > len(body) - _HEAD - _CRC:
            return None
        return Opened(int.from_bytes(body[1:_HEAD], "little"), body[_HEAD : _HEAD + body[0]])
