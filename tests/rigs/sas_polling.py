"""A SAS host that goes on polling while a test does something else: in the same loop, or on a thread of its own."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self, TypeVar

from tests.rigs.sas_host import SasHost, Timing
from tests.rigs.sas_links import PtyHostLink

T = TypeVar("T")

LOOK_S = 0.02


class Polling:
    """`host` polls every `every_s` seconds within the context; `alone` lends it to somebody who has a question."""

    def __init__(self, host: SasHost, *, every_s: float = 0.2) -> None:
        self.host = host
        self._every_s = every_s
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[SasHost]:
        """The host between two polls; the error of the polling so far, if it ended."""
        assert self._task is not None
        if self._task.done():
            self._task.result()
        async with self._turn:
            yield self.host

    async def _run(self) -> None:
        while True:
            async with self._turn:
                await self.host.next_exception()
            await asyncio.sleep(self._every_s)


class HostThread:
    """A host on a pty at `path`, polling on a thread of its own for a cabinet of real processes.

    Its clock is the machine's monotonic one. Use it as a context manager.
    """

    def __init__(self, path: Path, *, address: int = 1, every_s: float = 0.05, timing: Timing | None = None) -> None:
        self._path = path
        self._address = address
        self._every_s = every_s
        self._timing = timing
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sas-host", daemon=True)
        self._polling: Polling | None = None
        self._link: PtyHostLink | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._begin())
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._run(self._end())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    @property
    def host(self) -> SasHost:
        """The host; what it has counted may be read from any thread."""
        assert self._polling is not None
        return self._polling.host

    @property
    def link(self) -> PtyHostLink:
        """The host's end of the pty."""
        assert self._link is not None
        return self._link

    def do(self, act: Callable[[SasHost], Awaitable[T]]) -> T:
        """Do something with the host between two of its polls."""
        return self._run(self._alone(act))

    def confirmed(self, code: int, seconds: float = 10.0, *, times: int = 1) -> None:
        """Wait until the host has fetched and confirmed an exception so often, since its first poll."""
        self.wait(lambda: self.host.tally.confirmed[code] >= times, seconds, f"{code:02X} {times} times")

    def wait(self, holds: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until `holds()`; fail after `seconds`, with what the host has counted."""
        ends = time.monotonic() + seconds
        while not holds():
            heard = {f"{code:02X}": count for code, count in self.host.tally.confirmed.items()}
            assert time.monotonic() < ends, f"not seen within {seconds} s: {what}; exceptions {heard}"
            time.sleep(LOOK_S)

    def lose_power(self) -> None:
        """Note that the machine is dead: what its line still holds is lost with it."""

        async def lost(host: SasHost) -> None:
            host.cut()
            self.link.forget()

        self.do(lost)

    async def _begin(self) -> None:
        self._link = PtyHostLink(self._path)
        host = SasHost(self._link, address=self._address, now=time.monotonic, timing=self._timing)
        self._polling = Polling(host, every_s=self._every_s)
        await self._polling.__aenter__()

    async def _end(self) -> None:
        assert self._polling is not None
        assert self._link is not None
        await self._polling.__aexit__()
        self._link.close()

    async def _alone(self, act: Callable[[SasHost], Awaitable[T]]) -> T:
        assert self._polling is not None
        async with self._polling.alone() as host:
            return await act(host)

    def _run(self, coroutine: Awaitable[T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(120.0)  # type: ignore[arg-type]
