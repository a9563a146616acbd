"""eSSP's encrypted packets: AES-128 in ECB mode, a packet counter and a checksum (GA138, "Encryption Layer").

`STEX | eLENGTH | eCOUNT (4) | eDATA | ePACKING | eCRC (2)`: everything after STEX is encrypted, and the packing pads
the last block. The checksum covers eLENGTH to ePACKING.
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
"""Maximum number of data bytes in one packet."""


class Opened(NamedTuple):
    """A decrypted packet: its counter and its data."""

    packet: int
    data: bytes


class Cipher:
    """Encrypts and decrypts packets with one 16-byte key, which no `repr` shows."""

    def __init__(self, key: bytes, random: Randomness) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher as Blocks  # noqa: PLC0415 - 0.09 s of a start
        from cryptography.hazmat.primitives.ciphers import algorithms, modes  # noqa: PLC0415

        # the protocol requires ECB; the counter makes each packet different
        self._blocks = Blocks(algorithms.AES(key), modes.ECB())  # noqa: S305
        self._random = random

    def __repr__(self) -> str:
        return "<Cipher>"

    def seal(self, data: bytes, count: int) -> bytes:
        """Return the encrypted packet; raise `ValueError` if `data` does not fit into a frame."""
        if len(data) > MAX_SEALED:
            raise ValueError(f"a sealed SSP packet would carry {len(data)} data bytes, at most {MAX_SEALED} fit")
        body = bytes((len(data),)) + count.to_bytes(4, "little") + data
        body += self._random(-(len(body) + _CRC) % BLOCK)
        body += crc16_cms(body).to_bytes(_CRC, "little")
        encryptor = self._blocks.encryptor()
        return bytes((STEX,)) + encryptor.update(body) + encryptor.finalize()

    def open(self, packet: bytes) -> Opened | None:
        """Decrypt `packet`; return None if it was sealed with another key or is damaged."""
        sealed = packet[1:]
        if packet[:1] != bytes((STEX,)) or not sealed or len(sealed) % BLOCK:
            return None
        decryptor = self._blocks.decryptor()
        body = decryptor.update(sealed) + decryptor.finalize()
        if crc16_cms(body[:-_CRC]) != int.from_bytes(body[-_CRC:], "little") or body[0] > len(body) - _HEAD - _CRC:
            return None
        return Opened(int.from_bytes(body[1:_HEAD], "little"), body[_HEAD : _HEAD + body[0]])
