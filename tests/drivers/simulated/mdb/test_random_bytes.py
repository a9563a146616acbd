"""Random bytes at the simulated MDB bridge: it never falls over, nothing is paid, and its devices are there after."""

import asyncio
import random

import pytest

from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from tests.rigs.mdb_host import MdbHost

FEW, MANY = 5_000, 1_000_000
PAYS = (0x0D, 0x0F)


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.proof)])
async def test_random_bytes(count: int) -> None:
    """Noise, requests of random content, and such requests cut short."""
    paid: list[int] = []
    changer = SimulatedChanger(stock={100: 20}, coin_out=paid.append)
    host = await MdbHost(changer, SimulatedMdbBills(returned=print, stacked=print)).open()
    draw = random.Random(count)
    said = 0
    while said < count:
        chunk = _chunk(draw)
        said += len(chunk)
        host.bridge.receive(chunk)
        await asyncio.sleep(draw.choice((0.0, 0.0, 0.01, 0.1)))
        await host.line.port.read(0)
    await host.cut()
    assert paid == []
    assert (await host.data("09"))[0] == 3
    assert (await host.data("31"))[0] == 1


def _chunk(draw: random.Random) -> bytes:
    if draw.randrange(4) == 0:
        return draw.randbytes(draw.randint(1, 60)) + b"\n"
    address = draw.choice([byte for byte in range(256) if byte not in PAYS])
    data = draw.randbytes(draw.choice((0, 0, 1, 2, 4, draw.randrange(60)))).hex()
    line = f"R,{address:02x}{',' if data else ''}{data}\n".encode()
    return line[: draw.randrange(1, len(line))] + b"\n" if draw.randrange(3) == 0 else line + b"M,1\n"
