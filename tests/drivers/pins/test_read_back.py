"""What an output's pin truly reads, beside what it was set to: for the check-out's look at the wiring (T.18)."""

import asyncio

import pytest

from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.pins.lamps import Lamps
from tests.rigs.expander_board import LAMP_PIN, Board
from tests.rigs.mock_header import MockHeader, running

SPIN, COLLECT = 17, 27


async def test_an_output_reads_what_it_was_set_to() -> None:
    """Claimed outputs are listed with their pins; those that were given back are not."""
    header = MockHeader()
    lamps = Lamps({"spin": SPIN, "collect": COLLECT}, header, LoopClock())
    async with running(lamps.run()):
        lamps.set({"spin": "on"})
        await asyncio.sleep(0.01)
        assert [output.label.partition(" (")[2] for output in header.outputs] == ["GPIO 27)", "GPIO 17)"]
        assert [(output.on, output.level) for output in header.outputs] == [(False, False), (True, True)]
    assert header.outputs == []


async def test_a_pin_that_something_holds_reads_otherwise() -> None:
    """Shorted to ground: it was set to on and reads low."""
    header = MockHeader()
    lamps = Lamps({"spin": SPIN}, header, LoopClock())
    async with running(lamps.run()):
        lamps.set({"spin": "on"})
        await asyncio.sleep(0.01)
        header.pin(SPIN)._state = False
        (output,) = header.outputs
        assert (output.on, output.level) == (True, False)


async def test_a_pin_that_cannot_be_read_says_so() -> None:
    """In words that name it."""
    header = MockHeader()
    lamps = Lamps({"spin": SPIN}, header, LoopClock())
    async with running(lamps.run()):
        await asyncio.sleep(0.01)
        (output,) = header.outputs
        header.pin(SPIN).broken = True
        with pytest.raises(PortError, match="GPIO 17"):
            _ = output.level
        header.pin(SPIN).broken = False


async def test_an_expanders_output_reads_what_its_chip_reads() -> None:
    """As of the chip's last exchange."""
    board = Board()
    async with board.serving():
        (lamp,) = [output for output in board.header.outputs if LAMP_PIN in output.label]
        assert (lamp.on, lamp.level) == (False, False)
        board.lamps.set({"spin": "on"})
        await asyncio.sleep(0.1)
        assert (lamp.on, lamp.level) == (True, True)
