"""The drivers' log: every frame for half an hour, and which losses it names."""

import asyncio
import logging

import pytest

from controller.hardware.driver_log import FRAMES_MIN, DriverLog
from controller.hardware.driver_tasks import keep_running
from drivers.clock import LoopClock
from drivers.errors import NoReplyError, PortError
from tests.rigs.bill_rig import Books

DRIVERS = logging.getLogger("drivers")


async def test_frames_are_logged_for_half_an_hour() -> None:
    """The level falls back by itself; chosen again, the time begins anew; ended, it ends at once."""
    log = DriverLog(LoopClock())
    running = asyncio.create_task(log.run())
    await asyncio.sleep(1.0)
    assert (log.frames, DRIVERS.level) == (False, logging.INFO)
    log.log_frames(on=True)
    await asyncio.sleep(FRAMES_MIN * 60 - 1)
    assert (log.frames, DRIVERS.level) == (True, logging.DEBUG)
    log.log_frames(on=True)
    await asyncio.sleep(FRAMES_MIN * 60 - 1)
    assert (log.frames, DRIVERS.level) == (True, logging.DEBUG)
    await asyncio.sleep(2.0)
    assert (log.frames, DRIVERS.level) == (False, logging.INFO)
    log.log_frames(on=True)
    log.log_frames(on=False)
    assert (log.frames, DRIVERS.level) == (False, logging.INFO)
    log.log_frames(on=True)
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait({running})
    assert (log.frames, DRIVERS.level) == (False, logging.INFO)


class Failing:
    """A driver that fails with each of `errors` in turn, then serves."""

    name = "bill_validator"

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    async def run(self) -> None:
        if self.errors:
            raise self.errors.pop(0)
        await asyncio.sleep(3600.0)

    def stop(self) -> None:
        """Release nothing."""


async def test_a_lost_device_is_logged_once_for_each_cause(caplog: pytest.LogCaptureFixture) -> None:
    """INFO with the cause; the same cause again is DEBUG only."""
    caplog.set_level(logging.INFO)
    driver = Failing(*[NoReplyError("tty: silent")] * 5, *[PortError("tty: gone")] * 5)
    running = asyncio.create_task(keep_running(driver, Books(), LoopClock()))
    await asyncio.sleep(30.0)
    running.cancel()
    await asyncio.wait({running})
    assert [(record.name, record.levelname, record.getMessage()) for record in caplog.records] == [
        (Failing.__module__, "INFO", "bill_validator lost: tty: silent"),
        (Failing.__module__, "INFO", "bill_validator lost: tty: gone"),
    ]
