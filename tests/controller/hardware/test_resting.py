"""Drivers rest while somebody else asks on their ports."""

import asyncio

from controller.hardware.driver_tasks import REST_S, Resting, keep_running
from drivers.clock import LoopClock
from drivers.errors import NoReplyError
from tests.rigs.fault_book import FaultBook


class Searching:
    """A driver whose device does not answer: each start takes two seconds and fails; one that `answers` goes on."""

    name = "hopper"

    def __init__(self) -> None:
        self.open = False
        self.starts = 0
        self.answers = False

    async def run(self) -> None:
        self.open = True
        self.starts += 1
        await asyncio.sleep(2.0)
        if self.answers:
            await asyncio.Event().wait()
        raise NoReplyError("nobody")

    def stop(self) -> None:
        self.open = False


async def test_a_driver_rests_with_its_port_closed_and_then_goes_on() -> None:
    """From the beginning of the rest to its end the port is closed, and no start is made; afterwards there are."""
    driver, resting = Searching(), Resting()
    running = asyncio.create_task(keep_running(driver, FaultBook(), LoopClock(), resting))
    await asyncio.sleep(1.0)
    assert driver.open
    async with resting.held({"hopper", "another"}):
        assert not driver.open
        starts = driver.starts
        await asyncio.sleep(120)
        assert (driver.starts, driver.open) == (starts, False)
    await asyncio.sleep(60)
    assert driver.starts > starts
    running.cancel()
    await asyncio.wait({running})


async def test_a_driver_whose_device_answers_meanwhile_is_not_waited_for() -> None:
    """It goes on, and the rest begins without it after its time."""
    driver, resting = Searching(), Resting()
    driver.answers = True
    running = asyncio.create_task(keep_running(driver, FaultBook(), LoopClock(), resting))
    await asyncio.sleep(5.0)
    began = asyncio.get_running_loop().time()
    async with resting.held({"hopper"}):
        assert asyncio.get_running_loop().time() - began <= REST_S + 1
        assert driver.open
    running.cancel()
    await asyncio.wait({running})


async def test_other_drivers_do_not_rest() -> None:
    """Only those that are named rest."""
    driver, resting = Searching(), Resting()
    running = asyncio.create_task(keep_running(driver, FaultBook(), LoopClock(), resting))
    async with resting.held({"bill_validator"}):
        await asyncio.sleep(60)
        assert driver.starts > 1
    running.cancel()
    await asyncio.wait({running})
