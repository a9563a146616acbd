"""Waiting for whichever comes first: something happened, or it is time; and for several works at once."""

import asyncio
from collections.abc import Coroutine

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


async def side_by_side(*works: Coroutine[object, object, None]) -> None:
    """Run `works` until cancelled, or until one of them fails: its error is raised, and not a group of one."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(work)
    except ExceptionGroup as group:
        # whoever restarts a driver looks for its one error
        raise group.exceptions[0] from group
