"""What the tests of all bill validators, and of the probe, have to know of ccTalk."""

from itertools import product
from typing import Final

from crccheck.crc import CrcXmodem  # type: ignore[import-untyped]

from drivers.cctalk.probe import ADDRESSES

# Generic specification, part 2: simple poll, manufacturer, category, product code, serial number, software revision,
# build code, comms revision.
HEADERS: Final = (254, 246, 245, 244, 242, 241, 192, 4)


def simple(address: int, header: int) -> bytes:
    """Return a request of the host with the simple checksum."""
    frame = bytes((address, 0, 1, header))
    return frame + bytes((-sum(frame) & 0xFF,))


def with_crc(address: int, header: int) -> bytes:
    """Return a request of the host with the 16-bit CRC."""
    crc = CrcXmodem.calc(bytes((address, 0, header)))
    return bytes((address, 0, crc & 0xFF, header, crc >> 8))


HARMLESS: Final = tuple(
    frame(address, header) for frame in (simple, with_crc) for address, header in product(ADDRESSES, HEADERS)
)
WORDS: Final = ("cctalk4711 0000000000000000000000",)
NUMBERS_EVENTS: Final = True
HIDES_CUT: Final = False
GIVES_REASONS: Final = True
