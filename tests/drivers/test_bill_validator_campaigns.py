import asyncio
import random

import pytest

from drivers.bill_validator import BillValidator
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.id003.frames import Status
from drivers.wiring import BillValidator as Settings
from tests.rigs.bill_rig import NOTE, RESTS, SILENT, Books, Rig, check_accounted, run_rig

pytestmark = pytest.mark.sampled(3)


@pytest.mark.parametrize("habits", [RESTS, SILENT], ids=["rests", "silent"])
async def test_a_second_cut_while_recovering(habits: Habits) -> None:
    """The mains may fail again at any moment of the recovery."""

    async def main(after_s: float) -> Rig:
        rig = Rig(habits)
        await rig.start()
        rig.device.insert(NOTE)
        await rig.settle(0.95)
        for wait in (after_s, 30.0):
            rig.device.power(on=False)
            await rig.kill()
            await rig.settle(1)
            rig.device.power(on=True)
            rig.run()
            await rig.settle(wait)
        return await rig.end()

    for step in range(1, 40):
        rig = await main(step / 8)
        check_accounted(rig, open_items_allowed=habits is SILENT)


async def test_the_driver_dies_while_recovering_a_stacked_note() -> None:
    """Killed at any frame of the recovery at 42, the next driver still waits for what the device has to say."""

    async def main(write: int) -> Rig:
        rig = Rig(RESTS)
        await rig.start()
        rig.device.insert(NOTE)
        await rig.settle(0.95)
        rig.device.power(on=False)
        await rig.kill()
        rig.device.power(on=True)
        rig.port.die_at = rig.port.writes + write
        rig.down_s = 0.05
        rig.run()
        await rig.settle(30)
        return await rig.end()

    for write in range(1, 50):
        rig = await main(write)
        check_accounted(rig)
        assert rig.books.credit_cents == NOTE


async def test_left_unacknowledged_until_the_device_goes_deaf() -> None:
    """After a minute at vend valid only a reset helps: it is sent, and the repeated vend valid is credited once."""

    async def scene(rig: Rig) -> None:
        rig.device.insert(NOTE)
        await rig.settle(0.8)
        await rig.kill()
        await rig.settle(70)
        assert rig.device.wedged
        rig.run()
        await rig.settle(30)
        assert rig.device.status is Status.IDLE

    for habits in (None, SILENT):
        rig = await run_rig(scene, habits)
        check_accounted(rig, open_items_allowed=habits is SILENT)
        assert bool(rig.books.open_items) == (habits is SILENT)


@pytest.mark.parametrize("fault", ["acceptor_jam", "stacker_jam", "stacker_open", "failure"])
@pytest.mark.parametrize("habits", [Habits(), SILENT], ids=["recovers", "silent"])
async def test_a_note_caught_in_a_fault(fault: str, habits: Habits) -> None:
    """A jam at any moment of the note's way: after it is mended the reset shows where the note went."""

    async def main(after_s: float) -> Rig:
        rig = Rig(habits)
        await rig.start()
        rig.device.insert(NOTE)
        await rig.settle(after_s)
        rig.device.set_fault(fault, on=True)
        await rig.settle(35)
        assert fault in rig.books.faults
        rig.device.set_fault(fault, on=False)
        await rig.settle(45)
        assert (rig.books.faults, rig.device.status) == ({}, Status.IDLE)
        return await rig.end()

    for step in range(1, 19):
        check_accounted((await main(step / 10)), open_items_allowed=habits is SILENT)


class FloodPort:
    """A line that carries nothing but random bytes, until they are used up."""

    path = "flood"

    def __init__(self, total: int) -> None:
        self.left = total
        self._chance = random.Random(7)

    async def open(self) -> None:
        """Always there."""

    async def write(self, data: bytes) -> None:
        """Nobody listens."""

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        await asyncio.sleep(min(timeout, 0.004))
        size = min(self.left, 400)
        self.left -= size
        if not size:
            await asyncio.sleep(timeout)
        return self._chance.randbytes(size)

    def close(self) -> None:
        """Nothing to release."""


async def test_a_million_random_bytes_credit_nothing() -> None:
    """A flooded driver gives up with a clear error and reports nothing about money."""
    port = FloodPort(1_000_000)
    books = Books()

    while port.left:
        with pytest.raises(DriverError):
            await BillValidator(Settings(port="flood"), port, LoopClock(), books, currency=EURO).run()

    assert (books.credit_cents, books.open_items, books.calls) == (0, [], [])
