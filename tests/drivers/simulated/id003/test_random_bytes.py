"""Random bytes at the simulated ID-003 validator: it never falls over, moves no paper, and takes tickets afterwards."""

import asyncio
import random

import pytest

from drivers.simulated.id003.frames import Command, encode
from tests.rigs.id003_host import FUNCTION, TAKE_ALL, Id003Host

FEW, MANY = 5_000, 1_000_000
TICKET = "004759625755877102"


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.proof)])
async def test_random_bytes(count: int) -> None:
    """Noise, sound frames of random content and such frames spoilt, at a device with a ticket in escrow as without."""
    host = await Id003Host().open(FUNCTION, TAKE_ALL)
    draw = random.Random(count)
    said = put_in = 0
    while said < count:
        chunk = _chunk(draw)
        said += len(chunk)
        host.device.receive(chunk)
        if draw.randrange(50) == 0:
            host.device.insert_ticket(TICKET)
            put_in += 1
        await asyncio.sleep(draw.choice((0.0, 0.0, 0.05, 0.3)))
        await host.line.port.read(0)
    await asyncio.sleep(20)
    host.device.power(on=False)
    host.device.power(on=True)
    await host.reset(FUNCTION, TAKE_ALL)
    assert (host.stacked, len(host.returned)) == ([], put_in)
    assert (await host.put_in(TICKET)).startswith("13 6F")


def _chunk(draw: random.Random) -> bytes:
    """Noise, a sound frame that orders no stacking, or such a frame spoilt."""
    kind = draw.randrange(4)
    if kind == 0:
        return draw.randbytes(draw.randint(1, 60))
    code = draw.choice([value for value in range(256) if value not in {Command.STACK_1, Command.STACK_2}])
    frame = encode(code, draw.randbytes(draw.choice((0, 0, 1, 2, 4, draw.randrange(60)))))
    if kind == 1:
        return frame[: draw.randrange(1, len(frame))]
    if kind == 2:
        spoilt = bytearray(frame)
        spoilt[draw.randrange(len(frame))] ^= 1 << draw.randrange(8)
        return bytes(spoilt)
    return frame
