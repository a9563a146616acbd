"""CRC-16/KERMIT, the checksum of ID-003 and of SAS."""

from typing import Final


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x8408 if remainder & 1 else 0)
        table.append(remainder)
    return tuple(table)


_TABLE: Final = _table()


def crc16_kermit(data: bytes) -> int:
    """CRC-16/KERMIT: polynomial 1021 reflected (8408), start 0 (protocols.md §2.1 and §3)."""
    crc = 0
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc
