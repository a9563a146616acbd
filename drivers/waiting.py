"""Waiting for whichever comes first: something happened, or it is time."""

import asyncio

from drivers.clock import Clock


async def wait_until(due: float | None, happened: asyncio.Event, clock: Clock) -> None:
    """Return when `happened` is set, at the latest at `due` (the clock's seconds); None waits for ever."""
    if due is None:
        await happened.wait()
        return

    async def sleep() -> None:
        await clock.sleep(max(0.0, due - clock.now()))

    async def wait() -> None:
        await happened.wait()

    waits = [asyncio.ensure_future(sleep()), asyncio.ensure_future(wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for waiting in waits:
            waiting.cancel()
