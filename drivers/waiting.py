"""Waiting for whichever comes first: something happened, or it is time; and for several works at once."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from drivers.clock import Clock

T = TypeVar("T")


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


async def run_unless(happened: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """Return what `work` returns; cancel it and return None as soon as `happened` is set.

    It has ended in order before this returns, also where this is cancelled itself.
    """
    working, waiting = asyncio.ensure_future(work), asyncio.ensure_future(happened.wait())
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        waiting.cancel()
        working.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)


async def side_by_side(*works: Coroutine[object, object, None]) -> None:
    """Run `works` until cancelled, or until one of them fails: its error is raised, and not a group of one."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(work)
    except ExceptionGroup as group:
        # whoever restarts a driver looks for its one error
        raise group.exceptions[0] from group
