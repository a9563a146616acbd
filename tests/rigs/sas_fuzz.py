"""Bytes that a machine must survive and never act on: noise, and polls of which at least one bit is wrong."""

import random
from collections.abc import Iterator

from tests.rigs import sas_frames
from tests.rigs.sas_frames import sealed

SEEDS = (
    sas_frames.request(1, 0x01),
    sas_frames.request(1, 0x0E, on=1),
    sas_frames.request(1, 0x2F, game=0, codes=[0, 1, 2, 3]),
    sas_frames.request(1, 0x6F, game=0, codes=[0, 0xA0, 0xB8]),
    sas_frames.request(1, 0x74, code=0, condition=1, timeout=9000),
    sas_frames.request(
        1, 0x72, code=0, index=0, type=0, cashable=5000, restricted=0, nonrestricted=0, flags=0, asset=1,
        key=bytes(20), id="FUZZ", expiration=0, pool=bytes(2), receipt=b"",
    ),
    sas_frames.request(1, 0x94),
    sas_frames.request(1, 0x58, system_id=37, number=9_000_000_000_007_919),
    sas_frames.request(1, 0x71, code=0, cents=500, parsing=0, system_id=37, number=9_000_000_000_007_919),
)  # fmt: skip
"""Orders and questions; none is ever sent whole."""


def wrong(frame: bytes, chance: random.Random) -> bytes:
    """A poll with a bit turned, bytes missing or bytes added, whose CRC is not right."""
    spoilt = bytearray(frame)
    match chance.randrange(3):
        case 0:
            spoilt[chance.randrange(2, len(spoilt))] ^= 1 << chance.randrange(8)
        case 1:
            del spoilt[chance.randrange(3, len(spoilt)) :]
        case _:
            spoilt[-2:-2] = chance.randbytes(chance.randint(1, 4))
    if len(spoilt) < 4 or sealed(bytes(spoilt[:-2])) != bytes(spoilt):
        return bytes(spoilt)
    return bytes(spoilt[:-1]) + bytes([spoilt[-1] ^ 1])


def fuzz(seed: int, size: int) -> Iterator[bytes]:
    """Pieces of `size` bytes in all: half noise, half polls gone wrong; the same seed gives the same."""
    chance = random.Random(seed)
    given = 0
    while given < size:
        piece = (
            chance.randbytes(chance.randint(1, 60)) if chance.random() < 0.5 else wrong(chance.choice(SEEDS), chance)
        )
        piece = piece[: size - given]
        given += len(piece)
        yield piece
