"""Texts that devices send about themselves."""

import asyncio
import contextlib

import pytest

from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.device_words import readable
from drivers.simulated.cctalk.coin_acceptor import IDENTITY, SimulatedCoinAcceptor
from drivers.simulated.memory_line import MemoryLine
from drivers.wiring import CoinAcceptor as Settings
from tests.rigs.cctalk_books import CoinBooks


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"SCH2", "SCH2"),
        (b"EMP800\0\0\0", "EMP800"),
        (b" 1.00 \r\n", "1.00"),
        (b"a\0b\x1b\xff", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"),
        (b"", ""),
    ],
)
def test_what_a_device_says_can_be_drawn(sent: bytes, words: str) -> None:
    """Padding goes, and nothing is left that a screen cannot draw."""
    assert readable(sent) == words


@pytest.mark.requirement("D10")
async def test_an_identity_padded_with_zero_bytes_is_reported_without_them() -> None:
    """T.8 and H.2 show it: one zero byte would end the display."""
    padded = IDENTITY._replace(product=b"SCH2\0\0", manufacturer=b"O\0C", software=b"V1\0")
    device = SimulatedCoinAcceptor(identity=padded)
    line = MemoryLine(device)
    device.power(on=True)
    driver = CoinAcceptor(Settings(port="memory"), line.port, LoopClock(), CoinBooks(), currency=EURO)
    running = asyncio.create_task(driver.run())
    await asyncio.sleep(2.0)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    identity = str(driver.identity)
    assert identity.isprintable()
    assert identity.startswith("O\N{REPLACEMENT CHARACTER}C SCH2 ")
