"""Helpers for waiting: for an event or a deadline, and for several coroutines at once."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from drivers.clock import Clock

T = TypeVar("T")


async def wait_until(due: float | None, happened: asyncio.Event, clock: Clock) -> None:
    """Return when `happened` is set, at the latest at `due` (the clock's seconds); None waits forever."""
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

    `work` has ended before this returns, even if this call is cancelled.
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
    """Run `works` until cancelled or until one fails; raise its error itself, not an exception group."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(work)
    except ExceptionGroup as group:
        # the code that restarts a driver expects a single error
        raise group.exceptions[0] from group
